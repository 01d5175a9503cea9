//! Pods that the StatefulSet controller can never bring up to date, one at a time.
//!
//! At some of them it stops: it can neither give a living pod another volume nor make one whose name is taken, and what
//! comes after such a pod it does not even look at. So those go from the first to the last: if the last went first, nobody
//! would make it anew. Others it takes as they are: those go from the last to the first, as in any roll-out, when it has
//! nothing left to do itself.

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Volume};
use k8s_openapi::jiff::Timestamp;

use crate::rollout::decide::Situation;
use crate::rollout::members::{Member, Members, Tie};
use crate::rollout::prospect::Prospect;
use crate::rollout::relabel;
use crate::rollout::removal::{Removal, Why};

/// What is to be done about such pods.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Next {
    /// The one that goes now.
    pub removal: Option<Removal>,
    /// What only the user can do, in words.
    pub remarks: Vec<String>,
    /// When to look again, though nothing changed.
    pub requeue_after: Option<Timestamp>,
}

/// Decides about one StatefulSet. Nothing goes before its controller has seen the latest change.
pub fn next(situation: &Situation<'_>) -> Next {
    let members = Members::of(situation.set, situation.pods, situation.now);
    members.filter(Members::are_settled).map_or_else(Next::default, |members| {
        View { members: &members, claims: situation.claims, may_patch: situation.may_patch_pods }.next()
    })
}

/// A StatefulSet with all that counts here.
struct View<'v> {
    members: &'v Members<'v>,
    claims: &'v [&'v PersistentVolumeClaim],
    may_patch: bool,
}

/// Whether a pod may go while the others are as they are.
enum Turn {
    Now,
    /// Not yet; what it waits for may be over at this time.
    Later(Option<Timestamp>),
}

impl Turn {
    /// Now, if both say so.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Now, other) => other,
            (turn, Self::Now) => turn,
            (Self::Later(one), Self::Later(other)) => Self::Later(one.into_iter().chain(other).min()),
        }
    }
}

/// Where another pod is, seen from one that shall go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The controller comes to it first.
    Before,
    /// The controller does not come to it before the one is gone.
    Behind,
    /// The controller stops at neither.
    Beside,
}

impl<'v> View<'v> {
    fn next(&self) -> Next {
        let mut remarks = self.remarks();
        if self.members.wait_for_user() {
            let old = self.members.wanted().filter_map(|member| Some((member, self.obstacle(member)?)));
            let words = |(member, why): (&Member<'_>, Why)| {
                format!("pod {}: {why}; delete it, because the update strategy is OnDelete", member.name())
            };
            remarks.extend(old.map(words));
            return Next { remarks, ..Next::default() };
        }
        let Some((member, why)) = self.first_wall().or_else(|| self.last_relic()) else {
            return Next { remarks, ..Next::default() };
        };
        // One that is on its way out is waited for.
        let turn = if member.is_leaving() { Turn::Later(None) } else { self.turn(member, &why) };
        match turn {
            Turn::Now => Next { removal: Some(Removal::of(member.pod, why)), remarks, ..Next::default() },
            Turn::Later(requeue_after) => Next { removal: None, remarks, requeue_after },
        }
    }

    /// Anything that keeps a pod from being brought up to date.
    fn obstacle(&self, member: &Member<'_>) -> Option<Why> {
        self.wall(member).or_else(|| self.relic(member))
    }

    /// The first pod at which the controller stops.
    fn first_wall(&self) -> Option<(&'v Member<'v>, Why)> {
        self.members.wanted().find_map(|member| Some((member, self.wall(member)?)))
    }

    /// The last pod that the controller takes as it is. One that is too many and belongs to nobody comes after all others.
    fn last_relic(&self) -> Option<(&'v Member<'v>, Why)> {
        let wanted = self.members.wanted().rev();
        let mut relic = wanted.filter(|member| self.members.is_current(member));
        let mut surplus = self.members.surplus().rev();
        let nobodys = || surplus.find_map(|member| Some((member, self.stranger(member)?)));
        relic.find_map(|member| Some((member, self.relic(member)?))).or_else(nobodys)
    }

    /// Why the controller stops at a pod, if it does.
    fn wall(&self, member: &Member<'_>) -> Option<Why> {
        match member.tie {
            Tie::Foreign => None,
            Tie::Loose => self.stranger(member),
            Tie::Held | Tie::Orphan => {
                let volumes = volumes(member)?;
                let missing = self.claim_names(member).find(|(volume, claim)| {
                    !volumes.iter().any(|one| one.name == *volume && claim_of(one) == Some(claim))
                });
                missing.map(|(_, claim)| Why::Storage { claim })
            }
        }
    }

    /// Nobody will ever adopt it.
    fn stranger(&self, member: &Member<'_>) -> Option<Why> {
        let can_be_adopted =
            self.may_patch && relabel::missing(&self.members.spec.selector, member).is_some();
        (member.tie == Tie::Loose && !can_be_adopted).then_some(Why::Labels)
    }

