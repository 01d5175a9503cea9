//! What the jobs of ServiceMonitors and PodMonitors have in common: one job an endpoint.

use api_monitoring::scrape::{EndpointOptions, MonitorOptions};
use formats::prometheus::{Section, SectionKind, SectionWriter};
use formats::yaml::{Map, Value};
use monitoring_select::Mode;

use crate::client::{natural, put_text};
use crate::job::{self, JobWriter};
use crate::kubernetes_sd::{Discovery, Role};
use crate::{limits, relabel, scrape_class, selector, sharding};

/// Writes the jobs of one monitor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Monitor<'a> {
    pub(crate) job: JobWriter<'a>,
    pub(crate) options: &'a MonitorOptions,
    pub(crate) role: Role,
}

impl Monitor<'_> {
    /// A job up to the options of its HTTP client, which each kind of monitor writes in another order.
    pub(crate) fn begin<'w, 'v>(
        &self,
        writer: &'w SectionWriter<'v>,
        index: usize,
        endpoint: &EndpointOptions,
    ) -> Section<'w, 'v> {
        let mut section = writer.section(SectionKind::Job);
        section.put("job_name", format!("{}/{index}", self.job.resource.job_name()));
        self.job.put_honor_labels(&mut section, endpoint.honor_labels);
        self.job.put_honor_timestamps(&mut section, endpoint.honor_timestamps);
        section.put_some("track_timestamps_staleness", endpoint.track_timestamps_staleness);
        self.discovery().put(&mut section, self.job.server, self.job.client);
        put_text(&mut section, "scrape_interval", &endpoint.interval);
        put_text(&mut section, "scrape_timeout", &endpoint.scrape_timeout);
        put_text(&mut section, "metrics_path", &endpoint.path);
        section.put_some("params", endpoint.params.as_ref().map(natural));
        section.put_some("scheme", endpoint.scheme.as_ref().map(|scheme| scheme.to_lowercase()));
        section
    }

    /// The rest of a job.
    pub(crate) fn end(
        &self,
        mut section: Section<'_, '_>,
        endpoint: &EndpointOptions,
        steps: Vec<Map>,
    ) -> Value {
        section.put("relabel_configs", steps);
        self.job.put_limits(&mut section, &self.options.job);
        job::put_protocols(&mut section, &self.options.scrape_protocols);
        self.job.put_fallback_protocol(&mut section, &self.options.job);
        limits::put_body_size(&mut section, self.job.server, self.options.body_size_limit.as_ref());
        self.job.put_metric_steps(&mut section, &endpoint.metric_relabelings);
        section.into()
    }

    fn discovery(&self) -> Discovery<'_> {
        let attached = self.options.attach_metadata.as_ref();
        Discovery {
            role: self.role,
            namespaces: &self.options.namespace_selector,
            namespace: self.job.resource.namespace,
            attaches_nodes: scrape_class::attaches_nodes(self.job.server, attached, self.job.class),
            selected: (!self.selects_by_relabeling()).then_some(&self.options.selector),
        }
    }

    /// Whether relabeling selects, and not the API server.
    fn selects_by_relabeling(&self) -> bool {
        let mechanism = self.options.selector_mechanism.as_deref();
        mechanism.is_none_or(|mechanism| mechanism == "RelabelConfig")
    }

    /// The kind of object that is selected, as labels of targets name it.
    fn object(&self) -> &'static str {
        if self.role == Role::Pod { "pod" } else { "service" }
    }

    /// Steps that keep the selected objects.
    pub(crate) fn selection_steps(&self) -> impl Iterator<Item = Map> {
        let selected = self.selects_by_relabeling().then_some(&self.options.selector);
        selected.into_iter().flat_map(|selector| selector::steps(self.object(), selector))
    }

    /// Steps that copy labels of pods.
    pub(crate) fn pod_label_steps(&self) -> impl Iterator<Item = Map> {
        let of_workload = &self.job.server.spec.pod_target_labels;
        relabel::copy_labels("pod", self.options.pod_target_labels.iter().chain(of_workload))
    }

    /// The last steps: the name of the job, the name of the port, the user's own steps, and sharding.
    pub(crate) fn last_steps(&self, endpoint: &EndpointOptions, port: Option<String>) -> Vec<Map> {
        let mut steps = Vec::new();
        if !self.options.job_label.is_empty() {
            let label = relabel::label_name(&self.options.job_label);
            let label = format!("__meta_kubernetes_{}_label_{label}", self.object());
            steps.push(relabel::copy_present(label, "job"));
        }
        steps.extend(port.map(|port| relabel::set("endpoint", port)));
        steps.extend(self.job.target_steps(&endpoint.relabelings));
        // An agent on a node scrapes all pods of the node: there is nothing to share.
        if self.job.server.mode != Mode::DaemonSet {
            steps.extend(sharding::steps(self.job.server, "__address__"));
        }
        steps
    }
}

/// The step that drops pods that no longer run, unless the user wants them.
pub(crate) fn running_step(endpoint: &EndpointOptions) -> Option<Map> {
    (endpoint.filter_running != Some(false)).then(relabel::drop_finished)
}
