//! The jobs of a PodMonitor: one an endpoint.

use api_monitoring::PodMonitor;
use api_monitoring::pod_monitor::{PodMetricsEndpoint, PodMonitorSpec};
use api_monitoring::prometheus::scrape_class::ScrapeClass;
use formats::prometheus::{Place, Section};
use formats::yaml::{Map, Value};
use monitoring_assets::{Objects, Reader};

use crate::client::{Client, natural, put_text};
use crate::fragment::Fragment;
use crate::kubernetes_sd::{Discovery, Role};
use crate::limits::{self, Limits};
use crate::port;
use crate::relabel::{self, Asker};
use crate::server::{Mode, Server};
use crate::{job, scrape_class, selector, sharding};

/// Writes the jobs of a PodMonitor.
pub fn render(server: &Server<'_>, monitor: &PodMonitor, objects: &Objects) -> Fragment {
    let asker = Asker {
        resource: "podmonitors",
        namespace: monitor.metadata.namespace.as_deref().unwrap_or_default(),
        name: monitor.metadata.name.as_deref().unwrap_or_default(),
    };
    let reader = Reader::new(objects, asker.namespace);
    let spec = &monitor.spec;
    let monitor = Monitor {
        server,
        asker,
        spec,
        class: server.class(spec.scrape_class.as_deref()),
        client: Client { reader: &reader, inline_tls: server.offers.inline_tls },
    };
    let writer = server.writer();
    let jobs = spec.pod_metrics_endpoints.iter().enumerate().map(|(at, endpoint)| {
        let mut section = writer.section(Place::Job);
        section.put("job_name", format!("podMonitor/{}/{}/{at}", asker.namespace, asker.name));
        monitor.put(&mut section, endpoint);
        Value::from(section)
    });
    Fragment::new(jobs.collect(), &writer, &reader)
}

/// What all jobs of a monitor share.
struct Monitor<'a> {
    server: &'a Server<'a>,
    asker: Asker<'a>,
    spec: &'a PodMonitorSpec,
    class: Option<&'a ScrapeClass>,
    client: Client<'a>,
}

impl Monitor<'_> {
    fn put(&self, section: &mut Section<'_, '_>, endpoint: &PodMetricsEndpoint) {
        job::put_honor_labels(section, self.server, endpoint.honor_labels);
        job::put_honor_timestamps(section, self.server, endpoint.honor_timestamps);
        section.put_some("track_timestamps_staleness", endpoint.track_timestamps_staleness);
        self.discovery().put(section, self.server, self.client);
        put_text(section, "scrape_interval", &endpoint.interval);
        put_text(section, "scrape_timeout", &endpoint.scrape_timeout);
        put_text(section, "metrics_path", &endpoint.path);
        section.put_some("params", endpoint.params.as_ref().map(natural));
        section.put_some("scheme", endpoint.scheme.as_ref().map(|scheme| scheme.to_lowercase()));
        self.put_client(section, endpoint);
        section.put("relabel_configs", self.steps(endpoint));
        self.put_limits(section);
        let own = &endpoint.metric_relabelings;
        relabel::put_metric_steps(section, self.server, self.class, own, self.asker);
    }

    fn discovery(&self) -> Discovery<'_> {
        let attached = self.spec.attach_metadata.as_ref();
        let by_relabeling = selector::is_by_relabeling(self.spec.selector_mechanism.as_ref());
        Discovery {
            role: Role::Pod,
            namespaces: &self.spec.namespace_selector,
            namespace: self.asker.namespace,
            attaches_nodes: scrape_class::attaches_nodes(self.server, attached, self.class),
            selected: (!by_relabeling).then_some(&self.spec.selector),
        }
    }

    fn put_client(&self, section: &mut Section<'_, '_>, endpoint: &PodMetricsEndpoint) {
        let http = &endpoint.client;
        section.put_some("follow_redirects", http.follow_redirects);
        section.put_some("enable_http2", http.enable_http2);
        let tls = scrape_class::safe_tls(endpoint.tls_config.as_ref(), self.class);
        self.client.put_tls(section, tls.as_deref());
        let token = http.bearer_token_secret.as_ref().filter(|selector| !selector.name.is_empty());
        self.client.put_bearer_token(section, token);
        self.client.put_basic_auth(section, http.basic_auth.as_ref());
        self.client.put_oauth2(section, http.oauth2.as_ref());
        self.client.put_proxy(section, &endpoint.proxy);
        let authorization = scrape_class::authorization(http.authorization.as_ref(), self.class);
        self.client.put_authorization(section, authorization.as_deref());
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
        limits::put_body_size(section, self.server, spec.body_size_limit.as_ref());
    }

    fn steps(&self, endpoint: &PodMetricsEndpoint) -> Vec<Map> {
        let mut steps = vec![relabel::first()];
        if endpoint.filter_running != Some(false) {
            steps.push(relabel::drop_finished());
        }
        if selector::is_by_relabeling(self.spec.selector_mechanism.as_ref()) {
            steps.extend(selector::steps("pod", &self.spec.selector));
        }
        let name = endpoint.port.as_ref().filter(|name| !name.is_empty());
        let number = endpoint.port_number.filter(|number| *number != 0);
        let target_port = endpoint.target_port.as_ref();
        steps.extend(match (name, number) {
            (Some(name), _) => Some(port::keep_name(name.clone())),
            (None, Some(number)) => Some(port::keep_number(number)),
            (None, None) => target_port.and_then(port::keep),
        });
        steps.push(relabel::copy("__meta_kubernetes_namespace", "namespace"));
        steps.push(relabel::copy("__meta_kubernetes_pod_container_name", "container"));
        steps.push(relabel::copy("__meta_kubernetes_pod_name", "pod"));
        steps.extend(relabel::copy_labels("pod", &self.spec.pod_target_labels));
        steps.extend(relabel::copy_labels("pod", &self.server.spec.pod_target_labels));
        let job = format!("{}/{}", self.asker.namespace, self.asker.name);
        steps.push(relabel::set("job", job));
        let label = &self.spec.job_label;
        if !label.is_empty() {
            let label = format!("__meta_kubernetes_pod_label_{}", relabel::label_name(label));
            steps.push(relabel::copy_present(label, "job"));
        }
        let named = name.cloned().or_else(|| target_port.and_then(port::text));
        steps.extend(named.map(|port| relabel::set("endpoint", port)));
        let class = self.class.map_or(&[][..], |class| &class.relabelings);
        steps.extend(relabel::asked(self.server, class, &endpoint.relabelings, self.asker));
        // On every node there is one that scrapes the pods of the node: nothing is left to share.
        if self.server.mode != Mode::DaemonSet {
            steps.extend(sharding::steps(self.server, "__address__"));
        }
        steps
    }
}
