//! The volumes of pods, and where containers mount them.

use api_monitoring::pod::Argument;
use k8s_openapi::api::core::v1::{
    ConfigMapVolumeSource, EmptyDirVolumeSource, ProjectedVolumeSource, SecretProjection, SecretVolumeSource,
    Volume, VolumeMount, VolumeProjection,
};

use crate::web::volume_name::{self, NotAVolumeName};
use crate::web::{WebConfigError, server};
use crate::workload::defaults::given;
use crate::workload::instance::Instance;

/// The volumes of a pod and their mounts, while they are collected.
#[derive(Debug, Clone, Default)]
pub(crate) struct Volumes {
    /// The volumes.
    pub(crate) of_pod: Vec<Volume>,
    /// The mounts of the main container.
    pub(crate) mounts: Vec<VolumeMount>,
    /// The mounts of the reloader.
    pub(crate) reloader_mounts: Vec<VolumeMount>,
    /// Directories whose files, when they change, make the main container reload its configuration.
    pub(crate) watched_directories: Vec<String>,
    /// The web configuration file, as the reloader sees it.
    pub(crate) web_config_file: String,
}

impl Volumes {
    /// Adds the Secrets and ConfigMaps that the user mounts below a directory; their mounts.
    pub(crate) fn put_objects(
        &mut self,
        directory: &str,
        (secrets, config_maps): (&[String], &[String]),
    ) -> Result<Vec<VolumeMount>, NotAVolumeName> {
        let mut mounts = Vec::new();
        for name in secrets {
            let volume = volume_name::plain("secret", name)?;
            mounts.push(read_only(&volume, format!("{directory}/secrets/{name}")));
            self.of_pod.push(secret(volume, name));
        }
        for name in config_maps {
            let volume = volume_name::plain("configmap", name)?;
            mounts.push(read_only(&volume, format!("{directory}/configmaps/{name}")));
            self.of_pod.push(config_map(volume, name));
        }
        Ok(mounts)
    }

    /// Mounts a volume into both containers; a change of its files triggers a reload.
    pub(crate) fn watch(&mut self, mount: VolumeMount) {
        self.watched_directories.push(mount.mount_path.clone());
        self.reloader_mounts.push(mount.clone());
        self.mounts.push(mount);
    }

    /// Adds the ConfigMaps with rules below a directory.
    pub(crate) fn put_rules(&mut self, directory: &str, config_maps: &[String]) {
        for map in config_maps {
            self.of_pod.push(optional_config_map(map, map));
            self.mounts.push(read_only(map, format!("{directory}/{map}")));
        }
    }

    /// Makes the reloader watch the rules.
    pub(crate) fn watch_rules(&mut self, directory: &str, config_maps: &[String]) {
        for map in config_maps {
            let directory = format!("{directory}/{map}");
            self.reloader_mounts.push(mount(map, &directory));
            self.watched_directories.push(directory);
        }
    }

    /// Adds the web configuration file, even if it is empty: then a change between HTTP and HTTPS does not change the pods.
    /// Returns the argument that refers to it.
    pub(crate) fn put_web_config<S>(
        &mut self,
        instance: &Instance<'_, S>,
        directory: &str,
        for_reloader: bool,
    ) -> Result<Option<Argument>, WebConfigError> {
        let fields = instance.web.cloned().unwrap_or_default();
        let web = server::mount(directory, &instance.web_config_name(), &fields)?;
        if for_reloader {
            self.reloader_mounts.extend(web.mounts.iter().cloned());
            self.web_config_file = web.argument.iter().map(|argument| argument.value.as_str()).collect();
        }
        self.of_pod.extend(web.volumes);
        self.mounts.extend(web.mounts);
        Ok(web.argument)
    }
}

/// A Secret.
pub(crate) fn secret(name: impl Into<String>, secret: &str) -> Volume {
    let source = SecretVolumeSource { secret_name: given(secret), ..SecretVolumeSource::default() };
    Volume { name: name.into(), secret: Some(source), ..Volume::default() }
}

/// A ConfigMap.
pub(crate) fn config_map(name: impl Into<String>, map: impl Into<String>) -> Volume {
    let source = ConfigMapVolumeSource { name: map.into(), ..ConfigMapVolumeSource::default() };
    Volume { name: name.into(), config_map: Some(source), ..Volume::default() }
}

/// A ConfigMap that need not exist yet.
fn optional_config_map(name: impl Into<String>, map: impl Into<String>) -> Volume {
    let mut volume = config_map(name, map);
    if let Some(source) = &mut volume.config_map {
        source.optional = Some(true);
    }
    volume
}

/// The content of several Secrets.
pub(crate) fn secrets(name: impl Into<String>, secrets: &[String]) -> Volume {
    let projection = |name: &String| VolumeProjection {
        secret: Some(SecretProjection { name: name.clone(), ..SecretProjection::default() }),
        ..VolumeProjection::default()
    };
    let sources = secrets.iter().map(projection).collect();
    let source = ProjectedVolumeSource { sources: Some(sources), ..ProjectedVolumeSource::default() };
    Volume { name: name.into(), projected: Some(source), ..Volume::default() }
}

/// Space on the disk of the node.
pub(crate) fn empty(name: impl Into<String>) -> Volume {
    Volume { name: name.into(), empty_dir: Some(EmptyDirVolumeSource::default()), ..Volume::default() }
}

/// Space in the memory of the node, for content that must never reach a disk.
pub(crate) fn memory(name: impl Into<String>) -> Volume {
    let source = EmptyDirVolumeSource { medium: Some("Memory".into()), ..EmptyDirVolumeSource::default() };
    Volume { name: name.into(), empty_dir: Some(source), ..Volume::default() }
}

/// A writable mount.
pub(crate) fn mount(name: impl Into<String>, path: impl Into<String>) -> VolumeMount {
    VolumeMount { name: name.into(), mount_path: path.into(), ..VolumeMount::default() }
}

/// A read-only mount.
pub(crate) fn read_only(name: impl Into<String>, path: impl Into<String>) -> VolumeMount {
    VolumeMount { read_only: Some(true), ..mount(name, path) }
}
