//! Who refuses: the operand of a workload, in the state that `crate::loaded::operand` tells apart.

use std::collections::BTreeMap;

use monitoring_assets::{Objects, Reference, Source};

use super::Program;
use crate::kind::Workload;
use crate::loaded::fingerprint::Directory;
use crate::loaded::operand::{self, Operand};
use crate::plan::Planned;
use crate::stages::gather::Inputs;

/// Who refuses, with the version, as users read it.
pub(super) fn by<W: Workload>(resource: &W::Resource) -> String {
    let facts = W::facts(resource);
    let (name, version) = facts.operand;
    format!("{name} {}", version.trim_start_matches('v'))
}

/// The operand, in the state in which the workload runs it. What is left out has no say in it.
pub(crate) fn operand<W: Workload>(resource: &W::Resource, inputs: &Inputs, planned: &Planned) -> Operand {
    let read: Vec<(String, BTreeMap<String, Vec<u8>>)> =
        inputs.own.iter().map(|one| (format!("{one:?}"), files(one, &inputs.objects))).collect();
    let read = read.iter().map(|(path, files)| Directory { path, files });
    let image = Program::planned(planned).unwrap_or_default().image;
    Operand { by: by::<W>(resource), workload: operand::state(&inputs.spec, &image, read) }
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
