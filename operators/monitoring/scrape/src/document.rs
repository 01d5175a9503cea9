//! The whole file: the jobs of all resources between the sections of the workload itself.

use std::collections::{BTreeMap, BTreeSet};

use api_monitoring::prometheus::PrometheusSpec;
use formats::prometheus::{LeftOut, Place, Section, Writer};
use formats::yaml::{self, Value};
use monitoring_assets::{Objects, Reader, Reference};

use crate::additional::{self, AdditionalError};
pub use crate::alerting::Additional;
use crate::alerting::{self, AlertingError};
use crate::client::Client;
use crate::fragment::Fragment;
use crate::global::{self, TimeoutError};
use crate::otlp::{self, OtlpError};
use crate::server::{Mode, Server};
use crate::storage::{self, StorageError};
use crate::tracing::{self, TracingError};
use crate::{remote_read, remote_write};

/// Where the files of a rule ConfigMap are mounted.
const RULES: &str = "/etc/prometheus/rules/";

/// The jobs of a workload: those of each kind in the order of their keys.
#[derive(Debug, Clone, Default)]
pub struct Jobs<'a> {
    /// ServiceMonitors by `namespace/name`.
    pub service_monitors: BTreeMap<String, &'a Fragment>,
    /// PodMonitors by `namespace/name`.
    pub pod_monitors: BTreeMap<String, &'a Fragment>,
    /// Probes by `namespace/name`.
    pub probes: BTreeMap<String, &'a Fragment>,
    /// ScrapeConfigs by `namespace/name`.
    pub scrape_configs: BTreeMap<String, &'a Fragment>,
    /// Jobs that users wrote themselves, as a list in YAML.
    pub additional: Option<&'a str>,
}

/// What the file of a server is made from.
#[derive(Debug, Clone)]
pub struct ServerInputs<'a> {
    /// The workload.
    pub server: &'a Server<'a>,
    /// What only servers say.
    pub spec: &'a PrometheusSpec,
    /// What is scraped.
    pub jobs: Jobs<'a>,
    /// What users wrote themselves about alerts.
    pub alerting: Additional<'a>,
    /// The ConfigMaps that hold the rules.
    pub rule_config_maps: &'a [String],
    /// What references point to.
    pub objects: &'a Objects,
}

/// What the file of an agent is made from.
#[derive(Debug, Clone)]
pub struct AgentInputs<'a> {
    /// The workload.
    pub server: &'a Server<'a>,
    /// What is scraped.
    pub jobs: Jobs<'a>,
    /// What references point to.
    pub objects: &'a Objects,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its text.
    pub text: String,
    /// What the workload asked for and the version does not have. What its resources asked for is with their fragments.
    pub left_out: Vec<LeftOut>,
    /// The Secrets and ConfigMaps whose contents are in the text, or would be if they were there.
    pub references: BTreeSet<Reference>,
}

