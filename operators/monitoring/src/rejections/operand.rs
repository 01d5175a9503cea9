//! The operand of a workload, in the state in which the workload runs it.
//!
//! A rejection of a resource holds only as long as the rest stays the same. With another image, or with another configuration
//! of the workload itself, the resource may be accepted. So rejections of another state are tried again, and a search that
//! started in another state ends.
//!
//! The state is a hash of the spec, of the image and of the contents of what the spec references. It is not the generation,
//! which also grows when the workload is scaled: then new servers start, and they must not get what another one has rejected.
//! So the fields about the number and the size of servers are left out. All other fields count, also unknown ones: an
//! unnecessary attempt takes seconds, because running servers keep their configuration, but without an attempt a good
//! resource would stay excluded forever. Contents count and not versions, so that a Secret that is written again without a
//! change has no effect.

use std::collections::BTreeMap;

use monitoring_assets::{Objects, Reference, SourceKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::loaded::fingerprint::{self, Directory};
use crate::plan::Planned;
use crate::rejections::program::OperandProgram;
use crate::stages::gather::Inputs;

/// The length of the hashes that identify states.
const HASH_LENGTH: usize = 16;

/// Fields of a spec that do not change what an operand accepts.
const SIZE_FIELDS: [&str; 5] = ["paused", "replicas", "resources", "shards", "storage"];

/// An operand, in the state in which its workload runs it. A restart of the operator does not change it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperandState {
    /// Its name and version, as users read it: `Prometheus 2.42.0`.
    pub by: String,
    /// The [`workload_hash`]. Records of older versions have none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub workload: String,
}

impl OperandState {
    /// The operand of a workload. Excluded resources do not change it.
    pub(crate) fn of(name: &str, inputs: &Inputs, planned: &Planned) -> Self {
        let read: Vec<(String, BTreeMap<String, Vec<u8>>)> =
            inputs.own.iter().map(|one| (format!("{one:?}"), files(one, &inputs.objects))).collect();
        let read = read.iter().map(|(path, files)| Directory { path, files });
        let image = OperandProgram::planned(planned).unwrap_or_default().image;
        Self { by: name.to_owned(), workload: workload_hash(&inputs.spec, &image, read) }
    }
}

/// A hash of everything that affects what the operand of a workload accepts: its spec, the image, and its references.
pub fn workload_hash<'r>(spec: &Value, image: &str, read: impl IntoIterator<Item = Directory<'r>>) -> String {
    let mut spec = spec.clone();
    if let Some(fields) = spec.as_object_mut() {
        fields.retain(|name, _| !SIZE_FIELDS.contains(&name.as_str()));
    }
    let (spec, read) = (spec.to_string(), fingerprint::watched(read));
    short_hash([spec.as_bytes(), b"\n", image.as_bytes(), b"\n", read.as_bytes()])
}

/// The beginning of a hash.
pub(super) fn short_hash<'p>(pieces: impl IntoIterator<Item = &'p [u8]>) -> String {
    fingerprint::configuration(pieces).chars().take(HASH_LENGTH).collect()
}

/// The files of a Secret or a ConfigMap; none, if it does not exist.
fn files(Reference { source, namespace, name }: &Reference, objects: &Objects) -> BTreeMap<String, Vec<u8>> {
    let files = match source {
        SourceKind::Secret => objects.secret(namespace, name).map(fingerprint::secret_files),
        SourceKind::ConfigMap => objects.config_map(namespace, name).map(fingerprint::config_map_files),
    };
    files.unwrap_or_default()
}

#[cfg(test)]
mod tests;
