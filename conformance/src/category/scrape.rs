//! Cases of `scrape` in `operators/monitoring`.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;
use api_monitoring::prometheus::shared::ApiServerConfig;
use api_monitoring::reference::NamespaceSelector;
use api_monitoring::scrape::AttachMetadata;
use api_monitoring::{PerKind, PodMonitor, Probe, Prometheus, ScrapeConfig, SelectableKind, ServiceMonitor};
use formats::yaml::{Map, write};
use monitoring_assets::Objects;
use monitoring_scrape::document::{
    self, AdditionalAlerting, AgentInputs, DocumentError, Jobs, PrometheusDocument, ServerInputs,
};
use monitoring_scrape::kubernetes_sd::{Discovery, Role};
use monitoring_scrape::{Fragment, Mode, Offers, Server, pod_monitor, probe, scrape_config, service_monitor};
use monitoring_select::relabel::RelabelRules;
use monitoring_select::scrape_class;
use monitoring_select::server::parse_version;
use operator_monitoring::workload::defaults::PROMETHEUS_VERSION;
use serde_json::Value;

use super::Runner;
use crate::case::Case;
use crate::compare::{self, Found, Outcome};

/// Functions of the Prometheus Operator and their counterparts.
pub(crate) const RUNNERS: &[(&str, Runner)] = &[
    ("GenerateServerConfiguration", |case| run(case, server)),
    ("GenerateAgentConfiguration", |case| run(case, agent)),
    ("generateK8SSDConfig", |case| run(case, discovery)),
    ("NewConfigGenerator", |case| run(case, read_only)),
];

/// Runs a case. Inputs that cannot be parsed are a difference.
fn run(case: &Case, runner: fn(&Case) -> Result<Found>) -> Outcome {
    match runner(case) {
        Ok(found) => compare::text(case, found),
        Err(error) => compare::text(case, Ok(format!("the inputs cannot be parsed: {error:#}").into())),
    }
}

fn offers(case: &Case) -> Offers {
    let is = |name: &str| flag(case, name);
    Offers {
        endpoint_slices: is("endpointSliceSupported"),
        pod_topology_labels: is("podTopologyLabelsSupported"),
        topology_sharding: is("topologySharding"),
        shard_retention: is("retentionPolicies"),
        inline_tls: is("inlineTLSConfig"),
        any_version: is("bypassVersionCheck"),
    }
}

fn flag(case: &Case, name: &str) -> bool {
    case.inputs["options"][name] == Value::Bool(true)
}

/// The workload of a case, or an error message.
fn workload<'p>(
    case: &Case,
    prometheus: &'p Prometheus,
    mode: Mode,
) -> std::result::Result<Server<'p>, String> {
    let name = |name: &'p Option<String>| name.as_deref().unwrap_or_default();
    let metadata = &prometheus.metadata;
    let key = (name(&metadata.namespace), name(&metadata.name));
    let shared = &prometheus.spec.shared;
    let requested = if shared.version.is_empty() { PROMETHEUS_VERSION } else { &shared.version };
    let version = parse_version(requested).map_err(|error| error.to_string())?;
    let mut server = Server::new(key, shared, version);
    scrape_class::check_all(&shared.scrape_classes, &RelabelRules::of(&server.version))
        .map_err(|problem| format!("failed to parse scrape classes: {problem}"))?;
    server.mode = if flag(case, "daemonSet") { Mode::DaemonSet } else { mode };
    server.offers = offers(case);
    let policy = prometheus.spec.shard_retention_policy.as_ref();
    server.retains_shards = policy.is_some_and(|policy| policy.when_scaled.as_deref() == Some("Retain"));
    Ok(server)
}

/// The jobs of all resources of a case.
struct Fragments {
    resources: PerKind<BTreeMap<Arc<str>, Fragment>>,
    additional: Option<String>,
}

impl Fragments {
    fn read(
        case: &Case,
        server: &Server<'_>,
        objects: &Objects,
    ) -> Result<std::result::Result<Self, String>> {
        let service_monitors: BTreeMap<String, ServiceMonitor> = case.input("serviceMonitors")?;
        let pod_monitors: BTreeMap<String, PodMonitor> = case.input("podMonitors")?;
        let probes: BTreeMap<String, Probe> = case.input("probes")?;
        let configs: BTreeMap<String, ScrapeConfig> = case.input("scrapeConfigs")?;
        let mut resources = PerKind::<BTreeMap<Arc<str>, Fragment>>::default();
        // A DaemonSet scrapes only pods.
        for (key, config) in configs.into_iter().filter(|_| server.mode != Mode::DaemonSet) {
            match scrape_config::render(server, &config, objects) {
                Ok(fragment) => resources[SelectableKind::ScrapeConfig].insert(key.into(), fragment),
                Err(error) => return Ok(Err(format!("generate scrape configs: {error}"))),
            };
        }
        resources[SelectableKind::ServiceMonitor] =
            rendered(service_monitors, |one| service_monitor::render(server, one, objects));
        resources[SelectableKind::PodMonitor] =
            rendered(pod_monitors, |one| pod_monitor::render(server, one, objects));
        resources[SelectableKind::Probe] = rendered(probes, |one| probe::render(server, one, objects));
        Ok(Ok(Self { resources, additional: case.input("additionalScrapeConfigs")? }))
    }