/// Why a file cannot be written. None of these comes from a resource that was selected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// Scrapes would overlap.
    #[error(transparent)]
    Timeout(#[from] TimeoutError),
    /// The user's own jobs cannot be read.
    #[error("generate additional scrape configs: {0}")]
    Additional(#[from] AdditionalError),
    /// `storage` of a server.
    #[error("generating storage_settings configuration failed: {0}")]
    Storage(#[source] StorageError),
    /// `storage` of an agent.
    #[error(transparent)]
    AgentStorage(StorageError),
    /// `alerting`.
    #[error("generating alerting configuration failed: {0}")]
    Alerting(#[from] AlertingError),
    /// `otlp`.
    #[error("failed to generate OTLP configuration: {0}")]
    Otlp(#[from] OtlpError),
    /// `tracing`.
    #[error("failed to generate tracing configuration: {0}")]
    Tracing(#[from] TracingError),
}

/// Writes the file of a server.
pub fn server(inputs: &ServerInputs<'_>) -> Result<Document, DocumentError> {
    let ServerInputs { server, spec, jobs, .. } = inputs;
    global::check_timeout(server)?;
    let (writer, reader) = (server.writer(), Reader::new(inputs.objects, server.namespace));
    let client = Client { reader: &reader, inline_tls: server.offers.inline_tls };

    let mut head = head(&writer, server, |section| global::put_rules(section, spec));
    if spec.rule_selector.is_some() {
        let files = inputs.rule_config_maps.iter().map(|name| format!("{RULES}{name}/*.yaml"));
        head.put("rule_files", files.collect::<Vec<_>>());
    }

    let own = additional(server, jobs)?;
    let order = [&jobs.service_monitors, &jobs.pod_monitors, &jobs.probes, &jobs.scrape_configs];
    let fragments: Vec<&Fragment> =
        order.into_iter().flat_map(BTreeMap::values).copied().chain([&own]).collect();

    let mut tail = writer.section(Place::Document);
    storage::put(&mut tail, server, spec).map_err(DocumentError::Storage)?;
    alerting::put(&mut tail, server, client, spec.alerting.as_ref(), inputs.alerting)?;
    remote_write::put(&mut tail, client, &server.spec.remote_write);
    remote_read::put(&mut tail, client, &spec.remote_read);
    otlp::put(&mut tail, server)?;
    tracing::put(&mut tail, server, client)?;
    Ok(document(head, &fragments, tail, &reader))
}

/// Writes the file of an agent.
pub fn agent(inputs: &AgentInputs<'_>) -> Result<Document, DocumentError> {
    let AgentInputs { server, jobs, .. } = inputs;
    global::check_timeout(server)?;
    let (writer, reader) = (server.writer(), Reader::new(inputs.objects, server.namespace));
    let client = Client { reader: &reader, inline_tls: server.offers.inline_tls };

    let head = head(&writer, server, |_| ());

    let own = additional(server, jobs)?;
    let mut fragments: Vec<&Fragment> = jobs.pod_monitors.values().copied().chain([&own]).collect();
    // On every node only its pods are scraped.
    if server.mode != Mode::DaemonSet {
        let order = [&jobs.service_monitors, &jobs.probes, &jobs.scrape_configs];
        fragments.extend(order.into_iter().flat_map(BTreeMap::values));
    }

    let mut tail = writer.section(Place::Document);
    storage::put_agent(&mut tail, server).map_err(DocumentError::AgentStorage)?;
    remote_write::put(&mut tail, client, &server.spec.remote_write);
    otlp::put(&mut tail, server)?;
    tracing::put(&mut tail, server, client)?;
    Ok(document(head, &fragments, tail, &reader))
}

/// `global` and `runtime`.
fn head<'w, 'v>(
    writer: &'w Writer<'v>,
    server: &Server<'_>,
    put_more: impl FnOnce(&mut Section<'_, '_>),
) -> Section<'w, 'v> {
    let mut head = writer.section(Place::Document);
    let mut global = writer.section(Place::Global);
    global::put(&mut global, server);
    put_more(&mut global);
    head.put("global", global);
    if let Some(runtime) = &server.spec.runtime {
        let mut part = writer.section(Place::Plain);
        part.put_some("gogc", runtime.go_gc);
        head.put("runtime", part);
    }
    head
}

/// The jobs that users wrote themselves.
fn additional(server: &Server<'_>, jobs: &Jobs<'_>) -> Result<Fragment, AdditionalError> {
    let jobs = additional::jobs(server, jobs.additional)?;
    let text = if jobs.is_empty() { String::new() } else { yaml::write(&Value::List(jobs)) };
    Ok(Fragment { text, ..Fragment::default() })
}

/// Puts the parts together. A map that is written in parts looks as if it were written at once.
fn document(
    head: Section<'_, '_>,
    fragments: &[&Fragment],
    tail: Section<'_, '_>,
    reader: &Reader<'_>,
) -> Document {
    let writer = head.writer();
    let mut text = yaml::write(&head.into());
    text.push_str("scrape_configs:");
    if fragments.iter().all(|fragment| fragment.text.is_empty()) {
        text.push_str(" []");
    }
    text.push('\n');
    text.reserve(fragments.iter().map(|fragment| fragment.text.len()).sum());
    let mut references = reader.references();
    for fragment in fragments {
        text.push_str(&fragment.text);
        references.extend(fragment.references.iter().cloned());
    }
    if !tail.is_empty() {
        text.push_str(&yaml::write(&tail.into()));
    }
    Document { text, left_out: writer.left_out(), references }
}

#[cfg(test)]
mod tests {
    use api_monitoring::prometheus::shared::SharedSpec;
    use formats::version::Version;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
    use monitoring_assets::Source;

    use super::*;

    fn fragment(name: &str) -> Fragment {
        let reference =
            Reference { source: Source::Secret, namespace: "ns".to_owned(), name: name.to_owned() };
        let text = format!("- job_name: {name}\n");
        Fragment { text, references: [reference].into(), left_out: Vec::new() }
    }

    /// The names of the jobs of an agent that selected one resource of each kind.
    fn agent_jobs(mode: Mode) -> Vec<String> {
        let fragments = ["service", "pod", "probe", "config"].map(fragment);
        let [service_monitors, pod_monitors, probes, scrape_configs] =
            [0, 1, 2, 3].map(|at: usize| BTreeMap::from([("ns/name".to_owned(), &fragments[at])]));
        let additional = Some("- job_name: own");
        let jobs = Jobs { service_monitors, pod_monitors, probes, scrape_configs, additional };
        let spec = SharedSpec::default();
        let mut server = Server::new(("ns", "name"), &spec, Version::new(3, 0, 0));
        server.mode = mode;
        let document = agent(&AgentInputs { server: &server, jobs, objects: &Objects::default() }).unwrap();
        let names = document.text.lines().filter_map(|line| line.strip_prefix("- job_name: "));
        names.map(str::to_owned).collect()
    }

    #[test]
    fn an_agent_on_every_node_scrapes_pods_only() {
        assert_eq!(agent_jobs(Mode::Agent), ["pod", "own", "service", "probe", "config"]);
        assert_eq!(agent_jobs(Mode::DaemonSet), ["pod", "own"]);
    }

    #[test]
    fn the_parts_of_a_server_are_one_file() {
        let [one, two] = ["b", "a"].map(fragment);
        let pod_monitors = BTreeMap::from([("ns/b".to_owned(), &one), ("ns/a".to_owned(), &two)]);
        let shared = SharedSpec {
            prometheus_external_label_name: Some(String::new()),
            replica_external_label_name: Some(String::new()),
            ..SharedSpec::default()
        };
        let rule_selector = Some(LabelSelector::default());
        let spec = PrometheusSpec { shared, rule_selector, ..PrometheusSpec::default() };
        let server = Server::new(("ns", "name"), &spec.shared, Version::new(3, 11, 0));
        let mut inputs = ServerInputs {
            server: &server,
            spec: &spec,
            jobs: Jobs { pod_monitors, ..Jobs::default() },
            alerting: Additional::default(),
            rule_config_maps: &["rules-0".to_owned()],
            objects: &Objects::default(),
        };
        let head = "global:\n  scrape_interval: \"\"\n  external_labels: {}\n  evaluation_interval: \"\"\n\
            rule_files:\n- /etc/prometheus/rules/rules-0/*.yaml\n";
        let tail = "storage:\n  tsdb:\n    retention:\n      time: 24h\n";
        let jobs = "scrape_configs:\n- job_name: a\n- job_name: b\n";
        let references = one.references.union(&two.references).cloned().collect();
        let expected = Document { text: format!("{head}{jobs}{tail}"), left_out: Vec::new(), references };
        assert_eq!(super::server(&inputs), Ok(expected));

        inputs.jobs = Jobs::default();
        let text = format!("{head}scrape_configs: []\n{tail}");
        let expected = Document { text, left_out: Vec::new(), references: BTreeSet::new() };
        assert_eq!(super::server(&inputs), Ok(expected));
    }
}
