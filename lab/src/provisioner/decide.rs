//! Decides what to do about a claim, and about a volume whose claim was deleted. Pure. Called by the two controllers,
//! which perform the decision. Claims of other provisioners are ignored.

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec};
use k8s_openapi::api::storage::v1::StorageClass;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::ResourceExt;

use super::class;
use crate::quantity;
use crate::volume::VolumeKind;

const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
pub(super) const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";

/// What has to be done for a claim.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Action {
    /// Create a volume on a node and its `PersistentVolume`.
    Provision(Provision),
    /// Expand the volume `name`, and update the `PersistentVolume` and the claim.
    Grow { name: String, bytes: u64 },
    /// Another component has to act first.
    Wait(Waiting),
    /// Nothing has to be done.
    Nothing,
    /// The claim can never be served. The message is for the user.
    Refuse(&'static str),
}

/// A volume to create.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Provision {
    pub(super) kind: VolumeKind,
    pub(super) name: String,
    pub(super) node: String,
    /// The size.
    pub(super) bytes: u64,
    /// The same size for the `PersistentVolume`; as the user wrote it, if it is the requested size.
    pub(super) capacity: Quantity,
    pub(super) access_modes: Vec<String>,
    pub(super) class: String,
    pub(super) reclaim_policy: String,
}

/// What a claim waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waiting {
    /// A pod that uses the claim has to be scheduled.
    Consumer,
    /// The class binds immediately, so no node will ever be selected.
    ConsumerOfImmediateClass,
    /// The volume exists and has to be bound.
    Binding,
    /// The store does not contain the volume of the claim yet.
    Volume,
}

/// Whether a volume has to be removed with its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Release {
    /// Remove the data, then the object.
    Remove,
    /// Keep the data: the reclaim policy requires it.
    Keep,
    /// It is in use, or belongs to another provisioner.
    Nothing,
}

/// The name of the volume of a claim, whether it exists or not. It contains the UID, so a retry finds the volume that
/// it created.
pub(super) fn volume_name(claim: &PersistentVolumeClaim) -> Option<String> {
    let bound = claim.spec.as_ref().and_then(|spec| spec.volume_name.clone()).filter(|name| !name.is_empty());
    bound.or_else(|| Some(format!("pvc-{}", claim.uid()?)))
}

/// Decides about a claim, given its class and the volume of [`volume_name`], if they exist.
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
    if let Some(message) = refusal(spec) {
        return Action::Refuse(message);
    }
    let Some(requested) = request(spec) else { return Action::Refuse("The claim requests no size.") };
    let Some(requested_bytes) = quantity::bytes(requested) else {
        return Action::Refuse("The claim requests a size that is not a number of bytes.");
    };
    if volume.is_some() {
        return Action::Wait(Waiting::Binding);
    }
    let Some(node) = claim.annotations().get(SELECTED_NODE) else {
        let waits = class.volume_binding_mode.as_deref() == Some("WaitForFirstConsumer");
        return Action::Wait(if waits { Waiting::Consumer } else { Waiting::ConsumerOfImmediateClass });
    };
    let bytes = kind.size_for(requested_bytes);
    Action::Provision(Provision {
        kind,
        name,
        node: node.clone(),
        bytes,
        capacity: if bytes == requested_bytes { requested.clone() } else { quantity::of_bytes(bytes) },
        access_modes: spec.access_modes.clone().unwrap_or_default(),
        class: class.name_any(),
        reclaim_policy: class.reclaim_policy.clone().unwrap_or_else(|| "Delete".to_owned()),
    })
}

/// Why no volume of this lab can serve the claim: the first reason.
fn refusal(spec: &PersistentVolumeClaimSpec) -> Option<&'static str> {
    let has_mode =
        |mode: &str| spec.access_modes.iter().flatten().any(|access_mode| access_mode.as_str() == mode);
    let checks = [
        (
            spec.volume_mode.as_deref() == Some("Block"),
            "The lab provisions file systems and no raw block devices: use volumeMode Filesystem.",
        ),
        (
            has_mode("ReadWriteMany") || has_mode("ReadOnlyMany"),
            "A volume of the lab is on one node and cannot be shared between nodes: use ReadWriteOnce or \
             ReadWriteOncePod.",
        ),
        (
            spec.selector.is_some(),
            "The lab creates a new volume for each claim and ignores existing ones: remove the selector.",
        ),
        (
            spec.data_source.is_some() || spec.data_source_ref.is_some(),
            "The lab creates empty volumes and cannot fill them from a snapshot or another claim: remove the \
             data source.",
        ),
    ];
    checks.into_iter().find(|(applies, _)| *applies).map(|(_, message)| message)
}

fn request(spec: &PersistentVolumeClaimSpec) -> Option<&Quantity> {
    spec.resources.as_ref()?.requests.as_ref()?.get("storage")
}

fn decide_growth(claim: &PersistentVolumeClaim, name: String, volume: Option<&PersistentVolume>) -> Action {
    let status = claim.status.as_ref().filter(|status| status.phase.as_deref() == Some("Bound"));
    let capacity =
        status.and_then(|status| status.capacity.as_ref()?.get("storage")).and_then(quantity::bytes);
    let requested = claim.spec.as_ref().and_then(request).and_then(quantity::bytes);
    match (capacity, requested, volume) {
        (Some(capacity), Some(requested), None) if requested > capacity => Action::Wait(Waiting::Volume),
        (Some(capacity), Some(requested), Some(volume)) if requested > capacity && is_ours(volume) => {
            Action::Grow { name, bytes: requested }
        }
        _ => Action::Nothing,
    }
}

/// Decides about a volume. A volume that is being deleted is treated like any other, because its data must be removed
/// too.
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
