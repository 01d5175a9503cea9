//! Volumes of an Alertmanager, and where its containers see them.

use std::collections::BTreeSet;

use crate::web::volume_name::{self, NotAVolumeName};
use api_monitoring::pod::Argument;
use api_monitoring::reference::SecretOrConfigMap;
use k8s_openapi::api::core::v1::{
    ConfigMapProjection, KeyToPath, ProjectedVolumeSource, SecretProjection, Volume, VolumeMount,
    VolumeProjection,
};

use super::instance::Instance;
use super::pod::PodError;
use super::{CERTIFICATES, CLUSTER_CONFIG, CONFIG, CONFIG_OUT, DATA, TEMPLATES, WEB_CONFIG};
use crate::workload::{storage, volume};

/// The volume with templates of notifications.
const TEMPLATE_VOLUME: &str = "notification-templates";

/// Volumes that are being collected.
#[derive(Debug, Clone, Default)]
pub(super) struct Volumes {
    /// Those of the pod.
    pub(super) of_pod: Vec<Volume>,
    /// Where the main container sees them.
    pub(super) mounts: Vec<VolumeMount>,
    /// Where the container that reloads sees them.
    pub(super) reloader_mounts: Vec<VolumeMount>,
    /// Directories with files that matter to the main container.
    pub(super) watched_directories: Vec<String>,
    /// The file that protects the web servers of both.
    pub(super) web_config_file: String,
    /// Flags that point to files.
    pub(super) arguments: Vec<Argument>,
}

/// All volumes but that with the data and those that the user adds.
pub(super) fn build(instance: &Instance<'_>, tls_secrets: &[String]) -> Result<Volumes, PodError> {
    let mut volumes = first(instance, tls_secrets);
    volumes.put_templates(instance);
    volumes.put_objects(instance)?;
    volumes.mounts.extend(instance.spec.volume_mounts.iter().cloned());
    volumes.put_web_config(instance)?;
    volumes.put_cluster_config(instance)?;
    Ok(volumes)
}

fn first(instance: &Instance<'_>, tls_secrets: &[String]) -> Volumes {
    let storage = instance.spec.storage.as_ref();
    let data = VolumeMount {
        sub_path: storage::sub_path(storage, "alertmanager-db"),
        ..volume::mount(storage::mounted_name(storage, &instance.volume_name()), DATA)
    };
    Volumes {
        of_pod: vec![
            volume::secret("config-volume", instance.generated_secret_name()),
            volume::secrets("tls-assets", tls_secrets),
            // What is filled in has passwords, which must not come to a disk.
            volume::memory("config-out"),
        ],
        mounts: vec![
            volume::mount("config-volume", CONFIG),
            volume::read_only("config-out", CONFIG_OUT),
            volume::read_only("tls-assets", CERTIFICATES),
            data,
        ],
        reloader_mounts: vec![
            volume::read_only("config-volume", CONFIG),
            volume::mount("config-out", CONFIG_OUT),
        ],
        watched_directories: vec![CONFIG.into()],
        ..Volumes::default()
    }
}

impl Volumes {
    /// Templates of notifications that the global configuration names.
    fn put_templates(&mut self, instance: &Instance<'_>) {
        let templates = instance.spec.alertmanager_configuration.iter().flat_map(|global| &global.templates);
        let templates: Vec<&SecretOrConfigMap> = templates.collect();
        if templates.is_empty() {
            return;
        }
        let source = ProjectedVolumeSource {
            sources: Some(projections(&templates)),
            ..ProjectedVolumeSource::default()
        };
        self.of_pod.push(Volume {
            name: TEMPLATE_VOLUME.into(),
            projected: Some(source),
            ..Volume::default()
        });
        self.watch(volume::read_only(TEMPLATE_VOLUME, TEMPLATES));
    }

    /// Secrets and ConfigMaps that the user wants to see.
    fn put_objects(&mut self, instance: &Instance<'_>) -> Result<(), NotAVolumeName> {
        for secret in &instance.spec.secrets {
            let name = volume_name::plain("secret", secret)?;
            self.watch(volume::read_only(&name, format!("/etc/alertmanager/secrets/{secret}")));
            self.of_pod.push(volume::secret(name, secret));
        }
        for map in &instance.spec.config_maps {
            let name = volume_name::plain("configmap", map)?;
            self.watch(volume::read_only(&name, format!("/etc/alertmanager/configmaps/{map}")));
            self.of_pod.push(volume::config_map(name, map));
        }
        Ok(())
    }

