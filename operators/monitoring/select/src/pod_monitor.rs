//! PodMonitors: what is wrong with one.

use api_monitoring::PodMonitor;
use api_monitoring::pod_monitor::{PodMetricsEndpoint, PodMonitorSpec};
use monitoring_assets::Objects;

use crate::label_selector::Selector;
use crate::problem::{Problem, Within};
use crate::references::References;
use crate::verdict::{Accepted, Refused};
use crate::workload::Workload;
use crate::{authentication, proxy, scrape_class, tls};

/// The verdict on a PodMonitor.
pub fn check<'o>(
    workload: &Workload<'_>,
    object: &PodMonitor,
    objects: &'o Objects,
) -> Result<Accepted<'o>, Refused> {
    let references = References::new(objects, object.metadata.namespace.as_deref().unwrap_or_default());
    let checked = check_spec(workload, &object.spec, &references);
    references.verdict(checked)
}

fn check_spec(
    workload: &Workload<'_>,
    spec: &PodMonitorSpec,
    references: &References<'_>,
) -> Result<(), Problem> {
    Selector::new(&spec.selector).within("failed to parse label selector")?;
    workload.check_selector_mechanism(spec.selector_mechanism.as_ref())?;
    for (index, endpoint) in spec.pod_metrics_endpoints.iter().enumerate() {
        check_endpoint(workload, endpoint, references).within(format_args!("endpoint[{index}]"))?;
    }
    scrape_class::check(workload, spec.scrape_class.as_deref()).within("scrapeClassName")
}

fn check_endpoint(
    workload: &Workload<'_>,
    endpoint: &PodMetricsEndpoint,
    references: &References<'_>,
) -> Result<(), Problem> {
    workload.check_timeout(&endpoint.scrape_timeout, &endpoint.interval)?;
    workload.relabeling.check_all(&endpoint.relabelings).within("relabelConfigs")?;
    workload.relabeling.check_all(&endpoint.metric_relabelings).within("metricRelabelConfigs")?;
    let client = &endpoint.client;
    authentication::check_client(client)?;
    if let Some(settings) = &endpoint.tls_config {
        tls::check_safe(settings).within("tlsConfig")?;
    }
    proxy::check(&endpoint.proxy)?;
    let token = client.bearer_token_secret.as_ref();
    let token = token.filter(|token| !token.name.is_empty() && !token.key.is_empty());
    references.optional_secret(token).within("bearerTokenSecret")?;
    references.basic_auth(client.basic_auth.as_ref()).within("basicAuth")?;
    references.safe_tls(endpoint.tls_config.as_ref()).within("tlsConfig")?;
    references.oauth2(client.oauth2.as_ref()).within("oauth2")?;
    references.safe_authorization(client.authorization.as_ref()).within("authorization")?;
    references.proxy(&endpoint.proxy).within("proxyConfig")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::sample::{named, objects, with_workload};

    fn verdict(spec: &Value) -> String {
        with_workload("3.0.0", &json!({"scrapeInterval": "30s"}), |workload| {
            check(workload, &named(spec), &objects())
                .map_or_else(|refused| refused.to_string(), |_| "good".to_owned())
        })
    }

    #[test]
    fn what_is_wrong_is_named() {
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
            assert_eq!(verdict(&spec), words);
        }
    }
}
