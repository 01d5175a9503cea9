//! A model of the StatefulSet controller: it adopts pods, creates missing ones, stops at those that it cannot update, removes
//! surplus ones, and replaces the rest in order.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{Pod, PodStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use super::World;
use crate::health::{is_ready, revision};
use crate::rollout::replicas::selects;
use crate::rollout::tests::build::{self, pod, with_claim};

/// The controller stops its pass here.
struct Stop;

impl World {
    /// One pass of the StatefulSet controller.
    pub(super) fn control(&mut self) {
        let Some(mut set) = self.set.clone() else { return };
        if set.metadata.deletion_timestamp.is_some() {
            return;
        }
        self.claim(&set);
        let update = name_of_revision(&set);
        let current = set.status.as_ref().and_then(|status| status.current_revision.clone());
        let ordered = is_ordered(&set);
        let done = self.fill(&set, ordered).and_then(|()| self.shrink(&set, ordered));
        if done.is_ok() {
            self.roll(&set, &update);
        }
        let replicas = replicas(&set);
        let held: Vec<&Pod> = self.pods.values().filter(|pod| is_held(&set, pod)).collect();
        let is_over = held.len() == replicas.len()
            && held.iter().all(|pod| is_ready(pod) && revision(pod) == update.as_str());
        let status = set.status.get_or_insert_default();
        status.observed_generation = set.metadata.generation;
        status.current_revision = current.filter(|_| !is_over).or_else(|| Some(update.clone()));
        status.update_revision = Some(update);
        self.set = Some(set);
    }

    /// Releases pods that the selector does not match, and adopts those that it matches.
    fn claim(&mut self, set: &StatefulSet) {
        let selector = &set.spec.as_ref().expect("a spec").selector;
        for pod in self.pods.values_mut() {
            let fits = selects(selector, pod.metadata.labels.as_ref());
            if is_held(set, pod) && !fits {
                pod.metadata.owner_references = None;
            } else if pod.metadata.owner_references.is_none()
                && fits
                && pod.metadata.deletion_timestamp.is_none()
            {
                pod.metadata.owner_references = Some(vec![owner(set)]);
            }
        }
    }

    /// Creates missing pods, and stops at those that it cannot update.
    fn fill(&mut self, set: &StatefulSet, ordered: bool) -> Result<(), Stop> {
        let ordinals = replicas(set);
        if ordered {
            return ordinals.into_iter().try_for_each(|ordinal| self.visit(set, ordinal, ordered));
        }
        let mut size = 1;
        let mut rest = ordinals.as_slice();
        while !rest.is_empty() {
            let (batch, after) = rest.split_at(size.min(rest.len()));
            let failed = batch.iter().filter(|ordinal| self.visit(set, **ordinal, ordered).is_err()).count();
            if failed > 0 {
                return Err(Stop);
            }
            rest = after;
            size = if self.setup.in_batches { size * 2 } else { 1 };
        }
        Ok(())
    }

    fn visit(&mut self, set: &StatefulSet, ordinal: i32, ordered: bool) -> Result<(), Stop> {
        let name = format!("set-{ordinal}");
        let Some(pod) = self.pods.get(&name) else {
            self.last_uid += 1;
            let mut pod = build(set, ordinal);
            pod.metadata.uid = Some(format!("pod-{}", self.last_uid));
            self.pods.insert(name, pod);
            return if ordered { Err(Stop) } else { Ok(()) };
        };
        // The name is taken.
        if !is_held(set, pod) {
            return Err(Stop);
        }
        if ordered && (pod.metadata.deletion_timestamp.is_some() || !is_ready(pod)) {
            return Err(Stop);
        }
        // The server rejects other volumes for an existing pod.
        let new = build(set, ordinal);
        let claims = |pod: &Pod| -> BTreeSet<String> {
            let volumes = pod.spec.iter().flat_map(|spec| spec.volumes.iter().flatten());
            volumes
                .filter_map(|volume| Some(volume.persistent_volume_claim.as_ref()?.claim_name.clone()))
                .collect()
        };
        if claims(pod).is_superset(&claims(&new)) { Ok(()) } else { Err(Stop) }
    }

    /// Removes surplus pods.
    fn shrink(&mut self, set: &StatefulSet, ordered: bool) -> Result<(), Stop> {
        let wanted: Vec<String> = replicas(set).iter().map(|ordinal| format!("set-{ordinal}")).collect();
        for (name, pod) in self.pods.iter_mut().rev() {
            if wanted.contains(name) || !is_held(set, pod) {
                continue;
            }
            let is_terminating = pod.metadata.deletion_timestamp.is_some();
            if !is_terminating {
                *pod = build::leaving(pod.clone());
            }
            if ordered {
                return Err(Stop);
            }
        }
        Ok(())
    }

    /// Replaces the last pod of another revision.
    fn roll(&mut self, set: &StatefulSet, update: &str) {
        let is_unavailable = |pod: &Pod| !is_ready(pod) || pod.metadata.deletion_timestamp.is_some();
        let names: Vec<String> = replicas(set).iter().rev().map(|ordinal| format!("set-{ordinal}")).collect();
        let down = names.iter().filter(|name| is_unavailable(&self.pods[*name])).count();
        if self.setup.counts_unavailable && down > 0 {
            return;
        }
        for name in &names {
            let pod = self.pods.get_mut(name).expect("an existing pod");
            if revision(pod) != update && pod.metadata.deletion_timestamp.is_none() {
                *pod = build::leaving(pod.clone());
                return;
            }
            if is_unavailable(pod) {
                return;
            }
        }
    }
}

fn is_ordered(set: &StatefulSet) -> bool {
    set.spec.as_ref().and_then(|spec| spec.pod_management_policy.as_deref()) == Some("OrderedReady")
}

fn replicas(set: &StatefulSet) -> Vec<i32> {
    (0..set.spec.as_ref().and_then(|spec| spec.replicas).unwrap_or(1)).collect()
}

fn owner(set: &StatefulSet) -> OwnerReference {
    OwnerReference {
        kind: "StatefulSet".into(),
        name: "set".into(),
        uid: set.metadata.uid.clone().unwrap_or_default(),
        controller: Some(true),
        ..OwnerReference::default()
    }
}

pub(super) fn is_held(set: &StatefulSet, pod: &Pod) -> bool {
    pod.metadata.owner_references.as_deref() == Some(&[owner(set)])
}

fn name_of_revision(set: &StatefulSet) -> String {
    let mut hasher = DefaultHasher::new();
    format!("{:?}", set.spec.as_ref().map(|spec| &spec.template)).hash(&mut hasher);
    format!("{:x}", hasher.finish())
}

/// A pod as the controller creates it.
pub(super) fn build(set: &StatefulSet, ordinal: i32) -> Pod {
    let spec = set.spec.as_ref().expect("a spec");
    let mut pod = build::of(pod(ordinal), &name_of_revision(set));
    pod.metadata.owner_references = Some(vec![owner(set)]);
    let labels = spec.template.metadata.as_ref().and_then(|metadata| metadata.labels.clone());
    pod.metadata.labels.get_or_insert_default().extend(labels.unwrap_or_default());
    let mut content = spec.template.spec.clone().unwrap_or_default();
    content.subdomain.clone_from(&spec.service_name);
    pod.spec = Some(content);
    pod.status = Some(PodStatus { phase: Some("Pending".into()), ..PodStatus::default() });
    for template in spec.volume_claim_templates.iter().flatten() {
        pod = with_claim(pod, template.metadata.name.as_deref().unwrap_or_default());
    }
    pod
}
