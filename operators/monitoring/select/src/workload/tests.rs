//! Invalid workloads, and what is read for valid ones.

use std::collections::BTreeSet;

use api_monitoring::prometheus::PrometheusSpec;
use serde_json::{Value, json};

use super::*;
use crate::sample::{objects, read, secret, with_server};

fn server(version: &str, spec: &Value) -> String {
    let server: PrometheusSpec = read(spec.clone());
    with_server(version, spec, |workload| {
        let objects = objects();
        match check_server(workload, &server, &objects) {
            Err(rejected) => rejected.to_string(),
            Ok(checked) => checked.gaps.first().map_or("good".to_owned(), |gap| gap.problem.to_string()),
        }
    })
}

fn selector(key: &str) -> Value {
    json!({"name": "secret", "key": key})
}

#[test]
fn references_of_a_server_are_read() {
    let spec = json!({
        "remoteWrite": [{"url": "http://a", "tlsConfig": {"ca": {"secret": selector("ca")}}}],
        "additionalScrapeConfigs": selector("key"),
        "additionalAlertManagerConfigs": {"name": "none", "key": "key", "optional": true},
    });
    let objects = objects();
    with_server("3.0.0", &spec, |workload| {
        let server: PrometheusSpec = read(spec.clone());
        let Checked { accepted, additional, gaps } = check_server(workload, &server, &objects).unwrap();
        assert_eq!(gaps, []);
        assert_eq!(accepted.files.into_keys().collect::<Vec<_>>(), ["0_test_secret_ca"]);
        assert_eq!(accepted.references, BTreeSet::from([secret("none"), secret("secret")]));
        let expected = Additional { scrape_configs: Some(b"value"), ..Additional::default() };
        assert_eq!(additional, expected);
        assert_eq!(check_agent(workload, &objects).unwrap().additional, expected);
    });
}

#[test]
fn a_missing_reference_affects_only_its_section() {
    let spec = json!({
        "remoteWrite": [{"basicAuth": {"username": selector("key"), "password": selector("no")}}],
        "remoteRead": [{"tlsConfig": {"ca": {"secret": selector("ca")}}}],
        "additionalScrapeConfigs": {"name": "none", "key": "key"},
        "additionalAlertManagerConfigs": selector("key"),
        "additionalAlertRelabelConfigs": selector("none"),
    });
    let objects = objects();
    with_server("3.0.0", &spec, |workload| {
        let server: PrometheusSpec = read(spec.clone());
        let checked = check_server(workload, &server, &objects).unwrap();
        let gaps: Vec<(WorkloadSection, String)> =
            checked.gaps.iter().map(|gap| (gap.section, gap.problem.to_string())).collect();
        assert_eq!(
            gaps,
            [
                (
                    WorkloadSection::RemoteWrite,
                    "remoteWrite[0]: failed to get basic auth password: key \"no\" in secret \"secret\" not found".into()
                ),
                (
                    WorkloadSection::AdditionalJobs,
                    "loading additional scrape configs from Secret failed: secrets \"none\" not found".into()
                ),
                (
                    WorkloadSection::Alerting,
                    "loading additional alert relabel configs from Secret failed: key none could not be found in secret \
                     secret"
                        .into()
                ),
            ]
        );
        assert_eq!(checked.additional, Additional::default());
        assert_eq!(checked.accepted.files.into_keys().collect::<Vec<_>>(), ["0_test_secret_ca"]);
    });
}

