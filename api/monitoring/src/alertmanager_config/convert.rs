//! Converts AlertmanagerConfigs between the versions of the API. It converts JSON, so that unknown fields are kept, and
//! changes only the fields in which the versions differ.
//!
//! | `v1alpha1` | `v1beta1` |
//! |---|---|
//! | `spec.muteTimeIntervals` | `spec.timeIntervals` |
//! | a matcher can have `regex`, or neither `regex` nor `matchType` | a matcher has `matchType` |
//! | `optional` in references to Secrets | no such field |
//! | `updateAlerts` of OpsGenie | no such field |

use serde_json::{Map, Value};

use crate::alertmanager_config::Matcher;
use crate::alertmanager_config::child_route::InvalidChild;
use crate::alertmanager_config::route::Route;

/// The group of the resources.
const GROUP: &str = "monitoring.coreos.com";

/// A version of the API of AlertmanagerConfig.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiVersion {
    /// `v1alpha1`, in which objects are stored.
    V1Alpha1,
    /// `v1beta1`.
    V1Beta1,
}

impl ApiVersion {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::V1Alpha1 => "v1alpha1",
            Self::V1Beta1 => "v1beta1",
        }
    }

    /// The version with this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::V1Alpha1, Self::V1Beta1].into_iter().find(|version| version.name() == name)
    }

    /// The version with this group and name.
    pub fn of_group_version(text: &str) -> Option<Self> {
        Self::named(text.strip_prefix(GROUP)?.strip_prefix('/')?)
    }

    /// The group and the name.
    pub fn group_version(self) -> String {
        format!("{GROUP}/{}", self.name())
    }

    /// The field of the spec with the time intervals.
    fn intervals(self) -> &'static str {
        match self {
            Self::V1Alpha1 => "muteTimeIntervals",
            Self::V1Beta1 => "timeIntervals",
        }
    }
}

/// Converts from `v1alpha1` to `v1beta1`.
pub fn to_v1beta1(object: Value) -> Result<Value, InvalidChild> {
    convert(object, ApiVersion::V1Alpha1, ApiVersion::V1Beta1)
}

/// Converts from `v1beta1` to `v1alpha1`.
pub fn from_v1beta1(object: Value) -> Result<Value, InvalidChild> {
    convert(object, ApiVersion::V1Beta1, ApiVersion::V1Alpha1)
}

/// The object with the field names of `v1alpha1`. Child routes are not converted, so it must not be stored.
pub fn respelled(mut object: Value, from: ApiVersion) -> Value {
    if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
        rename(spec, from.intervals(), ApiVersion::V1Alpha1.intervals());
    }
    object
}

fn convert(mut object: Value, from: ApiVersion, to: ApiVersion) -> Result<Value, InvalidChild> {
    if let Some(fields) = object.as_object_mut() {
        fields.insert("apiVersion".to_owned(), to.group_version().into());
    }
    let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) else { return Ok(object) };
    rename(spec, from.intervals(), to.intervals());
    for rule in items(spec.get_mut("inhibitRules")) {
        for side in ["sourceMatch", "targetMatch"] {
            items(rule.get_mut(side)).for_each(|matcher| convert_matcher(matcher, to));
        }
    }
    for receiver in items(spec.get_mut("receivers")) {
        convert_receiver(receiver, to);
    }
    if let Some(route) = spec.get_mut("route").and_then(Value::as_object_mut) {
        route.entry("receiver").or_insert_with(|| String::new().into());
        items(route.get_mut("matchers")).for_each(|matcher| convert_matcher(matcher, to));
        if let Some(Value::Array(routes)) = route.get_mut("routes") {
            *routes = convert_routes(std::mem::take(routes), from, to)?;
        }
    }
    Ok(object)
}

fn convert_routes(routes: Vec<Value>, from: ApiVersion, to: ApiVersion) -> Result<Vec<Value>, InvalidChild> {
    let parent = Route { routes, ..Route::default() };
    let children = parent.children(from)?;
    let converted = children.into_iter().enumerate().map(|(index, mut child)| {
        if to == ApiVersion::V1Beta1 {
            child.matchers.iter_mut().for_each(write_match_type_out);
        }
        child.routes = convert_routes(child.routes, from, to)
            .map_err(|error| InvalidChild { index, reason: error.to_string() })?;
        Ok(child.to_child())
    });
    converted.collect()
}

