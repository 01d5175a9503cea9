//! Pods that the StatefulSet controller can never bring up to date, one at a time.
//!
//! Some pods block the controller: it can neither give a running pod another volume nor create a pod whose name is taken, and
//! it does not process the pods after such a pod. Those are removed from the first to the last: a pod after them would not be
//! created again. Other pods it accepts although a new pod would be different: those are removed from the last to the first,
//! as in any rollout, when the controller has nothing left to do itself.

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Volume};
use k8s_openapi::jiff::Timestamp;

use super::RolloutDecision;
use super::removal::{Removal, Why};
use super::replicas::{PodOwner, Replica, Replicas};

/// Whether a pod may be removed in the present state of the others.
enum Turn {
    Now,
    /// Not yet; check again at this time.
    Later(Option<Timestamp>),
}

impl Turn {
    /// Now, if both are.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Now, other) => other,
            (turn, Self::Now) => turn,
            (Self::Later(one), Self::Later(other)) => Self::Later(one.into_iter().chain(other).min()),
        }
    }

    fn now_if(condition: bool) -> Self {
        if condition { Self::Now } else { Self::Later(None) }
    }
}

/// When the controller processes another pod, relative to the pod that is to be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Before it stops at that pod.
    Before,
    /// Not before that pod is removed.
    After,
    /// At any time: it does not stop at that pod.
    Independent,
}

impl<'r> Replicas<'r> {
    /// The repairs of such pods, once the controller has observed the latest change.
    pub(super) fn blocked(&self) -> RolloutDecision {
        let mut remarks = self.remarks();
        if self.wait_for_user() {
            let old = self.wanted().filter_map(|replica| {
                let why = self.blocks(replica).or_else(|| self.is_outdated(replica))?;
                let name = &replica.health.name;
                Some(format!("pod {name}: {why}; delete it, because the update strategy is OnDelete"))
            });
            remarks.extend(old);
            return RolloutDecision { remarks, ..RolloutDecision::default() };
        }
        let Some((replica, why)) = self.first_blocking().or_else(|| self.last_outdated()) else {
            return RolloutDecision { remarks, ..RolloutDecision::default() };
        };
        // Wait for a pod that is being deleted.
        let turn = if replica.health.is_terminating { Turn::Later(None) } else { self.turn(replica, &why) };
        match turn {
            Turn::Now => {
                let removal = Some(Removal::of(replica.pod, why));
                RolloutDecision { removal, remarks, ..RolloutDecision::default() }
            }
            Turn::Later(requeue_at) => RolloutDecision { remarks, requeue_at, ..RolloutDecision::default() },
        }
    }

    /// The first pod at which the controller stops.
    fn first_blocking(&self) -> Option<(&Replica<'r>, Why)> {
        self.wanted().find_map(|replica| Some((replica, self.blocks(replica)?)))
    }

    /// The last pod that the controller accepts although it is outdated. A surplus pod without an owner comes after all
    /// others.
    fn last_outdated(&self) -> Option<(&Replica<'r>, Why)> {
        let mut wanted = self.wanted().rev().filter(|replica| self.is_current(replica));
        let mut surplus = self.surplus().rev();
        wanted
            .find_map(|replica| Some((replica, self.is_outdated(replica)?)))
            .or_else(|| surplus.find_map(|replica| Some((replica, self.cannot_be_adopted(replica)?))))
    }

    /// Why the controller stops at a pod, if it does.
    fn blocks(&self, replica: &Replica<'_>) -> Option<Why> {
        match replica.owner {
            PodOwner::Other => None,
            PodOwner::Mislabeled => self.cannot_be_adopted(replica),
            PodOwner::StatefulSet | PodOwner::Adoptable => {
                let volumes = volumes(replica)?;
                let has = |volume: &str, claim: &String| {
                    volumes.iter().any(|one| one.name == volume && claim_of(one) == Some(claim))
                };
                let missing = self.claims_of(replica).find(|(volume, claim)| !has(volume, claim));
                missing.map(|(_, claim)| Why::Storage { claim })
            }
        }
    }

    fn cannot_be_adopted(&self, replica: &Replica<'_>) -> Option<Why> {
        let is_relabeled =
            self.situation.may_patch_pods != Some(false) && self.missing_labels(replica).is_some();
        (replica.owner == PodOwner::Mislabeled && !is_relabeled).then_some(Why::Labels)
    }

    /// Why a new pod would be different, although the controller accepts this one.
    fn is_outdated(&self, replica: &Replica<'_>) -> Option<Why> {
        if !matches!(replica.owner, PodOwner::StatefulSet | PodOwner::Adoptable) {
            return None;
        }
        let service = self.spec.service_name.as_deref().unwrap_or_default();
        let subdomain = replica.pod.spec.as_ref().and_then(|spec| spec.subdomain.as_deref());
        if subdomain.is_some_and(|subdomain| subdomain != service) {
            return Some(Why::Subdomain { service: service.to_owned() });
        }
        let template = self.spec.template.spec.as_ref();
        let wanted = template.and_then(|spec| spec.volumes.as_deref()).unwrap_or_default();
        let suffix = self.suffix(replica);
        let surplus = volumes(replica)?.iter().find_map(|volume| {
            let claim = claim_of(volume)?;
            let is_of_template = claim.strip_suffix(&suffix) == Some(&volume.name);
            let is_wanted = self.claims_of(replica).any(|(name, _)| name == volume.name)
                || wanted.iter().any(|one| one.name == volume.name);
            (is_of_template && !is_wanted).then(|| Why::Surplus { claim: claim.clone() })
        });
        let deleted = || self.of_other_class(replica).find(|(claim, ..)| is_terminating(claim));
        surplus.or_else(|| deleted().map(|(claim, ..)| Why::Class { claim: name(claim).to_owned() }))
    }

