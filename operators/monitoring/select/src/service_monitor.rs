//! ServiceMonitors: what is wrong with one.

use api_monitoring::ServiceMonitor;
use api_monitoring::service_monitor::{Endpoint, ServiceMonitorSpec};
use monitoring_assets::Objects;

use crate::label_selector::Selector;
use crate::problem::{Problem, Within, broken};
use crate::references::References;
use crate::verdict::{Accepted, Refused};
use crate::workload::Workload;
use crate::{authentication, proxy, scrape_class, tls};

/// The verdict on a ServiceMonitor.
pub fn check<'o>(
    workload: &Workload<'_>,
    object: &ServiceMonitor,
    objects: &'o Objects,
) -> Result<Accepted<'o>, Refused> {
    let references = References::new(objects, object.metadata.namespace.as_deref().unwrap_or_default());
    let checked = check_spec(workload, &object.spec, &references);
    references.verdict(checked)
}

fn check_spec(
    workload: &Workload<'_>,
    spec: &ServiceMonitorSpec,
    references: &References<'_>,
) -> Result<(), Problem> {
    Selector::new(&spec.selector)?;
    workload.check_selector_mechanism(spec.selector_mechanism.as_ref())?;
    for (index, endpoint) in spec.endpoints.iter().enumerate() {
        check_endpoint(workload, endpoint, references).within(format_args!("endpoints[{index}]"))?;
        references.proxy(&endpoint.proxy)?;
    }
    scrape_class::check(workload, spec.scrape_class.as_deref()).within("scrapeClassName")
}

fn check_endpoint(
    workload: &Workload<'_>,
    endpoint: &Endpoint,
    references: &References<'_>,
) -> Result<(), Problem> {
    if workload.spec.arbitrary_fs_access.deny {
        check_files(endpoint)?;
    }
    let client = &endpoint.client;
    authentication::check_client(client)?;
    if let Some(settings) = &endpoint.tls_config {
        tls::check(settings).within("tlsConfig")?;
    }
    proxy::check(&endpoint.proxy)?;
    let token = client.bearer_token_secret.as_ref().filter(|token| !token.name.is_empty());
    references.optional_secret(token).within("bearerTokenSecret")?;
    references.basic_auth(client.basic_auth.as_ref()).within("basicAuth")?;
    references.tls(endpoint.tls_config.as_ref()).within("tlsConfig")?;
    references.oauth2(client.oauth2.as_ref()).within("oauth2")?;
    references.safe_authorization(client.authorization.as_ref()).within("authorization")?;
    workload.check_timeout(&endpoint.scrape_timeout, &endpoint.interval)?;
    workload.relabeling.check_all(&endpoint.relabelings).within("relabelConfigs")?;
    workload.relabeling.check_all(&endpoint.metric_relabelings).within("metricRelabelConfigs")
}

