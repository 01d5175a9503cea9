//! Volumes and where containers see them.

use k8s_openapi::api::core::v1::{
    ConfigMapVolumeSource, EmptyDirVolumeSource, ProjectedVolumeSource, SecretProjection, SecretVolumeSource,
    Volume, VolumeMount, VolumeProjection,
};

/// What is in a Secret.
pub fn secret(name: impl Into<String>, secret: impl Into<String>) -> Volume {
    let source = SecretVolumeSource { secret_name: Some(secret.into()), ..SecretVolumeSource::default() };
    Volume { name: name.into(), secret: Some(source), ..Volume::default() }
}

/// What is in a ConfigMap.
pub fn config_map(name: impl Into<String>, map: impl Into<String>) -> Volume {
    let source = ConfigMapVolumeSource { name: map.into(), ..ConfigMapVolumeSource::default() };
    Volume { name: name.into(), config_map: Some(source), ..Volume::default() }
}

/// What is in a ConfigMap that need not be there yet.
pub fn optional_config_map(name: impl Into<String>, map: impl Into<String>) -> Volume {
    let mut volume = config_map(name, map);
    if let Some(source) = &mut volume.config_map {
        source.optional = Some(true);
    }
    volume
}

/// What is in all of some Secrets.
pub fn secrets(name: impl Into<String>, secrets: &[String]) -> Volume {
    let sources = secrets
        .iter()
        .map(|secret| VolumeProjection {
            secret: Some(SecretProjection { name: secret.clone(), ..SecretProjection::default() }),
            ..VolumeProjection::default()
        })
        .collect();
    let source = ProjectedVolumeSource { sources: Some(sources), ..ProjectedVolumeSource::default() };
    Volume { name: name.into(), projected: Some(source), ..Volume::default() }
}

/// Room on the disk of the node.
pub fn empty(name: impl Into<String>) -> Volume {
    Volume { name: name.into(), empty_dir: Some(EmptyDirVolumeSource::default()), ..Volume::default() }
}

/// Room in the memory of the node, for what must never be on a disk.
pub fn memory(name: impl Into<String>) -> Volume {
    let source = EmptyDirVolumeSource { medium: Some("Memory".into()), ..EmptyDirVolumeSource::default() };
    Volume { name: name.into(), empty_dir: Some(source), ..Volume::default() }
}

/// A volume that a container may write to, seen at a path.
pub fn mount(name: impl Into<String>, path: impl Into<String>) -> VolumeMount {
    VolumeMount { name: name.into(), mount_path: path.into(), ..VolumeMount::default() }
}

/// A volume that a container may only read, seen at a path.
pub fn read_only(name: impl Into<String>, path: impl Into<String>) -> VolumeMount {
    VolumeMount { read_only: Some(true), ..mount(name, path) }
}
