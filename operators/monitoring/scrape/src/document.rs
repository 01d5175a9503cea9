//! The whole file: the jobs of all resources between the sections of the workload itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use api_monitoring::prometheus::PrometheusSpec;
use api_monitoring::{PerKind, SelectableKind};
use formats::prometheus::{LeftOut, Place, Section, Writer};
use formats::yaml::{self, Value};
use monitoring_assets::{Objects, Reader, Reference};
use monitoring_select::duration::InvalidDuration;
use monitoring_select::{Mode, Server};

use crate::additional::{self, AdditionalError};
pub use crate::alerting::Additional;
use crate::alerting::{self, AlertingError};
use crate::client::Client;
use crate::fragment::Fragment;
use crate::global;
use crate::otlp::{self, OtlpError};
use crate::storage::{self, StorageError};
use crate::tracing::{self, TracingError};
use crate::{remote_read, remote_write};

/// Where the rule ConfigMaps are mounted.
const RULES: &str = "/etc/prometheus/rules/";

/// Whether a job belongs to a resource, judged by its name.
pub fn is_of_a_resource(job_name: &str) -> bool {
    let prefixes = SelectableKind::ALL.into_iter().filter_map(SelectableKind::job_prefix);
    prefixes.into_iter().any(|prefix| job_name.starts_with(prefix))
}

/// The names of the pieces that are not jobs of a resource.
const HEAD: &str = "head";
const TAIL: &str = "tail";
const ADDITIONAL: &str = "additional";

/// Jobs of resources by `namespace/name`, in the order of these names.
pub type Fragments<'a> = Vec<(&'a Arc<str>, &'a Fragment)>;

/// The jobs of a workload.
#[derive(Debug, Clone, Default)]
pub struct Jobs<'a> {
    /// Those of resources.
    pub resources: PerKind<Fragments<'a>>,
    /// Those of users, as a list in YAML.
    pub additional: Option<&'a str>,
}

/// The inputs of the file of a server.
#[derive(Debug, Clone)]
pub struct ServerInputs<'a> {
    /// The workload.
    pub server: &'a Server<'a>,
    /// The fields that agents do not have.
    pub spec: &'a PrometheusSpec,
    /// The scrape jobs.
    pub jobs: Jobs<'a>,
    /// Settings of users for alerts.
    pub alerting: Additional<'a>,
    /// The ConfigMaps with the rules.
    pub rule_config_maps: &'a [String],
    /// The referenced objects.
    pub objects: &'a Objects,
}

/// The inputs of the file of an agent.
#[derive(Debug, Clone)]
pub struct AgentInputs<'a> {
    /// The workload.
    pub server: &'a Server<'a>,
    /// The scrape jobs.
    pub jobs: Jobs<'a>,
    /// The referenced objects.
    pub objects: &'a Objects,
}

/// A part of a file, which is cached and compressed by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What it is: jobs of a kind, or something else.
    kind: &'static str,
    /// The resource of the jobs, as `namespace/name`.
    of: Option<Arc<str>>,
    /// Its text.
    pub text: Arc<str>,
}

impl Piece {
    /// A piece without jobs of a resource.
    fn new(kind: &'static str, text: String) -> Self {
        Self { kind, of: None, text: text.into() }
    }

    /// Its name in two parts. It does not change with the text.
    pub fn name(&self) -> [&str; 2] {
        [self.kind, self.of.as_deref().unwrap_or_default()]
    }
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its parts, one after the other: first what comes before all jobs, last what comes after them.
    pub pieces: Vec<Piece>,
    /// The fields of the workload that the version does not have. Those of its resources are with their fragments.
    pub left_out: Vec<LeftOut>,
    /// The Secrets and ConfigMaps that the workload references, whether they exist or not. Those of its resources are
    /// with their fragments.
    pub references: BTreeSet<Reference>,
}

impl Document {
    /// The whole file.
    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece| &*piece.text).collect()
    }
}

/// Why a file cannot be written. None of these errors comes from a selected resource.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// The scrape timeout is longer than the interval, or one of them is invalid.
    #[error(transparent)]
    Timeout(#[from] InvalidDuration),
    /// The additional jobs of the user cannot be read.
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
    let client = Client::new(server, &reader);

    let mut head = head(&writer, server, |section| global::put_rules(section, spec));
    if spec.rule_selector.is_some() {
        let files = inputs.rule_config_maps.iter().map(|name| format!("{RULES}{name}/*.yaml"));
        head.put("rule_files", files.collect::<Vec<_>>());
    }

    let mut pieces: Vec<Piece> = SelectableKind::ALL.into_iter().flat_map(|kind| jobs.pieces(kind)).collect();
    pieces.push(additional(server, jobs)?);

    let mut tail = writer.section(Place::Document);
    storage::put(&mut tail, server, spec).map_err(DocumentError::Storage)?;
    alerting::put(&mut tail, server, client, spec.alerting.as_ref(), inputs.alerting)?;
    remote_write::put(&mut tail, client, &server.spec.remote_write);
    remote_read::put(&mut tail, client, &spec.remote_read);
    otlp::put(&mut tail, server)?;
    tracing::put(&mut tail, server, client)?;
    Ok(document(head, pieces, tail, &reader))
}

