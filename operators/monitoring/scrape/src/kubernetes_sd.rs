//! `kubernetes_sd_configs` of monitors, probes and Alertmanagers: one block each.

use api_monitoring::prometheus::shared::ApiServerConfig;
use api_monitoring::reference::NamespaceSelector;
use formats::prometheus::{Section, SectionKind};
use formats::yaml::Map;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use monitoring_assets::{Objects, Reader};
use monitoring_select::{Mode, Server};

use crate::client::{Client, put_text};
use crate::selector;

/// The kind of object that is discovered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Addresses behind Services, from Endpoints.
    Endpoints,
    /// Addresses behind Services, from EndpointSlices.
    EndpointSlice,
    /// Pods.
    Pod,
    /// Ingresses.
    Ingress,
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::Endpoints => "endpoints",
            Self::EndpointSlice => "endpointslice",
            Self::Pod => "pod",
            Self::Ingress => "ingress",
        }
    }

    /// The kinds of objects that label selectors can match.
    fn selectable(self) -> impl Iterator<Item = &'static str> {
        let has_services = matches!(self, Self::Endpoints | Self::EndpointSlice);
        [self.name()].into_iter().chain(has_services.then_some("service"))
    }
}

/// One discovery.
#[derive(Debug, Clone, Copy)]
pub struct Discovery<'a> {
    /// The kind of object.
    pub role: Role,
    /// The namespaces.
    pub namespaces: &'a NamespaceSelector,
    /// The namespace of the resource.
    pub namespace: &'a str,
    /// Whether metadata of nodes is attached to targets.
    pub attaches_nodes: Option<bool>,
    /// The selector for the API server, if it selects instead of relabeling.
    pub selected: Option<&'a LabelSelector>,
}

impl Discovery<'_> {
    /// `kubernetes_sd_configs` alone.
    pub fn write(&self, server: &Server<'_>, objects: &Objects) -> Map {
        let reader = Reader::new(objects, self.namespace);
        let client = Client::new(server, &reader);
        let writer = server.writer();
        let mut section = writer.section(SectionKind::Plain);
        self.put(&mut section, server, client);
        section.into_map()
    }

    /// `kubernetes_sd_configs`.
    pub(crate) fn put(&self, section: &mut Section<'_, '_>, server: &Server<'_>, client: Client<'_>) {
        let place = if self.role == Role::Pod { SectionKind::Pods } else { SectionKind::Endpoints };
        let mut part = section.writer().section(place);
        part.put("role", self.role.name());
        let namespaces = self.names(server);
        if !namespaces.is_empty() {
            part.put("namespaces", Map::new().with("names", namespaces));
        }
        if let Some(api_server) = &server.spec.apiserver_config {
            put_api_server(&mut part, client, api_server);
        }
        part.put_some("attach_metadata", self.attaches_nodes.map(|node| Map::new().with("node", node)));
        let selectors = self.selectors(server);
        if !selectors.is_empty() {
            part.put("selectors", selectors);
        }
        section.put("kubernetes_sd_configs", vec![part.into_map()]);
    }

    fn names(&self, server: &Server<'_>) -> Vec<String> {
        if !server.spec.ignore_namespace_selectors {
            if self.namespaces.any {
                return Vec::new();
            }
            if !self.namespaces.match_names.is_empty() {
                return self.namespaces.match_names.clone();
            }
        }
        vec![self.namespace.to_owned()]
    }

    fn selectors(&self, server: &Server<'_>) -> Vec<Map> {
        let mut selectors = Vec::new();
        if server.mode == Mode::DaemonSet {
            selectors.push(Map::new().with("role", "pod").with("field", "spec.nodeName=$(NODE_NAME)"));
        }
        if let Some(selected) = self.selected {
            let text = selector::text(selected);
            let roles = self.role.selectable();
            selectors.extend(roles.map(|role| Map::new().with("role", role).with("label", text.clone())));
        }
        selectors
    }
}

/// How the API server is reached, if it is not that of the cluster.
fn put_api_server(part: &mut Section<'_, '_>, client: Client<'_>, api_server: &ApiServerConfig) {
    part.put("api_server", api_server.host.clone());
    client.put_basic_auth(part, api_server.basic_auth.as_ref());
    put_text(part, "bearer_token", &api_server.bearer_token);
    put_text(part, "bearer_token_file", &api_server.bearer_token_file);
    client.put_authorization(part, api_server.authorization.as_ref());
    client.put_tls(part, api_server.tls_config.as_ref());
    client.put_proxy(part, &api_server.proxy);
}

#[cfg(test)]
mod tests {
    use api_monitoring::prometheus::shared::SharedSpec;
    use formats::version::Version;

    use super::*;

    #[test]
    fn the_node_and_the_labels_are_selected_together() {
        let spec = SharedSpec::default();
        let mut server = Server::new(("ns", "name"), &spec, Version::new(2, 36, 0));
        server.mode = Mode::DaemonSet;
        let selected = LabelSelector {
            match_labels: Some([("a".to_owned(), "b".to_owned())].into()),
            ..LabelSelector::default()
        };
        let namespaces = NamespaceSelector { any: true, ..NamespaceSelector::default() };
        let discovery = |role| Discovery {
            role,
            namespaces: &namespaces,
            namespace: "ns",
            attaches_nodes: Some(true),
            selected: Some(&selected),
        };
        let node = Map::new().with("role", "pod").with("field", "spec.nodeName=$(NODE_NAME)");
        let labels = |role: &'static str| Map::new().with("role", role).with("label", "a=b");
        // The role for pods has had `attach_metadata` for longer than the roles for Services.
        let pod = Map::new()
            .with("role", "pod")
            .with("attach_metadata", Map::new().with("node", true))
            .with("selectors", vec![node.clone(), labels("pod")]);
        let endpoints = Map::new()
            .with("role", "endpoints")
            .with("selectors", vec![node, labels("endpoints"), labels("service")]);
        for (role, expected) in [(Role::Pod, pod), (Role::Endpoints, endpoints)] {
            let written = discovery(role).write(&server, &Objects::default());
            assert_eq!(written, Map::new().with("kubernetes_sd_configs", vec![expected]));
        }
    }
}
