//! The jobs of a ServiceMonitor: one an endpoint.

use api_monitoring::ServiceMonitor;
use api_monitoring::prometheus::scrape_class::ScrapeClass;
use api_monitoring::service_monitor::{Endpoint, ServiceMonitorSpec};
use formats::prometheus::{Place, Section};
use formats::yaml::{Map, Value};
use monitoring_assets::{Objects, Reader};

use crate::client::{Client, natural, put_text};
use crate::fragment::Fragment;
use crate::kubernetes_sd::{Discovery, Role};
use crate::limits::{self, Limits};
use crate::port;
use crate::relabel::{self, Asker};
use crate::server::Server;
use crate::{job, scrape_class, selector, sharding};

/// Writes the jobs of a ServiceMonitor.
pub fn render(server: &Server<'_>, monitor: &ServiceMonitor, objects: &Objects) -> Fragment {
    let asker = Asker {
        resource: "servicemonitors",
        namespace: monitor.metadata.namespace.as_deref().unwrap_or_default(),
        name: monitor.metadata.name.as_deref().unwrap_or_default(),
    };
    let reader = Reader::new(objects, asker.namespace);
    let spec = &monitor.spec;
    let slices = server.uses_endpoint_slices(spec.service_discovery_role.as_ref());
    let monitor = Monitor {
        server,
        asker,
        spec,
        class: server.class(spec.scrape_class.as_deref()),
        client: Client { reader: &reader, inline_tls: server.offers.inline_tls },
        role: if slices { Role::EndpointSlice } else { Role::Endpoints },
    };
    let writer = server.writer();
    let jobs = spec.endpoints.iter().enumerate().map(|(at, endpoint)| {
        let mut section = writer.section(Place::Job);
        section.put("job_name", format!("serviceMonitor/{}/{}/{at}", asker.namespace, asker.name));
        monitor.put(&mut section, endpoint);
        Value::from(section)
    });
    Fragment::new(jobs.collect(), &writer, &reader)
}

/// What all jobs of a monitor share.
struct Monitor<'a> {
    server: &'a Server<'a>,
    asker: Asker<'a>,
    spec: &'a ServiceMonitorSpec,
    class: Option<&'a ScrapeClass>,
    client: Client<'a>,
    role: Role,
}

impl Monitor<'_> {
    fn put(&self, section: &mut Section<'_, '_>, endpoint: &Endpoint) {
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
            role: self.role,
            namespaces: &self.spec.namespace_selector,
            namespace: self.asker.namespace,
            attaches_nodes: scrape_class::attaches_nodes(self.server, attached, self.class),
            selected: (!by_relabeling).then_some(&self.spec.selector),
        }
    }

    fn put_client(&self, section: &mut Section<'_, '_>, endpoint: &Endpoint) {
        let http = &endpoint.client;
        section.put_some("follow_redirects", http.follow_redirects);
        section.put_some("enable_http2", http.enable_http2);
        self.client.put_proxy(section, &endpoint.proxy);
        self.client.put_oauth2(section, http.oauth2.as_ref());
        self.client.put_tls(section, scrape_class::tls(endpoint.tls_config.as_ref(), self.class).as_deref());
        put_text(section, "bearer_token_file", &endpoint.bearer_token_file);
        let token = http.bearer_token_secret.as_ref().filter(|selector| !selector.name.is_empty());
        self.client.put_bearer_token(section, token);
        self.client.put_basic_auth(section, http.basic_auth.as_ref());
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

    fn steps(&self, endpoint: &Endpoint) -> Vec<Map> {
        let mut steps = vec![relabel::first()];
        if selector::is_by_relabeling(self.spec.selector_mechanism.as_ref()) {
            steps.extend(selector::steps("service", &self.spec.selector));
        }
        steps.extend(self.keep_port(endpoint));
        steps.extend(self.target_steps());
        if endpoint.filter_running != Some(false) {
            steps.push(relabel::drop_finished());
        }
        steps.extend(relabel::copy_labels("service", &self.spec.target_labels));
        steps.extend(relabel::copy_labels("pod", &self.spec.pod_target_labels));
        steps.extend(relabel::copy_labels("pod", &self.server.spec.pod_target_labels));
        steps.push(relabel::copy("__meta_kubernetes_service_name", "job").with("replacement", "${1}"));
        let label = &self.spec.job_label;
        if !label.is_empty() {
            let label = format!("__meta_kubernetes_service_label_{}", relabel::label_name(label));
            steps.push(relabel::copy_present(label, "job"));
        }
        let port = Some(endpoint.port.clone()).filter(|port| !port.is_empty());
        let port = port.or_else(|| endpoint.target_port.as_ref().and_then(port::text));
        steps.extend(port.map(|port| relabel::set("endpoint", port)));
        let class = self.class.map_or(&[][..], |class| &class.relabelings);
        steps.extend(relabel::asked(self.server, class, &endpoint.relabelings, self.asker));
        steps.extend(sharding::steps(self.server, "__address__"));
        steps
    }

    /// Keeps the port of the endpoint.
    fn keep_port(&self, endpoint: &Endpoint) -> Option<Map> {
        if endpoint.port.is_empty() {
            return endpoint.target_port.as_ref().and_then(port::keep);
        }
        let label = port::service_label(self.role);
        Some(relabel::keep(vec![label.into()], endpoint.port.clone()))
    }

    /// Labels that say what a target is.
    fn target_steps(&self) -> [Map; 6] {
        let sources = if self.role == Role::EndpointSlice {
            [
                "__meta_kubernetes_endpointslice_address_target_kind",
                "__meta_kubernetes_endpointslice_address_target_name",
            ]
        } else {
            [
                "__meta_kubernetes_endpoint_address_target_kind",
                "__meta_kubernetes_endpoint_address_target_name",
            ]
        };
        let of_kind = |regex: &'static str, target: &'static str| {
            Map::new()
                .with("source_labels", sources.to_vec())
                .with("separator", ";")
                .with("regex", regex)
                .with("replacement", "${1}")
                .with("target_label", target)
        };
        [
            of_kind("Node;(.*)", "node"),
            of_kind("Pod;(.*)", "pod"),
            relabel::copy("__meta_kubernetes_namespace", "namespace"),
            relabel::copy("__meta_kubernetes_service_name", "service"),
            relabel::copy("__meta_kubernetes_pod_name", "pod"),
            relabel::copy("__meta_kubernetes_pod_container_name", "container"),
        ]
    }
}
