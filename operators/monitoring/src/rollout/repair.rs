//! Pods that a stuck roll-out waits for. A StatefulSet controller that waits for a pod to become ready before it goes on
//! (`OrderedReady` always, `Parallel` where `MaxUnavailableStatefulSet` is on, as in Kubernetes 1.35.0) waits for ever if
//! what is wrong was mended in the template since: the old pod never learns of it.

use crate::status::repair::{Repair, RepairPolicy};
use crate::status::{Availability, Pods};

use crate::rollout::decide::Situation;
use crate::rollout::members::{Member, Members, Tie};
use crate::rollout::prospect::Prospect;
use crate::rollout::removal::{How, Removal, Why};

/// What is done about such pods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Only those go that certainly fail, for a reason that a restart cannot mend.
    Careful,
    /// As the user said: all that are not ready and of a forgotten revision.
    Said(RepairPolicy),
}

/// The pod that goes, if there is one: at most one, and none before the controller has seen the latest change.
pub fn wanted(situation: &Situation<'_>) -> Option<Removal> {
    match situation.repair {
        Policy::Careful => {
            let members = Members::of(situation.set, situation.pods, situation.now)?;
            careful(&members)
        }
        Policy::Said(policy) => said(situation, policy),
    }
}

/// As the Prometheus Operator does it.
fn said(situation: &Situation<'_>, policy: RepairPolicy) -> Option<Removal> {
    let pods = Pods::of(situation.set, situation.pods.iter().copied());
    let replicas = situation.set.spec.as_ref().and_then(|spec| spec.replicas).unwrap_or(1);
    if pods.availability(replicas).0 == Availability::Available {
        return None;
    }
    let (pod, how) = match crate::status::repair::wanted(&pods, policy)? {
        Repair::Delete(pod) => (pod, How::Delete),
        Repair::Evict(pod) => (pod, How::Evict),
    };
    Some(Removal { how, ..Removal::of(pod, Why::Stuck) })
}

/// A pod goes if another revision would be made in its place. The first one goes first, because an ordered controller waits
/// for that; the next when it is clear that the new revision is any good.
fn careful(members: &Members<'_>) -> Option<Removal> {
    if !members.are_settled() || members.wait_for_user() {
        return None;
    }
    let is_on_trial = |member: &Member<'_>| members.is_current(member) && !members.is_available(member);
    if members.wanted().any(|member| member.is_leaving() || is_on_trial(member)) {
        return None;
    }
    members
        .wanted()
        .filter(|member| member.tie == Tie::Held && !members.is_current(member) && !member.is_ready())
        .find_map(|member| {
            let Prospect::Hopeless(reason) = Prospect::of(member.pod) else { return None };
            Some(Removal::of(member.pod, Why::Failing { reason: reason.to_owned() }))
        })
}
