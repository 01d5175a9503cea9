//! The second version of AlertmanagerConfig, as a list of what it has otherwise than the one that is stored.

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

/// Lists that are not marked in `v1beta1`.
const UNMARKED: [&str; 15] = [
    "inhibitRules",
    "inhibitRules[].equal",
    "inhibitRules[].sourceMatch",
    "inhibitRules[].targetMatch",
    "receivers",
    "receivers[].emailConfigs[].headers",
    "receivers[].opsgenieConfigs[].details",
    "receivers[].opsgenieConfigs[].responders",
    "receivers[].rocketchatConfigs[].actions",
    "receivers[].rocketchatConfigs[].fields",
    "route.activeTimeIntervals",
    "route.groupBy",
    "route.muteTimeIntervals",
    "route.matchers",
    "route.routes",
];

/// The same, below the field that has another name.
const INTERVALS: [&str; 7] = [
    "timeIntervals",
    "timeIntervals[].timeIntervals",
    "timeIntervals[].timeIntervals[].daysOfMonth",
    "timeIntervals[].timeIntervals[].months",
    "timeIntervals[].timeIntervals[].times",
    "timeIntervals[].timeIntervals[].weekdays",
    "timeIntervals[].timeIntervals[].years",
];

/// Keys of Secrets that must be named in full in `v1beta1`, and are never optional.
const SECRETS: [(&str, &str); 12] = [
    ("emailConfigs", "authPassword"),
    ("emailConfigs", "authSecret"),
    ("opsgenieConfigs", "apiKey"),
    ("pagerdutyConfigs", "routingKey"),
    ("pagerdutyConfigs", "serviceKey"),
    ("pushoverConfigs", "token"),
    ("pushoverConfigs", "userKey"),
    ("slackConfigs", "apiURL"),
    ("telegramConfigs", "botToken"),
    ("victoropsConfigs", "apiKey"),
    ("webhookConfigs", "urlSecret"),
    ("wechatConfigs", "apiSecret"),
];

/// What `v1beta1` does not have.
const REMOVED: [(&str, &str); 4] = [
    ("inhibitRules[].sourceMatch[]", "regex"),
    ("inhibitRules[].targetMatch[]", "regex"),
    ("route.matchers[]", "regex"),
    ("receivers[].opsgenieConfigs[]", "updateAlerts"),
];

/// The schema of `v1beta1` from that of `v1alpha1`.
pub(super) fn v1beta1(stored: &Value) -> Result<Value> {
    let mut schema = stored.clone();
    let spec = schema.pointer_mut("/properties/spec").context("a schema without spec")?;
    let properties = properties(spec)?;
    let intervals = properties.remove("muteTimeIntervals").context("no muteTimeIntervals")?;
    properties.insert("timeIntervals".into(), intervals);
    for path in INTERVALS {
        unmark(at(spec, path)?);
    }
    for path in UNMARKED {
        unmark(at(spec, path)?);
    }
    for (path, field) in REMOVED {
        self::properties(at(spec, path)?)?.remove(field).with_context(|| format!("no {path}.{field}"))?;
    }
    for file in ["tokenFile", "userKeyFile"] {
        let path = format!("receivers[].pushoverConfigs[].{file}");
        object(at(spec, &path)?)?.remove("minLength");
    }
    for (receiver, field) in SECRETS {
        name_in_full(at(spec, &format!("receivers[].{receiver}[].{field}"))?)?;
    }
    let receivers: Vec<String> = self::properties(at(spec, "receivers[]")?)?.keys().cloned().collect();
    for receiver in receivers.iter().filter(|name| name.ends_with("Configs")) {
        unmark(at(spec, &format!("receivers[].{receiver}"))?);
        // Mail has no such part. It is the same for all others, and fifteen times the same descriptions are too much.
        if let Ok(client) = at(spec, &format!("receivers[].{receiver}[].httpConfig")) {
            let description = object(client)?.remove("description");
            undescribe(client);
            object(client)?.extend(description.map(|description| ("description".to_owned(), description)));
            name_in_full(at(client, "bearerTokenSecret")?)?;
        }
    }
    Ok(schema)
}

/// The same, described on its first levels only: with all descriptions in both versions the definition would be too
/// large to be applied.
pub(super) fn briefly_described(mut schema: Value) -> Result<Value> {
    let spec = schema.pointer_mut("/properties/spec").context("a schema without spec")?;
    for property in properties(spec)?.values_mut() {
        let description = object(property)?.remove("description");
        undescribe(property);
        object(property)?.extend(description.map(|description| ("description".to_owned(), description)));
    }
    Ok(schema)
}

fn undescribe(schema: &mut Value) {
    let Value::Object(schema) = schema else { return };
    if schema.get("description").is_some_and(Value::is_string) {
        schema.remove("description");
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(undescribe);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(part) = schema.get_mut(key) {
            undescribe(part);
        }
    }
}

/// The part of a schema at a path such as `receivers[].emailConfigs[].headers`.
fn at<'a>(schema: &'a mut Value, path: &str) -> Result<&'a mut Value> {
    let pointer: String = path
        .split('.')
        .map(|step| match step.strip_suffix("[]") {
            Some(list) => format!("/properties/{list}/items"),
            None => format!("/properties/{step}"),
        })
        .collect();
    schema.pointer_mut(&pointer).with_context(|| format!("AlertmanagerConfig has no {path}"))
}

fn object(schema: &mut Value) -> Result<&mut Map<String, Value>> {
    schema.as_object_mut().context("a schema that is no object")
}

fn properties(schema: &mut Value) -> Result<&mut Map<String, Value>> {
    schema.get_mut("properties").and_then(Value::as_object_mut).context("a schema without properties")
}

fn unmark(list: &mut Value) {
    if let Value::Object(list) = list {
        list.remove("x-kubernetes-list-type");
        list.remove("x-kubernetes-list-map-keys");
    }
}

fn name_in_full(selector: &mut Value) -> Result<()> {
    let selector = object(selector)?;
    selector.remove("x-kubernetes-map-type");
    selector.insert("required".into(), json!(["key", "name"]));
    selector.insert(
        "properties".into(),
        json!({"key": {"type": "string", "minLength": 1}, "name": {"type": "string", "minLength": 1}}),
    );
    Ok(())
}
