//! What the operator writes: labels and annotations, images, the sidecar that reloads configurations.

use capability::rollout::RepairPolicy;

use crate::flags::flag::{Flag, Group};
use crate::flags::value::{Choice, RejectedValue};
use crate::workload::operator::{OperatorConfig, ReloaderConfig};

/// The default image of the sidecar: that of the peer with the same version.
pub const RELOADER_IMAGE: &str = "quay.io/prometheus-operator/prometheus-config-reloader:v0.93.1";

/// Which objects the operator writes, beside what is in [`OperatorConfig`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectFlags {
    /// The operator reconciles only resources that name this id; if empty, only those that name none.
    pub controller_id: String,
    /// What is done about a pod that blocks a rollout, if the flag is set.
    pub repair: Option<RepairPolicy>,
    /// Whether a Prometheus that selects nothing gets a generated configuration too.
    pub always_managed: bool,
}

impl ObjectFlags {
    pub(crate) fn groups<'s>(&'s mut self, operator: &'s mut OperatorConfig) -> [Group<'s>; 3] {
        let objects = vec![
            Flag::new("annotations", &mut operator.annotations).help("Annotations of all generated objects."),
            Flag::new("labels", &mut operator.labels).help("Labels of all generated objects."),
            Flag::new("localhost", &mut operator.local_host)
                .help("Host name under which the containers of a pod reach each other."),
            Flag::new("cluster-domain", &mut operator.cluster_domain)
                .help("Domain of the cluster. If it is empty, names are resolved through search domains."),
            Flag::new("controller-id", &mut self.controller_id).help(
                "Reconcile only resources whose annotation operator.prometheus.io/controller-id has this value. If it is \
                 empty, reconcile only resources without the annotation.",
            ),
            Flag::new("repair-policy-for-statefulsets", &mut self.repair).help(
                "What to do about a pod that blocks a rollout. If it is not set, a pod is deleted only if a restart \
                 cannot fix it.",
            ),
            Flag::new("disable-unmanaged-prometheus-configuration", &mut self.always_managed).help(
                "Generate a configuration also for a Prometheus that selects nothing, instead of leaving it to the user.",
            ),
        ];
        let images = vec![
            Flag::new("prometheus-default-base-image", &mut operator.prometheus_image)
                .help("Image of Prometheus, without a version."),
            Flag::new("alertmanager-default-base-image", &mut operator.alertmanager_image)
                .help("Image of Alertmanager, without a version."),
            Flag::new("thanos-default-base-image", &mut operator.thanos_image)
                .help("Image of Thanos, without a version."),
        ];
        [
            Group { title: "Generated objects", flags: objects },
            Group { title: "Images", flags: images },
            Group { title: "Configuration reloader", flags: reloader(&mut operator.reloader) },
        ]
    }
}

fn reloader(reloader: &mut ReloaderConfig) -> Vec<Flag<'_>> {
    vec![
        Flag::new("prometheus-config-reloader", &mut reloader.image).help("Image of the sidecar."),
        Flag::new("config-reloader-cpu-request", &mut reloader.cpu_request)
            .help("CPU request; 0 for no request."),
        Flag::new("config-reloader-cpu-limit", &mut reloader.cpu_limit).help("CPU limit; 0 for no limit."),
        Flag::new("config-reloader-memory-request", &mut reloader.memory_request)
            .help("Memory request; 0 for no request."),
        Flag::new("config-reloader-memory-limit", &mut reloader.memory_limit)
            .help("Memory limit; 0 for no limit."),
        Flag::new("enable-config-reloader-probes", &mut reloader.probes)
            .help("Add liveness, readiness and startup probes."),
    ]
}

/// An empty text means no policy, which the peer cannot express.
impl Choice for Option<RepairPolicy> {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("", None),
        ("none", Some(RepairPolicy::None)),
        ("evict", Some(RepairPolicy::Evict)),
        ("delete", Some(RepairPolicy::Delete)),
    ];

    fn reject(text: &str) -> RejectedValue {
        RejectedValue::Parse(format!("invalid value: {text}"))
    }
}
