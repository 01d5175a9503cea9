//! The jobs of a ServiceMonitor.

use api_monitoring::service_monitor::{Endpoint, ServiceMonitorSpec};
use api_monitoring::{SelectableKind, ServiceMonitor};
use formats::prometheus::Section;
use formats::yaml::Map;
use monitoring_assets::{Objects, Reader};
use monitoring_select::Server;

use crate::client::put_text;
use crate::fragment::Fragment;
use crate::job::{self, JobWriter, Resource};
use crate::kubernetes_sd::Role;
use crate::monitor::{Monitor, running_step};
use crate::{port, relabel, scrape_class};

/// Writes the jobs of a ServiceMonitor.
pub fn render(server: &Server<'_>, monitor: &ServiceMonitor, objects: &Objects) -> Fragment {
    let spec = &monitor.spec;
    let resource = Resource::new(SelectableKind::ServiceMonitor, &monitor.metadata);
    let reader = Reader::new(objects, resource.namespace);
    let slices = server.uses_endpoint_slices(spec.service_discovery_role.as_ref());
    let monitor = Monitor {
        job: JobWriter::new(server, resource, &spec.options.job, &reader),
        options: &spec.options,
        role: if slices { Role::EndpointSlice } else { Role::Endpoints },
    };
    let writer = server.writer();
    let jobs = spec.endpoints.iter().enumerate().map(|(index, endpoint)| {
        let mut section = monitor.begin(&writer, index, &endpoint.options);
        put_client(&monitor.job, &mut section, endpoint);
        monitor.end(section, &endpoint.options, steps(&monitor, spec, endpoint))
    });
    Fragment::new(jobs.collect(), &writer, &reader)
}

fn put_client(job: &JobWriter<'_>, section: &mut Section<'_, '_>, endpoint: &Endpoint) {
    let http = &endpoint.options.client;
    job::put_redirects(section, http);
    job.client.put_proxy(section, &endpoint.options.proxy);
    job.client.put_oauth2(section, http.oauth2.as_ref());
    job.client.put_tls(section, scrape_class::tls(endpoint.tls_config.clone(), job.class).as_ref());
    put_text(section, "bearer_token_file", &endpoint.bearer_token_file);
    job.put_credentials(section, http);
    job.put_authorization(section, http.authorization.as_ref());
}

fn steps(monitor: &Monitor<'_>, spec: &ServiceMonitorSpec, endpoint: &Endpoint) -> Vec<Map> {
    let mut steps = vec![relabel::first()];
    steps.extend(monitor.selection_steps());
    steps.extend(keep_port(monitor.role, endpoint));
    steps.extend(target_steps(monitor.role));
    steps.extend(running_step(&endpoint.options));
    steps.extend(relabel::copy_labels("service", &spec.target_labels));
    steps.extend(monitor.pod_label_steps());
    steps.push(relabel::copy("__meta_kubernetes_service_name", "job").with("replacement", "${1}"));
    let port = Some(endpoint.port.clone()).filter(|port| !port.is_empty());
    let port = port.or_else(|| endpoint.target_port.as_ref().and_then(port::text));
    steps.extend(monitor.last_steps(&endpoint.options, port));
    steps
}

/// Keeps the port of the endpoint.
fn keep_port(role: Role, endpoint: &Endpoint) -> Option<Map> {
    if endpoint.port.is_empty() {
        return endpoint.target_port.as_ref().and_then(port::keep);
    }
    Some(relabel::keep(vec![port::service_label(role).into()], endpoint.port.clone()))
}

/// Labels that describe a target.
fn target_steps(role: Role) -> [Map; 6] {
    let sources = if role == Role::EndpointSlice {
        [
            "__meta_kubernetes_endpointslice_address_target_kind",
            "__meta_kubernetes_endpointslice_address_target_name",
        ]
    } else {
        ["__meta_kubernetes_endpoint_address_target_kind", "__meta_kubernetes_endpoint_address_target_name"]
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