#[test]
fn invalid_servers_are_rejected() {
    for (spec, words) in [
        (
            json!({"remoteRead": [{"basicAuth": {"username": selector("key"), "password": selector("no")}}]}),
            "remoteRead[0]: failed to get basic auth password: key \"no\" in secret \"secret\" not found",
        ),
        (
            json!({"remoteRead": [{"noProxy": "a"}]}),
            "remoteRead[0]: if noProxy is configured, proxyUrl must also be configured",
        ),
        (
            json!({"remoteWrite": [{}, {"basicAuth": {}, "sigv4": {}}]}),
            "remoteWrite[1]: \"basicAuth\" and \"sigv4\" can't be set at the same time, at most one of them must be defined",
        ),
        (
            json!({"remoteWrite": [{"sigv4": {"accessKey": selector("key")}}]}),
            "remoteWrite[0]: both accessKey and secretKey should be provided",
        ),
        (
            json!({"remoteWrite": [{"sigv4": {"accessKey": selector("key"), "secretKey": selector("no")}}]}),
            "remoteWrite[0]: failed to read SigV4 secret-key: key \"no\" in secret \"secret\" not found",
        ),
        (
            json!({"remoteWrite": [{"authorization": {"type": "basic", "credentials": selector("key")}}]}),
            "remoteWrite[0]: authorization type cannot be set to \"basic\", use \"basicAuth\" instead",
        ),
        (
            json!({"apiserverConfig": {"authorization": {"credentials": selector("no")}}}),
            "apiserver config: failed to get authorization token of type \"\": key \"no\" in secret \"secret\" not found",
        ),
        (
            json!({"alerting": {"alertmanagers": [{"bearerTokenFile": "a", "authorization": {}}]}}),
            "alertmanager 0: \"bearerTokenFile\" and \"authorization\" can't be set at the same time, at most one of them must be defined",
        ),
        (
            json!({"alerting": {"alertmanagers": [{"alertRelabelings": [{"action": "hashmod", "targetLabel": "a"}]}]}}),
            "alertmanager 0: invalid alertRelabelings: [0]: relabel configuration for hashmod requires non-zero modulus",
        ),
        (
            json!({"alerting": {"alertmanagers": [{"proxyConnectHeader": {"a": [selector("no")]}}]}}),
            "alertmanager: 0: header[a][0]: key \"no\" in secret \"secret\" not found",
        ),
        (
            json!({"scrapeClasses": [{"name": "a", "tlsConfig": {"ca": {"configMap": {"name": "map", "key": "key"}}}}]}),
            "failed to process scrape classes: scrape class \"a\": ca <configmap=map,key=key>: failed to decode PEM block",
        ),
        (
            json!({"scrapeClasses": [{"name": "a", "tlsConfig": {"keyFile": "k"}}]}),
            "failed to parse scrape classes: invalid TLS config for scrapeClass a: cannot specify client key without client cert",
        ),
        (
            json!({"additionalScrapeConfigs": {"name": "none", "key": "a"}}),
            "loading additional scrape configs from Secret failed: secrets \"none\" not found",
        ),
        (
            json!({"additionalAlertRelabelConfigs": selector("no")}),
            "loading additional alert relabel configs from Secret failed: key no could not be found in secret secret",
        ),
    ] {
        assert_eq!(server("3.13.1", &spec), words);
    }
    assert_eq!(server("1.8.2", &json!({})), "unsupported Prometheus version \"1.8.2\"");
}

#[test]
fn azure_has_one_method_that_the_version_supports() {
    let id = "00000000-0000-0000-0000-000000000000";
    let oauth = |id: &str| json!({"clientId": id, "clientSecret": selector("key"), "tenantId": "t"});
    for (version, azure, words) in [
        (
            "3.0.0",
            json!({}),
            "must provide Azure Managed Identity, Azure OAuth, Azure SDK, or Azure Workload Identity in the Azure AD config",
        ),
        (
            "3.0.0",
            json!({"managedIdentity": {}, "oauth": oauth(id)}),
            "cannot provide both Azure Managed Identity and Azure OAuth in the Azure AD config",
        ),
        (
            "3.0.0",
            json!({"sdk": {}, "oauth": oauth(id)}),
            "cannot provide both Azure OAuth and Azure SDK in the Azure AD config",
        ),
        (
            "3.0.0",
            json!({"sdk": {}, "workloadIdentity": {}}),
            "cannot provide both Azure SDK and Azure Workload Identity in the Azure AD config",
        ),
        (
            "3.4.9",
            json!({"managedIdentity": {"clientId": ""}}),
            "managedIdentidy: clientId is required with Prometheus < 3.5.0, current = 3.4.9",
        ),
        ("2.47.0", json!({"oauth": oauth(id)}), "azureAD.oauth requires Prometheus >= v2.48.0"),
        ("2.48.0", json!({"oauth": oauth("x")}), "the provided Azure OAuth clientId is invalid"),
        ("2.51.0", json!({"sdk": {}}), "azureAD.sdk requires Prometheus >= v2.52.0"),
        ("3.6.0", json!({"workloadIdentity": {}}), "azureAD.workloadIdentity requires Prometheus >= v3.7.0"),
        (
            "3.7.0",
            json!({"workloadIdentity": {"clientId": "x"}}),
            "the provided Azure Workload Identity clientId is invalid",
        ),
        (
            "3.7.0",
            json!({"workloadIdentity": {"clientId": id, "tenantId": "x"}}),
            "the provided Azure Workload Identity tenantId is invalid",
        ),
    ] {
        let spec = json!({"remoteWrite": [{"url": "http://a", "azureAd": azure}]});
        assert_eq!(server(version, &spec), format!("remoteWrite[0]: {words}"));
    }
    for (version, azure) in [
        ("3.5.0", json!({"managedIdentity": {}})),
        ("2.45.0", json!({"managedIdentity": {"clientId": "a"}})),
        ("2.48.0", json!({"oauth": oauth(id)})),
        ("3.7.0", json!({"workloadIdentity": {"clientId": id, "tenantId": id}})),
    ] {
        let spec = json!({"remoteWrite": [{"url": "http://a", "azureAd": azure}]});
        assert_eq!(server(version, &spec), "good");
    }
}
