//! The jobs of a PodMonitor.

use api_monitoring::pod_monitor::PodMetricsEndpoint;
use api_monitoring::{PodMonitor, SelectableKind};
use formats::prometheus::Section;
use formats::yaml::Map;
use monitoring_assets::{Objects, Reader};
use monitoring_select::Server;

use crate::fragment::Fragment;
use crate::job::{self, JobWriter, Resource};
use crate::kubernetes_sd::Role;
use crate::monitor::{Monitor, running_step};
use crate::{port, relabel};

/// Writes the jobs of a PodMonitor.
pub fn render(server: &Server<'_>, monitor: &PodMonitor, objects: &Objects) -> Fragment {
    let spec = &monitor.spec;
    let resource = Resource::new(SelectableKind::PodMonitor, &monitor.metadata);
    let reader = Reader::new(objects, resource.namespace);
    let monitor = Monitor {
        job: JobWriter::new(server, resource, &spec.options.job, &reader),
        options: &spec.options,
        role: Role::Pod,
    };
    let writer = server.writer();
    let jobs = spec.pod_metrics_endpoints.iter().enumerate().map(|(index, endpoint)| {
        let mut section = monitor.begin(&writer, index, &endpoint.options);
        put_client(&monitor.job, &mut section, endpoint);
        monitor.end(section, &endpoint.options, steps(&monitor, endpoint))
    });
    Fragment::new(jobs.collect(), &writer, &reader)
}

fn put_client(job: &JobWriter<'_>, section: &mut Section<'_, '_>, endpoint: &PodMetricsEndpoint) {
    let http = &endpoint.options.client;
    job::put_redirects(section, http);
    job.put_safe_tls(section, endpoint.tls_config.as_ref());
    job.put_credentials(section, http);
    job.client.put_oauth2(section, http.oauth2.as_ref());
    job.client.put_proxy(section, &endpoint.options.proxy);
    job.put_authorization(section, http.authorization.as_ref());
}

fn steps(monitor: &Monitor<'_>, endpoint: &PodMetricsEndpoint) -> Vec<Map> {
    let mut steps = vec![relabel::first()];
    steps.extend(running_step(&endpoint.options));
    steps.extend(monitor.selection_steps());
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
    steps.extend(monitor.pod_label_steps());
    let resource = &monitor.job.resource;
    steps.push(relabel::set("job", format!("{}/{}", resource.namespace, resource.name)));
    let port = name.cloned().or_else(|| target_port.and_then(port::text));
    steps.extend(monitor.last_steps(&endpoint.options, port));
    steps
}