    /// Whether a pod may be removed now. A pod that is not ready may be removed at any time. A ready pod may be removed if
    /// all others are ready, or cannot become ready before it is removed.
    fn turn(&self, replica: &Replica<'_>, why: &Why) -> Turn {
        if !replica.health.serves() {
            return Turn::Now;
        }
        let others = self.ordinals().filter(|ordinal| *ordinal != replica.ordinal);
        others.fold(Turn::Now, |turn, ordinal| {
            let order = match (why.is_blocking(), ordinal > replica.ordinal) {
                (true, true) => Order::After,
                (true, false) => Order::Before,
                (false, _) => Order::Independent,
            };
            turn.and(self.wait_for(ordinal, order))
        })
    }

    /// Whether a pod must wait for the one with this ordinal.
    fn wait_for(&self, ordinal: i32, order: Order) -> Turn {
        // A pod of another controller prevents this one from creating any pod after it.
        let Some(other) = self.get(ordinal).filter(|other| other.owner != PodOwner::Other) else {
            return Turn::now_if(order == Order::After);
        };
        if self.is_available(other) {
            return Turn::now_if(order != Order::Independent || !self.will_be_replaced(other));
        }
        let health = &other.health;
        if health.serves() {
            return Turn::Later(self.available_at(other));
        }
        // A pod of the new revision shows whether new pods become ready: if it does not, the next one will not either.
        let is_on_trial = self.is_current(other) && self.blocks(other).is_none();
        if health.is_terminating || order != Order::After || is_on_trial {
            return Turn::Later(None);
        }
        match health.given_up_at() {
            _ if health.failure.is_some() => Turn::Now,
            Some(at) if at <= self.situation.now => Turn::Now,
            given_up_at => Turn::Later(given_up_at),
        }
    }

    /// What only the user can do.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        for replica in self.wanted() {
            if replica.owner == PodOwner::Other && !replica.health.is_terminating {
                remarks.push(format!(
                    "pod {} has the name of a pod of StatefulSet {}, which does not own it: rename or delete it",
                    replica.health.name,
                    self.set_name()
                ));
            }
            for (claim, has, wanted) in
                self.of_other_class(replica).filter(|(claim, ..)| !is_terminating(claim))
            {
                remarks.push(format!(
                    "claim {} has storage class {has}, but {wanted} is desired: a volume cannot change its class; save \
                     the data and delete the claim, and its pod is replaced",
                    name(claim)
                ));
            }
        }
        remarks
    }

    /// Claims of a pod that have another class than their template, with both.
    fn of_other_class(
        &self,
        replica: &Replica<'_>,
    ) -> impl Iterator<Item = (&PersistentVolumeClaim, &str, &str)> {
        let namespace = &self.situation.set.metadata.namespace;
        let suffix = self.suffix(replica);
        self.spec.volume_claim_templates.iter().flatten().filter_map(move |template| {
            let wanted = format!("{}{suffix}", name(template));
            let mut claims = self.situation.claims.iter();
            let claim =
                claims.find(|claim| name(claim) == wanted && claim.metadata.namespace == *namespace)?;
            let (has, wanted) = (class(claim)?, class(template)?);
            (has != wanted).then_some((claim, has, wanted))
        })
    }

    /// The volumes that the claim templates give to a pod, with their claims.
    fn claims_of(&self, replica: &Replica<'_>) -> impl Iterator<Item = (&str, String)> {
        let suffix = self.suffix(replica);
        let templates = self.spec.volume_claim_templates.iter().flatten();
        templates.map(move |template| (name(template), format!("{}{suffix}", name(template))))
    }

    /// What the names of a pod's claims end with.
    fn suffix(&self, replica: &Replica<'_>) -> String {
        format!("-{}-{}", self.set_name(), replica.ordinal)
    }

    fn set_name(&self) -> &str {
        self.situation.set.metadata.name.as_deref().unwrap_or_default()
    }
}

/// The volumes of a pod. Every pod has some: if there are none, they were trimmed, and nothing is known about them.
fn volumes<'v>(replica: &Replica<'v>) -> Option<&'v [Volume]> {
    replica.pod.spec.as_ref()?.volumes.as_deref().filter(|volumes| !volumes.is_empty())
}

fn claim_of(volume: &Volume) -> Option<&String> {
    volume.persistent_volume_claim.as_ref().map(|source| &source.claim_name)
}

fn name(claim: &PersistentVolumeClaim) -> &str {
    claim.metadata.name.as_deref().unwrap_or_default()
}

fn class(claim: &PersistentVolumeClaim) -> Option<&str> {
    claim.spec.as_ref()?.storage_class_name.as_deref()
}

fn is_terminating(claim: &PersistentVolumeClaim) -> bool {
    claim.metadata.deletion_timestamp.is_some()
}
