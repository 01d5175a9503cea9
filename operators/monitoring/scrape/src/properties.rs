//! A property of the whole file: any text that a user wrote reaches Prometheus unchanged.

use api_monitoring::prometheus::PrometheusSpec;
use api_monitoring::prometheus::shared::SharedSpec;
use api_monitoring::{ScrapeConfig, SelectableKind, ServiceMonitor};
use formats::version::Version;
use formats::yaml::{self, Map};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use monitoring_assets::Objects;
use proptest::prelude::*;
use serde_json::json;

use crate::document::{self, AdditionalAlerting, Jobs, ServerInputs};
use crate::placeholder::{PLACEHOLDER, read, replaced};
use crate::yaml_texts::texts;
use crate::{Server, scrape_config, service_monitor};

/// The file of a workload and resources with a text in every field that holds free text.
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
        alerting: AdditionalAlerting::default(),
        rule_config_maps: &[],
        objects: &objects,
    };
    document::server(&inputs).unwrap().text()
}

#[test]
fn the_placeholder_is_in_every_field() {
    assert_eq!(written(PLACEHOLDER).matches(PLACEHOLDER).count(), 21);
}

proptest! {
    #[test]
    fn any_text_survives(text in texts()) {
        prop_assert_eq!(read(&written(&text)), replaced(read(&written(PLACEHOLDER)), &text));
    }
}
