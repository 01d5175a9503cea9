//! Claims that are smaller than desired. The labels, annotations and sizes of a claim template apply to new claims only:
//! existing claims are resized one by one, and keep their labels and annotations.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::PersistentVolumeClaim;
use kernel::object::Key;
use kernel::quantity::Amount;

/// A claim that should request another size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resize {
    /// The claim.
    pub key: Key,
    /// Its unique id.
    pub uid: String,
    /// The size.
    pub size: String,
}

/// The changes of claims.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Growth {
    /// Claims whose requested size changes.
    pub resizes: Vec<Resize>,
    /// Messages about claims for the user.
    pub remarks: Vec<String>,
    /// How many of the claims have a storage class whose volumes cannot grow, or none.
    pub fixed: usize,
    /// How many of the claims request the desired size, and do not have it yet.
    pub pending: usize,
}

impl Growth {
    /// Decides about claims, each with its desired size. `classes` says whether volumes of a storage class can grow; with an
    /// unknown class the claim is resized, and the server may reject it.
    pub fn of<'c>(
        claims: impl IntoIterator<Item = (&'c PersistentVolumeClaim, &'c str)>,
        classes: &BTreeMap<String, bool>,
    ) -> Self {
        let mut growth = Self::default();
        for (claim, wanted) in claims {
            growth.add(claim, wanted, classes);
        }
        growth
    }

    fn add(&mut self, claim: &PersistentVolumeClaim, wanted: &str, classes: &BTreeMap<String, bool>) {
        let Some(has) = requested(claim).filter(|_| claim.metadata.deletion_timestamp.is_none()) else {
            return;
        };
        let (Some(asked), Some(asks)) = (Amount::parse(wanted), Amount::parse(has)) else { return };
        let status = claim.status.as_ref();
        let capacity = status.and_then(|status| status.capacity.as_ref()?.get("storage"));
        let capacity = capacity.and_then(|capacity| Amount::parse(&capacity.0));
        // A requested size that the volume never had may be lowered.
        let is_recovery = asked < asks && capacity.is_some_and(|capacity| asked > capacity);
        let name = name(claim);
        if asked < asks && !is_recovery {
            self.remarks.push(format!(
                "claim {name} has {has}, but {wanted} is desired: a volume cannot shrink; request {has}, or save the data \
                 and delete the claim and its pod"
            ));
        } else if asked == asks {
            if capacity.is_some_and(|capacity| capacity < asked) {
                let because = conditions(claim);
                let because = if because.is_empty() { because } else { format!(": {because}") };
                self.remarks
                    .push(format!("claim {name} requests {wanted} and does not have it yet{because}"));
                self.pending += 1;
            }
        } else if status.and_then(|status| status.phase.as_deref()) == Some("Bound") {
            let class = claim.spec.as_ref().and_then(|spec| spec.storage_class_name.as_deref());
            let why = match class.unwrap_or_default() {
                "" => "it has no storage class, so its volume cannot grow".to_owned(),
                class if classes.get(class) == Some(&false) => format!(
                    "volumes of storage class {class} cannot grow unless its allowVolumeExpansion is true"
                ),
                _ => {
                    let uid = claim.metadata.uid.clone().unwrap_or_default();
                    let key = Key::of(&claim.metadata);
                    self.resizes.push(Resize { key, uid, size: wanted.to_owned() });
                    return;
                }
            };
            self.remarks.push(format!("claim {name} has {has}, but {wanted} is desired: {why}"));
            self.fixed += 1;
        }
        // A claim that is not bound yet cannot be changed: it is resized later.
    }
}

/// The claims of the desired pods of a StatefulSet, with the sizes in its templates.
pub fn of_templates<'c>(
    set: &'c StatefulSet,
    claims: &'c [PersistentVolumeClaim],
) -> Vec<(&'c PersistentVolumeClaim, &'c str)> {
    let Some(spec) = &set.spec else { return Vec::new() };
    let set_name = set.metadata.name.as_deref().unwrap_or_default();
    let start = spec.ordinals.as_ref().and_then(|ordinals| ordinals.start).unwrap_or_default();
    let mut found = Vec::new();
    for ordinal in start..start.saturating_add(spec.replicas.unwrap_or(1)) {
        for template in spec.volume_claim_templates.iter().flatten() {
            let wanted = format!("{}-{set_name}-{ordinal}", name(template));
            let is_wanted = |claim: &&PersistentVolumeClaim| {
                name(claim) == wanted && claim.metadata.namespace == set.metadata.namespace
            };
            found.extend(claims.iter().find(is_wanted).zip(requested(template)));
        }
    }
    found
}

fn name(claim: &PersistentVolumeClaim) -> &str {
    claim.metadata.name.as_deref().unwrap_or_default()
}

