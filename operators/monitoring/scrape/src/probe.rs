//! The job of a Probe: a prober is asked about static targets or about ingresses.

use api_monitoring::Probe;
use api_monitoring::probe::{ProbeSpec, ProbeTargetIngress, ProbeTargetStaticConfig};
use api_monitoring::prometheus::scrape_class::ScrapeClass;
use api_monitoring::relabel::RelabelConfig;
use api_monitoring::text::ByteSize;
use formats::prometheus::{Place, Section};
use formats::yaml::{Map, Value};
use monitoring_assets::{Objects, Reader};

use crate::client::{Client, natural, put_text};
use crate::fragment::Fragment;
use crate::kubernetes_sd::{Discovery, Role};
use crate::limits::Limits;
use crate::relabel::{self, Asker};
use crate::server::Server;
use crate::{job, scrape_class, selector, sharding};

/// Writes the job of a Probe.
pub fn render(server: &Server<'_>, probe: &Probe, objects: &Objects) -> Fragment {
    let asker = Asker {
        resource: "probes",
        namespace: probe.metadata.namespace.as_deref().unwrap_or_default(),
        name: probe.metadata.name.as_deref().unwrap_or_default(),
    };
    let reader = Reader::new(objects, asker.namespace);
    let spec = &probe.spec;
    let probe = Job {
        server,
        asker,
        spec,
        class: server.class(spec.scrape_class.as_deref()),
        client: Client { reader: &reader, inline_tls: server.offers.inline_tls },
    };
    let writer = server.writer();
    let mut section = writer.section(Place::Job);
    probe.put(&mut section);
    Fragment::new(vec![section.into()], &writer, &reader)
}

/// What the parts of the job are written from.
struct Job<'a> {
    server: &'a Server<'a>,
    asker: Asker<'a>,
    spec: &'a ProbeSpec,
    class: Option<&'a ScrapeClass>,
    client: Client<'a>,
}

impl Job<'_> {
    fn put(&self, section: &mut Section<'_, '_>) {
        let spec = self.spec;
        section.put("job_name", format!("probe/{}/{}", self.asker.namespace, self.asker.name));
        job::put_honor_timestamps(section, self.server, Some(true));
        section.put("metrics_path", spec.prober.path.clone());
        put_text(section, "scrape_interval", &spec.interval);
        put_text(section, "scrape_timeout", &spec.scrape_timeout);
        section.put_some("scheme", spec.prober.scheme.as_ref().map(|scheme| scheme.to_lowercase()));
        let params = self.params();
        if !params.0.is_empty() {
            section.put("params", params);
        }
        self.put_limits(section);
        self.client.put_proxy(section, &spec.prober.proxy);
        section.put_some("follow_redirects", spec.client.follow_redirects);
        section.put_some("enable_http2", spec.client.enable_http2);
        let tls = scrape_class::safe_tls(spec.tls_config.as_ref(), self.class);
        self.client.put_tls(section, tls.as_deref());
        self.put_targets(section);
        self.put_credentials(section);
        let own = &spec.metric_relabelings;
        relabel::put_metric_steps(section, self.server, self.class, own, self.asker);
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

    fn put_limits(&self, section: &mut Section<'_, '_>) {
        let spec = self.spec;
        let limits = Limits {
            samples: spec.sample_limit,
            targets: spec.target_limit,
            labels: spec.label_limit,
            label_name_length: spec.label_name_length_limit,
            label_value_length: spec.label_value_length_limit,
            dropped_targets: spec.keep_dropped_targets,
        };
        limits.put(section, self.server);
        job::put_histograms(section, self.server, &spec.histograms);
        job::put_protocols(section, &spec.scrape_protocols);
        scrape_class::put_fallback_protocol(section, spec.fallback_scrape_protocol.as_ref(), self.class);
        let ByteSize(enforced) = &self.server.spec.enforced_body_size_limit;
        put_text(section, "body_size_limit", enforced);
    }

    /// What is probed; static targets win over ingresses.
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
            self.ingresses(ingress).put(section, self.server, self.client);
            steps.extend(selector::steps("ingress", &ingress.selector));
            steps.extend(ingress_steps());
            steps.extend(self.prober_steps(&ingress.relabeling_configs));
        }
        steps.extend(sharding::steps(self.server, "__param_target"));
        section.put("relabel_configs", steps);
    }

    fn static_targets(&self, fixed: &ProbeTargetStaticConfig) -> Value {
        let mut labels = fixed.labels.clone();
        labels.entry("namespace".to_owned()).or_insert_with(|| self.asker.namespace.to_owned());
        Map::new().with("targets", fixed.static_.clone()).with("labels", natural(&labels)).into()
    }

    fn ingresses<'i>(&'i self, ingress: &'i ProbeTargetIngress) -> Discovery<'i> {
        Discovery {
            role: Role::Ingress,
            namespaces: &ingress.namespace_selector,
            namespace: self.asker.namespace,
            attaches_nodes: None,
            selected: None,
        }
    }

    /// The prober is asked in place of the target; then come the steps that were asked for.
    fn prober_steps(&self, own: &[RelabelConfig]) -> Vec<Map> {
        let mut steps = vec![
            relabel::copy("__param_target", "instance"),
            relabel::set("__address__", self.spec.prober.url.clone()),
        ];
        let class = self.class.map_or(&[][..], |class| &class.relabelings);
        steps.extend(relabel::asked(self.server, class, own, self.asker));
        steps
    }

    fn put_credentials(&self, section: &mut Section<'_, '_>) {
        let http = &self.spec.client;
        self.client.put_bearer_token(section, http.bearer_token_secret.as_ref());
        self.client.put_basic_auth(section, http.basic_auth.as_ref());
        self.client.put_oauth2(section, http.oauth2.as_ref());
        let authorization = scrape_class::authorization(http.authorization.as_ref(), self.class);
        self.client.put_authorization(section, authorization.as_deref());
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
