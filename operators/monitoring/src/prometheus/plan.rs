//! A Prometheus: everything that follows from it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::prometheus::pods::{Instance, Shard, secrets, service, statefulset};
use crate::workload::metadata;
use api_monitoring::Prometheus;
use api_monitoring::prometheus::PrometheusSpec;
use formats::gzip::{Compressor, Part};
use monitoring_assets::Reference;
use monitoring_rules::config_map;
use monitoring_rules::file::{Format, Reader};
use monitoring_scrape::Server;
use monitoring_scrape::document::{self, Additional, Document, ServerInputs};
use monitoring_select::workload::{self, Checked, Gap, Section};
use monitoring_select::{Asker, Workload};

use crate::plan::child::Child;
use crate::plan::gaps;
use crate::plan::limits;
use crate::plan::memo::Memo;
use crate::plan::monitors::Monitors;
use crate::plan::planned::{Invalid, Planned, Remark};
use crate::plan::rules::{self, Asked, Rules};
use crate::plan::standing::Standing;
use crate::plan::surroundings::Surroundings;

/// What is remembered of a Prometheus from one pass to the next.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// What became of the resources with jobs.
    pub monitors: Monitors,
    /// What became of the rules.
    pub rules: Rules,
    /// The compressed configuration.
    pub compressor: Compressor,
}

/// Decides everything that follows from a Prometheus.
pub fn plan(
    prometheus: &Prometheus,
    around: &Surroundings<'_>,
    standing: &Standing,
    memory: &mut Memory,
) -> Result<Planned, Invalid> {
    limits::check_name(&prometheus.metadata)?;
    let instance = Instance::server(prometheus).map_err(|error| Invalid::new(&error))?;
    let view = View::new(prometheus, &instance, around);
    let workload = Workload::new((view.namespace, view.name), instance.spec, instance.version.clone());
    let Checked { accepted, additional, gaps } =
        workload::check_server(&workload, &prometheus.spec, around.objects).map_err(|refused| Invalid {
            message: format!("creating config failed: {refused}"),
            references: refused.references,
        })?;
    memory.monitors.pass(&workload, &view.server(&prometheus.spec)?, around)?;
    view.rules().pass(&mut memory.rules, around)?;

    let mut planned = Planned { references: accepted.references, ..Planned::default() };
    if memory.monitors.is_empty() && memory.rules.is_empty() {
        planned.remarks.push(Remark::NothingSelected);
    }
    let maps = view.put_rules(&memory.rules, standing, &mut planned);

    let mut files: BTreeMap<String, Vec<u8>> =
        accepted.files.into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect();
    files.extend(memory.monitors.files(around.left_out).map(|(name, bytes)| (name.clone(), bytes.clone())));
    if view.is_unmanaged() {
        planned.remarks.push(Remark::Unmanaged);
        if standing.configuration.is_none() {
            let nothing = memory.compressor.file(&[]);
            planned.children.push(Child::Secret(secrets::configuration(&instance, around.operator, nothing)));
        }
    } else {
        let last = standing.configuration.as_deref();
        let document = view.document(&memory.monitors, &additional, &maps, (&gaps, last))?;
        if !gaps.is_empty() {
            keep_files(&mut files, &document, standing);
        }
        planned.remarks.extend(gaps::remarks(&gaps, last));
        let left_out = document.left_out.iter().map(|one| Remark::LeftOut(one.to_string()));
        planned.remarks.extend(left_out);
        let compressed = compressed(&document, &mut memory.compressor);
        let secret = secrets::configuration(&instance, around.operator, compressed);
        planned.children.push(Child::Secret(secret));
        planned.references.extend(document.references.iter().cloned());
        planned.configuration = Some(document.into());
    }
    view.put_pods(files, &maps, &mut planned)?;
    limits::check(&mut planned)?;
    Ok(planned)
}

/// Certificates that a section which stays points to stay too.
pub(crate) fn keep_files(files: &mut BTreeMap<String, Vec<u8>>, document: &Document, standing: &Standing) {
    let Some(tail) = document.pieces.last() else { return };
    for name in gaps::certificates(&tail.text) {
        if let Some(bytes) = standing.tls_files.get(name) {
            files.entry(name.to_owned()).or_insert_with(|| bytes.clone());
        }
    }
}

/// The file, compressed; what did not change is not compressed again.
pub(crate) fn compressed(document: &Document, compressor: &mut Compressor) -> Vec<u8> {
    let parts: Vec<Part<'_>> =
        document.pieces.iter().map(|piece| Part { name: piece.name(), text: &piece.text }).collect();
    compressor.file(&parts)
}

/// What a user wrote into a Secret, as text.
pub(crate) fn text(bytes: Option<&[u8]>) -> Option<Cow<'_, str>> {
    bytes.map(String::from_utf8_lossy)
}

/// A Prometheus among all that there is.
struct View<'v> {
    prometheus: &'v Prometheus,
    instance: &'v Instance<'v>,
    namespace: &'v str,
    name: &'v str,
    around: &'v Surroundings<'v>,
}

impl<'v> View<'v> {
    fn new(prometheus: &'v Prometheus, instance: &'v Instance<'v>, around: &'v Surroundings<'v>) -> Self {
        let owner = instance.owner();
        Self { prometheus, instance, namespace: owner.namespace(), name: owner.name(), around }
    }

    /// What of it matters to its configuration.
    fn server<'s>(&'s self, spec: &'s PrometheusSpec) -> Result<Server<'s>, Invalid> {
        let mut server =
            Server::read((self.namespace, self.name), &spec.shared).map_err(|error| Invalid::new(&error))?;
        server.offers = self.around.offers;
        let policy = spec.shard_retention_policy.as_ref();
        server.retains_shards = policy.is_some_and(|policy| policy.when_scaled.as_deref() == Some("Retain"));
        Ok(server)
    }