/// The size that a claim requests.
pub fn requested(claim: &PersistentVolumeClaim) -> Option<&str> {
    let requests = claim.spec.as_ref()?.resources.as_ref()?.requests.as_ref()?;
    Some(requests.get("storage")?.0.as_str())
}

/// The conditions of a claim that is being resized, with their messages.
fn conditions(claim: &PersistentVolumeClaim) -> String {
    const STEPS: [&str; 4] =
        ["ControllerResizeError", "NodeResizeError", "FileSystemResizePending", "Resizing"];
    let all = claim.status.as_ref().and_then(|status| status.conditions.as_deref()).unwrap_or_default();
    let conditions = STEPS.iter().filter_map(|step| {
        let condition = all.iter().find(|one| one.type_ == *step && one.status == "True")?;
        let message = condition.message.as_deref().filter(|message| !message.is_empty());
        Some(message.map_or_else(|| (*step).to_owned(), |message| format!("{step}: {message}")))
    });
    conditions.collect::<Vec<_>>().join("; ")
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

    fn decided(set: &StatefulSet, claims: &[PersistentVolumeClaim], classes: &[(&str, bool)]) -> Growth {
        let classes = classes.iter().map(|(name, can)| ((*name).to_owned(), *can)).collect();
        Growth::of(of_templates(set, claims), &classes)
    }

    fn grown(claim: &str, size: &str) -> Resize {
        Resize { key: Key::new("", claim), uid: format!("{claim}-uid"), size: size.into() }
    }

    fn capacity(mut claim: PersistentVolumeClaim, size: &str) -> PersistentVolumeClaim {
        let status = claim.status.get_or_insert_default();
        status.capacity.get_or_insert_default().insert("storage".into(), Quantity(size.into()));
        claim
    }

    #[test]
    fn only_claims_that_are_too_small_are_resized() {
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
        let expected = Growth { resizes: vec![grown("data-set-0", "2Gi")], ..Growth::default() };
        assert_eq!(decided(&wanted(4, "2Gi"), &claims, &[("fast", true)]), expected);
        assert_eq!(decided(&wanted(4, "2Gi"), &claims, &[]), expected, "a class that is not known");
    }

    #[test]
    fn a_volume_does_not_shrink() {
        let growth = decided(&wanted(1, "1Gi"), &[claim("data-set-0", "2Gi")], &[]);
        assert_eq!(growth.resizes, []);
        assert_eq!(
            growth.remarks,
            [
                "claim data-set-0 has 2Gi, but 1Gi is desired: a volume cannot shrink; request 2Gi, or save the data and \
              delete the claim and its pod"
            ]
        );
    }

    #[test]
    fn a_requested_size_that_the_volume_never_had_can_be_lowered() {
        let claims = [capacity(claim("data-set-0", "9Ti"), "1Gi")];
        let expected = Growth { resizes: vec![grown("data-set-0", "2Gi")], ..Growth::default() };
        assert_eq!(decided(&wanted(1, "2Gi"), &claims, &[]), expected);
    }

    #[test]
    fn the_storage_class_of_the_claim_decides() {
        let mut set = wanted(1, "2Gi");
        let templates = set.spec.get_or_insert_default().volume_claim_templates.iter_mut().flatten();
        // The server set the default class when the claim was created.
        templates.for_each(|template| template.spec.get_or_insert_default().storage_class_name = None);
        let claims = [claim("data-set-0", "1Gi")];
        assert_eq!(decided(&set, &claims, &[]).resizes, [grown("data-set-0", "2Gi")]);
        let growth = decided(&set, &claims, &[("fast", false)]);
        assert_eq!((growth.resizes.len(), growth.remarks.len()), (0, 1));
    }

    #[test]
    fn a_storage_class_can_forbid_a_resize() {
        let mut classless = claim("data-set-1", "1Gi");
        classless.spec.get_or_insert_default().storage_class_name = Some(String::new());
        let growth = decided(&wanted(2, "2Gi"), &[claim("data-set-0", "1Gi"), classless], &[("fast", false)]);
        assert_eq!(growth.resizes, []);
        assert_eq!(
            growth.remarks,
            [
                "claim data-set-0 has 1Gi, but 2Gi is desired: volumes of storage class fast cannot grow unless its \
                 allowVolumeExpansion is true",
                "claim data-set-1 has 1Gi, but 2Gi is desired: it has no storage class, so its volume cannot grow",
            ]
        );
    }

    #[test]
    fn a_claim_that_is_being_resized_is_reported() {
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
        let growth = decided(&wanted(3, "2Gi"), &[failing, silent, claim("data-set-2", "2Gi")], &[]);
        assert_eq!(growth.resizes, []);
        assert_eq!(
            growth.remarks,
            [
                "claim data-set-0 requests 2Gi and does not have it yet: ControllerResizeError: no space; Resizing",
                "claim data-set-1 requests 2Gi and does not have it yet",
            ]
        );
    }
}
