//! The objects of a Prometheus.
//!
//! | file | builds |
//! |---|---|
//! | [`statefulset`] | the StatefulSet of one shard |
//! | [`pod`] | its pods |
//! | `arguments`, `compaction`, `topology`, `volumes` | parts of the pods |
//! | `thanos_sidecar` | the container of Thanos beside the server |
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

use api_monitoring::prometheus::PrometheusSpec;
use monitoring_rules::file::{Format, Reader};
use monitoring_scrape::Server;
use monitoring_scrape::document::{self, Additional, Document, DocumentError, ServerInputs};
use monitoring_select::workload::{Gap, Section};

use self::configuration::{Files, Source, text};
use crate::kind::ValidWorkload;
use crate::plan::monitors::{self, Scraping};
use crate::plan::rules::{RuleOptions, put_rules};
use crate::plan::{Child, LeftOut, PlanContext, PlanError, Planned, Remark, Rendered, Selections};
use crate::plan::{gaps, limits};
use crate::prometheus::validate::{Valid, selects_no_monitors};
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
/// The file with the configuration, compressed.
const CONFIG_FILE: &str = "prometheus.yaml.gz";
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
        left_out: &LeftOut,
        rendered: &mut Rendered,
    ) -> Result<Planned, PlanError> {
        let instance = &self.instance;
        let source = Source { instance, checked: &self.checked, context };
        let mut planned = Planned::of(rendered);
        let rule_config_maps = put_rules(&mut planned, instance, context, rendered.rule_files(left_out));
        let mut files = source.files(rendered, left_out);
        if context.unmanaged && selects_no_monitors(instance.spec) {
            planned.remarks.push(Remark::Unmanaged);
            if context.last_written.configuration.is_none() {
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
            reader: Reader { format: Format::Prometheus, version: self.instance.version.clone(), options },
        }
    }

    fn document(
        &self,
        source: &Source<'_>,
        rendered: &Rendered,
        left_out: &LeftOut,
        rule_config_maps: &[String],
    ) -> Result<Document, DocumentError> {
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
            alerting: Additional {
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
        files: Files,
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
fn without<'s>(spec: &'s PrometheusSpec, gaps: &[Gap]) -> Cow<'s, PrometheusSpec> {
    let mut spec = Cow::Borrowed(spec);
    if gaps::has(gaps, Section::RemoteWrite) {
        spec.to_mut().shared.remote_write.clear();
    }
    if gaps::has(gaps, Section::RemoteRead) {
        spec.to_mut().remote_read.clear();
    }
    if gaps::has(gaps, Section::Alerting) {
        spec.to_mut().alerting = None;
    }
    spec
}