    /// Both containers see it, and a change of it makes the main one read its configuration again.
    fn watch(&mut self, mount: VolumeMount) {
        self.watched_directories.push(mount.mount_path.clone());
        self.reloader_mounts.push(mount.clone());
        self.mounts.push(mount);
    }

    /// The file that protects the web server. It is always there, so that a change between HTTP and HTTPS is no change of
    /// the pods.
    fn put_web_config(&mut self, instance: &Instance<'_>) -> Result<(), PodError> {
        if !instance.at_least(22) {
            return Ok(());
        }
        let fields = instance.spec.web.as_ref().map(|web| web.file.clone()).unwrap_or_default();
        let mount = crate::web::server::mount(WEB_CONFIG, &instance.web_config_name(), &fields)?;
        self.reloader_mounts.extend(mount.mounts.iter().cloned());
        self.of_pod.extend(mount.volumes);
        self.mounts.extend(mount.mounts);
        if let Some(argument) = mount.argument {
            self.web_config_file.clone_from(&argument.value);
            self.arguments.push(argument);
        }
        Ok(())
    }

    /// The file that protects the talk between peers. It is always there, for the same reason.
    fn put_cluster_config(&mut self, instance: &Instance<'_>) -> Result<(), PodError> {
        if !instance.at_least(24) {
            return Ok(());
        }
        let tls = instance.spec.cluster_tls.as_ref();
        let mount = crate::web::cluster::mount(CLUSTER_CONFIG, &instance.cluster_config_name(), tls)
            .map_err(PodError::Cluster)?;
        self.of_pod.extend(mount.volumes);
        self.mounts.extend(mount.mounts);
        self.arguments.extend(mount.argument);
        Ok(())
    }
}

/// Each template is a file under the name of its key; of several with the same one, the first counts.
fn projections(templates: &[&SecretOrConfigMap]) -> Vec<VolumeProjection> {
    let items = |key: &str| Some(vec![KeyToPath { key: key.into(), path: key.into(), mode: None }]);
    let (mut keys, mut sources) = (BTreeSet::new(), Vec::new());
    for template in templates {
        if let Some(map) = &template.config_map {
            if !keys.insert(&map.key) {
                continue;
            }
            let source = ConfigMapProjection {
                name: map.name.clone(),
                items: items(&map.key),
                ..ConfigMapProjection::default()
            };
            sources.push(VolumeProjection { config_map: Some(source), ..VolumeProjection::default() });
        }
        if let Some(secret) = &template.secret
            && keys.insert(&secret.key)
        {
            let source = SecretProjection {
                name: secret.name.clone(),
                items: items(&secret.key),
                ..SecretProjection::default()
            };
            sources.push(VolumeProjection { secret: Some(source), ..VolumeProjection::default() });
        }
    }
    sources
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMapKeySelector, SecretKeySelector};

    use super::*;

    #[test]
    fn of_templates_with_the_same_name_the_first_counts() {
        let map = |name: &str, key: &str| {
            Some(ConfigMapKeySelector { name: name.into(), key: key.into(), optional: None })
        };
        let secret = |name: &str, key: &str| {
            Some(SecretKeySelector { name: name.into(), key: key.into(), optional: None })
        };
        let templates = [
            SecretOrConfigMap { config_map: map("m", "a"), secret: None },
            SecretOrConfigMap { config_map: None, secret: secret("s", "a") },
            SecretOrConfigMap { config_map: map("m", "a"), secret: secret("s", "left out with its map") },
            SecretOrConfigMap { config_map: map("m", "b"), secret: secret("s", "c") },
            SecretOrConfigMap::default(),
        ];
        let projected = projections(&templates.iter().collect::<Vec<_>>());
        let names: Vec<_> = projected
            .into_iter()
            .map(|source| {
                let of_map = source.config_map.map(|map| (map.name, map.items));
                let (name, items) = of_map
                    .or_else(|| source.secret.map(|secret| (secret.name, secret.items)))
                    .unwrap_or_default();
                (name, items.unwrap_or_default().into_iter().map(|item| item.path).collect::<String>())
            })
            .collect();
        let expected = [("m", "a"), ("m", "b"), ("s", "c")];
        assert_eq!(names, expected.map(|(name, key)| (name.to_owned(), key.to_owned())));
    }
}
