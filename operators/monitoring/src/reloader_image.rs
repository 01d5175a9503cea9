//! A new image of the reloader alone does not restart pods: it is rolled out with the next change of the pods. The image is
//! updated at once if no pod ever ran the existing one, or if the user sets another one. Pure.

use crate::plan::{Child, Planned};
use crate::workload::{existing, reloader};
use capability::health::revision;
use k8s_openapi::api::apps::v1::{DaemonSet, StatefulSet};
use k8s_openapi::api::core::v1::{Container, ContainerState, ContainerStatus, Pod, PodSpec, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kernel::compare::{missing, surplus};

use crate::kind::Seen;

/// The containers of the reloader.
const RELOADERS: [&str; 2] = [reloader::NAME, reloader::INIT_NAME];

/// A StatefulSet or DaemonSet as it is in the cluster.
struct Present<'p> {
    template: &'p PodTemplateSpec,
    /// Its pods, and whether each was certainly created from this template.
    pods: Vec<(&'p Pod, bool)>,
}

impl<'p> Present<'p> {
    fn stateful_set(set: &'p StatefulSet, pods: &'p [Pod]) -> Option<Self> {
        let status =
            set.status.as_ref().filter(|status| status.observed_generation >= set.metadata.generation);
        let newest = status.and_then(|status| status.update_revision.as_deref());
        let is_newest = |pod: &Pod| newest == Some(revision(pod));
        let pods = owned("StatefulSet", &set.metadata, pods, is_newest);
        Some(Self { template: &set.spec.as_ref()?.template, pods })
    }

    /// A DaemonSet does not report its current revision, only how many pods have it.
    fn daemon_set(set: &'p DaemonSet, pods: &'p [Pod]) -> Option<Self> {
        let are_all_newest = set.status.as_ref().is_some_and(|status| {
            status.observed_generation >= set.metadata.generation
                && status.updated_number_scheduled >= Some(status.current_number_scheduled)
        });
        let pods = owned("DaemonSet", &set.metadata, pods, |_| are_all_newest);
        Some(Self { template: &set.spec.as_ref()?.template, pods })
    }

    /// Whether a pod runs this container of the template, or did. Admission webhooks may replace images in pods: then only
    /// the revision shows it.
    fn has_run(&self, container: &Container) -> bool {
        self.pods.iter().any(|(pod, is_newest)| {
            has_run(pod, container) || (*is_newest && has_started(pod, &container.name))
        })
    }
}

fn owned<'p>(
    kind: &str,
    metadata: &ObjectMeta,
    pods: &'p [Pod],
    is_newest: impl Fn(&Pod) -> bool,
) -> Vec<(&'p Pod, bool)> {
    let is_owned = |pod: &&Pod| {
        let mut owners = pod.metadata.owner_references.iter().flatten();
        owners.any(|owner| owner.kind == kind && Some(&owner.name) == metadata.name.as_ref())
    };
    pods.iter().filter(is_owned).map(|pod| (pod, is_newest(pod))).collect()
}

/// Keeps the existing images of reloaders if nothing else of the pods would change. `own` are the containers that the
/// user adds or changes.
pub(crate) fn keep_reloaders(planned: &mut Planned, own: [&[Container]; 2], seen: &Seen) {
    for child in &mut planned.children {
        let (wanted, present) = match child {
            Child::StatefulSet(wanted) => {
                let present = wanted.metadata.name.as_ref().and_then(|name| seen.sets.get(name));
                let present = present.and_then(|present| Present::stateful_set(present, &seen.pods));
                (wanted.spec.as_mut().map(|spec| &mut spec.template), present)
            }
            Child::DaemonSet(wanted) => {
                let present = seen.daemon_set.as_ref();
                let present = present.filter(|one| one.metadata.name == wanted.metadata.name);
                let present = present.and_then(|present| Present::daemon_set(present, &seen.pods));
                (wanted.spec.as_mut().map(|spec| &mut spec.template), present)
            }
            Child::ConfigMap(_) | Child::Secret(_) | Child::Service(_) => continue,
        };
        if let (Some(wanted), Some(present)) = (wanted, present) {
            keep_reloader(wanted, &present, own);
        }
    }
}

fn keep_reloader(wanted: &mut PodTemplateSpec, present: &Present<'_>, own: [&[Container]; 2]) {
    if images(wanted) == images(present.template) {
        return;
    }
    let mut candidate = wanted.clone();
    let spec = candidate.spec.get_or_insert_default();
    for container in spec.containers.iter_mut().chain(spec.init_containers.iter_mut().flatten()) {
        let existing = reloaders(present.template).find(|existing| existing.name == container.name);
        if let Some(existing) = existing.filter(|one| !is_set_by_user(one, own) && present.has_run(one)) {
            container.image.clone_from(&existing.image);
        }
    }
    let mut written = candidate.clone();
    existing::keep_restart(&mut written, present.template);
    let (Ok(written), Ok(present)) = (serde_json::to_value(&written), serde_json::to_value(present.template))
    else {
        return;
    };
    if missing(&written, &present).is_none() && surplus(&written, &present).is_none() {
        *wanted = candidate;
    }
}

/// Whether the user sets the image of a container.
fn is_set_by_user(container: &Container, own: [&[Container]; 2]) -> bool {
    let sets_image =
        |own: &Container| own.name == container.name && own.image.iter().any(|image| !image.is_empty());
    own.into_iter().flatten().any(sets_image)
}

/// Whether a pod runs a container with this image, or did.
pub(crate) fn has_run(pod: &Pod, container: &Container) -> bool {
    let is_same = |one: &Container| (&one.name, &one.image) == (&container.name, &container.image);
    containers(pod.spec.as_ref()).any(is_same) && has_started(pod, &container.name)
}

/// Whether a container of a pod ever started: one whose image cannot be pulled has not.
fn has_started(pod: &Pod, name: &str) -> bool {
    let ran = |state: &ContainerState| state.running.is_some() || state.terminated.is_some();
    let has_started = |one: &ContainerStatus| {
        one.started == Some(true)
            || one.container_id.as_ref().is_some_and(|id| !id.is_empty())
            || one.state.iter().chain(&one.last_state).any(ran)
    };
    let status = pod.status.as_ref();
    let all = status.map(|status| [&status.container_statuses, &status.init_container_statuses]);
    let mut all = all.into_iter().flatten().flatten().flatten();
    all.any(|one| one.name == name && has_started(one))
}

fn containers(spec: Option<&PodSpec>) -> impl Iterator<Item = &Container> {
    let all = spec.map(|spec| spec.containers.iter().chain(spec.init_containers.iter().flatten()));
    all.into_iter().flatten()
}

fn reloaders(template: &PodTemplateSpec) -> impl Iterator<Item = &Container> {
    containers(template.spec.as_ref()).filter(|container| RELOADERS.contains(&container.name.as_str()))
}

fn images(template: &PodTemplateSpec) -> Vec<(&str, Option<&str>)> {
    reloaders(template).map(|container| (container.name.as_str(), container.image.as_deref())).collect()
}

#[cfg(test)]
mod tests;
