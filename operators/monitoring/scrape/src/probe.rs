//! The job of a Probe: the prober is scraped, with static targets or ingresses as a parameter.

use api_monitoring::probe::{ProbeSpec, ProbeTargetIngress, ProbeTargetStaticConfig};
use api_monitoring::relabel::RelabelConfig;
use api_monitoring::{Probe, SelectableKind};
use formats::prometheus::{Section, SectionKind};
use formats::yaml::{Map, Value};
use monitoring_assets::{Objects, Reader};
use monitoring_select::Server;

use crate::client::{natural, put_text};
use crate::fragment::Fragment;
use crate::job::{self, JobWriter, Resource};
use crate::kubernetes_sd::{Discovery, Role};
use crate::{relabel, selector, sharding};

/// Writes the job of a Probe.
pub fn render(server: &Server<'_>, probe: &Probe, objects: &Objects) -> Fragment {
    let spec = &probe.spec;
    let resource = Resource::new(SelectableKind::Probe, &probe.metadata);
    let reader = Reader::new(objects, resource.namespace);
    let writer = server.writer();
    let mut section = writer.section(SectionKind::Job);
    ProbeJob { job: JobWriter::new(server, resource, &spec.job, &reader), spec }.put(&mut section);
    Fragment::new(vec![section.into()], &writer, &reader)
}

struct ProbeJob<'a> {
    job: JobWriter<'a>,
    spec: &'a ProbeSpec,
}

impl ProbeJob<'_> {
    fn put(&self, section: &mut Section<'_, '_>) {
        let Self { job, spec } = self;
        section.put("job_name", job.resource.job_name());
        job.put_honor_timestamps(section, Some(true));
        section.put("metrics_path", spec.prober.path.clone());
        put_text(section, "scrape_interval", &spec.interval);
        put_text(section, "scrape_timeout", &spec.scrape_timeout);
        section.put_some("scheme", spec.prober.scheme.as_ref().map(|scheme| scheme.to_lowercase()));
        let params = self.params();
        section.put_some("params", (!params.0.is_empty()).then_some(params));
        job.put_limits(section, &spec.job);
        job::put_protocols(section, &spec.scrape_protocols);
        job.put_fallback_protocol(section, &spec.job);
        put_text(section, "body_size_limit", &job.server.spec.enforced_body_size_limit);
        job.client.put_proxy(section, &spec.prober.proxy);
        job::put_redirects(section, &spec.client);
        job.put_safe_tls(section, spec.tls_config.as_ref());
        self.put_targets(section);
        job.put_credentials(section, &spec.client);
        job.client.put_oauth2(section, spec.client.oauth2.as_ref());
        job.put_authorization(section, spec.client.authorization.as_ref());
        job.put_metric_steps(section, &spec.metric_relabelings);
    }

    /// The module of the prober comes first, and only once.
    fn params(&self) -> Map {
        let mut params = Map::new();
        let module = &self.spec.module;
        if !module.is_empty() {
            params.push("module", vec![module.clone()]);
        }
        for param in &self.spec.params {
            if module.is_empty() || param.name != "module" {
                params.push(param.name.clone(), param.values.clone());
            }
        }
        params
    }

    /// The targets; static ones take precedence over ingresses.
    fn put_targets(&self, section: &mut Section<'_, '_>) {
        let mut steps = vec![relabel::first()];
        if !self.spec.job_name.is_empty() {
            steps.push(relabel::set("job", self.spec.job_name.clone()));
        }
        let targets = &self.spec.targets;
        if let Some(fixed) = &targets.static_config {
            section.put("static_configs", vec![self.static_targets(fixed)]);
            steps.push(relabel::copy("__address__", "__param_target"));
            steps.extend(self.prober_steps(&fixed.relabeling_configs));
        } else if let Some(ingress) = &targets.ingress {
            self.ingresses(ingress).put(section, self.job.server, self.job.client);
            steps.extend(selector::steps("ingress", &ingress.selector));
            steps.extend(ingress_steps());
            steps.extend(self.prober_steps(&ingress.relabeling_configs));
        }
        steps.extend(sharding::steps(self.job.server, "__param_target"));
        section.put("relabel_configs", steps);
    }

    fn static_targets(&self, fixed: &ProbeTargetStaticConfig) -> Value {
        let mut labels = fixed.labels.clone();
        labels.entry("namespace".to_owned()).or_insert_with(|| self.job.resource.namespace.to_owned());
        Map::new().with("targets", fixed.static_.clone()).with("labels", natural(&labels)).into()
    }

    fn ingresses<'i>(&'i self, ingress: &'i ProbeTargetIngress) -> Discovery<'i> {
        Discovery {
            role: Role::Ingress,
            namespaces: &ingress.namespace_selector,
            namespace: self.job.resource.namespace,
            attaches_nodes: None,
            selected: None,
        }
    }

    /// The prober is scraped instead of the target. Then come the configured steps.
    fn prober_steps(&self, own: &[RelabelConfig]) -> Vec<Map> {
        let mut steps = vec![
            relabel::copy("__param_target", "instance"),
            relabel::set("__address__", self.spec.prober.url.clone()),
        ];
        steps.extend(self.job.target_steps(own));
        steps
    }
}

/// The address of an ingress becomes the target.
fn ingress_steps() -> [Map; 4] {
    [
        Map::new()
            .with(
                "source_labels",
                vec!["__meta_kubernetes_ingress_scheme", "__address__", "__meta_kubernetes_ingress_path"],
            )
            .with("separator", ";")
            .with("regex", "(.+);(.+);(.+)")
            .with("target_label", "__param_target")
            .with("replacement", "${1}://${2}${3}")
            .with("action", "replace"),
        relabel::copy("__meta_kubernetes_namespace", "namespace"),
        relabel::copy("__meta_kubernetes_ingress_name", "ingress"),
        Map::new()
            .with("source_labels", vec!["__address__"])
            .with("separator", ";")
            .with("regex", "(.*)")
            .with("target_label", "__tmp_ingress_address")
            .with("replacement", "$1")
            .with("action", "replace"),
    ]
}
