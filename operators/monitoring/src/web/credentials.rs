//! Volumes of certificates and keys, and the paths of their files. Whole objects are mounted, never single files of them:
//! only so does a pod see a renewed certificate without a restart.

use api_monitoring::reference::SecretOrConfigMap;
use k8s_openapi::api::core::v1::{
    ConfigMapVolumeSource, SecretKeySelector, SecretVolumeSource, Volume, VolumeMount,
};

use crate::web::volume_name::{self, NotAVolumeName};

/// A certificate, its key and the authority of the other side, below a directory.
#[derive(Debug, Clone)]
pub(crate) struct Credentials<'c> {
    /// Where they are mounted.
    pub(crate) directory: String,
    pub(crate) key: &'c SecretKeySelector,
    pub(crate) certificate: &'c SecretOrConfigMap,
    pub(crate) authority: &'c SecretOrConfigMap,
}

impl Credentials<'_> {
    /// Where the key is.
    pub(crate) fn key_file(&self) -> String {
        joined(&self.path("secret", &self.key.name, "key"), &self.key.key)
    }

    /// Where the certificate is, if it comes from an object.
    pub(crate) fn certificate_file(&self) -> Option<String> {
        self.file(self.certificate, "cert")
    }

    /// Where the authority is, if it comes from an object.
    pub(crate) fn authority_file(&self) -> Option<String> {
        self.file(self.authority, "ca")
    }

    /// Adds what a pod must mount. The key has a volume even where it comes from a file of the container: that is what the
    /// Prometheus Operator writes, and another list of volumes would be another pod.
    pub(crate) fn mount(
        &self,
        prefix: &str,
        volumes: &mut Vec<Volume>,
        mounts: &mut Vec<VolumeMount>,
    ) -> Result<(), NotAVolumeName> {
        let mut add = |volume: Volume, mount_path: String| {
            mounts.push(VolumeMount {
                name: volume.name.clone(),
                read_only: Some(true),
                mount_path,
                ..VolumeMount::default()
            });
            volumes.push(volume);
        };
        let name = volume_name::unique(&format!("{prefix}secret-key-"), &self.key.name)?;
        add(secret(name, &self.key.name), self.path("secret", &self.key.name, "key"));
        for (selector, in_volume, in_path) in
            [(self.certificate, "cert", "cert"), (self.authority, "client-ca", "ca")]
        {
            if let Some(selector) = &selector.secret {
                let name = volume_name::unique(&format!("{prefix}secret-{in_volume}-"), &selector.name)?;
                add(secret(name, &selector.name), self.path("secret", &selector.name, in_path));
            } else if let Some(selector) = &selector.config_map {
                let name = volume_name::unique(&format!("{prefix}configmap-{in_volume}-"), &selector.name)?;
                add(config_map(name, &selector.name), self.path("configmap", &selector.name, in_path));
            }
        }
        Ok(())
    }

    fn file(&self, selector: &SecretOrConfigMap, part: &str) -> Option<String> {
        match (&selector.secret, &selector.config_map) {
            (Some(secret), _) => Some(joined(&self.path("secret", &secret.name, part), &secret.key)),
            (None, Some(map)) => Some(joined(&self.path("configmap", &map.name, part), &map.key)),
            (None, None) => None,
        }
    }

    fn path(&self, kind: &str, name: &str, part: &str) -> String {
        format!("{}/{kind}/{name}-{part}", self.directory)
    }
}

/// A path below another; that one, if there is nothing to add.
pub(crate) fn joined(directory: &str, file: &str) -> String {
    if file.is_empty() { directory.to_owned() } else { format!("{directory}/{file}") }
}

/// A volume with the content of a Secret.
pub(crate) fn secret(name: String, secret: &str) -> Volume {
    let secret_name = Some(secret.to_owned()).filter(|name| !name.is_empty());
    let source = SecretVolumeSource { secret_name, ..SecretVolumeSource::default() };
    Volume { name, secret: Some(source), ..Volume::default() }
}

fn config_map(name: String, map: &str) -> Volume {
    let source = ConfigMapVolumeSource { name: map.to_owned(), ..ConfigMapVolumeSource::default() };
    Volume { name, config_map: Some(source), ..Volume::default() }
}
