//! Checks of PodMonitors.

use api_monitoring::PodMonitor;
use api_monitoring::pod_monitor::PodMetricsEndpoint;
use monitoring_assets::Objects;

use crate::label_selector::CheckedSelector;
use crate::problem::{Problem, Within};
use crate::references::{Accepted, References, Rejected};
use crate::selectable::Selectable;
use crate::server::Server;
use crate::{endpoint, scrape_class, tls};

impl Selectable for PodMonitor {
    fn check<'o>(&self, server: &Server<'_>, objects: &'o Objects) -> Result<Accepted<'o>, Rejected> {
        let options = &self.spec.options;
        References::check(objects, self.metadata.namespace.as_deref().unwrap_or_default(), |references| {
            CheckedSelector::new(&options.selector).within("failed to parse label selector")?;
            endpoint::check_selector_mechanism(server, options)?;
            for (index, endpoint) in self.spec.pod_metrics_endpoints.iter().enumerate() {
                check_endpoint(server, endpoint, references).within(format_args!("endpoint[{index}]"))?;
            }
            scrape_class::check(server, options.job.scrape_class.as_deref()).within("scrapeClassName")
        })
    }
}

fn check_endpoint(
    server: &Server<'_>,
    endpoint: &PodMetricsEndpoint,
    references: &References<'_>,
) -> Result<(), Problem> {
    let (options, tls) = (&endpoint.options, endpoint.tls_config.as_ref());
    endpoint::check_scrape(server, options)?;
    let token = options.client.bearer_token_secret.as_ref();
    let token = token.filter(|token| !token.name.is_empty() && !token.key.is_empty());
    let rules = tls.map_or(Ok(()), tls::check_safe);
    endpoint::check_client(options, references, token, rules, || references.safe_tls(tls))?;
    references.proxy(&options.proxy).within("proxyConfig")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::sample::checked;

    fn problem(spec: &Value) -> String {
        checked::<PodMonitor>("3.0.0", &json!({"scrapeInterval": "30s"}), spec)
    }

    #[test]
    fn invalid_pod_monitors_are_rejected() {
        let none = json!({"name": "secret", "key": "none"});
        let missing = "key \"none\" in secret \"secret\" not found";
        let endpoint = |endpoint: Value| json!({"podMetricsEndpoints": [endpoint]});
        for (spec, words) in [
            (json!({}), "good".to_owned()),
            (
                json!({"scrapeClass": "none"}),
                "scrapeClassName: scrapeClass \"none\" not found in Prometheus scrapeClasses".to_owned(),
            ),
            (
                json!({"selector": {"matchExpressions": [{"key": "a", "operator": "Near"}]}}),
                "failed to parse label selector: \"Near\" is not a valid label selector operator".to_owned(),
            ),
            (
                endpoint(json!({"scrapeTimeout": "31s"})),
                "endpoint[0]: scrapeTimeout \"31s\" greater than scrapeInterval \"30s\"".to_owned(),
            ),
            (endpoint(json!({"bearerTokenSecret": {"name": "secret", "key": ""}})), "good".to_owned()),
            (
                endpoint(json!({"bearerTokenSecret": none})),
                format!("endpoint[0]: bearerTokenSecret: {missing}"),
            ),
            (
                endpoint(json!({"tlsConfig": {"ca": {"secret": none}}})),
                format!("endpoint[0]: tlsConfig: failed to get ca \"<secret=secret,key=none>\": {missing}"),
            ),
            (
                endpoint(json!({"tlsConfig": {"keySecret": none}})),
                "endpoint[0]: tlsConfig: client key specified without client cert".to_owned(),
            ),
            (
                endpoint(
                    json!({"tlsConfig": {"cert": {"secret": {"name": "secret", "key": "cert"}}, "keySecret": none}}),
                ),
                format!("endpoint[0]: tlsConfig: failed to get key secret/none: {missing}"),
            ),
        ] {
            assert_eq!(problem(&spec), words);
        }
    }
}