/// Sets `matchType`: `v1beta1` has no `regex`.
fn write_match_type_out(matcher: &mut Matcher) {
    if matcher.match_type.is_empty() {
        matcher.match_type = if matcher.regex { "=~" } else { "=" }.into();
    }
    matcher.regex = false;
}

fn convert_matcher(matcher: &mut Value, to: ApiVersion) {
    let Some(fields) = matcher.as_object_mut() else { return };
    for always in ["name", "value"] {
        fields.entry(always).or_insert_with(|| String::new().into());
    }
    if to == ApiVersion::V1Beta1 {
        let regex = fields.remove("regex") == Some(Value::Bool(true));
        if fields.get("matchType").and_then(Value::as_str).unwrap_or_default().is_empty() {
            fields.insert("matchType".to_owned(), if regex { "=~" } else { "=" }.into());
        }
    }
}

/// Fields of receivers that refer to a Secret and whose type in `v1beta1` has only a name and a key.
const SECRETS: &[(&str, &[&str])] = &[
    ("opsgenieConfigs", &["apiKey"]),
    ("pagerdutyConfigs", &["routingKey", "serviceKey"]),
    ("slackConfigs", &["apiURL"]),
    ("webhookConfigs", &["urlSecret"]),
    ("wechatConfigs", &["apiSecret"]),
    ("emailConfigs", &["authPassword", "authSecret"]),
    ("victoropsConfigs", &["apiKey"]),
    ("pushoverConfigs", &["userKey", "token"]),
    ("telegramConfigs", &["botToken"]),
    ("discordConfigs", &[]),
    ("snsConfigs", &[]),
    ("webexConfigs", &[]),
    ("msteamsConfigs", &[]),
    ("msteamsv2Configs", &[]),
    ("rocketchatConfigs", &[]),
];

/// Removes fields that `v1beta1` does not have. The API server would prune them.
fn convert_receiver(receiver: &mut Value, to: ApiVersion) {
    for (kind, secrets) in SECRETS {
        for config in items(receiver.get_mut(*kind)) {
            for secret in *secrets {
                convert_secret(config.get_mut(*secret), to);
            }
            convert_secret(config.pointer_mut("/httpConfig/bearerTokenSecret"), to);
            if to == ApiVersion::V1Beta1
                && *kind == "opsgenieConfigs"
                && let Some(fields) = config.as_object_mut()
            {
                fields.remove("updateAlerts");
            }
        }
    }
}

/// A reference to a Secret: `v1beta1` always has the name, `v1alpha1` only if it is not empty.
fn convert_secret(secret: Option<&mut Value>, to: ApiVersion) {
    let Some(fields) = secret.and_then(Value::as_object_mut) else { return };
    fields.entry("key").or_insert_with(|| String::new().into());
    match to {
        ApiVersion::V1Beta1 => {
            fields.entry("name").or_insert_with(|| String::new().into());
            fields.remove("optional");
        }
        ApiVersion::V1Alpha1 => {
            if fields.get("name").and_then(Value::as_str) == Some("") {
                fields.remove("name");
            }
        }
    }
}

fn rename(fields: &mut Map<String, Value>, from: &str, to: &str) {
    if from != to
        && let Some(value) = fields.remove(from)
    {
        fields.insert(to.to_owned(), value);
    }
}

