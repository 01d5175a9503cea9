//! Checks of ServiceMonitors.

use api_monitoring::ServiceMonitor;
use api_monitoring::service_monitor::Endpoint;
use monitoring_assets::Objects;

use crate::label_selector::CheckedSelector;
use crate::problem::{Problem, Within, broken};
use crate::references::{Accepted, References, Rejected};
use crate::selectable::Selectable;
use crate::server::Server;
use crate::{endpoint, scrape_class, tls};

impl Selectable for ServiceMonitor {
    fn check<'o>(&self, server: &Server<'_>, objects: &'o Objects) -> Result<Accepted<'o>, Rejected> {
        let options = &self.spec.options;
        References::check(objects, self.metadata.namespace.as_deref().unwrap_or_default(), |references| {
            CheckedSelector::new(&options.selector)?;
            endpoint::check_selector_mechanism(server, options)?;
            for (index, endpoint) in self.spec.endpoints.iter().enumerate() {
                check_endpoint(server, endpoint, references).within(format_args!("endpoints[{index}]"))?;
                references.proxy(&endpoint.options.proxy)?;
            }
            scrape_class::check(server, options.job.scrape_class.as_deref()).within("scrapeClassName")
        })
    }
}

fn check_endpoint(
    server: &Server<'_>,
    endpoint: &Endpoint,
    references: &References<'_>,
) -> Result<(), Problem> {
    if server.spec.arbitrary_fs_access.deny {
        check_files(endpoint)?;
    }
    let (options, tls) = (&endpoint.options, endpoint.tls_config.as_ref());
    let token = options.client.bearer_token_secret.as_ref().filter(|token| !token.name.is_empty());
    let rules = tls.map_or(Ok(()), tls::check);
    endpoint::check_client(options, references, token, rules, || references.tls(tls))?;
    endpoint::check_scrape(server, options)
}

/// Rejects access to files of the Prometheus container.
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
    use crate::sample::{checked, named, objects, secret, with_server};

    fn problem(prometheus: &Value, endpoint: &Value) -> String {
        checked::<ServiceMonitor>("3.0.0", prometheus, &json!({"endpoints": [{}, endpoint]}))
    }

    #[test]
    fn certificates_are_collected() {
        let key = |key: &str| json!({"secret": {"name": "secret", "key": key}});
        let endpoint = json!({"tlsConfig": {
            "ca": key("ca"), "cert": key("cert"), "keySecret": {"name": "secret", "key": "private"},
        }});
        let objects = objects();
        with_server("3.0.0", &json!({}), |server| {
            let monitor: ServiceMonitor = named(&json!({"endpoints": [endpoint]}));
            let accepted = monitor.check(server, &objects).unwrap();
            let names: Vec<String> = accepted.files.into_keys().collect();
            assert_eq!(names, ["0_test_secret_ca", "0_test_secret_cert", "0_test_secret_private"]);
            assert_eq!(accepted.references, BTreeSet::from([secret("secret")]));
        });
    }

    #[test]
    fn missing_references_are_recorded() {
        let spec = json!({"endpoints": [{"basicAuth": {
            "username": {"name": "none", "key": "key"}, "password": {"name": "secret", "key": "key"},
        }}]});
        let objects = objects();
        with_server("3.0.0", &json!({}), |server| {
            let rejected = named::<ServiceMonitor>(&spec).check(server, &objects).unwrap_err();
            assert_eq!(
                rejected.to_string(),
                "endpoints[0]: basicAuth: failed to get basic auth username: unable to get secret \"none\": secrets \"none\" not found"
            );
            assert_eq!(rejected.references, BTreeSet::from([secret("none")]));
            let mut without_namespace: ServiceMonitor = named(&spec);
            without_namespace.metadata.namespace = None;
            assert_eq!(
                without_namespace.check(server, &objects).unwrap_err().to_string(),
                "endpoints[0]: basicAuth: failed to get basic auth username: namespace cannot be empty"
            );
        });
    }

    #[test]
    fn access_to_files_can_be_denied() {
        let deny = json!({"arbitraryFSAccessThroughSMs": {"deny": true}});
        let token = json!({"bearerTokenFile": "a"});
        let authority = json!({"tlsConfig": {"caFile": "a"}});
        assert_eq!(
            (problem(&json!({}), &token), problem(&json!({}), &authority)),
            ("good".into(), "good".into())
        );
        assert_eq!(
            problem(&deny, &token),
            "endpoints[1]: it accesses file system via bearer token file which Prometheus specification prohibits"
        );
        assert_eq!(
            problem(&deny, &authority),
            "endpoints[1]: it accesses file system via tls config which Prometheus specification prohibits"
        );
    }

    #[test]
    fn invalid_endpoints_are_rejected() {
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
            assert_eq!(problem(&json!({}), &endpoint), words);
        }
    }

    #[test]
    fn old_versions_do_not_support_the_role_selector() {
        let spec = json!({"selectorMechanism": "RoleSelector"});
        let problem = |version: &str| checked::<ServiceMonitor>(version, &json!({}), &spec);
        assert_eq!(problem("2.17.0"), "good");
        assert_eq!(
            problem("2.16.0"),
            "RoleSelector selectorMechanism is only supported in Prometheus 2.17.0 and newer"
        );
    }
}
