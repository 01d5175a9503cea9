//! The container that reloads configurations. Its settings are those of the room that makes it.

use crate::workload::operator::ReloaderConfig;

use crate::flags::flag::{Fields, Flag};

/// The image of the container, unless a flag names another one: that of the peer, which has its version.
pub const IMAGE: &str = "quay.io/prometheus-operator/prometheus-config-reloader:v0.93.1";

impl Fields for ReloaderConfig {
    const TITLE: &'static str = "Reloader of configurations";
    const FLAGS: &'static [Flag<Self>] = &[
        Flag {
            name: "prometheus-config-reloader",
            help: "Its image.",
            field: |reloader| &mut reloader.image,
        },
        Flag {
            name: "config-reloader-cpu-request",
            help: "The processor time that it requests; 0 for no request.",
            field: |reloader| &mut reloader.cpu_request,
        },
        Flag {
            name: "config-reloader-cpu-limit",
            help: "The processor time that it may use; 0 for no limit.",
            field: |reloader| &mut reloader.cpu_limit,
        },
        Flag {
            name: "config-reloader-memory-request",
            help: "The memory that it requests; 0 for no request.",
            field: |reloader| &mut reloader.memory_request,
        },
        Flag {
            name: "config-reloader-memory-limit",
            help: "The memory that it may use; 0 for no limit.",
            field: |reloader| &mut reloader.memory_limit,
        },
        Flag {
            name: "enable-config-reloader-probes",
            help: "Probe whether it started, lives and is ready.",
            field: |reloader| &mut reloader.probes,
        },
    ];
}

/// What holds unless flags say otherwise.
pub(crate) fn default() -> ReloaderConfig {
    ReloaderConfig { image: IMAGE.to_owned(), ..ReloaderConfig::default() }
}
