//! The check of an object, for the most permissive workload that could select it: its version supports all fields, all
//! Secrets, ConfigMaps and scrape classes that the object refers to exist, and its own interval never matters.

use api_monitoring::prometheus::scrape_class::ScrapeClass;
use api_monitoring::prometheus::shared::SharedSpec;
use formats::version::Version;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use monitoring_assets::Objects;
use monitoring_select::{Selectable, Server};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{advice, field};

/// Longer than any timeout.
const INTERVAL: &str = "290y";

/// Checks an object. The error is a message for the user.
pub(super) fn object<K: Selectable + DeserializeOwned>(object: &Value) -> Result<(), String> {
    let unreadable = |error: serde_json::Error| {
        format!("the object cannot be read: {error}. Correct the type of the field")
    };
    let monitor: K = K::deserialize(object).map_err(unreadable)?;
    let class = object["spec"]["scrapeClass"].as_str().unwrap_or_default();
    let spec = SharedSpec {
        scrape_interval: INTERVAL.into(),
        scrape_classes: vec![ScrapeClass { name: class.into(), ..ScrapeClass::default() }],
        ..SharedSpec::default()
    };
    let server = Server::new(("", ""), &spec, Version::new(3, u64::MAX, 0));
    let objects = references(object);
    monitor.check(&server, &objects).map(drop).map_err(|rejected| {
        let found = field::find(&rejected.problem, object);
        format!("{}: {}. {}", found.field, found.problem, advice::on(found.problem))
    })
}

/// Everything that the object refers to. The values are empty: they are not checked.
fn references(object: &Value) -> Objects {
    let mut selectors = Vec::new();
    collect(object, &mut selectors);
    selectors.sort_unstable();
    let namespace = object["metadata"]["namespace"].as_str().map(str::to_owned);
    let mut objects = Objects::default();
    for group in selectors.chunk_by(|one, other| one.0 == other.0) {
        let metadata = ObjectMeta {
            namespace: namespace.clone(),
            name: group.first().map(|(name, _)| (*name).to_owned()),
            ..ObjectMeta::default()
        };
        let keys = || group.iter().map(|(_, key)| (*key).to_owned());
        objects.add_secret(Secret {
            metadata: metadata.clone(),
            data: Some(keys().map(|key| (key, ByteString::default())).collect()),
            ..Secret::default()
        });
        objects.add_config_map(ConfigMap {
            metadata,
            data: Some(keys().map(|key| (key, String::new())).collect()),
            ..ConfigMap::default()
        });
    }
    objects
}

/// All names with keys: an object with both may be a reference.
fn collect<'v>(value: &'v Value, selectors: &mut Vec<(&'v str, &'v str)>) {
    match value {
        Value::Object(fields) => {
            let text = |name: &str| fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
            selectors.extend(text("name").zip(text("key")));
            fields.values().for_each(|value| collect(value, selectors));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, selectors)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
