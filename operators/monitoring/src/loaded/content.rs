//! The written content that pods mount: the configuration, and the files in the directories that their reloader watches.
//! Pure.

use std::collections::BTreeMap;

use crate::loaded::fingerprint::{self, Directory};
use crate::plan::{Child, Planned};
use crate::workload::reloader;
use k8s_openapi::api::core::v1::{Container, PodSpec, PodTemplateSpec, Volume};
use kernel::object::Key;

use crate::kind::Workload;

const WATCHED: &str = "--watched-dir=";

/// The hashes of what was written, as our reloader reports them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The hash of the configuration, if the workload has one.
    pub config: Option<String>,
    /// The hash of the files in the watched directories, if all of them are known.
    pub watched: Option<String>,
}

impl Content {
    /// The content of a plan.
    pub(crate) fn planned<W: Workload>(planned: &Planned, workload: &Key) -> Self {
        let configuration = planned.configuration.as_ref().filter(|_| W::HAS_CONFIGURATION);
        let pieces = configuration.map(|configuration| configuration.0.iter().map(|piece| piece.as_bytes()));
        let secret = W::NAMING.configuration(&workload.name);
        let watched = watched(planned, (&secret, W::NAMING.configuration_key));
        Self { config: pieces.map(fingerprint::configuration), watched }
    }
}

/// The template of the planned pods: it is the same for all shards.
pub(crate) fn pod_template(planned: &Planned) -> Option<&PodTemplateSpec> {
    planned.children.iter().find_map(|child| match child {
        Child::StatefulSet(set) => Some(&set.spec.as_ref()?.template),
        Child::DaemonSet(set) => Some(&set.spec.as_ref()?.template),
        Child::ConfigMap(_) | Child::Secret(_) | Child::Service(_) => None,
    })
}

/// The hash of the watched directories; none, if something is mounted there that is not part of the plan.
/// `configuration` is the Secret and the key of the configuration, which is not part of the hash.
fn watched(planned: &Planned, configuration: (&str, &str)) -> Option<String> {
    let pods = pod_template(planned)?.spec.as_ref()?;
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

/// The files in a volume, without the configuration itself.
fn files(
    planned: &Planned,
    volume: &Volume,
    configuration: (&str, &str),
) -> Option<BTreeMap<String, Vec<u8>>> {
    if let Some(source) = &volume.config_map {
        let found = planned.children.iter().find_map(|child| {
            let Child::ConfigMap(map) = child else { return None };
            (map.metadata.name.as_ref() == Some(&source.name)).then_some(map)
        });
        return Some(found.map(fingerprint::config_map_files).unwrap_or_default());
    }
    let name = volume.secret.as_ref()?.secret_name.as_ref()?;
    let found = planned.children.iter().find_map(|child| {
        let Child::Secret(secret) = child else { return None };
        (secret.metadata.name.as_ref() == Some(name)).then_some(secret)
    })?;
    let mut files = fingerprint::secret_files(found);
    if name == configuration.0 {
        files.remove(configuration.1);
    }
    Some(files)
}
