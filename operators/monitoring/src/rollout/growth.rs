//! Claims that are smaller than their template asks. A template is only what new claims are made from: so the claims grow
//! first, and then the template, which makes the StatefulSet anew and leaves its pods alone. Labels and annotations of a
//! template are also for new claims only; those that are there keep theirs, as with the Prometheus Operator.

use std::collections::BTreeMap;
use std::fmt;

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use kernel::quantity::Amount;

/// A claim that asks for more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resize {
    /// Its name.
    pub claim: String,
    /// Its unique id.
    pub uid: String,
    /// Its storage class: the one that it was given, whatever its template says.
    pub class: String,
    /// What it shall ask for, as the template writes it.
    pub size: String,
}

/// Something about a claim that the user should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// A volume cannot shrink.
    Larger {
        /// The claim.
        claim: String,
        /// What it asks for.
        has: String,
        /// What its template asks for.
        asked: String,
    },
    /// Its storage class does not let volumes grow.
    Rigid {
        /// The claim.
        claim: String,
        /// Its storage class; empty, if it has none.
        class: String,
        /// What it asks for.
        has: String,
        /// What its template asks for.
        asked: String,
    },
    /// It asks for enough and has not got it yet.
    Pending {
        /// The claim.
        claim: String,
        /// What it asks for.
        asked: String,
        /// What its conditions say.
        because: String,
    },
}

/// What is to be done about the claims of a StatefulSet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Growth {
    /// Claims that ask for more. As long as there are any, the templates that are there stay: see [`keep_templates`].
    pub resizes: Vec<Resize>,
    /// What the user should know.
    pub remarks: Vec<Remark>,
}

/// Decides about the claims of the pods that a StatefulSet wants. `classes` says of storage classes whether volumes of them
/// can grow; with one that is not known it is tried, and the server decides. Who knows of none learns which matter.
pub fn growth(
    wanted: &StatefulSet,
    claims: &[&PersistentVolumeClaim],
    classes: &BTreeMap<String, bool>,
) -> Growth {
    let mut growth = Growth::default();
    let Some(spec) = &wanted.spec else { return growth };
    let set = wanted.metadata.name.as_deref().unwrap_or_default();
    let start = spec.ordinals.as_ref().and_then(|ordinals| ordinals.start).unwrap_or_default();
    for ordinal in start..start.saturating_add(spec.replicas.unwrap_or(1)) {
        for template in spec.volume_claim_templates.iter().flatten() {
            let name = format!("{}-{set}-{ordinal}", name(template));
            let claim = claims.iter().find(|claim| {
                self::name(claim) == name && claim.metadata.namespace == wanted.metadata.namespace
            });
            let claim = claim.filter(|claim| claim.metadata.deletion_timestamp.is_none());
            if let (Some(claim), Some(asked)) = (claim, requested(template)) {
                growth.add(claim, asked, classes);
            }
        }
    }
    growth
}

/// Leaves the claim templates as they are there, so that nothing is made anew for them yet.
pub fn keep_templates(wanted: &mut StatefulSet, present: &StatefulSet) {
    if let (Some(wanted), Some(present)) = (&mut wanted.spec, &present.spec) {
        wanted.volume_claim_templates.clone_from(&present.volume_claim_templates);
    }
}

impl Growth {
    fn add(&mut self, claim: &PersistentVolumeClaim, asked: &str, classes: &BTreeMap<String, bool>) {
        let Some(has) = requested(claim) else { return };
        let (Some(wanted), Some(present)) = (Amount::parse(asked), Amount::parse(has)) else { return };
        let status = claim.status.as_ref();
        let capacity = status.and_then(|status| status.capacity.as_ref()?.get("storage"));
        let capacity = capacity.and_then(|capacity| Amount::parse(&capacity.0));
        // A wish that was too great and never came true may be lowered.
        let is_recovery = wanted < present && capacity.is_some_and(|capacity| wanted > capacity);
        let name = || name(claim).to_owned();
        if wanted < present && !is_recovery {
            let (has, asked) = (has.to_owned(), asked.to_owned());
            self.remarks.push(Remark::Larger { claim: name(), has, asked });
        } else if wanted == present {
            if capacity.is_some_and(|capacity| capacity < wanted) {
                let because = conditions(claim);
                self.remarks.push(Remark::Pending { claim: name(), asked: asked.to_owned(), because });
            }
        } else if status.and_then(|status| status.phase.as_deref()) == Some("Bound") {
            let class = claim.spec.as_ref().and_then(|spec| spec.storage_class_name.as_deref());
            let class = class.unwrap_or_default();
            if class.is_empty() || classes.get(class) == Some(&false) {
                let (class, has, asked) = (class.to_owned(), has.to_owned(), asked.to_owned());
                self.remarks.push(Remark::Rigid { claim: name(), class, has, asked });
            } else {
                let uid = claim.metadata.uid.clone().unwrap_or_default();
                let (class, size) = (class.to_owned(), asked.to_owned());
                self.resizes.push(Resize { claim: name(), uid, class, size });
            }
        }
        // One that is not bound yet cannot be changed: its turn comes when it is.
    }
}

