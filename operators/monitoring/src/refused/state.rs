//! Who refuses: the operand of a workload, in the state that `crate::loaded::operand` tells apart.

use std::collections::{BTreeMap, BTreeSet};

use crate::loaded::fingerprint::Directory;
use crate::loaded::operand::{self, Operand};
use crate::plan::Planned;
use monitoring_assets::{Objects, Reference, Source};
use serde_json::Value;

use super::Program;
use crate::kind::Workload;

/// Who refuses, with the version, as users read it.
pub(super) fn by<W: Workload>(resource: &W::Resource) -> String {
    let (name, version) = W::operand(resource);
    format!("{name} {}", version.trim_start_matches('v'))
}

/// Who is asked, in the state in which the workload runs it. Whatever is left out has no say in it.
pub(crate) fn operand<W: Workload>(
    resource: &W::Resource,
    name: &str,
    planned: &Planned,
    (read, objects): (&BTreeSet<Reference>, &Objects),
) -> Operand {
    let text = serde_json::to_vec(resource).unwrap_or_default();
    let resource_value: Value = serde_json::from_slice(&text).unwrap_or_default();
    let spec = &resource_value["spec"];
    let text = spec.to_string();
    // Its own are those that it names, and the one that has its name; the others are read for what it selects.
    let prefix = W::prefix(name);
    let is_own = |one: &&Reference| one.name == prefix || text.contains(&format!("\"{}\"", one.name));
    let read: Vec<(String, BTreeMap<String, Vec<u8>>)> =
        read.iter().filter(is_own).map(|one| (format!("{one:?}"), files(one, objects))).collect();
    let read = read.iter().map(|(path, files)| Directory { path, files });
    let image = Program::planned(planned).unwrap_or_default().image;
    Operand { by: by::<W>(resource), workload: operand::state(spec, &image, read) }
}

/// What is in a Secret or a ConfigMap; nothing, if it is not there.
fn files(reference: &Reference, objects: &Objects) -> BTreeMap<String, Vec<u8>> {
    let Reference { source, namespace, name } = reference;
    match source {
        Source::Secret => {
            let data = objects.secret(namespace, name).and_then(|secret| secret.data.clone());
            data.unwrap_or_default().into_iter().map(|(name, bytes)| (name, bytes.0)).collect()
        }
        Source::ConfigMap => {
            let Some(map) = objects.config_map(namespace, name) else { return BTreeMap::new() };
            let bytes =
                map.binary_data.clone().unwrap_or_default().into_iter().map(|(name, it)| (name, it.0));
            let texts = map.data.clone().unwrap_or_default().into_iter();
            bytes.chain(texts.map(|(name, text)| (name, text.into_bytes()))).collect()
        }
    }
}

#[cfg(test)]
mod tests;
