//! A Prometheus: everything that follows from it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use api_monitoring::prometheus::PrometheusSpec;
use formats::gzip::{Compressor, Part};
use monitoring_rules::config_map;
use monitoring_rules::file::{Format, Reader};
use monitoring_scrape::Server;
use monitoring_scrape::document::{self, Additional, Document, ServerInputs};
use monitoring_select::workload::{Gap, Section};

use crate::plan::child::Child;
use crate::plan::monitors::{self, Scraping};
use crate::plan::planned::{Invalid, Planned, Remark};
use crate::plan::rendered::Rendered;
use crate::plan::rules::{self, RuleOptions};
use crate::plan::selection::Selections;
use crate::plan::standing::Standing;
use crate::plan::surroundings::{LeftOut, Surroundings};
use crate::plan::{gaps, limits};
use crate::prometheus::pods::{Shard, secrets, service, statefulset};
use crate::prometheus::validate::{Valid, selects_no_monitors};
use crate::workload::metadata;

/// Makes what each of the selected resources adds.
pub(crate) fn render(
    valid: &Valid<'_>,
    around: &Surroundings<'_>,
    selections: &Selections,
    rendered: &mut Rendered,
) {
    let server = valid.server(around);
    let scraping = Scraping { workload: &valid.workload, server: &server, objects: around.objects };
    scraping.render(selections, rendered);
    valid.rules().render(around.objects, selections, rendered);
}

/// Everything that follows from a Prometheus and from what was rendered.
pub(crate) fn build(
    valid: &Valid<'_>,
    around: &Surroundings<'_>,
    left_out: &LeftOut,
    rendered: &mut Rendered,
) -> Result<Planned, Invalid> {
    let (instance, standing) = (&valid.instance, around.standing);
    let mut planned = Planned::default();
    if rendered.is_empty() {
        planned.remarks.push(Remark::NothingSelected);
    }
    let maps = valid.put_rules(rendered, around, left_out, &mut planned);
    let mut files: BTreeMap<String, Vec<u8>> =
        valid.checked.accepted.files.iter().map(|(name, bytes)| (name.clone(), bytes.to_vec())).collect();
    files.extend(rendered.files(left_out));
    if around.unmanaged && selects_no_monitors(valid.instance.spec) {
        planned.remarks.push(Remark::Unmanaged);
        if standing.configuration.is_none() {
            let nothing = rendered.compressor.file(&[]);
            planned.children.push(Child::Secret(secrets::configuration(instance, around.operator, nothing)));
        }
    } else {
        let document = valid.document(rendered, around, left_out, &maps)?;
        let (gaps, last) = (&valid.checked.gaps, standing.configuration.as_deref());
        if !gaps.is_empty() {
            keep_files(&mut files, &document, standing);
        }
        planned.remarks.extend(gaps::remarks(gaps, last));
        planned.remarks.extend(document.left_out.iter().map(|one| Remark::LeftOut(one.to_string())));
        let compressed = compressed(&document, &mut rendered.compressor);
        let secret = secrets::configuration(instance, around.operator, compressed);
        planned.children.push(Child::Secret(secret));
        planned.configuration = Some(document.into());
    }
    valid.put_pods(around, files, &maps, &mut planned)?;
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

impl Valid<'_> {
    /// What of it matters to its configuration.
    fn server(&self, around: &Surroundings<'_>) -> Server<'_> {
        let policy = self.prometheus.spec.shard_retention_policy.as_ref();
        let mut server = self.server.clone();
        server.offers = around.offers;
        server.retains_shards = policy.is_some_and(|policy| policy.when_scaled.as_deref() == Some("Retain"));
        server
    }

    fn rules(&self) -> RuleOptions<'_> {
        let (spec, shared) = (&self.prometheus.spec, self.instance.spec);
        let has = |feature: &str| shared.enable_features.iter().any(|one| &**one == feature);
        let options = monitoring_rules::Options {
            experimental_functions: has("promql-experimental-functions"),
            duration_expressions: has("promql-duration-expr"),
            extended_ranges: has("promql-extended-range-selectors"),
            fill_modifiers: has("promql-binop-fill-modifiers"),
        };
        RuleOptions {
            enforced: &shared.enforced_namespace_label,
            excluded: &shared.excluded_from_enforcement,
            excluded_rules: &spec.prometheus_rules_excluded_from_enforce,
            reader: Reader { format: Format::Prometheus, version: self.instance.version.clone(), options },
        }
    }

    /// The ConfigMaps with rules; the names of all that are mounted.
    fn put_rules(
        &self,
        rendered: &Rendered,
        around: &Surroundings<'_>,
        left_out: &LeftOut,
        planned: &mut Planned,
    ) -> Vec<String> {
        let workload = config_map::Workload::Prometheus(self.workload.name);
        let owner = metadata::content(self.instance.owner(), around.operator, "");
        let maps = rules::config_maps(rendered.rule_files(left_out), workload, &owner, around);
        let names = workload.mounted(maps.len());
        planned.children.extend(maps.into_iter().map(Child::ConfigMap));
        names
    }

    fn document(
        &self,
        rendered: &Rendered,
        around: &Surroundings<'_>,
        left_out: &LeftOut,
        rule_config_maps: &[String],
    ) -> Result<Document, Invalid> {
        let (gaps, last) = (&self.checked.gaps, around.standing.configuration.as_deref());
        let own = &self.checked.additional;
        let spec = without(&self.prometheus.spec, gaps);
        let kept = gaps::has(gaps, Section::AdditionalJobs)
            .then(|| Cow::Owned(gaps::additional_jobs(last.unwrap_or_default())));
        let jobs = kept.or_else(|| text(own.scrape_configs));
        let alert_relabelings = text(own.alert_relabel_configs);
        let alertmanagers = text(own.alertmanager_configs);
        let mut server = self.server(around);
        server.spec = &spec.shared;
        let mut document = document::server(&ServerInputs {
            server: &server,
            spec: &spec,
            jobs: monitors::jobs(rendered, left_out, jobs.as_deref()),
            alerting: Additional {
                alert_relabelings: alert_relabelings.as_deref(),
                alertmanagers: alertmanagers.as_deref(),
            },
            rule_config_maps,
            objects: around.objects,
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
        around: &Surroundings<'_>,
        files: BTreeMap<String, Vec<u8>>,
        rule_config_maps: &[String],
        planned: &mut Planned,
    ) -> Result<(), Invalid> {
        let (instance, operator) = (&self.instance, around.operator);
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