    /// Whether users write the configuration themselves: nothing is selected, not even by an empty selector.
    fn is_unmanaged(&self) -> bool {
        let spec = self.instance.spec;
        let selectors = [
            &spec.service_monitor_selector,
            &spec.pod_monitor_selector,
            &spec.probe_selector,
            &spec.scrape_config_selector,
        ];
        self.around.unmanaged && selectors.into_iter().all(Option::is_none)
    }

    fn rules(&self) -> Asked<'_> {
        let (spec, shared) = (&self.prometheus.spec, self.instance.spec);
        let has = |feature: &str| shared.enable_features.iter().any(|one| &**one == feature);
        let options = monitoring_rules::Options {
            experimental_functions: has("promql-experimental-functions"),
            duration_expressions: has("promql-duration-expr"),
            extended_ranges: has("promql-extended-range-selectors"),
            fill_modifiers: has("promql-binop-fill-modifiers"),
        };
        Asked {
            asker: Asker::Prometheus(self.prometheus),
            enforced: &shared.enforced_namespace_label,
            excluded: &shared.excluded_from_enforcement,
            excluded_rules: &spec.prometheus_rules_excluded_from_enforce,
            reader: Reader { format: Format::Prometheus, version: self.instance.version.clone(), options },
        }
    }

    /// The ConfigMaps with rules; the names of all that are mounted.
    fn put_rules(&self, rules: &Rules, standing: &Standing, planned: &mut Planned) -> Vec<String> {
        let workload = config_map::Workload::Prometheus(self.name);
        let owner = metadata::content(self.instance.owner(), self.around.operator, "");
        let maps = rules::config_maps(rules, standing, workload, &owner, self.around);
        let names = workload.mounted(maps.len());
        planned.children.extend(maps.into_iter().map(Child::ConfigMap));
        names
    }

    fn document(
        &self,
        monitors: &Monitors,
        own: &workload::Additional<'_>,
        rule_config_maps: &[String],
        (gaps, last): (&[Gap], Option<&str>),
    ) -> Result<Document, Invalid> {
        let spec = without(&self.prometheus.spec, gaps);
        let kept = gaps::has(gaps, Section::AdditionalJobs)
            .then(|| Cow::Owned(gaps::additional_jobs(last.unwrap_or_default())));
        let jobs = kept.or_else(|| text(own.scrape_configs));
        let alert_relabelings = text(own.alert_relabel_configs);
        let alertmanagers = text(own.alertmanager_configs);
        let mut document = document::server(&ServerInputs {
            server: &self.server(&spec)?,
            spec: &spec,
            jobs: monitors.jobs(self.around.left_out, jobs.as_deref()),
            alerting: Additional {
                alert_relabelings: alert_relabelings.as_deref(),
                alertmanagers: alertmanagers.as_deref(),
            },
            rule_config_maps,
            objects: self.around.objects,
        })
        .map_err(|error| {
            Invalid::new(&format!("creating config failed: generating config failed: {error}"))
        })?;
        gaps::fill(&mut document, gaps, last);
        Ok(document)
    }

    /// Everything that pods mount, and the pods.
    fn put_pods(
        &self,
        files: BTreeMap<String, Vec<u8>>,
        rule_config_maps: &[String],
        planned: &mut Planned,
    ) -> Result<(), Invalid> {
        let (instance, operator) = (self.instance, self.around.operator);
        let tls_secrets = planned.put_tls_assets(instance.owner(), operator, &instance.object_name(), files);
        let web = secrets::web_config(instance, operator).map_err(|error| {
            Invalid::new(&format!(
                "synchronizing web config secret failed: failed to initialize web config: {error}"
            ))
        })?;
        planned.children.push(Child::Secret(web));
        planned.children.push(Child::Secret(secrets::thanos_client(instance, operator)));
        if instance.spec.service_name.is_none() {
            let has_sidecar = self.prometheus.spec.thanos.is_some();
            planned.children.push(Child::Service(Box::new(service::build(instance, operator, has_sidecar))));
        }
        let mut left_out = BTreeSet::new();
        for number in 0..instance.shards() {
            let shard = Shard { number, operator, tls_secrets: &tls_secrets, input_hash: "" };
            let built = statefulset::build(instance, self.prometheus, rule_config_maps, &shard)
                .map_err(|error| Invalid::new(&format!("making statefulset failed: {error}")))?;
            left_out.extend(built.left_out.iter().map(ToString::to_string));
            planned.children.push(Child::StatefulSet(Box::new(built.object)));
        }
        planned.remarks.extend(left_out.into_iter().map(Remark::LeftOut));
        Ok(())
    }
}

/// What a server says, without the sections that cannot be written anew.
fn without<'s>(spec: &'s PrometheusSpec, gaps: &[Gap]) -> Cow<'s, PrometheusSpec> {
    if gaps.is_empty() {
        return Cow::Borrowed(spec);
    }
    let mut spec = spec.clone();
    if gaps::has(gaps, Section::RemoteWrite) {
        spec.shared.remote_write.clear();
    }
    if gaps::has(gaps, Section::RemoteRead) {
        spec.remote_read.clear();
    }
    if gaps::has(gaps, Section::Alerting) {
        spec.alerting = None;
    }
    Cow::Owned(spec)
}

/// Everything that was read for a Prometheus and its resources.
pub fn references<'m>(planned: &'m Planned, memory: &'m Memory) -> impl Iterator<Item = &'m Reference> {
    planned.references.iter().chain(memory.monitors.all().into_iter().flat_map(Memo::references))
}
