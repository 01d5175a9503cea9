//! A property of the whole file: any text that a user wrote reaches Alertmanager unchanged.

use api_monitoring::{Alertmanager, AlertmanagerConfig};
use formats::version::Version;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use monitoring_assets::Objects;
use proptest::prelude::*;
use serde_json::json;

use crate::BaseInputs;
use crate::placeholder::{PLACEHOLDER, read, replaced};
use crate::tests::provision;
use crate::yaml_texts::texts;

/// The file of a resource with a text in every field that holds free text.
fn written(text: &str) -> String {
    let mut secret = Secret::default();
    secret.metadata.name = Some("s".into());
    secret.metadata.namespace = Some("ns".into());
    secret.data = Some([("k".to_owned(), ByteString(text.as_bytes().to_vec()))].into());
    let mut objects = Objects::default();
    objects.add_secret(secret);

    let selector = json!({"name": "s", "key": "k"});
    let resource: AlertmanagerConfig = serde_json::from_value(json!({
        "metadata": {"name": "team", "namespace": "ns"},
        "spec": {
            "route": {"receiver": "a", "groupBy": [text]},
            "inhibitRules": [{"equal": [text]}],
            "receivers": [{"name": "a",
                "emailConfigs": [{"to": text, "from": "f", "smarthost": "h:25", "text": text, "html": text,
                    "authPassword": selector, "headers": [{"key": "H", "value": text}],
                    "tlsConfig": {"serverName": text}}],
                "webhookConfigs": [{"url": "http://a", "httpConfig":
                    {"authorization": {"type": text, "credentials": selector}}}],
                "pagerdutyConfigs": [{"routingKey": selector, "description": text,
                    "details": [{"key": "d", "value": text}]}],
                "opsgenieConfigs": [{"apiKey": selector, "message": text, "tags": text}],
                "telegramConfigs": [{"botToken": selector, "chatID": 1, "message": text}],
            }],
        },
    }))
    .unwrap();
    let alertmanager: Alertmanager = serde_json::from_value(json!({
        "metadata": {"name": "main", "namespace": "ns"}, "spec": {"alertmanagerConfigSelector": {}},
    }))
    .unwrap();
    let version = Version::new(0, 33, 0);
    let inputs =
        BaseInputs { alertmanager: &alertmanager, global: None, objects: &objects, version: &version };
    let (configuration, rejected) = provision(&inputs, &[resource]).unwrap();
    assert_eq!(rejected, [""; 0]);
    String::from_utf8(configuration.text).unwrap()
}

#[test]
fn the_placeholder_is_in_every_field() {
    assert_eq!(written(PLACEHOLDER).matches(PLACEHOLDER).count(), 18);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_survives(text in texts()) {
        prop_assert_eq!(read(&written(&text)), replaced(read(&written(PLACEHOLDER)), &text));
    }
}
