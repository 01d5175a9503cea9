//! The objects of a Prometheus.
//!
//! | file | builds |
//! |---|---|
//! | [`statefulset`] | the StatefulSet of one shard |
//! | [`pod`] | its pods |
//! | `arguments`, `compaction`, `topology`, `volumes` | parts of the pods |
//! | `thanos_sidecar` | the Thanos sidecar |
//! | [`configuration`], [`secret`] | Secrets |
//! | [`service`] | the governing Service |

pub(crate) mod arguments;
mod compaction;
pub mod configuration;
pub mod pod;
pub mod secret;
pub mod service;
pub mod statefulset;
mod thanos_sidecar;
pub(crate) mod topology;
pub(crate) mod volumes;

use std::borrow::Cow;
use std::collections::BTreeMap;

use api_monitoring::prometheus::PrometheusSpec;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::jiff::Timestamp;
use monitoring_rules::file::{RuleFormat, RuleReader};
use monitoring_scrape::Server;
use monitoring_scrape::document::{
    self, AdditionalAlerting, DocumentError, PrometheusDocument, ServerInputs,
};
use monitoring_select::workload::{SectionGap, WorkloadSection};

use self::configuration::{Source, TlsFiles, text};
use crate::kind::ValidWorkload;
use crate::plan::monitors::{self, Scraping};
use crate::plan::rules::{RuleOptions, put_rules};
use crate::plan::{Child, Excluded, PlanContext, PlanError, PlanRemark, Planned, Rendered, Selections};
use crate::plan::{gaps, limits};
use crate::prometheus::validate::{Valid, selects_no_monitors};
use crate::rollout::{self, Surplus};
use crate::workload::statefulset::PodInputs;

/// The directory of the data.
pub(crate) const DATA: &str = "/prometheus";
/// The directory of everything that configures Prometheus.
const DIRECTORY: &str = "/etc/prometheus";
/// The directory of the configuration, compressed and with variables.
const CONFIG: &str = "/etc/prometheus/config";
/// The directory of the configuration with expanded variables.
const CONFIG_OUT: &str = "/etc/prometheus/config_out";
/// The directory of the web configuration file.
const WEB_CONFIG: &str = "/etc/prometheus/web_config";
/// The directory of certificates and keys.
const CERTIFICATES: &str = "/etc/prometheus/certs";
/// The directory of rules.
const RULES: &str = "/etc/prometheus/rules";
/// The directory of log files that the user names without a directory.
const LOGS: &str = "/var/log/prometheus";
/// The file with the configuration with expanded variables.
const OUTPUT_FILE: &str = "prometheus.env.yaml";

impl ValidWorkload for Valid<'_> {
    fn render(&self, context: &PlanContext<'_>, selections: &Selections, rendered: &mut Rendered) {
        let server = self.server(context);
        let scraping = Scraping { server: &server, objects: context.objects };
        scraping.render(selections, rendered);
        self.rules().render(context.objects, selections, rendered);
    }

    fn build(
        &self,
        context: &PlanContext<'_>,
        left_out: &Excluded,
        rendered: &mut Rendered,
    ) -> Result<Planned, PlanError> {
        let instance = &self.instance;
        let source = Source { instance, checked: &self.checked, context };
        let mut planned = Planned::of(rendered);
        let rule_config_maps = put_rules(&mut planned, instance, context, rendered.rule_files(left_out));
        let mut files = source.files(rendered, left_out);
        if context.unmanaged && selects_no_monitors(instance.spec) {
            planned.remarks.push(PlanRemark::Unmanaged);
            if !context.last_written.secret_exists {
                let empty = rendered.compressor.file(&[]);
                let secret = secret::configuration(instance, context.operator, empty);
                planned.children.push(Child::Secret(secret));
            }
        } else {
            let document = self.document(&source, rendered, left_out, &rule_config_maps);
            source.put(document, &mut planned, &mut files, &mut rendered.compressor)?;
        }
        self.put_pods(&source, files, &rule_config_maps, &mut planned)?;
        limits::check(&mut planned)?;
        Ok(planned)
    }

    fn surplus(&self, sets: &BTreeMap<String, StatefulSet>, offered: bool, now: Timestamp) -> Surplus {
        rollout::surplus(self.prometheus, sets.values(), offered, now)
    }
}

