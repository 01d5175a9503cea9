//! The compaction of blocks: Prometheus must not merge blocks that the Thanos sidecar has not uploaded yet.

use api_monitoring::prometheus::PrometheusSpec;
use api_monitoring::prometheus::thanos::ThanosSpec;
use formats::version::{self, NotAVersion, Version};

use super::DATA;
use crate::prometheus::Instance;
use crate::workload::arguments::Flags;
use crate::workload::defaults::{self, or_default};

/// The file in which the sidecar lists the uploaded blocks.
pub(super) const UPLOADED_FILE: &str = "thanos.shipper.json";

/// When Prometheus compacts blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compaction {
    /// Whenever it decides to.
    Free,
    /// Never.
    Off,
    /// After their upload.
    Delayed,
}

/// When Prometheus compacts blocks. The setting of the user has precedence.
pub(super) fn of(instance: &Instance<'_>, spec: &PrometheusSpec) -> Result<Compaction, NotAVersion> {
    if spec.disable_compaction {
        return Ok(Compaction::Off);
    }
    let Some(thanos) = spec.thanos.as_ref().filter(|thanos| uploads(thanos)) else {
        return Ok(Compaction::Free);
    };
    let thanos_knows_delay = thanos_version(thanos)? >= Version::new(0, 41, 0);
    Ok(if thanos_knows_delay && instance.at_least(3, 9) { Compaction::Delayed } else { Compaction::Off })
}

/// Whether the sidecar uploads blocks.
pub(super) fn uploads(thanos: &ThanosSpec) -> bool {
    thanos.object_storage_config.is_some() || thanos.object_storage_config_file.is_some()
}

/// The version of the sidecar.
pub(super) fn thanos_version(thanos: &ThanosSpec) -> Result<Version, NotAVersion> {
    version::parse(thanos.version.as_deref().unwrap_or(defaults::THANOS_VERSION))
}

/// Flags of the server.
pub(super) fn put(
    compaction: Compaction,
    instance: &Instance<'_>,
    spec: &PrometheusSpec,
    flags: &mut Flags<'_>,
) {
    match compaction {
        Compaction::Free => return,
        Compaction::Off => {
            let size = spec.thanos.as_ref().map(|thanos| &*thanos.block_size).unwrap_or_default();
            let size = or_default(size, "2h");
            flags.put("storage.tsdb.max-block-duration", size);
            flags.put("storage.tsdb.min-block-duration", size);
        }
        Compaction::Delayed => {
            flags.put("storage.tsdb.delay-compact-file.path", format!("{DATA}/{UPLOADED_FILE}"));
        }
    }
    // Blocks of late samples overlap others and would be merged immediately, before their upload.
    let late = spec.shared.tsdb.as_ref().is_some_and(|tsdb| tsdb.out_of_order_time_window.is_some());
    if late && instance.at_least(2, 55) {
        flags.flag("no-storage.tsdb.allow-overlapping-compaction");
    }
}

#[cfg(test)]
mod tests {
    use api_monitoring::Prometheus;

    use super::*;

    #[test]
    fn compaction_is_delayed_only_if_both_versions_support_it() {
        for (prometheus, thanos, uploads, disabled, expected) in [
            ("3.9.0", Some("0.41.0"), true, false, Compaction::Delayed),
            ("3.8.9", Some("0.41.0"), true, false, Compaction::Off),
            ("3.9.0", Some("0.40.9"), true, false, Compaction::Off),
            ("3.9.0", None, true, false, Compaction::Delayed),
            ("3.9.0", Some("0.41.0"), true, true, Compaction::Off),
            ("3.9.0", Some("none"), false, false, Compaction::Free),
        ] {
            let thanos = ThanosSpec {
                version: thanos.map(str::to_owned),
                object_storage_config_file: uploads.then(|| "/file".into()),
                ..ThanosSpec::default()
            };
            let mut resource = Prometheus::default();
            resource.spec.shared.version = prometheus.into();
            resource.spec.disable_compaction = disabled;
            resource.spec.thanos = Some(thanos);
            let instance = Instance::server(&resource).unwrap();
            assert_eq!(of(&instance, &resource.spec), Ok(expected), "{prometheus} {uploads} {disabled}");
        }
    }

    #[test]
    fn an_unreadable_version_of_the_sidecar_is_rejected_for_any_server() {
        let thanos = ThanosSpec {
            version: Some("none".into()),
            object_storage_config_file: Some("/file".into()),
            ..ThanosSpec::default()
        };
        let mut resource = Prometheus::default();
        resource.spec.shared.version = "2.0.0".into();
        resource.spec.thanos = Some(thanos);
        assert!(of(&Instance::server(&resource).unwrap(), &resource.spec).is_err());
    }
}
