//! The whole file: the jobs of all resources between the sections of the workload itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use api_monitoring::prometheus::PrometheusSpec;
use api_monitoring::{PerKind, SelectableKind};
use formats::prometheus::{Section, SectionKind, SectionWriter, UnsupportedField};
use formats::yaml::{self, Value};
use monitoring_assets::{Objects, Reader, Reference};
use monitoring_select::duration::InvalidDuration;
use monitoring_select::{Mode, Server};

use crate::additional::{self, AdditionalError};
pub use crate::alerting::AdditionalAlerting;
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

/// Whether a job with this name belongs to a resource.
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
    pub alerting: AdditionalAlerting<'a>,
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
pub struct PrometheusDocument {
    /// Its parts, one after the other: first what comes before all jobs, last what comes after them.
    pub pieces: Vec<Piece>,
    /// The fields of the workload that the version does not have. Those of its resources are with their fragments.
    pub left_out: Vec<UnsupportedField>,
    /// The Secrets and ConfigMaps that the workload references, whether they exist or not. Those of its resources are
    /// with their fragments.
    pub references: BTreeSet<Reference>,
}

impl PrometheusDocument {
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
pub fn server(inputs: &ServerInputs<'_>) -> Result<PrometheusDocument, DocumentError> {
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

    let mut tail = writer.section(SectionKind::Document);
    storage::put(&mut tail, server, spec).map_err(DocumentError::Storage)?;
    alerting::put(&mut tail, server, client, spec.alerting.as_ref(), inputs.alerting)?;
    remote_write::put(&mut tail, client, &server.spec.remote_write);
    remote_read::put(&mut tail, client, &spec.remote_read);
    otlp::put(&mut tail, server)?;
    tracing::put(&mut tail, server, client)?;
    Ok(document(head, pieces, tail, &reader))
}

/// Writes the file of an agent.
pub fn agent(inputs: &AgentInputs<'_>) -> Result<PrometheusDocument, DocumentError> {
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

    let mut tail = writer.section(SectionKind::Document);
    storage::put_agent(&mut tail, server).map_err(DocumentError::AgentStorage)?;
    remote_write::put(&mut tail, client, &server.spec.remote_write);
    otlp::put(&mut tail, server)?;
    tracing::put(&mut tail, server, client)?;
    Ok(document(head, pieces, tail, &reader))
}

/// `global` and `runtime`.
fn head<'w, 'v>(
    writer: &'w SectionWriter<'v>,
    server: &Server<'_>,
    put_more: impl FnOnce(&mut Section<'_, '_>),
) -> Section<'w, 'v> {
    let mut head = writer.section(SectionKind::Document);
    let mut global = writer.section(SectionKind::Global);
    global::put(&mut global, server);
    put_more(&mut global);
    head.put("global", global);
    if let Some(runtime) = &server.spec.runtime {
        let mut part = writer.section(SectionKind::Plain);
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
fn document(
    head: Section<'_, '_>,
    jobs: Vec<Piece>,
    tail: Section<'_, '_>,
    reader: &Reader<'_>,
) -> PrometheusDocument {
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
    PrometheusDocument { pieces, left_out: writer.left_out(), references: reader.references() }
}

#[cfg(test)]
mod tests;