/// The items of a list, if there is one.
fn items(value: Option<&mut Value>) -> impl Iterator<Item = &mut Value> {
    value.and_then(Value::as_array_mut).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn config(version: &str, spec: &Value) -> Value {
        json!({"apiVersion": format!("monitoring.coreos.com/{version}"), "kind": "AlertmanagerConfig",
            "metadata": {"name": "a", "labels": {"b": "c"}}, "spec": spec, "status": {"bindings": []}})
    }

    #[test]
    fn fields_of_v1alpha1_become_those_of_v1beta1() {
        let old = json!({
            "route": {"matchers": [{"name": "a", "value": "b", "regex": true}, {"name": "c", "matchType": "!="}],
                "routes": [{"matchers": [{"name": "d"}], "continue": false, "routes": [{"Receiver": "x"}]}]},
            "inhibitRules": [{"sourceMatch": [{"name": "a", "value": "b", "regex": true, "matchType": "="}]}],
            "muteTimeIntervals": [{"name": "n", "timeIntervals": [{"months": ["1"]}]}],
        });
        let new = json!({
            "route": {"receiver": "",
                "matchers": [{"name": "a", "value": "b", "matchType": "=~"}, {"name": "c", "value": "", "matchType": "!="}],
                "routes": [{"receiver": "", "matchers": [{"name": "d", "value": "", "matchType": "="}],
                    "routes": [{"receiver": "x"}]}]},
            "inhibitRules": [{"sourceMatch": [{"name": "a", "value": "b", "matchType": "="}]}],
            "timeIntervals": [{"name": "n", "timeIntervals": [{"months": ["1"]}]}],
        });
        let converted = to_v1beta1(config("v1alpha1", &old)).unwrap();
        assert_eq!(converted, config("v1beta1", &new.clone()));
        let mut back = new;
        rename(back.as_object_mut().unwrap(), "timeIntervals", "muteTimeIntervals");
        assert_eq!(from_v1beta1(converted).unwrap(), config("v1alpha1", &back));
    }

    #[test]
    fn common_fields_are_kept() {
        let spec = json!({"receivers": [{"name": "r",
            "pushoverConfigs": [{"ttl": "1h", "token": {"name": "s", "key": "k"}}],
            "emailConfigs": [{"to": "a@b"}],
            "discordConfigs": [{"apiURL": {"name": "s", "key": "k", "optional": true}}],
            "futureConfigs": [{"x": 1}]}]});
        let converted = to_v1beta1(config("v1alpha1", &spec.clone())).unwrap();
        assert_eq!(converted, config("v1beta1", &spec.clone()));
        assert_eq!(from_v1beta1(converted).unwrap(), config("v1alpha1", &spec));
    }

    #[test]
    fn fields_that_v1beta1_does_not_have_are_removed() {
        let secret = json!({"name": "s", "key": "k", "optional": true});
        let spec = json!({"receivers": [{"name": "r",
            "opsgenieConfigs": [{"apiKey": secret, "updateAlerts": true, "httpConfig": {"bearerTokenSecret": secret}}]}]});
        let secret = json!({"name": "s", "key": "k"});
        let held = json!({"receivers": [{"name": "r",
            "opsgenieConfigs": [{"apiKey": secret, "httpConfig": {"bearerTokenSecret": secret}}]}]});
        assert_eq!(to_v1beta1(config("v1alpha1", &spec)).unwrap(), config("v1beta1", &held));
    }

    #[test]
    fn a_secret_without_a_name_survives_the_round_trip() {
        let spec =
            |secret: Value| json!({"receivers": [{"name": "r", "slackConfigs": [{"apiURL": secret}]}]});
        let converted = to_v1beta1(config("v1alpha1", &spec(json!({"key": "k"})))).unwrap();
        assert_eq!(converted, config("v1beta1", &spec(json!({"name": "", "key": "k"}))));
        assert_eq!(from_v1beta1(converted).unwrap(), config("v1alpha1", &spec(json!({"key": "k"}))));
    }

    #[test]
    fn an_invalid_child_route_is_named_with_its_index() {
        let spec = json!({"route": {"routes": [{}, {"routes": [{"x": 1}]}]}});
        let error = to_v1beta1(config("v1alpha1", &spec)).unwrap_err();
        assert_eq!(error.to_string(), r#"route[1]: route[0]: json: unknown field "x""#);
    }

    #[test]
    fn an_object_without_a_spec_is_converted() {
        assert_eq!(
            to_v1beta1(json!({"kind": "AlertmanagerConfig"})).unwrap(),
            json!({"apiVersion": "monitoring.coreos.com/v1beta1", "kind": "AlertmanagerConfig"})
        );
    }
}
