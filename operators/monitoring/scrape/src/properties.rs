//! Property of the whole file: any text that a user wrote reaches Prometheus as it is.

use api_monitoring::prometheus::PrometheusSpec;
use api_monitoring::prometheus::shared::SharedSpec;
use api_monitoring::{ScrapeConfig, SelectableKind, ServiceMonitor};
use formats::version::Version;
use formats::yaml::{self, Map, Value};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use monitoring_assets::Objects;
use proptest::prelude::*;
use serde_json::json;

use crate::document::{self, Additional, Jobs, ServerInputs};
use crate::{Server, scrape_config, service_monitor};

/// A text that nothing else in a file looks like.
const WORD: &str = "word-of-the-user";

/// The file of a workload and resources that have a text wherever a user may write one.
fn written(text: &str) -> String {
    let mut secret = Secret::default();
    secret.metadata.name = Some("s".into());
    secret.metadata.namespace = Some("ns".into());
    secret.data = Some([("k".to_owned(), ByteString(text.as_bytes().to_vec()))].into());
    let mut objects = Objects::default();
    objects.add_secret(secret);

    let selector = json!({"name": "s", "key": "k"});
    let step = json!({"sourceLabels": ["a"], "targetLabel": "b", "separator": text, "replacement": text});
    let monitor: ServiceMonitor = serde_json::from_value(json!({
        "apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor",
        "metadata": {"namespace": "ns", "name": "a"},
        "spec": {"selector": {"matchExpressions": []}, "endpoints": [{
            "port": "web", "path": text, "params": {"p": [text, "x", text]},
            "basicAuth": {"username": selector, "password": selector},
            "relabelings": [step], "metricRelabelings": [step], "tlsConfig": {"serverName": text},
        }]},
    }))
    .unwrap();
    let config: ScrapeConfig = serde_json::from_value(json!({
        "apiVersion": "monitoring.coreos.com/v1alpha1", "kind": "ScrapeConfig",
        "metadata": {"namespace": "ns", "name": "b"},
        "spec": {"jobName": text, "staticConfigs": [{"targets": [text], "labels": {"l": text}}],
            "noProxy": text, "metricsPath": text},
    }))
    .unwrap();
    let shared: SharedSpec = serde_json::from_value(json!({
        "externalLabels": {"e": text},
        "remoteWrite": [{"url": "http://a", "name": text, "headers": {"h": text}, "writeRelabelConfigs": [step]}],
    }))
    .unwrap();
    let spec = PrometheusSpec { shared, ..PrometheusSpec::default() };
    let server = Server::new(("ns", "main"), &spec.shared, Version::new(3, 5, 0));
    let fragments = [
        service_monitor::render(&server, &monitor, &objects),
        scrape_config::render(&server, &config, &objects).unwrap(),
    ];
    let additional = yaml::write(&vec![Map::new().with("job_name", text.to_owned())].into());
    let names = ["ns/a".into(), "ns/b".into()];
    let mut jobs = Jobs { additional: Some(&additional), ..Jobs::default() };
    jobs.resources[SelectableKind::ServiceMonitor] = vec![(&names[0], &fragments[0])];
    jobs.resources[SelectableKind::ScrapeConfig] = vec![(&names[1], &fragments[1])];
    let inputs = ServerInputs {
        server: &server,
        spec: &spec,
        jobs,
        alerting: Additional::default(),
        rule_config_maps: &[],
        objects: &objects,
    };
    document::server(&inputs).unwrap().text()
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

/// Texts that YAML treats in special ways: signs, spaces and breaks more often than letters. Two signs are left out that end a
/// line to the writer, which keeps to YAML 1.1, and not to the reader.
fn texts() -> impl Strategy<Value = String> {
    let special = "[ \n\t\r:#'\"\\\\{}\\[\\],&*!|>%@`~?=<a\u{0}\u{7}\u{7f}\u{85}\u{a0}\u{feff}é-]{1,12}";
    let any = "[^\u{2028}\u{2029}]{1,20}";
    prop_oneof![
        special,
        "[a-c \n]{1,40}",
        "([a-z]{1,9} ){1,40}",
        "[0-9.eE_xobinfaNTZ:+-]{1,10}",
        "yes|No|ON|~|null|<<",
        any
    ]
}

#[test]
fn the_word_stands_where_a_user_wrote_it() {
    assert_eq!(written(WORD).matches(WORD).count(), 21);
}

proptest! {
    #[test]
    fn any_text_survives(text in texts()) {
        prop_assert_eq!(read(&written(&text)), replaced(read(&written(WORD)), &text));
    }
}