impl Valid<'_> {
    /// The settings that matter to the scrape jobs.
    fn server(&self, context: &PlanContext<'_>) -> Server<'_> {
        let policy = self.prometheus.spec.shard_retention_policy.as_ref();
        let mut server = self.server.clone();
        server.offers = context.offers;
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
            reader: RuleReader {
                format: RuleFormat::Prometheus,
                version: self.instance.version.clone(),
                options,
            },
        }
    }

    fn document(
        &self,
        source: &Source<'_>,
        rendered: &Rendered,
        left_out: &Excluded,
        rule_config_maps: &[String],
    ) -> Result<PrometheusDocument, DocumentError> {
        let own = &self.checked.additional;
        let spec = without(&self.prometheus.spec, &self.checked.gaps);
        let jobs = source.additional_jobs();
        let alert_relabelings = text(own.alert_relabel_configs);
        let alertmanagers = text(own.alertmanager_configs);
        let mut server = self.server(source.context);
        server.spec = &spec.shared;
        document::server(&ServerInputs {
            server: &server,
            spec: &spec,
            jobs: monitors::jobs(rendered, left_out, jobs.as_deref()),
            alerting: AdditionalAlerting {
                alert_relabelings: alert_relabelings.as_deref(),
                alertmanagers: alertmanagers.as_deref(),
            },
            rule_config_maps,
            objects: source.context.objects,
        })
    }

    /// Adds the pods and everything that they mount.
    fn put_pods(
        &self,
        source: &Source<'_>,
        files: TlsFiles,
        rule_config_maps: &[String],
        planned: &mut Planned,
    ) -> Result<(), PlanError> {
        let (instance, operator) = (&self.instance, source.context.operator);
        let tls_secrets = source.put_secrets(files, planned)?;
        planned.children.push(Child::Secret(secret::thanos_client(instance, operator)));
        if instance.workload.service_name.is_none() {
            let has_sidecar = self.prometheus.spec.thanos.is_some();
            planned.children.push(Child::Service(Box::new(service::build(instance, operator, has_sidecar))));
        }
        let inputs = PodInputs { operator, tls_secrets: &tls_secrets, rule_config_maps };
        source.put_shards(planned, |shard| statefulset::build(instance, self.prometheus, shard, inputs))
    }
}

/// The spec without the sections that refer to something that is missing.
fn without<'s>(spec: &'s PrometheusSpec, gaps: &[SectionGap]) -> Cow<'s, PrometheusSpec> {
    let mut spec = Cow::Borrowed(spec);
    if gaps::has(gaps, WorkloadSection::RemoteWrite) {
        spec.to_mut().shared.remote_write.clear();
    }
    if gaps::has(gaps, WorkloadSection::RemoteRead) {
        spec.to_mut().remote_read.clear();
    }
    if gaps::has(gaps, WorkloadSection::Alerting) {
        spec.to_mut().alerting = None;
    }
    spec
}

#[cfg(test)]
mod tests {
    use api_monitoring::{PerKind, Prometheus};
    use monitoring_assets::Objects;
    use monitoring_scrape::Offers;
    use serde_json::json;

    use super::*;
    use crate::plan::LastWritten;
    use crate::prometheus::validate::validate;
    use crate::workload::operator::OperatorConfig;

    /// The names of the Secrets that are planned for a Prometheus without selectors of monitors.
    fn secrets(last_written: &LastWritten) -> Vec<String> {
        let spec = json!({"scrapeInterval": "30s", "evaluationInterval": "30s"});
        let prometheus = json!({"metadata": {"name": "main", "namespace": "a"}, "spec": spec});
        let prometheus: Prometheus = serde_json::from_value(prometheus).unwrap();
        let context = PlanContext {
            operator: &OperatorConfig::default(),
            offers: Offers::default(),
            unmanaged: true,
            daemon_sets: true,
            objects: &Objects::default(),
            last_written,
            unselectable: &PerKind::default(),
            base: None,
        };
        let valid = validate(&prometheus, &context).unwrap();
        let planned = valid.build(&context, &Excluded::default(), &mut Rendered::default()).unwrap();
        let name = |child: &Child| match child {
            Child::Secret(secret) => secret.metadata.name.clone(),
            Child::ConfigMap(_) | Child::Service(_) | Child::StatefulSet(_) | Child::DaemonSet(_) => None,
        };
        planned.children.iter().filter_map(name).collect()
    }

    #[test]
    fn a_configuration_that_the_user_writes_is_never_replaced() {
        let configuration = "prometheus-main".to_owned();
        assert!(secrets(&LastWritten::default()).contains(&configuration));
        // As if its content were too large to be kept.
        let unusable = LastWritten { secret_exists: true, ..LastWritten::default() };
        assert!(!secrets(&unusable).contains(&configuration));
    }
}
