//! Volumes of a server or agent, and where its containers see them.

use crate::web::volume_name::{self, NotAVolumeName};
use formats::prometheus::LeftOut;
use k8s_openapi::api::core::v1::{Volume, VolumeMount};

use super::flags::Flags;
use super::instance::Instance;
use super::pod::PodError;
use super::{CERTIFICATES, CONFIG, CONFIG_OUT, DATA, LOGS, RULES, WEB_CONFIG};
use crate::workload::{path, storage, volume};

/// The volume with logs.
const LOG_VOLUME: &str = "log-file";

/// Volumes that are being collected.
#[derive(Debug, Clone, Default)]
pub(crate) struct Volumes {
    /// Those of the pod.
    pub(crate) of_pod: Vec<Volume>,
    /// Where the main container sees them.
    pub(crate) mounts: Vec<VolumeMount>,
    /// Where the container that reloads sees them.
    pub(crate) reloader_mounts: Vec<VolumeMount>,
    /// Directories with files that matter to the main container.
    pub(crate) watched_directories: Vec<String>,
    /// The file that protects the web servers of both.
    pub(crate) web_config_file: String,
}

/// Whether a pod has a volume for its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Data {
    /// It has.
    Kept,
    /// It has not.
    Nowhere,
}

impl Volumes {
    /// What servers and agents have alike.
    pub(crate) fn shared(
        instance: &Instance<'_>,
        tls_secrets: &[String],
        data: Data,
    ) -> Result<Self, NotAVolumeName> {
        let mut volumes = Self {
            of_pod: vec![
                volume::secret("config", instance.object_name()),
                volume::secrets("tls-assets", tls_secrets),
                // What is filled in has passwords, which must not come to a disk.
                volume::memory("config-out"),
            ],
            mounts: vec![
                volume::read_only("config-out", CONFIG_OUT),
                volume::read_only("tls-assets", CERTIFICATES),
            ],
            reloader_mounts: vec![volume::mount("config", CONFIG), volume::mount("config-out", CONFIG_OUT)],
            ..Self::default()
        };
        if data == Data::Kept {
            volumes.mounts.push(data_mount(instance));
        }
        volumes.mounts.extend(instance.spec.volume_mounts.iter().cloned());
        volumes.put_objects(instance)?;
        let log = instance.spec.scrape_failure_log_file.as_deref().unwrap_or_default();
        if needs_log_volume(log) {
            volumes.of_pod.push(volume::empty(LOG_VOLUME));
            volumes.mounts.push(volume::mount(LOG_VOLUME, LOGS));
        }
        Ok(volumes)
    }

    /// Secrets and ConfigMaps that the user wants to see.
    fn put_objects(&mut self, instance: &Instance<'_>) -> Result<(), NotAVolumeName> {
        for secret in &instance.spec.secrets {
            let name = volume_name::plain("secret", secret)?;
            self.mounts.push(volume::read_only(&name, format!("/etc/prometheus/secrets/{secret}")));
            self.of_pod.push(volume::secret(name, secret));
        }
        for map in &instance.spec.config_maps {
            let name = volume_name::plain("configmap", map)?;
            self.mounts.push(volume::read_only(&name, format!("/etc/prometheus/configmaps/{map}")));
            self.of_pod.push(volume::config_map(name, map));
        }
        Ok(())
    }

    /// What only servers have: rules and the log of queries. One volume holds the logs of queries and of failed scrapes.
    pub(super) fn put_server(
        &mut self,
        instance: &Instance<'_>,
        query_log: &str,
        rule_config_maps: &[String],
    ) {
        let log = needs_log_volume(query_log) && instance.spec.scrape_failure_log_file.is_none();
        if log {
            self.of_pod.push(volume::empty(LOG_VOLUME));
        }
        for map in rule_config_maps {
            self.of_pod.push(volume::optional_config_map(map, map));
            self.mounts.push(volume::read_only(map, format!("{RULES}/{map}")));
        }
        if log {
            self.mounts.push(volume::mount(LOG_VOLUME, LOGS));
        }
    }

    /// The file that protects the web server. It is always there, so that a change between HTTP and HTTPS is no change of
    /// the pods.
    pub(crate) fn put_web_config(
        &mut self,
        instance: &Instance<'_>,
        flags: &mut Flags<'_>,
    ) -> Result<(), PodError> {
        if !flags.has("web.config.file") {
            if instance.spec.web.is_some() {
                let versions = "2.24 or later".into();
                flags.left_out.push(LeftOut { field: "--web.config.file".into(), versions });
            }
            return Ok(());
        }
        // The container that reloads got the file later than the server, and old images of it do not know the flag.
        self.mount_web_config(instance, flags, instance.spec.web.is_some())
    }

    /// The file, for the server and, if wanted, for the container that reloads.
    pub(crate) fn mount_web_config(
        &mut self,
        instance: &Instance<'_>,
        flags: &mut Flags<'_>,
        for_reloader: bool,
    ) -> Result<(), PodError> {
        let fields = instance.spec.web.as_ref().map(|web| web.file.clone()).unwrap_or_default();
        let mount = crate::web::server::mount(WEB_CONFIG, &instance.web_config_name(), &fields)?;
        if for_reloader {
            self.reloader_mounts.extend(mount.mounts.iter().cloned());
        }
        self.of_pod.extend(mount.volumes);
        self.mounts.extend(mount.mounts);
        if let Some(argument) = mount.argument {
            if for_reloader {
                self.web_config_file.clone_from(&argument.value);
            }
            flags.arguments.push(argument);
        }
        Ok(())
    }

    /// Rules, for the container that reloads.
    pub(super) fn watch_rules(&mut self, rule_config_maps: &[String]) {
        for map in rule_config_maps {
            let directory = format!("{RULES}/{map}");
            self.reloader_mounts.push(volume::mount(map, &directory));
            self.watched_directories.push(directory);
        }
    }
}

/// Where a container sees the data.
pub(super) fn data_mount(instance: &Instance<'_>) -> VolumeMount {
    let storage = instance.spec.storage.as_ref();
    let name = instance.volume_name();
    VolumeMount {
        sub_path: storage::sub_path(storage, "prometheus-db"),
        ..volume::mount(storage::mounted_name(storage, &name), DATA)
    }
}

/// Whether a log is a file without a directory, for which there is a volume.
fn needs_log_volume(file: &str) -> bool {
    !file.is_empty() && path::directory(file) == "."
}

#[cfg(test)]
mod tests {
    use api_monitoring::Prometheus;
    use api_monitoring::prometheus::shared::PrometheusWebSpec;

    use super::*;

    fn has_log(prometheus: &Prometheus) -> (bool, bool) {
        let instance = Instance::server(prometheus).unwrap();
        let mut volumes = Volumes::shared(&instance, &[], Data::Kept).unwrap();
        volumes.put_server(&instance, &prometheus.spec.query_log_file, &[]);
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

    #[test]
    fn a_server_that_cannot_be_protected_says_so() {
        let mut prometheus = Prometheus::default();
        prometheus.spec.shared.version = "2.23.0".into();
        for (web, expected) in [(None, 0), (Some(PrometheusWebSpec::default()), 1)] {
            prometheus.spec.shared.web = web;
            let instance = Instance::server(&prometheus).unwrap();
            let mut flags = Flags::new(&instance.version);
            let mut volumes = Volumes::default();
            volumes.put_web_config(&instance, &mut flags).unwrap();
            assert_eq!((flags.arguments, volumes.of_pod), (vec![], vec![]));
            assert_eq!(flags.left_out.len(), expected);
        }
    }
}
