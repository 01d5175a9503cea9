//! The volumes of a server or agent.

use k8s_openapi::api::core::v1::VolumeMount;

use super::{CERTIFICATES, CONFIG, CONFIG_OUT, DATA, DIRECTORY, LOGS, RULES};
use crate::prometheus::Instance;
use crate::web::volume_name::NotAVolumeName;
use crate::workload::path;
use crate::workload::volume::{self, Volumes};

/// The volume with log files.
const LOG_VOLUME: &str = "log-file";

/// The volumes that servers and agents share; with the mount of the data, if they store any.
pub(crate) fn shared(
    instance: &Instance<'_>,
    tls_secrets: &[String],
    stores_data: bool,
) -> Result<Volumes, NotAVolumeName> {
    let mut volumes = Volumes {
        of_pod: vec![
            volume::secret("config", &instance.configuration_name()),
            volume::secrets("tls-assets", tls_secrets),
            // Expanded variables contain passwords, which must not reach a disk.
            volume::memory("config-out"),
        ],
        mounts: vec![
            volume::read_only("config-out", CONFIG_OUT),
            volume::read_only("tls-assets", CERTIFICATES),
        ],
        reloader_mounts: vec![volume::mount("config", CONFIG), volume::mount("config-out", CONFIG_OUT)],
        ..Volumes::default()
    };
    volumes.mounts.extend(stores_data.then(|| data_mount(instance)));
    volumes.mounts.extend(instance.workload.volume_mounts.iter().cloned());
    let mounts = volumes.put_objects(DIRECTORY, (&instance.spec.secrets, &instance.spec.config_maps))?;
    volumes.mounts.extend(mounts);
    let log = instance.spec.scrape_failure_log_file.as_deref().unwrap_or_default();
    if needs_log_volume(log) {
        volumes.of_pod.push(volume::empty(LOG_VOLUME));
        volumes.mounts.push(volume::mount(LOG_VOLUME, LOGS));
    }
    Ok(volumes)
}

/// Adds the volumes that only servers have: rules and the log of queries. The logs of queries and of failed scrapes share a
/// volume.
pub(super) fn put_server(
    volumes: &mut Volumes,
    instance: &Instance<'_>,
    query_log: &str,
    rule_config_maps: &[String],
) {
    let has_log = needs_log_volume(query_log) && instance.spec.scrape_failure_log_file.is_none();
    volumes.of_pod.extend(has_log.then(|| volume::empty(LOG_VOLUME)));
    volumes.put_rules(RULES, rule_config_maps);
    volumes.mounts.extend(has_log.then(|| volume::mount(LOG_VOLUME, LOGS)));
}

/// The mount of the data.
pub(super) fn data_mount(instance: &Instance<'_>) -> VolumeMount {
    instance.data_mount(DATA, Some("prometheus-db"))
}

/// Whether a log is a file without a directory: the operator makes a volume for it.
fn needs_log_volume(file: &str) -> bool {
    !file.is_empty() && path::directory(file) == "."
}

#[cfg(test)]
mod tests {
    use api_monitoring::Prometheus;

    use super::*;

    fn has_log(prometheus: &Prometheus) -> (bool, bool) {
        let instance = Instance::server(prometheus).unwrap();
        let mut volumes = shared(&instance, &[], true).unwrap();
        put_server(&mut volumes, &instance, &prometheus.spec.query_log_file, &[]);
        let volume = volumes.of_pod.iter().filter(|volume| volume.name == LOG_VOLUME).count();
        let mount = volumes.mounts.iter().filter(|mount| mount.name == LOG_VOLUME).count();
        assert_eq!(volume, mount);
        (volume > 0, volume > 1)
    }

    #[test]
    fn all_logs_share_one_volume() {
        for (queries, failures, expected) in [
            ("", None, false),
            ("query.log", None, true),
            ("/var/query.log", None, false),
            ("", Some("failures.log"), true),
            ("query.log", Some("failures.log"), true),
            ("/var/query.log", Some("/var/failures.log"), false),
        ] {
            let mut prometheus = Prometheus::default();
            prometheus.spec.query_log_file = queries.into();
            prometheus.spec.shared.scrape_failure_log_file = failures.map(str::to_owned);
            assert_eq!(has_log(&prometheus), (expected, false), "{queries} {failures:?}");
        }
    }
}
