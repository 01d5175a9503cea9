//! Which alerts go where.

use api_monitoring::alertmanager_config::route::Route as Resource;
use formats::alertmanager::route::Route;
use serde_json::Value;

use super::matcher::conditions;
use super::{Convert, Error, or_empty};

/// The fields of a route.
const FIELDS: [&str; 10] = [
    "receiver",
    "groupBy",
    "groupWait",
    "groupInterval",
    "repeatInterval",
    "matchers",
    "continue",
    "routes",
    "muteTimeIntervals",
    "activeTimeIntervals",
];

/// The fields of a condition.
const MATCHER_FIELDS: [&str; 4] = ["name", "value", "matchType", "regex"];

impl Convert<'_> {
    /// A route with everything below it.
    pub(super) fn route(&self, route: &Resource) -> Result<Route, Error> {
        let conditions = conditions(self.version, &route.matchers);
        let unique = |names: &[String]| names.iter().map(|name| self.unique(name)).collect();
        let child = |(at, value)| {
            let read: Resource = child(value).map_err(|error| error.at(format!("route[{at}]")))?;
            self.route(&read)
        };
        Ok(Route {
            receiver: self.unique(&route.receiver),
            group_by: route.group_by.clone(),
            match_: conditions.equal,
            match_re: conditions.like,
            matchers: conditions.matchers,
            continue_: route.continue_,
            routes: route.routes.iter().enumerate().map(child).collect::<Result<_, _>>()?,
            group_wait: or_empty(route.group_wait.as_ref().map(|wait| &wait.0)),
            group_interval: or_empty(route.group_interval.as_ref().map(|interval| &interval.0)),
            repeat_interval: or_empty(route.repeat_interval.as_ref().map(|interval| &interval.0)),
            mute_time_intervals: unique(&route.mute_time_intervals),
            active_time_intervals: unique(&route.active_time_intervals),
        })
    }
}

/// Reads a route that the schema leaves open; it may not have fields that a route has not, nor may its conditions.
fn child(value: &Value) -> Result<Resource, Error> {
    check_fields(value, &FIELDS)?;
    let matchers = value.get("matchers").and_then(Value::as_array);
    matchers.into_iter().flatten().try_for_each(|matcher| check_fields(matcher, &MATCHER_FIELDS))?;
    serde_json::from_value(without_nulls(value)).map_err(|error| Error::rule(format!("json: {error}")))
}

fn check_fields(value: &Value, known: &[&str]) -> Result<(), Error> {
    let unknown =
        value.as_object().and_then(|object| object.keys().find(|name| !known.contains(&name.as_str())));
    unknown.map_or(Ok(()), |name| Err(Error::rule(format!("json: unknown field {name:?}"))))
}

/// What has no value is as if it were not there.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let said = fields.iter().filter(|(_, value)| !value.is_null());
            Value::Object(said.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
        }
        Value::Array(values) => Value::Array(values.iter().map(without_nulls).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}
