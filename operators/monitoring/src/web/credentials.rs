//! The volumes of certificates and keys, and the paths of their files. Whole objects are mounted, never single files: otherwise
//! a pod would not see a renewed certificate before a restart.

use api_monitoring::reference::SecretOrConfigMap;
use k8s_openapi::api::core::v1::{SecretKeySelector, Volume, VolumeMount};

use crate::web::volume_name::{self, NotAVolumeName};
use crate::workload::volume::{config_map, read_only, secret};

/// A certificate, its key and the CA of the other side, below a directory.
#[derive(Debug, Clone)]
pub(crate) struct TlsCredentials<'c> {
    /// The directory.
    pub(crate) directory: String,
    pub(crate) key: &'c SecretKeySelector,
    pub(crate) certificate: &'c SecretOrConfigMap,
    pub(crate) authority: &'c SecretOrConfigMap,
}

impl TlsCredentials<'_> {
    /// The path of the key.
    pub(crate) fn key_file(&self) -> String {
        joined(&self.path("secret", &self.key.name, "key"), &self.key.key)
    }

    /// The path of the certificate, if it comes from a Secret or ConfigMap.
    pub(crate) fn certificate_file(&self) -> Option<String> {
        self.file(self.certificate, "cert")
    }

    /// The path of the CA, if it comes from a Secret or ConfigMap.
    pub(crate) fn authority_file(&self) -> Option<String> {
        self.file(self.authority, "ca")
    }

    /// Adds the volumes and mounts. The key has a volume even if it comes from a file of the container: the Prometheus Operator
    /// writes it, and a different list of volumes would replace the pods.
    pub(crate) fn mount(
        &self,
        prefix: &str,
        volumes: &mut Vec<Volume>,
        mounts: &mut Vec<VolumeMount>,
    ) -> Result<(), NotAVolumeName> {
        let mut add = |volume: Volume, mount_path: String| {
            mounts.push(read_only(&volume.name, mount_path));
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

/// A path below a directory; the directory, if the path is empty.
pub(crate) fn joined(directory: &str, file: &str) -> String {
    if file.is_empty() { directory.to_owned() } else { format!("{directory}/{file}") }
}
