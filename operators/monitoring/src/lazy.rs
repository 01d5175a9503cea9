//! Another image of the reloader alone is no reason to restart anything: it rides along with the next change of the pods.
//! Unless nobody ever ran the one that is there, or the user himself names another. Pure.

use crate::plan::{Child, Planned};
use crate::workload::reloader;
use capability::health::revision;
use k8s_openapi::Metadata;
use k8s_openapi::api::apps::v1::{DaemonSet, StatefulSet};
use k8s_openapi::api::core::v1::{Container, ContainerState, ContainerStatus, Pod, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kernel::compare::{missing, surplus};
use serde::Serialize;
use serde_json::Value;

use crate::keep;
use crate::kind::Seen;

/// The containers of the reloader.
const RELOADERS: [&str; 2] = [reloader::NAME, reloader::INIT_NAME];

/// What keeps pods.
trait Keeper: Clone + Serialize + Metadata<Ty = ObjectMeta> {
    /// What its pods are made from.
    fn template(&self) -> Option<&PodTemplateSpec>;

    /// The same, to change it.
    fn template_mut(&mut self) -> Option<&mut PodTemplateSpec>;

    /// Whether one of its pods was surely made from what it says now.
    fn is_newest(&self, pod: &Pod) -> bool;

    /// What stays of one that is there when it is written again.
    fn keep(wanted: &mut Value, present: &Value);
}

impl Keeper for StatefulSet {
    fn template(&self) -> Option<&PodTemplateSpec> {
        self.spec.as_ref().map(|spec| &spec.template)
    }

    fn template_mut(&mut self) -> Option<&mut PodTemplateSpec> {
        self.spec.as_mut().map(|spec| &mut spec.template)
    }

    fn is_newest(&self, pod: &Pod) -> bool {
        self.status.as_ref().is_some_and(|status| {
            status.observed_generation >= self.metadata.generation
                && status.update_revision.as_deref().is_some_and(|newest| newest == revision(pod))
        })
    }

    fn keep(wanted: &mut Value, present: &Value) {
        keep::stateful_set(wanted, present);
    }
}

impl Keeper for DaemonSet {
    fn template(&self) -> Option<&PodTemplateSpec> {
        self.spec.as_ref().map(|spec| &spec.template)
    }

    fn template_mut(&mut self) -> Option<&mut PodTemplateSpec> {
        self.spec.as_mut().map(|spec| &mut spec.template)
    }

    fn is_newest(&self, _pod: &Pod) -> bool {
        // It does not say which revision is the newest, but how many have it.
        self.status.as_ref().is_some_and(|status| {
            status.observed_generation >= self.metadata.generation
                && status.updated_number_scheduled >= Some(status.current_number_scheduled)
        })
    }

    fn keep(wanted: &mut Value, present: &Value) {
        keep::daemon_set(wanted, present);
    }
}

/// Leaves the images of reloaders that run where nothing else of the pods would change. `own` are the containers of which
/// the user says something.
pub(crate) fn keep_reloaders(planned: &mut Planned, own: [&[Container]; 2], seen: &Seen) {
    for child in &mut planned.children {
        match child {
            Child::StatefulSet(wanted) => {
                if let Some(present) = wanted.metadata.name.as_ref().and_then(|name| seen.sets.get(name)) {
                    keep_reloader(&mut **wanted, present, own, &seen.pods);
                }
            }
            Child::DaemonSet(wanted) => {
                let present = seen.daemon_set.as_ref();
                if let Some(present) = present.filter(|one| one.metadata.name == wanted.metadata.name) {
                    keep_reloader(&mut **wanted, present, own, &seen.pods);
                }
            }
            Child::ConfigMap(_) | Child::Secret(_) | Child::Service(_) => {}
        }
    }
}

/// Puts the image of the reloader that runs in the place of the wanted one, if nothing else of the pods would change.
fn keep_reloader<K: Keeper>(wanted: &mut K, present: &K, own: [&[Container]; 2], pods: &[Pod]) {
    let (Some(template), Some(running)) = (wanted.template(), present.template()) else { return };
    if images(template) == images(running) {
        return;
    }
    let mut candidate = wanted.clone();
    if let Some(template) = candidate.template_mut() {
        take_images(template, running, |there| !is_named(there, own) && is_run(there, present, pods));
    }
    let (Ok(mut then), Ok(now)) = (serde_json::to_value(&candidate), serde_json::to_value(present)) else {
        return;
    };
    K::keep(&mut then, &now);
    let template = |object: &Value| object["spec"]["template"].clone();
    let (then, now) = (template(&then), template(&now));
    if missing(&then, &now).is_none() && surplus(&then, &now).is_none() {
        *wanted = candidate;
    }
}

/// Whether the user says which image a container has.
fn is_named(container: &Container, own: [&[Container]; 2]) -> bool {
    let names =
        |own: &Container| own.name == container.name && own.image.iter().any(|image| !image.is_empty());
    own.into_iter().flatten().any(names)
}

/// Whether a pod runs this container of the present template, or did. Somebody may put other images into pods than were
/// asked for: then it shows only in the revision.
fn is_run<K: Keeper>(container: &Container, present: &K, pods: &[Pod]) -> bool {
    let is_owner = |pod: &Pod| {
        let mut owners = pod.metadata.owner_references.iter().flatten();
        owners.any(|owner| owner.kind == K::KIND && Some(&owner.name) == present.metadata().name.as_ref())
    };
    pods.iter()
        .filter(|pod| is_owner(pod))
        .any(|pod| has_run(pod, container) || (present.is_newest(pod) && has_started(pod, &container.name)))
}

/// Whether a pod runs a container with this image, or did.
pub(crate) fn has_run(pod: &Pod, container: &Container) -> bool {
    let spec = pod.spec.as_ref();
    let all = spec.map(|spec| spec.containers.iter().chain(spec.init_containers.iter().flatten()));
    let is_same = |one: &Container| (&one.name, &one.image) == (&container.name, &container.image);
    all.into_iter().flatten().any(is_same) && has_started(pod, &container.name)
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

fn reloaders(template: &PodTemplateSpec) -> impl Iterator<Item = &Container> {
    let spec = template.spec.as_ref();
    let all = spec.map(|spec| spec.containers.iter().chain(spec.init_containers.iter().flatten()));
    all.into_iter().flatten().filter(|container| RELOADERS.contains(&container.name.as_str()))
}

fn images(template: &PodTemplateSpec) -> Vec<(&str, Option<&str>)> {
    reloaders(template).map(|container| (container.name.as_str(), container.image.as_deref())).collect()
}

fn take_images(
    template: &mut PodTemplateSpec,
    running: &PodTemplateSpec,
    stays: impl Fn(&Container) -> bool,
) {
    let Some(spec) = &mut template.spec else { return };
    for container in spec.containers.iter_mut().chain(spec.init_containers.iter_mut().flatten()) {
        let there = reloaders(running).find(|there| there.name == container.name);
        if let Some(there) = there.filter(|there| stays(there)) {
            container.image.clone_from(&there.image);
        }
    }
}

#[cfg(test)]
mod tests;
