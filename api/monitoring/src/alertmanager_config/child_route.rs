//! Child routes. The schema cannot describe a recursive type, so the API server stores them unchecked. They are read
//! strictly here.

use serde_json::{Map, Value};

use crate::alertmanager_config::ApiVersion;
use crate::alertmanager_config::route::Route;
use crate::strict::{self, Shape, Structure, Unknown};

/// A child route that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidChild {
    /// Its index among its siblings.
    pub index: usize,
    /// The reason.
    pub reason: String,
}

impl std::fmt::Display for InvalidChild {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "route[{}]: {}", self.index, self.reason)
    }
}

impl std::error::Error for InvalidChild {}

impl Route {
    /// The child routes, read in a version of the API.
    pub fn children(&self, version: ApiVersion) -> Result<Vec<Route>, InvalidChild> {
        let shape = match version {
            ApiVersion::V1Alpha1 => &V1ALPHA1,
            ApiVersion::V1Beta1 => &V1BETA1,
        };
        let child = |(index, value)| read(shape, value).map_err(|reason| InvalidChild { index, reason });
        self.routes.iter().enumerate().map(child).collect()
    }

    /// The route as a child, without empty fields. Its own children are not changed.
    pub fn to_child(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("receiver".to_owned(), self.receiver.clone().into());
        for (name, texts) in [
            ("groupBy", &self.group_by),
            ("muteTimeIntervals", &self.mute_time_intervals),
            ("activeTimeIntervals", &self.active_time_intervals),
        ] {
            if !texts.is_empty() {
                fields.insert(name.to_owned(), texts.clone().into());
            }
        }
        for (name, duration) in [
            ("groupWait", &self.group_wait),
            ("groupInterval", &self.group_interval),
            ("repeatInterval", &self.repeat_interval),
        ] {
            if let Some(duration) = duration {
                fields.insert(name.to_owned(), duration.0.clone().into());
            }
        }
        if !self.matchers.is_empty() {
            let matchers = self.matchers.iter().map(|matcher| {
                let mut fields = Map::new();
                fields.insert("name".to_owned(), matcher.name.clone().into());
                fields.insert("value".to_owned(), matcher.value.clone().into());
                if !matcher.match_type.is_empty() {
                    fields.insert("matchType".to_owned(), matcher.match_type.0.clone().into());
                }
                if matcher.regex {
                    fields.insert("regex".to_owned(), true.into());
                }
                Value::Object(fields)
            });
            fields.insert("matchers".to_owned(), matchers.collect());
        }
        if self.continue_ {
            fields.insert("continue".to_owned(), true.into());
        }
        if !self.routes.is_empty() {
            fields.insert("routes".to_owned(), self.routes.clone().into());
        }
        Value::Object(fields)
    }
}

fn read(shape: &Shape, value: &Value) -> Result<Route, String> {
    if value.is_null() {
        return Err("EOF".to_owned());
    }
    let read = strict::read(shape, value, Unknown::Rejected).map_err(|mismatch| mismatch.to_string())?;
    serde_json::from_value(read).map_err(|error| error.to_string())
}

const TEXT: Shape = Shape::Text("string");
const TEXTS: Shape = Shape::List("[]string", &TEXT);
const DURATION: Shape = Shape::Text("v1.NonEmptyDuration");
const ROUTES: Shape = Shape::List("[]v1.JSON", &Shape::Any);

const V1ALPHA1: Shape = Shape::Fields(&Structure {
    package: "v1alpha1",
    name: "Route",
    fields: &[
        ("receiver", TEXT),
        ("groupBy", TEXTS),
        ("groupWait", DURATION),
        ("groupInterval", DURATION),
        ("repeatInterval", DURATION),
        ("matchers", Shape::List("[]v1alpha1.Matcher", &V1ALPHA1_MATCHER)),
        ("continue", Shape::Flag),
        ("routes", ROUTES),
        ("muteTimeIntervals", TEXTS),
        ("activeTimeIntervals", TEXTS),
    ],
});

const V1ALPHA1_MATCHER: Shape = Shape::Fields(&Structure {
    package: "v1alpha1",
    name: "Matcher",
    fields: &[
        ("name", TEXT),
        ("value", TEXT),
        ("matchType", Shape::Text("v1alpha1.MatchType")),
        ("regex", Shape::Flag),
    ],
});

const V1BETA1: Shape = Shape::Fields(&Structure {
    package: "v1beta1",
    name: "Route",
    fields: &[
        ("receiver", TEXT),
        ("groupBy", TEXTS),
        ("groupWait", DURATION),
        ("groupInterval", DURATION),
        ("repeatInterval", DURATION),
        ("matchers", Shape::List("[]v1beta1.Matcher", &V1BETA1_MATCHER)),
        ("continue", Shape::Flag),
        ("routes", ROUTES),
        ("muteTimeIntervals", TEXTS),
        ("activeTimeIntervals", TEXTS),
    ],
});

const V1BETA1_MATCHER: Shape = Shape::Fields(&Structure {
    package: "v1beta1",
    name: "Matcher",
    fields: &[("name", TEXT), ("value", TEXT), ("matchType", Shape::Text("v1beta1.MatchType"))],
});

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn route(routes: Vec<Value>) -> Route {
        Route { routes, ..Route::default() }
    }

    #[test]
    fn a_child_with_an_unknown_field_is_rejected() {
        let parent = route(vec![json!({}), json!({"matchers": [{"severity": "x"}]})]);
        let error = parent.children(ApiVersion::V1Alpha1).unwrap_err();
        assert_eq!(error.to_string(), r#"route[1]: json: unknown field "severity""#);
        let error = route(vec![json!({"x": null})]).children(ApiVersion::V1Alpha1).unwrap_err();
        assert_eq!(error.to_string(), r#"route[0]: json: unknown field "x""#);
        let error = route(vec![Value::Null]).children(ApiVersion::V1Alpha1).unwrap_err();
        assert_eq!(error.to_string(), "route[0]: EOF");
    }

    #[test]
    fn only_the_old_version_has_regex() {
        let parent = route(vec![json!({"matchers": [{"name": "a", "regex": true}]})]);
        assert_eq!(
            parent.children(ApiVersion::V1Alpha1).unwrap()[0].to_child(),
            json!({"receiver": "", "matchers": [{"name": "a", "value": "", "regex": true}]})
        );
        let error = parent.children(ApiVersion::V1Beta1).unwrap_err();
        assert_eq!(error.to_string(), r#"route[0]: json: unknown field "regex""#);
    }

    #[test]
    fn a_child_is_written_as_it_was_read() {
        let child = json!({
            "receiver": "a", "groupBy": ["x"], "groupWait": "1s", "groupInterval": "2s", "repeatInterval": "3s",
            "matchers": [{"name": "n", "value": "v", "matchType": "!~"}], "continue": true, "routes": [{"a": 1}],
            "muteTimeIntervals": ["m"], "activeTimeIntervals": ["n"],
        });
        assert_eq!(route(vec![child.clone()]).children(ApiVersion::V1Beta1).unwrap()[0].to_child(), child);
    }
}
