//! Checks that the endpoints of ServiceMonitors and PodMonitors have in common.

use api_monitoring::scrape::{EndpointOptions, MonitorOptions};
use k8s_openapi::api::core::v1::SecretKeySelector;

use crate::problem::{Problem, Within, broken};
use crate::references::References;
use crate::server::Server;
use crate::{authentication, proxy};

/// Checks how objects are selected: with old versions, the API server cannot select them.
pub(crate) fn check_selector_mechanism(server: &Server<'_>, options: &MonitorOptions) -> Result<(), Problem> {
    if options.selector_mechanism.as_deref() == Some("RoleSelector") && server.is_before(2, 17, 0) {
        return broken("RoleSelector selectorMechanism is only supported in Prometheus 2.17.0 and newer");
    }
    Ok(())
}

/// Checks timeout and relabeling.
pub(crate) fn check_scrape(server: &Server<'_>, endpoint: &EndpointOptions) -> Result<(), Problem> {
    server.check_timeout(&endpoint.scrape_timeout, &endpoint.interval)?;
    server.relabeling.check_all(&endpoint.relabelings).within("relabelConfigs")?;
    server.relabeling.check_all(&endpoint.metric_relabelings).within("metricRelabelConfigs")
}

/// Checks the HTTP client: first all rules between fields, with the result of the `tls` rules, then all references.
pub(crate) fn check_client(
    endpoint: &EndpointOptions,
    references: &References<'_>,
    token: Option<&SecretKeySelector>,
    tls: Result<(), Problem>,
    certificates: impl FnOnce() -> Result<(), Problem>,
) -> Result<(), Problem> {
    let client = &endpoint.client;
    authentication::check_client(client)?;
    tls.within("tlsConfig")?;
    proxy::check(&endpoint.proxy)?;
    references.optional_secret(token).within("bearerTokenSecret")?;
    references.basic_auth(client.basic_auth.as_ref()).within("basicAuth")?;
    certificates().within("tlsConfig")?;
    references.oauth2(client.oauth2.as_ref()).within("oauth2")?;
    references.safe_authorization(client.authorization.as_ref()).within("authorization")
}