fn name(claim: &PersistentVolumeClaim) -> &str {
    claim.metadata.name.as_deref().unwrap_or_default()
}

fn requested(claim: &PersistentVolumeClaim) -> Option<&str> {
    let requests = claim.spec.as_ref()?.resources.as_ref()?.requests.as_ref()?;
    Some(requests.get("storage")?.0.as_str())
}

/// What is said about a volume that grows, each with the name of its step.
fn conditions(claim: &PersistentVolumeClaim) -> String {
    const STEPS: [&str; 4] =
        ["ControllerResizeError", "NodeResizeError", "FileSystemResizePending", "Resizing"];
    let all = claim.status.as_ref().and_then(|status| status.conditions.as_deref()).unwrap_or_default();
    let said = STEPS.iter().filter_map(|step| {
        let condition = all.iter().find(|one| one.type_ == *step && one.status == "True")?;
        let message = condition.message.as_deref().filter(|message| !message.is_empty());
        Some(message.map_or_else(|| (*step).to_owned(), |message| format!("{step}: {message}")))
    });
    said.collect::<Vec<_>>().join("; ")
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Larger { claim, has, asked } => write!(
                f,
                "claim {claim} has {has}, and {asked} are asked for: a volume cannot shrink; ask for {has}, or save the \
                 data and delete the claim and its pod"
            ),
            Self::Rigid { claim, class, has, asked } if class.is_empty() => write!(
                f,
                "claim {claim} has {has}, and {asked} are asked for: it has no storage class, so its volume cannot grow"
            ),
            Self::Rigid { claim, class, has, asked } => write!(
                f,
                "claim {claim} has {has}, and {asked} are asked for: volumes of storage class {class} cannot grow unless \
                 its allowVolumeExpansion is true"
            ),
            Self::Pending { claim, asked, because } if because.is_empty() => {
                write!(f, "claim {claim} asks for {asked} and does not have them yet")
            }
            Self::Pending { claim, asked, because } => {
                write!(f, "claim {claim} asks for {asked} and does not have them yet: {because}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::PersistentVolumeClaimCondition;
    use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
    use k8s_openapi::jiff::Timestamp;

    use super::*;
    use crate::rollout::tests::build::{claim, stateful_set};

    fn wanted(replicas: i32, size: &str) -> StatefulSet {
        let mut set = stateful_set(replicas);
        set.spec.get_or_insert_default().volume_claim_templates = Some(vec![claim("data", size)]);
        set
    }

    fn told(set: &StatefulSet, claims: &[PersistentVolumeClaim], classes: &[(&str, bool)]) -> Growth {
        let claims: Vec<&PersistentVolumeClaim> = claims.iter().collect();
        growth(set, &claims, &classes.iter().map(|(name, can)| ((*name).to_owned(), *can)).collect())
    }

    fn grown(claim: &str, size: &str) -> Resize {
        let (uid, class) = (format!("{claim}-uid"), "fast".into());
        Resize { claim: claim.into(), uid, class, size: size.into() }
    }

    fn capacity(mut claim: PersistentVolumeClaim, size: &str) -> PersistentVolumeClaim {
        let status = claim.status.get_or_insert_default();
        status.capacity.get_or_insert_default().insert("storage".into(), Quantity(size.into()));
        claim
    }

    #[test]
    fn claims_that_are_too_small_grow_and_no_others() {
        let mut leaving = claim("data-set-2", "1Gi");
        leaving.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
        let mut unbound = claim("data-set-3", "1Gi");
        unbound.status.get_or_insert_default().phase = Some("Pending".into());
        let claims = [
            claim("data-set-0", "1Gi"),
            claim("data-set-1", "2048Mi"),
            leaving,
            unbound,
            claim("data-set-4", "1Gi"),
            claim("else-set-0", "1Gi"),
        ];
        let expected = Growth { resizes: vec![grown("data-set-0", "2Gi")], remarks: Vec::new() };
        assert_eq!(told(&wanted(4, "2Gi"), &claims, &[("fast", true)]), expected);
        assert_eq!(told(&wanted(4, "2Gi"), &claims, &[]), expected, "a class that is not known");
    }

    #[test]
    fn a_volume_does_not_shrink() {
        let told = told(&wanted(1, "1Gi"), &[claim("data-set-0", "2Gi")], &[]);
        assert_eq!(told.resizes, []);
        assert_eq!(
            told.remarks.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "claim data-set-0 has 2Gi, and 1Gi are asked for: a volume cannot shrink; ask for 2Gi, or save the data and \
              delete the claim and its pod"
            ]
        );
    }

    #[test]
    fn a_wish_that_never_came_true_can_be_lowered() {
        let claims = [capacity(claim("data-set-0", "9Ti"), "1Gi")];
        let expected = Growth { resizes: vec![grown("data-set-0", "2Gi")], remarks: Vec::new() };
        assert_eq!(told(&wanted(1, "2Gi"), &claims, &[]), expected);
    }

    #[test]
    fn the_class_of_a_claim_counts_and_not_that_of_its_template() {
        let mut set = wanted(1, "2Gi");
        let templates = set.spec.get_or_insert_default().volume_claim_templates.iter_mut().flatten();
        // The default class was filled in when the claim was made.
        templates.for_each(|template| template.spec.get_or_insert_default().storage_class_name = None);
        let claims = [claim("data-set-0", "1Gi")];
        assert_eq!(told(&set, &claims, &[]).resizes, [grown("data-set-0", "2Gi")]);
        let told = told(&set, &claims, &[("fast", false)]);
        assert_eq!((told.resizes.len(), told.remarks.len()), (0, 1));
    }

    #[test]
    fn a_class_may_forbid_it() {
        let mut classless = claim("data-set-1", "1Gi");
        classless.spec.get_or_insert_default().storage_class_name = Some(String::new());
        let told = told(&wanted(2, "2Gi"), &[claim("data-set-0", "1Gi"), classless], &[("fast", false)]);
        assert_eq!(told.resizes, []);
        assert_eq!(
            told.remarks.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "claim data-set-0 has 1Gi, and 2Gi are asked for: volumes of storage class fast cannot grow unless its \
                 allowVolumeExpansion is true",
                "claim data-set-1 has 1Gi, and 2Gi are asked for: it has no storage class, so its volume cannot grow",
            ]
        );
    }

    #[test]
    fn what_grows_is_told() {
        let condition = |type_: &str, message: &str| PersistentVolumeClaimCondition {
            type_: type_.into(),
            status: "True".into(),
            message: Some(message.into()),
            ..PersistentVolumeClaimCondition::default()
        };
        let mut failing = capacity(claim("data-set-0", "2Gi"), "1Gi");
        failing.status.get_or_insert_default().conditions =
            Some(vec![condition("Resizing", ""), condition("ControllerResizeError", "no space")]);
        let silent = capacity(claim("data-set-1", "2Gi"), "1Gi");
        let told = told(&wanted(3, "2Gi"), &[failing, silent, claim("data-set-2", "2Gi")], &[]);
        assert_eq!(told.resizes, []);
        assert_eq!(
            told.remarks.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                "claim data-set-0 asks for 2Gi and does not have them yet: ControllerResizeError: no space; Resizing",
                "claim data-set-1 asks for 2Gi and does not have them yet",
            ]
        );
    }

    #[test]
    fn templates_can_wait_for_the_claims() {
        let mut set = wanted(3, "2Gi");
        keep_templates(&mut set, &wanted(1, "1Gi"));
        assert_eq!(set, wanted(3, "1Gi"));
    }
}
