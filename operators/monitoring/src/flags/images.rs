//! Where images come from, unless a resource says otherwise: without their versions.

use crate::workload::defaults;

use crate::flags::flag::{Fields, Flag};

/// Where images come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Images {
    /// That of Prometheus.
    pub prometheus: String,
    /// That of Alertmanager.
    pub alertmanager: String,
    /// That of Thanos.
    pub thanos: String,
}

impl Default for Images {
    fn default() -> Self {
        Self {
            prometheus: defaults::PROMETHEUS_IMAGE.to_owned(),
            alertmanager: defaults::ALERTMANAGER_IMAGE.to_owned(),
            thanos: defaults::THANOS_IMAGE.to_owned(),
        }
    }
}

impl Fields for Images {
    const TITLE: &'static str = "Images";
    const FLAGS: &'static [Flag<Self>] = &[
        Flag {
            name: "prometheus-default-base-image",
            help: "The image of Prometheus, without a version.",
            field: |images| &mut images.prometheus,
        },
        Flag {
            name: "alertmanager-default-base-image",
            help: "The image of Alertmanager, without a version.",
            field: |images| &mut images.alertmanager,
        },
        Flag {
            name: "thanos-default-base-image",
            help: "The image of Thanos, without a version.",
            field: |images| &mut images.thanos,
        },
    ];
}