    /// Why a pod is not as a new one would be, although the controller takes it as it is.
    fn relic(&self, member: &Member<'_>) -> Option<Why> {
        if !matches!(member.tie, Tie::Held | Tie::Orphan) {
            return None;
        }
        let service = self.members.spec.service_name.as_deref().unwrap_or_default();
        let subdomain = member.pod.spec.as_ref().and_then(|spec| spec.subdomain.as_deref());
        if subdomain.is_some_and(|subdomain| subdomain != service) {
            return Some(Why::Subdomain { service: service.to_owned() });
        }
        let template = self.members.spec.template.spec.as_ref();
        let asked = template.and_then(|spec| spec.volumes.as_deref()).unwrap_or_default();
        let suffix = self.suffix(member);
        let surplus = volumes(member)?.iter().find_map(|volume| {
            let claim = claim_of(volume)?;
            let is_templates = claim.strip_suffix(&suffix) == Some(&volume.name);
            let is_asked = self.claim_names(member).any(|(name, _)| name == volume.name)
                || asked.iter().any(|one| one.name == volume.name);
            (is_templates && !is_asked).then(|| claim.to_owned())
        });
        let deleted = || {
            let of_class = self.of_other_class(member).find(|(claim, ..)| is_leaving(claim));
            of_class.map(|(claim, ..)| Why::Class { claim: name(claim).to_owned() })
        };
        surplus.map(|claim| Why::Surplus { claim }).or_else(deleted)
    }

    /// Whether it is the turn of a pod. One that does not serve may go at any time. One that does may go if nothing is
    /// gained by waiting: all others serve, or cannot before it goes.
    fn turn(&self, member: &Member<'_>, why: &Why) -> Turn {
        if !member.is_ready() {
            return Turn::Now;
        }
        let is_wall = matches!(why, Why::Storage { .. } | Why::Labels);
        let others = self.members.ordinals().filter(|ordinal| *ordinal != member.ordinal);
        others.fold(Turn::Now, |turn, ordinal| {
            let place = match (is_wall, ordinal > member.ordinal) {
                (true, true) => Place::Behind,
                (true, false) => Place::Before,
                (false, _) => Place::Beside,
            };
            turn.and(self.wait_for(ordinal, place))
        })
    }

    /// Whether a pod must wait for the one with this number.
    fn wait_for(&self, ordinal: i32, place: Place) -> Turn {
        let unless = |free: bool| if free { Turn::Now } else { Turn::Later(None) };
        let Some(other) = self.members.get(ordinal) else { return unless(place == Place::Behind) };
        if other.tie == Tie::Foreign {
            // It keeps the controller from making any pod after it.
            return unless(place == Place::Behind);
        }
        if self.members.is_available(other) {
            return unless(place != Place::Beside || !self.members.will_be_replaced(other));
        }
        if other.is_ready() {
            return Turn::Later(self.members.available_at(other));
        }
        if other.is_leaving() || place != Place::Behind || self.is_on_trial(other) {
            return Turn::Later(None);
        }
        match Prospect::of(other.pod) {
            Prospect::Starting => Turn::Later(None),
            Prospect::Unclear(until) if until > self.members.now => Turn::Later(Some(until)),
            Prospect::Hopeless(_) | Prospect::Unclear(_) => Turn::Now,
        }
    }

    /// Whether it shows what becomes of all: if it does not get ready, neither will what is made next.
    fn is_on_trial(&self, member: &Member<'_>) -> bool {
        self.members.is_current(member) && self.wall(member).is_none()
    }

    /// What only the user can do.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        for member in self.members.wanted() {
            if member.tie == Tie::Foreign && !member.is_leaving() {
                remarks.push(format!(
                    "pod {} stands where a pod of StatefulSet {} should be, and is not its own: rename or delete it",
                    member.name(),
                    self.set_name()
                ));
            }
            for (claim, has, asked) in self.of_other_class(member).filter(|(claim, ..)| !is_leaving(claim)) {
                remarks.push(format!(
                    "claim {} has storage class {has}, and {asked} is asked for: a volume cannot change its class; save \
                     the data and delete the claim, and its pod is replaced",
                    name(claim)
                ));
            }
        }
        remarks
    }

    /// Claims of a pod that have another class than their template asks for, with both.
    fn of_other_class(
        &self,
        member: &Member<'_>,
    ) -> impl Iterator<Item = (&PersistentVolumeClaim, &str, &str)> {
        let templates = self.members.spec.volume_claim_templates.iter().flatten();
        let suffix = self.suffix(member);
        templates.filter_map(move |template| {
            let wanted = format!("{}{suffix}", name(template));
            let claim = self.claims.iter().find(|claim| {
                name(claim) == wanted && claim.metadata.namespace == self.members.set.metadata.namespace
            })?;
            let (has, asked) = (class(claim)?, class(template)?);
            (has != asked).then_some((*claim, has, asked))
        })
    }

    /// The volumes that the claim templates give to a pod, with their claims.
    fn claim_names(&self, member: &Member<'_>) -> impl Iterator<Item = (&str, String)> {
        let suffix = self.suffix(member);
        let templates = self.members.spec.volume_claim_templates.iter().flatten();
        templates.map(move |template| (name(template), format!("{}{suffix}", name(template))))
    }

    /// What the names of a pod's claims end with.
    fn suffix(&self, member: &Member<'_>) -> String {
        format!("-{}-{}", self.set_name(), member.ordinal)
    }

    fn set_name(&self) -> &str {
        self.members.set.metadata.name.as_deref().unwrap_or_default()
    }
}

/// The volumes of a pod. No pod of ours has none: who sees none does not see the whole pod, and knows nothing.
fn volumes<'v>(member: &Member<'v>) -> Option<&'v [Volume]> {
    member.pod.spec.as_ref()?.volumes.as_deref().filter(|volumes| !volumes.is_empty())
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

fn is_leaving(claim: &PersistentVolumeClaim) -> bool {
    claim.metadata.deletion_timestamp.is_some()
}
