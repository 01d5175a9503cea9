//! Property of the whole file: any text that a user wrote reaches Alertmanager as it is.

use api_monitoring::{Alertmanager, AlertmanagerConfig};
use formats::version::Version;
use formats::yaml::{self, Map, Value};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use monitoring_assets::Objects;
use proptest::prelude::*;
use serde_json::json;

use crate::{Inputs, provision};

/// A text that nothing else in a file looks like.
const WORD: &str = "word-of-the-user";

/// The file with a resource that has a text wherever a user may write one.
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
    let configuration = provision(&Inputs {
        alertmanager: &alertmanager,
        global: None,
        accepted: &[&resource],
        objects: &objects,
        version: &Version::new(0, 33, 0),
    });
    let configuration = configuration.unwrap();
    assert_eq!(configuration.refused, []);
    String::from_utf8(configuration.text).unwrap()
}

fn read(text: &str) -> Value {
    yaml::read(text).unwrap_or_else(|error| panic!("{error}: {text}")).value
}

/// The same with another text in place of a word.
fn replaced(value: Value, text: &str) -> Value {
    match value {
        Value::Text(word) if word == WORD => text.to_owned().into(),
        Value::List(list) => Value::List(list.into_iter().map(|item| replaced(item, text)).collect()),
        Value::Map(map) => {
            Value::Map(Map(map.0.into_iter().map(|(key, value)| (key, replaced(value, text))).collect()))
        }
        other @ (Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Float(_)
        | Value::Text(_)
        | Value::Binary(_)
        | Value::Row(_)) => other,
    }
}

/// Texts from the corners of YAML: signs, spaces and breaks more often than letters. Two signs are left out that end a
/// line to the writer, which keeps to YAML 1.1, and not to the reader.
fn texts() -> impl Strategy<Value = String> {
    let corners = "[ \n\t\r:#'\"\\\\{}\\[\\],&*!|>%@`~?=<a\u{0}\u{7}\u{7f}\u{85}\u{a0}\u{feff}é-]{1,12}";
    let any = "[^\u{2028}\u{2029}]{1,20}";
    prop_oneof![
        corners,
        "[a-c \n]{1,40}",
        "([a-z]{1,9} ){1,40}",
        "[0-9.eE_xobinfaNTZ:+-]{1,10}",
        "yes|No|ON|~|null|<<",
        any
    ]
}

#[test]
fn the_word_stands_where_a_user_wrote_it() {
    assert_eq!(written(WORD).matches(WORD).count(), 18);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_survives(text in texts()) {
        prop_assert_eq!(read(&written(&text)), replaced(read(&written(WORD)), &text));
    }
}
