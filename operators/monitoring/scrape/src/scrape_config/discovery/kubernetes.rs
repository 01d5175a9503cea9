//! Kubernetes: `kubernetes_sd_configs` of ScrapeConfigs. Those of monitors are in the module `kubernetes_sd`.

use api_monitoring::scrape::AttachMetadata;
use api_monitoring::scrape_config::discovery::kubernetes::{
    KubernetesRole, KubernetesSdConfig, NamespaceDiscovery, SelectorConfig,
};
use formats::yaml::{Map, Value};

use super::entry::Entry;

/// An element of `kubernetes_sd_configs`.
pub(super) fn put(entry: &mut Entry<'_>, config: &KubernetesSdConfig) {
    let connection = &config.client.tokens.connection;
    entry.put_some_text("api_server", config.api_server.as_deref());
    put_role(entry, &config.role);
    entry.put_client(&config.client);
    entry.put_http(connection);
    entry.put_tls(connection.tls_config.as_ref());
    entry.put_some("namespaces", config.namespaces.as_ref().map(namespaces));
    if !config.selectors.is_empty() {
        entry.put("selectors", config.selectors.iter().map(selector).collect::<Vec<_>>());
    }
    if let Some(metadata) = &config.attach_metadata {
        put_attach_metadata(entry, &config.role, metadata);
    }
}

/// `role`. Older versions do not know EndpointSlices.
fn put_role(entry: &mut Entry<'_>, role: &KubernetesRole) {
    if &**role == "EndpointSlice" && !entry.writer().at_least(2, 21) {
        entry.writer().leave_out("role endpointslice", "2.21 or later");
    } else {
        entry.put("role", role.to_lowercase());
    }
}

fn namespaces(namespaces: &NamespaceDiscovery) -> Map {
    let map = Map::new().with("names", namespaces.names.clone());
    match namespaces.own_namespace {
        Some(own) => map.with("own_namespace", own),
        None => map,
    }
}

fn selector(selector: &SelectorConfig) -> Map {
    let mut map = Map::new().with("role", selector.role.to_lowercase());
    for (field, text) in [("label", &selector.label), ("field", &selector.field)] {
        if let Some(text) = text {
            map.push(field, text.clone());
        }
    }
    map
}

/// `attach_metadata`. The role Pod had it before the roles for endpoints did; the other roles do not have it.
fn put_attach_metadata(entry: &mut Entry<'_>, role: &KubernetesRole, metadata: &AttachMetadata) {
    let writer = entry.writer();
    let (has, versions) = match role.to_lowercase().as_str() {
        "pod" => (writer.at_least(2, 35), "2.35 or later"),
        "endpoints" | "endpointslice" => (writer.at_least(2, 37), "2.37 or later"),
        _ => (
            false,
            "2.35 or later and the role Pod, or 2.37 or later and the role Endpoints or EndpointSlice",
        ),
    };
    if has {
        // An empty `attachMetadata` is written as an explicit null.
        let node = metadata.node.map_or(Value::Null, Value::from);
        entry.put("attach_metadata", Map::new().with("node", node));
    } else {
        writer.leave_out("attach_metadata", versions);
    }
}
