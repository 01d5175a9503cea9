//! The two documents of an OCI image: the manifest lists its parts, the configuration says how it is run. Pure. There
//! is no creation time, so that the same image always has the same digest.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::reference::Digest;
use crate::versions::ImageContent;

/// The media type of a manifest.
pub(super) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIGURATION: &str = "application/vnd.oci.image.config.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar";
const SEARCH_PATH: &str = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A blob of an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Descriptor {
    media_type: String,
    /// Its content.
    pub(super) digest: Digest,
    /// Its length.
    pub(super) size: u64,
}

/// The parts of an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Manifest {
    schema_version: u8,
    media_type: String,
    config: Descriptor,
    layers: Vec<Descriptor>,
}

/// How an image is run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Configuration {
    architecture: &'static str,
    os: &'static str,
    config: Execution,
    rootfs: RootFileSystem,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Execution {
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    env: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    entrypoint: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cmd: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    working_dir: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[expect(
        clippy::zero_sized_map_values,
        reason = "the format writes a set as an object of empty objects"
    )]
    volumes: BTreeMap<String, Nothing>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Nothing {}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct RootFileSystem {
    #[serde(rename = "type")]
    kind: &'static str,
    diff_ids: Vec<Digest>,
}

impl Descriptor {
    /// Of a layer.
    pub(super) fn of_layer(digest: Digest, size: u64) -> Self {
        Self { media_type: LAYER.into(), digest, size }
    }

    /// Of a configuration.
    pub(super) fn of_configuration(bytes: &[u8]) -> Self {
        Self { media_type: CONFIGURATION.into(), digest: Digest::of(bytes), size: bytes.len() as u64 }
    }
}

impl Manifest {
    /// Of a configuration and the layers from the lowest up.
    pub(super) fn new(config: Descriptor, layers: Vec<Descriptor>) -> Self {
        Self { schema_version: 2, media_type: MANIFEST.into(), config, layers }
    }

    /// Every blob that it needs.
    pub(super) fn blobs(&self) -> impl Iterator<Item = &Descriptor> {
        std::iter::once(&self.config).chain(&self.layers)
    }

    /// The size of the image.
    pub(super) fn size(&self) -> u64 {
        self.blobs().map(|blob| blob.size).sum()
    }
}

impl Configuration {
    /// Of an image with these layers.
    pub(super) fn new(content: &ImageContent, layers: &[Descriptor]) -> Self {
        Self {
            architecture: "amd64",
            os: "linux",
            config: Execution {
                user: content.user.clone(),
                env: environment(content),
                entrypoint: content.entrypoint.clone(),
                cmd: content.command.clone(),
                working_dir: content.workdir.clone(),
                volumes: content.volumes.iter().map(|path| (path.clone(), Nothing {})).collect(),
            },
            // The layers are not compressed, so their digests are those of their content too.
            rootfs: RootFileSystem {
                kind: "layers",
                diff_ids: layers.iter().map(|layer| layer.digest.clone()).collect(),
            },
        }
    }
}

/// The environment variables of the program.
fn environment(content: &ImageContent) -> Vec<String> {
    let own = content.environment.iter().map(|(name, value)| format!("{name}={value}"));
    std::iter::once(SEARCH_PATH.into()).chain(own).collect()
}

/// A document as stored and served.
pub(super) fn to_bytes(document: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(document).expect("a document of plain data is writable")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::versions::Versions;

    fn layer() -> Descriptor {
        Descriptor::of_layer(Digest::of(b"layer"), 5)
    }

    #[test]
    fn a_configuration_is_that_of_upstream() {
        let images = Versions::built_in().select_images(&["prometheus:3.13.1".into()]).unwrap();
        let bytes = to_bytes(&Configuration::new(&images[0].content, &[layer()]));
        assert_eq!(
            serde_json::from_slice::<Value>(&bytes).unwrap(),
            json!({
                "architecture": "amd64",
                "os": "linux",
                "config": {
                    "User": "nobody",
                    "Env": [SEARCH_PATH],
                    "Entrypoint": ["/bin/prometheus"],
                    "Cmd": ["--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"],
                    "WorkingDir": "/prometheus",
                    "Volumes": {"/prometheus": {}},
                },
                "rootfs": {"type": "layers", "diff_ids": [Digest::of(b"layer").to_string()]},
            })
        );
    }

    #[test]
    fn unset_fields_are_not_written() {
        let images = Versions::built_in().select_images(&["busybox".into()]).unwrap();
        let bytes = to_bytes(&Configuration::new(&images[0].content, &[]));
        let written: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(written["config"], json!({"Env": [SEARCH_PATH], "Cmd": ["sh"]}));
    }

    #[test]
    fn variables_of_its_own_follow_the_search_path() {
        let image = "quay.io/prometheus-operator/instrumented-sample-app:latest";
        let images = Versions::built_in().select_images(&[image.into()]).unwrap();
        assert_eq!(environment(&images[0].content), [SEARCH_PATH, "VERSION=0.3.0-bearer-mtls-1"]);
    }

    #[test]
    fn a_manifest_is_read_back_as_it_was_written() {
        let manifest = Manifest::new(Descriptor::of_configuration(b"{}"), vec![layer()]);
        let bytes = to_bytes(&manifest);
        assert_eq!(serde_json::from_slice::<Manifest>(&bytes).unwrap(), manifest);
        assert_eq!(manifest.size(), 7);
        assert_eq!(
            serde_json::from_slice::<Value>(&bytes).unwrap(),
            json!({
                "schemaVersion": 2,
                "mediaType": MANIFEST,
                "config": {"mediaType": CONFIGURATION, "digest": Digest::of(b"{}").to_string(), "size": 2},
                "layers": [{"mediaType": LAYER, "digest": Digest::of(b"layer").to_string(), "size": 5}],
            })
        );
    }
}
