//! The volumes of an Alertmanager.

use std::collections::BTreeSet;

use api_monitoring::pod::Argument;
use api_monitoring::reference::SecretOrConfigMap;
use k8s_openapi::api::core::v1::{
    ConfigMapProjection, KeyToPath, ProjectedVolumeSource, SecretProjection, Volume, VolumeProjection,
};

use super::{
    CERTIFICATES, CLUSTER_CONFIG, CONFIG, CONFIG_OUT, DATA, DIRECTORY, TEMPLATE_VOLUME, TEMPLATES, WEB_CONFIG,
};
use crate::alertmanager::Instance;
use crate::web::cluster;
use crate::workload::pod::PodError;
use crate::workload::volume::{self, Volumes};

/// The volumes of the operator, except the one with the data. Adds the flags that refer to their files.
pub(super) fn build(
    instance: &Instance<'_>,
    tls_secrets: &[String],
    flags: &mut Vec<Argument>,
) -> Result<Volumes, PodError> {
    let mut volumes = first(instance, tls_secrets);
    put_templates(&mut volumes, instance);
    let objects = (&*instance.spec.secrets, &*instance.spec.config_maps);
    for mount in volumes.put_objects(DIRECTORY, objects)? {
        volumes.watch(mount);
    }
    volumes.mounts.extend(instance.workload.volume_mounts.iter().cloned());
    if instance.takes_web_config() {
        flags.extend(volumes.put_web_config(instance, WEB_CONFIG, true)?);
    }
    // It is mounted even if it is empty: then a change of the settings does not change the pods.
    if instance.at_least(0, 24) {
        let tls = instance.spec.cluster_tls.as_ref();
        let mount = cluster::mount(CLUSTER_CONFIG, &instance.cluster_config_name(), tls)
            .map_err(PodError::Cluster)?;
        volumes.of_pod.extend(mount.volumes);
        volumes.mounts.extend(mount.mounts);
        flags.extend(mount.argument);
    }
    Ok(volumes)
}

fn first(instance: &Instance<'_>, tls_secrets: &[String]) -> Volumes {
    Volumes {
        of_pod: vec![
            volume::secret("config-volume", &instance.configuration_name()),
            volume::secrets("tls-assets", tls_secrets),
            // Expanded variables contain passwords, which must not reach a disk.
            volume::memory("config-out"),
        ],
        mounts: vec![
            volume::mount("config-volume", CONFIG),
            volume::read_only("config-out", CONFIG_OUT),
            volume::read_only("tls-assets", CERTIFICATES),
            instance.data_mount(DATA, Some("alertmanager-db")),
        ],
        reloader_mounts: vec![
            volume::read_only("config-volume", CONFIG),
            volume::mount("config-out", CONFIG_OUT),
        ],
        watched_directories: vec![CONFIG.into()],
        ..Volumes::default()
    }
}

/// Adds the notification templates that the global configuration names.
fn put_templates(volumes: &mut Volumes, instance: &Instance<'_>) {
    let templates = instance.spec.alertmanager_configuration.iter().flat_map(|global| &global.templates);
    let templates: Vec<&SecretOrConfigMap> = templates.collect();
    if templates.is_empty() {
        return;
    }
    let source =
        ProjectedVolumeSource { sources: Some(projections(&templates)), ..ProjectedVolumeSource::default() };
    volumes.of_pod.push(Volume {
        name: TEMPLATE_VOLUME.into(),
        projected: Some(source),
        ..Volume::default()
    });
    volumes.watch(volume::read_only(TEMPLATE_VOLUME, TEMPLATES));
}

/// Each template is a file under the name of its key; of several with the same name, the first one is used.
fn projections(templates: &[&SecretOrConfigMap]) -> Vec<VolumeProjection> {
    let items = |key: &str| Some(vec![KeyToPath { key: key.into(), path: key.into(), mode: None }]);
    let (mut keys, mut sources) = (BTreeSet::new(), Vec::new());
    for SecretOrConfigMap { secret, config_map } in templates {
        if let Some(map) = config_map {
            if !keys.insert(&map.key) {
                continue;
            }
            let (name, items) = (map.name.clone(), items(&map.key));
            let config_map = Some(ConfigMapProjection { name, items, ..ConfigMapProjection::default() });
            sources.push(VolumeProjection { config_map, ..VolumeProjection::default() });
        }
        if let Some(secret) = secret.as_ref().filter(|secret| keys.insert(&secret.key)) {
            let (name, items) = (secret.name.clone(), items(&secret.key));
            let secret = Some(SecretProjection { name, items, ..SecretProjection::default() });
            sources.push(VolumeProjection { secret, ..VolumeProjection::default() });
        }
    }
    sources
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMapKeySelector, SecretKeySelector};

    use super::*;

    #[test]
    fn the_first_of_templates_with_the_same_name_is_used() {
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