/// Files of the workload are not for everybody who may write a ServiceMonitor.
fn check_files(endpoint: &Endpoint) -> Result<(), Problem> {
    if !endpoint.bearer_token_file.is_empty() {
        return broken(
            "it accesses file system via bearer token file which Prometheus specification prohibits",
        );
    }
    let reads = |tls: &api_monitoring::tls::TlsConfig| {
        !tls.ca_file.is_empty() || !tls.cert_file.is_empty() || !tls.key_file.is_empty()
    };
    if endpoint.tls_config.as_ref().is_some_and(reads) {
        return broken("it accesses file system via tls config which Prometheus specification prohibits");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;
    use crate::sample::{named, objects, secret, with_workload};

    fn verdict(workload: &Value, endpoint: &Value) -> String {
        with_workload("3.0.0", workload, |workload| {
            check(workload, &named(&json!({"endpoints": [{}, endpoint]})), &objects())
                .map_or_else(|refused| refused.to_string(), |_| "good".to_owned())
        })
    }

    #[test]
    fn certificates_are_collected() {
        let key = |key: &str| json!({"secret": {"name": "secret", "key": key}});
        let endpoint = json!({"tlsConfig": {
            "ca": key("ca"), "cert": key("cert"), "keySecret": {"name": "secret", "key": "private"},
        }});
        let objects = objects();
        with_workload("3.0.0", &json!({}), |workload| {
            let accepted = check(workload, &named(&json!({"endpoints": [endpoint]})), &objects).unwrap();
            let names: Vec<String> = accepted.files.into_keys().collect();
            assert_eq!(names, ["0_test_secret_ca", "0_test_secret_cert", "0_test_secret_private"]);
            assert_eq!(accepted.references, BTreeSet::from([secret("secret")]));
        });
    }

    #[test]
    fn what_is_missing_is_remembered() {
        let spec = json!({"endpoints": [{"basicAuth": {
            "username": {"name": "none", "key": "key"}, "password": {"name": "secret", "key": "key"},
        }}]});
        let objects = objects();
        with_workload("3.0.0", &json!({}), |workload| {
            let refused = check(workload, &named(&spec), &objects).unwrap_err();
            assert_eq!(
                refused.to_string(),
                "endpoints[0]: basicAuth: failed to get basic auth username: unable to get secret \"none\": secrets \"none\" not found"
            );
            assert_eq!(refused.references, BTreeSet::from([secret("none")]));
            let mut unplaced: ServiceMonitor = named(&spec);
            unplaced.metadata.namespace = None;
            assert_eq!(
                check(workload, &unplaced, &objects).unwrap_err().to_string(),
                "endpoints[0]: basicAuth: failed to get basic auth username: namespace cannot be empty"
            );
        });
    }

    #[test]
    fn files_may_be_forbidden() {
        let deny = json!({"arbitraryFSAccessThroughSMs": {"deny": true}});
        let token = json!({"bearerTokenFile": "a"});
        let authority = json!({"tlsConfig": {"caFile": "a"}});
        assert_eq!(
            (verdict(&json!({}), &token), verdict(&json!({}), &authority)),
            ("good".into(), "good".into())
        );
        assert_eq!(
            verdict(&deny, &token),
            "endpoints[1]: it accesses file system via bearer token file which Prometheus specification prohibits"
        );
        assert_eq!(
            verdict(&deny, &authority),
            "endpoints[1]: it accesses file system via tls config which Prometheus specification prohibits"
        );
    }

    #[test]
    fn what_is_wrong_with_an_endpoint_is_named() {
        let none = json!({"name": "secret", "key": "none"});
        let missing = "key \"none\" in secret \"secret\" not found";
        for (endpoint, words) in [
            (json!({"scrapeTimeout": "1m", "interval": "30s"}), "endpoints[1]: scrapeTimeout \"1m\" greater than scrapeInterval \"30s\"".to_owned()),
            (json!({"bearerTokenSecret": none}), format!("endpoints[1]: bearerTokenSecret: {missing}")),
            (json!({"bearerTokenSecret": {"name": "", "key": "none"}}), "good".to_owned()),
            (json!({"authorization": {"credentials": none}}), format!("endpoints[1]: authorization: failed to get authorization token of type \"\": {missing}")),
            (json!({"authorization": {}}), "endpoints[1]: authorization: 'authorization' credentials are required".to_owned()),
            (json!({"proxyUrl": "http://a", "proxyConnectHeader": {"a": [none]}}), format!("header[a][0]: {missing}")),
            (
                json!({"oauth2": {"tokenUrl": "http://a", "clientId": {"configMap": {"name": "map", "key": "none"}}}}),
                "endpoints[1]: oauth2: failed to get oauth2 client id: key \"none\" in configmap \"map\" not found".to_owned(),
            ),
            (
                json!({"oauth2": {"tokenUrl": "http://a", "clientId": {"configMap": {"name": "map", "key": "key"}}, "clientSecret": none}}),
                format!("endpoints[1]: oauth2: failed to get oauth2 client secret: {missing}"),
            ),
        ] {
            assert_eq!(verdict(&json!({}), &endpoint), words);
        }
    }

    #[test]
    fn old_versions_cannot_leave_selection_to_the_server() {
        let verdict = |version: &str| {
            with_workload(version, &json!({}), |workload| {
                check(workload, &named(&json!({"selectorMechanism": "RoleSelector"})), &objects())
                    .map_or_else(|refused| refused.to_string(), |_| "good".to_owned())
            })
        };
        assert_eq!(verdict("2.17.0"), "good");
        assert_eq!(
            verdict("2.16.0"),
            "RoleSelector selectorMechanism is only supported in Prometheus 2.17.0 and newer"
        );
    }
}