/// Writes the file of an agent.
pub fn agent(inputs: &AgentInputs<'_>) -> Result<Document, DocumentError> {
    let AgentInputs { server, jobs, .. } = inputs;
    global::check_timeout(server)?;
    let (writer, reader) = (server.writer(), Reader::new(inputs.objects, server.namespace));
    let client = Client::new(server, &reader);

    let head = head(&writer, server, |_| ());

    let mut pieces: Vec<Piece> = jobs.pieces(SelectableKind::PodMonitor).collect();
    pieces.push(additional(server, jobs)?);
    // An agent on a node scrapes the pods of its node, and nothing else.
    if server.mode != Mode::DaemonSet {
        let others = SelectableKind::ALL.into_iter().filter(|kind| *kind != SelectableKind::PodMonitor);
        pieces.extend(others.flat_map(|kind| jobs.pieces(kind)));
    }

    let mut tail = writer.section(Place::Document);
    storage::put_agent(&mut tail, server).map_err(DocumentError::AgentStorage)?;
    remote_write::put(&mut tail, client, &server.spec.remote_write);
    otlp::put(&mut tail, server)?;
    tracing::put(&mut tail, server, client)?;
    Ok(document(head, pieces, tail, &reader))
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

impl Jobs<'_> {
    /// The jobs of the resources of a kind.
    fn pieces(&self, kind: SelectableKind) -> impl Iterator<Item = Piece> {
        self.resources[kind].iter().map(move |(key, fragment)| Piece {
            kind: kind.job_prefix().unwrap_or_default(),
            of: Some(Arc::clone(key)),
            text: Arc::clone(&fragment.text),
        })
    }
}

/// The additional jobs of users.
fn additional(server: &Server<'_>, jobs: &Jobs<'_>) -> Result<Piece, AdditionalError> {
    let jobs = additional::jobs(server, jobs.additional)?;
    let text = if jobs.is_empty() { String::new() } else { yaml::write(&Value::List(jobs)) };
    Ok(Piece::new(ADDITIONAL, text))
}

/// Joins the parts. A map that is written in parts has the same bytes as one that is written at once.
fn document(head: Section<'_, '_>, jobs: Vec<Piece>, tail: Section<'_, '_>, reader: &Reader<'_>) -> Document {
    let writer = head.writer();
    let mut text = yaml::write(&head.into());
    text.push_str("scrape_configs:");
    if jobs.iter().all(|piece| piece.text.is_empty()) {
        text.push_str(" []");
    }
    text.push('\n');
    let mut pieces = vec![Piece::new(HEAD, text)];
    pieces.extend(jobs);
    let text = if tail.is_empty() { String::new() } else { yaml::write(&tail.into()) };
    pieces.push(Piece::new(TAIL, text));
    Document { pieces, left_out: writer.left_out(), references: reader.references() }
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
        Fragment { text: text.into(), references: [reference].into(), left_out: Vec::new() }
    }

    /// The names of the jobs of an agent that selected one resource of each kind.
    fn agent_jobs(mode: Mode) -> Vec<String> {
        let (name, fragments) = ("ns/name".into(), ["service", "pod", "probe", "config"].map(fragment));
        let of_kind =
            |kind| fragments.get(kind as usize).map(|fragment| (&name, fragment)).into_iter().collect();
        let jobs = Jobs { resources: PerKind::new(of_kind), additional: Some("- job_name: own") };
        let spec = SharedSpec::default();
        let mut server = Server::new(("ns", "name"), &spec, Version::new(3, 0, 0));
        server.mode = mode;
        let document = agent(&AgentInputs { server: &server, jobs, objects: &Objects::default() }).unwrap();
        let text = document.text();
        let names = text.lines().filter_map(|line| line.strip_prefix("- job_name: "));
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
        let (first, second) = ("ns/a".into(), "ns/b".into());
        let mut jobs = Jobs::default();
        jobs.resources[SelectableKind::PodMonitor] = vec![(&first, &two), (&second, &one)];
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
            jobs,
            alerting: Additional::default(),
            rule_config_maps: &["rules-0".to_owned()],
            objects: &Objects::default(),
        };
        let head = "global:\n  scrape_interval: \"\"\n  external_labels: {}\n  evaluation_interval: \"\"\n\
            rule_files:\n- /etc/prometheus/rules/rules-0/*.yaml\n";
        let tail = "storage:\n  tsdb:\n    retention:\n      time: 24h\n";
        let jobs = "scrape_configs:\n- job_name: a\n- job_name: b\n";
        let document = super::server(&inputs).unwrap();
        assert_eq!(document.text(), format!("{head}{jobs}{tail}"));
        let names: Vec<String> = document.pieces.iter().map(|piece| piece.name().concat()).collect();
        assert_eq!(names, ["head", "podMonitor/ns/a", "podMonitor/ns/b", "additional", "tail"]);
        assert_eq!((document.left_out, document.references), (Vec::new(), BTreeSet::new()));

        inputs.jobs = Jobs::default();
        assert_eq!(super::server(&inputs).unwrap().text(), format!("{head}scrape_configs: []\n{tail}"));
    }
}
