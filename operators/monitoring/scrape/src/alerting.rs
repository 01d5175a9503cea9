//! `alerting`: the Alertmanagers, and the relabeling of alerts.

use api_monitoring::prometheus::alerting::{AlertingSpec, AlertmanagerEndpoints};
use api_monitoring::reference::NamespaceSelector;
use formats::prometheus::{Section, SectionKind};
use formats::yaml::{Map, Value};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use monitoring_select::Server;

use crate::additional::{self, NotAList};
use crate::client::{Client, put_text};
use crate::global::REPLICA;
use crate::kubernetes_sd::{Discovery, Role};
use crate::{port, relabel};

/// Characters with a meaning in regular expressions.
const SPECIAL: &str = r"\.+*?()|[]{}^$";

/// Why `alerting` cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AlertingError {
    /// The additional Alertmanagers of the user cannot be parsed.
    #[error("unmarshalling additional alertmanager configs failed")]
    Alertmanagers(#[source] NotAList),
    /// The additional steps of the user cannot be parsed.
    #[error("unmarshalling additional alerting relabel configs failed: {0}")]
    Steps(#[source] NotAList),
}

/// Additional configuration of users.
#[derive(Debug, Clone, Copy, Default)]
pub struct AdditionalAlerting<'a> {
    /// Relabeling steps for alerts, as a list in YAML.
    pub alert_relabelings: Option<&'a str>,
    /// Alertmanagers, as a list in YAML.
    pub alertmanagers: Option<&'a str>,
}

/// `alerting`, if there is any configuration for it.
pub(crate) fn put(
    section: &mut Section<'_, '_>,
    server: &Server<'_>,
    client: Client<'_>,
    alerting: Option<&AlertingSpec>,
    additional: AdditionalAlerting<'_>,
) -> Result<(), AlertingError> {
    if alerting.is_none() && additional.alert_relabelings.is_none() && additional.alertmanagers.is_none() {
        return Ok(());
    }
    let endpoints = alerting.map_or(&[][..], |alerting| &alerting.alertmanagers);
    let mut alertmanagers: Vec<Map> =
        endpoints.iter().map(|endpoints| alertmanager(section, server, client, endpoints)).collect();
    let more = additional::list(additional.alertmanagers).map_err(AlertingError::Alertmanagers)?;
    alertmanagers.extend(more);
    let replica = server.spec.replica_external_label_name.as_deref().unwrap_or(REPLICA);
    let mut steps = Vec::new();
    if !replica.is_empty() {
        // Replicas send the same alert. Without the label the Alertmanager can deduplicate it.
        steps.push(Map::new().with("action", "labeldrop").with("regex", quoted(replica)));
    }
    steps.extend(additional::list(additional.alert_relabelings).map_err(AlertingError::Steps)?);
    let map = Map::new().with("alert_relabel_configs", steps).with("alertmanagers", alertmanagers);
    section.put("alerting", map);
    Ok(())
}

/// A regular expression that matches only this text.
fn quoted(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut quoted, letter| {
        if SPECIAL.contains(letter) {
            quoted.push('\\');
        }
        quoted.push(letter);
        quoted
    })
}

/// The Alertmanagers behind one Service.
fn alertmanager(
    section: &Section<'_, '_>,
    server: &Server<'_>,
    client: Client<'_>,
    endpoints: &AlertmanagerEndpoints,
) -> Map {
    let mut part = section.writer().section(SectionKind::Alertmanager);
    part.put_some("scheme", endpoints.scheme.as_ref().map(|scheme| scheme.to_lowercase()));
    part.put_some("path_prefix", endpoints.path_prefix.clone());
    part.put_some("timeout", endpoints.timeout.as_ref().map(ToString::to_string));
    part.put_some("enable_http2", endpoints.enable_http2);
    client.put_tls(&mut part, endpoints.tls_config.as_ref());
    client.put_proxy(&mut part, &endpoints.proxy);
    let role = if server.uses_endpoint_slices(None) { Role::EndpointSlice } else { Role::Endpoints };
    let discovery = Discovery {
        role,
        namespaces: &NamespaceSelector::default(),
        namespace: endpoints.namespace.as_deref().unwrap_or(server.namespace),
        attaches_nodes: None,
        selected: None,
    };
    discovery.put(&mut part, server, client);
    put_text(&mut part, "bearer_token_file", &endpoints.bearer_token_file);
    client.put_basic_auth(&mut part, endpoints.basic_auth.as_ref());
    client.put_safe_authorization(&mut part, endpoints.authorization.as_ref());
    client.put_sigv4(&mut part, endpoints.sigv4.as_ref());
    put_api_version(&mut part, server, endpoints);
    part.put("relabel_configs", steps(role, endpoints));
    if !endpoints.alert_relabelings.is_empty() {
        let steps: Vec<Map> = relabel::configured(&endpoints.alert_relabelings).collect();
        part.put("alert_relabel_configs", steps);
    }
    part.into_map()
}

/// `api_version`. Prometheus 3 removed `v1`.
fn put_api_version(part: &mut Section<'_, '_>, server: &Server<'_>, endpoints: &AlertmanagerEndpoints) {
    let wanted = endpoints.api_version.as_ref().map(|version| version.to_lowercase());
    let known = wanted.filter(|version| match version.as_str() {
        "v1" if server.version.major > 2 => {
            part.writer().leave_out("alertmanagers.api_version: v1", "before 3.0");
            false
        }
        "v1" | "v2" => true,
        _ => false,
    });
    part.put_some("api_version", known);
}

fn steps(role: Role, endpoints: &AlertmanagerEndpoints) -> Vec<Map> {
    let service: Value = "__meta_kubernetes_service_name".into();
    let mut steps = vec![relabel::keep(vec![service], endpoints.name.clone())];
    let label = match &endpoints.port {
        IntOrString::String(name) if name.is_empty() => None,
        IntOrString::String(_) => Some(port::service_label(role)),
        IntOrString::Int(0) => None,
        IntOrString::Int(_) => Some("__meta_kubernetes_pod_container_port_number"),
    };
    if let (Some(label), Some(port)) = (label, port::text(&endpoints.port)) {
        steps.push(relabel::keep(vec![label.into()], port));
    }
    steps.extend(relabel::configured(&endpoints.relabelings));
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_quoted_for_a_regular_expression() {
        assert_eq!(quoted("a.b_c$[1]"), r"a\.b_c\$\[1\]");
    }
}
