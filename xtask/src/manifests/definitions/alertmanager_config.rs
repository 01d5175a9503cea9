//! The schema of AlertmanagerConfig `v1beta1`, as a list of its differences to the stored version.

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

/// Lists that have no list type in `v1beta1`.
const WITHOUT_LIST_TYPE: [&str; 15] = [
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

/// Further such lists, below the field that has another name.
const INTERVALS: [&str; 7] = [
    "timeIntervals",
    "timeIntervals[].timeIntervals",
    "timeIntervals[].timeIntervals[].daysOfMonth",
    "timeIntervals[].timeIntervals[].months",
    "timeIntervals[].timeIntervals[].times",
    "timeIntervals[].timeIntervals[].weekdays",
    "timeIntervals[].timeIntervals[].years",
];

/// References to keys of Secrets that need both name and key in `v1beta1`, and are never optional.
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

/// Fields that `v1beta1` does not have.
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
        remove_list_type(at(spec, path)?);
    }
    for path in WITHOUT_LIST_TYPE {
        remove_list_type(at(spec, path)?);
    }
    for (path, field) in REMOVED {
        self::properties(at(spec, path)?)?.remove(field).with_context(|| format!("no {path}.{field}"))?;
    }
    for file in ["tokenFile", "userKeyFile"] {
        let path = format!("receivers[].pushoverConfigs[].{file}");
        object(at(spec, &path)?)?.remove("minLength");
    }
    for (receiver, field) in SECRETS {
        require_name_and_key(at(spec, &format!("receivers[].{receiver}[].{field}"))?)?;
    }
    let receivers: Vec<String> = self::properties(at(spec, "receivers[]")?)?.keys().cloned().collect();
    for receiver in receivers.iter().filter(|name| name.ends_with("Configs")) {
        remove_list_type(at(spec, &format!("receivers[].{receiver}"))?);
        // Email has no HTTP client. The schema of the client is the same in all other receivers, so its descriptions
        // are left out.
        if let Ok(client) = at(spec, &format!("receivers[].{receiver}[].httpConfig")) {
            let description = object(client)?.remove("description");
            remove_descriptions(client);
            object(client)?.extend(description.map(|description| ("description".to_owned(), description)));
            require_name_and_key(at(client, "bearerTokenSecret")?)?;
        }
    }
    Ok(schema)
}

/// The same schema with descriptions only of the fields of `spec`: with all descriptions in both versions, the CRD
/// would be too large to be applied.
pub(super) fn briefly_described(mut schema: Value) -> Result<Value> {
    let spec = schema.pointer_mut("/properties/spec").context("a schema without spec")?;
    for property in properties(spec)?.values_mut() {
        let description = object(property)?.remove("description");
        remove_descriptions(property);
        object(property)?.extend(description.map(|description| ("description".to_owned(), description)));
    }
    Ok(schema)
}

fn remove_descriptions(schema: &mut Value) {
    let Value::Object(schema) = schema else { return };
    if schema.get("description").is_some_and(Value::is_string) {
        schema.remove("description");
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(remove_descriptions);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(part) = schema.get_mut(key) {
            remove_descriptions(part);
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

fn remove_list_type(list: &mut Value) {
    if let Value::Object(list) = list {
        list.remove("x-kubernetes-list-type");
        list.remove("x-kubernetes-list-map-keys");
    }
}

fn require_name_and_key(selector: &mut Value) -> Result<()> {
    let selector = object(selector)?;
    selector.remove("x-kubernetes-map-type");
    selector.insert("required".into(), json!(["key", "name"]));
    selector.insert(
        "properties".into(),
        json!({"key": {"type": "string", "minLength": 1}, "name": {"type": "string", "minLength": 1}}),
    );
    Ok(())
}
