//! What to do about a claim, and about a volume whose claim is gone: pure functions of what the API shows.
//! Called by the two controllers, which perform the answer. Claims of other provisioners are never touched.

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec};
use k8s_openapi::api::storage::v1::StorageClass;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::ResourceExt;

use super::class;
use crate::quantity;
use crate::volume::Kind;

const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
pub(super) const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";

/// What a claim needs from us.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Action {
    /// Make a volume on a node and announce it.
    Provision(Provision),
    /// Make the volume `name` larger and say so on it and on the claim.
    Grow { name: String, bytes: u64 },
    /// Nothing can be done before somebody else has acted.
    Wait(Waiting),
    /// Nothing is to be done.
    Nothing,
    /// This can never work; the words are for the user.
    Refuse(&'static str),
}

/// A volume to be made.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Provision {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) node: String,
    /// The size to make.
    pub(super) bytes: u64,
    /// The same size as the object says it: in the user's words where the size is the one asked for.
    pub(super) capacity: Quantity,
    pub(super) access_modes: Vec<String>,
    pub(super) class: String,
    pub(super) reclaim_policy: String,
}

/// Who has to act first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waiting {
    /// A pod that uses the claim has to be scheduled.
    Consumer,
    /// The class does not wait for pods, so no node will ever be named.
    ConsumerOfImmediateClass,
    /// The volume is there and has to be bound.
    Binding,
    /// The claim names a volume that we have not seen yet.
    Volume,
}

/// Whether a volume whose claim may be gone is to be removed with its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Release {
    /// Remove the data, then the object.
    Remove,
    /// Its data outlives the claim: the class says so.
    Keep,
    /// It is in use, or not ours.
    Nothing,
}

/// The name that the volume of a claim has, or will have: unique for ever, so a retry finds what it made.
pub(super) fn volume_name(claim: &PersistentVolumeClaim) -> Option<String> {
    let bound = claim.spec.as_ref().and_then(|spec| spec.volume_name.clone()).filter(|name| !name.is_empty());
    bound.or_else(|| Some(format!("pvc-{}", claim.uid()?)))
}

/// Decides about a claim, given its class and the volume of [`volume_name`], as far as they are there.
pub(super) fn decide(
    claim: &PersistentVolumeClaim,
    class: Option<&StorageClass>,
    volume: Option<&PersistentVolume>,
) -> Action {
    let (Some(spec), Some(class), Some(name)) = (&claim.spec, class, volume_name(claim)) else {
        return Action::Nothing;
    };
    let Some(kind) = class::kind(&class.provisioner) else { return Action::Nothing };
    if claim.metadata.deletion_timestamp.is_some() {
        return Action::Nothing;
    }
    if spec.volume_name.as_ref().is_some_and(|bound| !bound.is_empty()) {
        return decide_growth(claim, name, volume);
    }
    if let Some(words) = refusal(spec) {
        return Action::Refuse(words);
    }
    let Some(requested) = request(spec) else { return Action::Refuse("The claim asks for no size.") };
    let Some(asked) = quantity::bytes(requested) else {
        return Action::Refuse("The claim asks for a size that is no number of bytes.");
    };
    if volume.is_some() {
        return Action::Wait(Waiting::Binding);
    }
    let Some(node) = claim.annotations().get(SELECTED_NODE) else {
        let waits = class.volume_binding_mode.as_deref() == Some("WaitForFirstConsumer");
        return Action::Wait(if waits { Waiting::Consumer } else { Waiting::ConsumerOfImmediateClass });
    };
    let bytes = kind.bytes_made(asked);
    Action::Provision(Provision {
        kind,
        name,
        node: node.clone(),
        bytes,
        capacity: if bytes == asked { requested.clone() } else { quantity::of_bytes(bytes) },
        access_modes: spec.access_modes.clone().unwrap_or_default(),
        class: class.name_any(),
        reclaim_policy: class.reclaim_policy.clone().unwrap_or_else(|| "Delete".to_owned()),
    })
}

/// What no volume of this lab can do, in the order in which it is said.
fn refusal(spec: &PersistentVolumeClaimSpec) -> Option<&'static str> {
    let has_mode =
        |mode: &str| spec.access_modes.iter().flatten().any(|access_mode| access_mode.as_str() == mode);
    let checks = [
        (
            spec.volume_mode.as_deref() == Some("Block"),
            "The lab makes file systems and no raw block devices: use volumeMode Filesystem.",
        ),
        (
            has_mode("ReadWriteMany") || has_mode("ReadOnlyMany"),
            "A volume of the lab lives on one node and cannot be shared between nodes: use ReadWriteOnce or \
             ReadWriteOncePod.",
        ),
        (
            spec.selector.is_some(),
            "The lab makes a new volume for each claim, which no selector can choose: remove the selector.",
        ),
        (
            spec.data_source.is_some() || spec.data_source_ref.is_some(),
            "The lab makes empty volumes and cannot fill them from a snapshot or another claim: remove the \
             data source.",
        ),
    ];
    checks.into_iter().find(|(applies, _)| *applies).map(|(_, words)| words)
}

fn request(spec: &PersistentVolumeClaimSpec) -> Option<&Quantity> {
    spec.resources.as_ref()?.requests.as_ref()?.get("storage")
}

fn decide_growth(claim: &PersistentVolumeClaim, name: String, volume: Option<&PersistentVolume>) -> Action {
    let status = claim.status.as_ref().filter(|status| status.phase.as_deref() == Some("Bound"));
    let capacity =
        status.and_then(|status| status.capacity.as_ref()?.get("storage")).and_then(quantity::bytes);
    let asked = claim.spec.as_ref().and_then(request).and_then(quantity::bytes);
    match (capacity, asked, volume) {
        (Some(capacity), Some(asked), None) if asked > capacity => Action::Wait(Waiting::Volume),
        (Some(capacity), Some(asked), Some(volume)) if asked > capacity && is_ours(volume) => {
            Action::Grow { name, bytes: asked }
        }
        _ => Action::Nothing,
    }
}

/// Decides about a volume. One that is being deleted already is treated like any other: its data must go too.
pub(super) fn decide_release(volume: &PersistentVolume) -> Release {
    let released = volume.status.as_ref().is_some_and(|status| status.phase.as_deref() == Some("Released"));
    let policy = volume.spec.as_ref().and_then(|spec| spec.persistent_volume_reclaim_policy.as_deref());
    match (released && is_ours(volume), policy) {
        (true, Some("Delete")) => Release::Remove,
        (true, _) => Release::Keep,
        (false, _) => Release::Nothing,
    }
}

fn is_ours(volume: &PersistentVolume) -> bool {
    let local = volume.spec.as_ref().is_some_and(|spec| spec.local.is_some());
    local && volume.annotations().get(PROVISIONED_BY).is_some_and(|name| class::kind(name).is_some())
}
