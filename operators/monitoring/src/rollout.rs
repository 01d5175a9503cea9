//! Actions on the pods, claims and surplus shards of a workload, in addition to writing its StatefulSets. Pure.

pub mod retention;

use capability::actions::{Actions, touch};
use capability::rollout::{RepairPolicy, Situation};
use capability::volumes::{Growth, of_templates};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::jiff::Timestamp;
use kernel::object::Key;
use kernel::report::Note;
use serde_json::json;

pub use retention::{Surplus, surplus};

use crate::kind::Seen;
use crate::kinds;
use crate::plan::{Child, Planned};
use crate::stages::gather::Inputs;

/// The actions for all planned StatefulSets, and for surplus ones.
pub(crate) fn actions(
    planned: &mut Planned,
    surplus: Surplus,
    inputs: &Inputs,
    repair: RepairPolicy,
    now: Timestamp,
) -> Actions {
    let Inputs { seen, growing, may_patch_pods, .. } = inputs;
    let may_patch_pods = *may_patch_pods;
    let mut actions = Actions::default();
    for child in &mut planned.children {
        let Child::StatefulSet(wanted) = child else { continue };
        let Some(set) = wanted.metadata.name.as_ref().and_then(|name| seen.sets.get(name)) else { continue };
        let growth = Growth::of(of_templates(wanted, &seen.claims), growing);
        if !growth.resizes.is_empty() {
            keep_templates(wanted, set);
        }
        actions.grow(growth);
        let (pods, claims) = (&seen.pods, &seen.claims);
        actions.repair(&Situation { set, pods, claims, may_patch_pods, repair, now }, &seen.known);
    }
    keep(surplus, seen, now, &mut actions);
    actions
}

/// Keeps the present claim templates until the claims have grown: other templates cause the StatefulSet to be recreated.
fn keep_templates(wanted: &mut StatefulSet, present: &StatefulSet) {
    if let (Some(wanted), Some(present)) = (&mut wanted.spec, &present.spec) {
        wanted.volume_claim_templates.clone_from(&present.volume_claim_templates);
    }
}

/// Keeps surplus shards.
fn keep(surplus: Surplus, seen: &Seen, now: Timestamp, actions: &mut Actions) {
    for kept in surplus.kept {
        let Some(set) = seen.sets.get(&kept.name) else { continue };
        actions.spare(kinds::STATEFUL_SET, Key::of(&set.metadata));
        if let Some(deadline) = kept.deadline {
            let message = format!("StatefulSet {} is a surplus shard and kept until {deadline}", kept.name);
            let event = Note { alarming: false, reason: "ShardKept", message };
            let fields = json!({"metadata": {"annotations": {retention::DEADLINE: deadline}}});
            let wanted = format!("StatefulSet {} should have its deletion deadline as annotation", kept.name);
            actions.touch(touch(kinds::STATEFUL_SET, &set.metadata, fields), wanted, Some(event));
        }
    }
    actions.remark(surplus.remarks);
    actions.requeue_at(surplus.requeue_at, now);
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::PersistentVolumeClaim;
    use kernel::apply::Work;

    use super::*;

    fn set(replicas: i32, size: &str) -> StatefulSet {
        let template = json!({
            "metadata": {"name": "data"},
            "spec": {"resources": {"requests": {"storage": size}}},
        });
        let spec = json!({
            "replicas": replicas, "serviceName": "s", "selector": {"matchLabels": {"app": "new"}}, "template": {},
            "volumeClaimTemplates": [template],
        });
        let metadata = json!({"name": "a", "namespace": "n", "uid": "2"});
        serde_json::from_value(json!({"metadata": metadata, "spec": spec})).unwrap()
    }

    #[test]
    fn claims_grow_before_their_template() {
        let claim = |size: &str| -> PersistentVolumeClaim {
            let value = json!({
                "metadata": {"name": "data-a-0", "namespace": "n", "uid": "3"},
                "spec": {"storageClassName": "fast", "resources": {"requests": {"storage": size}}},
                "status": {"phase": "Bound", "capacity": {"storage": size}},
            });
            serde_json::from_value(value).unwrap()
        };
        for (size, expected) in [("1Gi", (1, set(3, "1Gi"))), ("2Gi", (0, set(3, "2Gi")))] {
            let sets = [("a".to_owned(), set(1, "1Gi"))].into();
            let seen = Seen { sets, claims: vec![claim(size)], ..Seen::default() };
            let children = vec![Child::StatefulSet(Box::new(set(3, "2Gi")))];
            let mut planned = Planned { children, ..Planned::default() };
            let inputs = Inputs { seen, ..Inputs::default() };
            let (surplus, repair, now) = (Surplus::default(), RepairPolicy::Failing, Timestamp::UNIX_EPOCH);
            let mut work = Work::default();
            actions(&mut planned, surplus, &inputs, repair, now).add_to(&mut work);
            let Child::StatefulSet(wanted) = &planned.children[0] else { panic!("{planned:?}") };
            assert_eq!((work.touches.len(), (**wanted).clone()), expected);
        }
    }
}
