//! What pods see of what was written: the configuration, and the files in the directories that their reloader watches. Pure.

use std::collections::BTreeMap;

use crate::loaded::fingerprint::{self, Directory};
use crate::plan::{Child, Planned};
use crate::workload::{labels, reloader};
use k8s_openapi::api::core::v1::{Container, PodSpec, PodTemplateSpec, Volume};
use kernel::object::Key;

use crate::kind::Workload;
use crate::load::Content;

const WATCHED: &str = "--watched-dir=";

/// The hashes of what was written, as our reloader tells them.
pub(crate) fn content<W: Workload>(planned: &Planned, workload: &Key) -> Content {
    let (secret, file) = (W::NAMING.configuration(&workload.name), W::NAMING.configuration_key);
    let config = planned.configuration.as_ref().filter(|_| W::HAS_CONFIGURATION);
    Content {
        config: config.map(|config| fingerprint::in_pieces(config.0.iter().map(|piece| piece.as_bytes()))),
        watched: watched(planned, (&secret, file)),
    }
}

/// What the pods that are planned say of their version.
pub(crate) fn version(planned: &Planned) -> Option<&str> {
    template(planned)?.metadata.as_ref()?.labels.as_ref()?.get(labels::VERSION).map(String::as_str)
}

/// The pods that are planned: those of all shards are alike.
fn template(planned: &Planned) -> Option<&PodTemplateSpec> {
    planned.children.iter().find_map(|child| match child {
        Child::StatefulSet(set) => Some(&set.spec.as_ref()?.template),
        Child::DaemonSet(set) => Some(&set.spec.as_ref()?.template),
        Child::ConfigMap(_) | Child::Secret(_) | Child::Service(_) => None,
    })
}

/// Of the watched directories; nothing, if something else is mounted there than what was written.
fn watched(planned: &Planned, configuration: (&str, &str)) -> Option<String> {
    let pods = template(planned)?.spec.as_ref()?;
    let container = pods.containers.iter().find(|container| container.name == reloader::NAME)?;
    let paths = container.args.iter().flatten().filter_map(|argument| argument.strip_prefix(WATCHED));
    let mut directories = Vec::new();
    for path in paths {
        directories.push((path, files(planned, volume(pods, container, path)?, configuration)?));
    }
    let directories = directories.iter().map(|(path, files)| Directory { path, files });
    Some(fingerprint::watched(directories))
}

fn volume<'p>(pods: &'p PodSpec, container: &Container, path: &str) -> Option<&'p Volume> {
    let mut mounts = container.volume_mounts.iter().flatten();
    let mount = mounts.find(|mount| mount.mount_path.trim_end_matches('/') == path.trim_end_matches('/'))?;
    pods.volumes.iter().flatten().find(|volume| volume.name == mount.name)
}

/// What is in a volume, without the configuration itself.
fn files(
    planned: &Planned,
    volume: &Volume,
    (secret, file): (&str, &str),
) -> Option<BTreeMap<String, Vec<u8>>> {
    if let Some(name) = volume.config_map.as_ref().map(|source| source.name.as_str()) {
        let found = planned.children.iter().find_map(|child| {
            let Child::ConfigMap(map) = child else { return None };
            (map.metadata.name.as_deref() == Some(name)).then_some(map)
        });
        let data = found.and_then(|map| map.data.clone()).unwrap_or_default();
        return Some(data.into_iter().map(|(name, text)| (name, text.into_bytes())).collect());
    }
    let name = volume.secret.as_ref()?.secret_name.as_deref()?;
    let found = planned.children.iter().find_map(|child| {
        let Child::Secret(found) = child else { return None };
        (found.metadata.name.as_deref() == Some(name)).then_some(found)
    })?;
    let data = found.data.clone().unwrap_or_default().into_iter();
    let others = data.filter(|(key, _)| (name, key.as_str()) != (secret, file));
    Some(others.map(|(key, bytes)| (key, bytes.0)).collect())
}