    fn jobs(&self) -> Jobs<'_> {
        let resources = PerKind::new(|kind| self.resources[kind].iter().collect());
        Jobs { resources, additional: self.additional.as_deref() }
    }
}

fn rendered<T>(
    resources: BTreeMap<String, T>,
    render: impl Fn(&T) -> Fragment,
) -> BTreeMap<Arc<str>, Fragment> {
    resources.into_iter().map(|(key, resource)| (key.into(), render(&resource))).collect()
}

fn found(document: std::result::Result<PrometheusDocument, DocumentError>) -> Found {
    document.map(|document| document.text().into()).map_err(|error| error.to_string())
}

fn server(case: &Case) -> Result<Found> {
    let (prometheus, objects): (Prometheus, Objects) = (case.input("prometheus")?, case.objects()?);
    let server = match workload(case, &prometheus, Mode::Server) {
        Ok(server) => server,
        Err(error) => return Ok(Err(error)),
    };
    let fragments = match Fragments::read(case, &server, &objects)? {
        Ok(fragments) => fragments,
        Err(error) => return Ok(Err(error)),
    };
    let alert_relabelings: Option<String> = case.input("additionalAlertRelabelConfigs")?;
    let alertmanagers: Option<String> = case.input("additionalAlertManagerConfigs")?;
    let rule_config_maps: Vec<String> = case.input("ruleConfigMapNames")?;
    Ok(found(document::server(&ServerInputs {
        server: &server,
        spec: &prometheus.spec,
        jobs: fragments.jobs(),
        alerting: AdditionalAlerting {
            alert_relabelings: alert_relabelings.as_deref(),
            alertmanagers: alertmanagers.as_deref(),
        },
        rule_config_maps: &rule_config_maps,
        objects: &objects,
    })))
}

fn agent(case: &Case) -> Result<Found> {
    let (prometheus, objects): (Prometheus, Objects) = (case.input("prometheus")?, case.objects()?);
    let server = match workload(case, &prometheus, Mode::Agent) {
        Ok(server) => server,
        Err(error) => return Ok(Err(error)),
    };
    let fragments = match Fragments::read(case, &server, &objects)? {
        Ok(fragments) => fragments,
        Err(error) => return Ok(Err(error)),
    };
    Ok(found(document::agent(&AgentInputs { server: &server, jobs: fragments.jobs(), objects: &objects })))
}

/// A job with one discovery.
fn discovery(case: &Case) -> Result<Found> {
    let (mut prometheus, objects): (Prometheus, Objects) = (case.input("prometheus")?, case.objects()?);
    let api_server: Option<ApiServerConfig> = case.input("apiServerConfig")?;
    prometheus.spec.shared.apiserver_config = api_server;
    let server = match workload(case, &prometheus, Mode::Server) {
        Ok(server) => server,
        Err(error) => return Ok(Err(error)),
    };
    let namespaces: NamespaceSelector = case.input("namespaceSelector")?;
    let (namespace, role): (String, String) = (case.input("namespace")?, case.input("role")?);
    let attached: Option<AttachMetadata> = case.input("attachMetadata")?;
    let discovery = Discovery {
        role: match role.as_str() {
            "endpointslice" => Role::EndpointSlice,
            "pod" => Role::Pod,
            "ingress" => Role::Ingress,
            _ => Role::Endpoints,
        },
        namespaces: &namespaces,
        namespace: &namespace,
        attaches_nodes: attached.map(|attached| attached.node.unwrap_or_default()),
        selected: None,
    };
    let mut job = Map::new().with("job_name", "k8s-sd-test");
    job.0.extend(discovery.write(&server, &objects).0);
    Ok(Ok(write(&Map::new().with("scrape_configs", vec![job]).into()).into()))
}

/// Parses a workload and generates nothing.
fn read_only(case: &Case) -> Result<Found> {
    let prometheus: Prometheus = case.input("prometheus")?;
    Ok(workload(case, &prometheus, Mode::Server).map(|_| Value::Null))
}
