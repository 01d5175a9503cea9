//! Volumes of a Thanos Ruler, and where its containers see them.

use k8s_openapi::api::core::v1::{KeyToPath, SecretKeySelector, SecretVolumeSource, Volume, VolumeMount};

use super::instance::Instance;
use super::pod::PodError;
use super::{CERTIFICATES, CONFIG, DATA, RULES, WEB_CONFIG};
use crate::workload::{storage, volume};

/// Volumes that are being collected.
#[derive(Debug, Clone, Default)]
pub(super) struct Volumes {
    /// Those of the pod.
    pub(super) of_pod: Vec<Volume>,
    /// Where the main container sees them.
    pub(super) mounts: Vec<VolumeMount>,
    /// Where the container that reloads sees them.
    pub(super) reloader_mounts: Vec<VolumeMount>,
    /// Directories with rules.
    pub(super) watched_directories: Vec<String>,
    /// The file that protects the web servers of both.
    pub(super) web_config_file: String,
}

impl Volumes {
    /// Adds one key of a Secret as a file, and says where the file is.
    pub(super) fn put_key(&mut self, name: &str, selector: &SecretKeySelector) -> String {
        let directory = format!("{CONFIG}/{name}");
        let item = KeyToPath { key: selector.key.clone(), path: selector.key.clone(), mode: None };
        let source = SecretVolumeSource {
            secret_name: Some(selector.name.clone()),
            items: Some(vec![item]),
            ..SecretVolumeSource::default()
        };
        self.of_pod.push(Volume { name: name.into(), secret: Some(source), ..Volume::default() });
        self.mounts.push(volume::read_only(name, &directory));
        if selector.key.is_empty() { directory } else { format!("{directory}/{}", selector.key) }
    }

    /// Adds all that no flag points to, in the order in which pods have it.
    pub(super) fn put_rest(
        &mut self,
        instance: &Instance<'_>,
        tls_secrets: &[String],
        rule_config_maps: &[String],
    ) -> Result<(), PodError> {
        self.of_pod.push(volume::secrets("tls-assets", tls_secrets));
        self.mounts.push(volume::read_only("tls-assets", CERTIFICATES));
        for map in rule_config_maps {
            let directory = format!("{RULES}/{map}");
            self.reloader_mounts.push(volume::mount(map, &directory));
            self.watched_directories.push(directory);
        }
        if !rule_config_maps.is_empty() {
            self.put_web_config(instance)?;
        }
        let storage = instance.spec.storage.as_ref();
        self.mounts.push(volume::mount(storage::mounted_name(storage, &instance.volume_name()), DATA));
        for map in rule_config_maps {
            self.of_pod.push(volume::optional_config_map(map, map));
            self.mounts.push(volume::read_only(map, format!("{RULES}/{map}")));
        }
        self.mounts.extend(instance.spec.volume_mounts.iter().cloned());
        Ok(())
    }

    /// The file that protects the web servers of both containers.
    fn put_web_config(&mut self, instance: &Instance<'_>) -> Result<(), PodError> {
        if !instance.at_least(21) {
            return Ok(());
        }
        let fields = instance.spec.web.as_ref().map(|web| web.file.clone()).unwrap_or_default();
        let mount = crate::web::server::mount(WEB_CONFIG, &instance.web_config_name(), &fields)?;
        self.reloader_mounts.extend(mount.mounts.iter().cloned());
        self.of_pod.extend(mount.volumes);
        self.mounts.extend(mount.mounts);
        self.web_config_file = mount.argument.map(|argument| argument.value).unwrap_or_default();
        Ok(())
    }
}
