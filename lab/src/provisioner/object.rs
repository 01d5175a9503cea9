//! The objects and patches that the provisioner writes. Called by `perform`; pure.

use std::path::Path;

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::{
    LocalVolumeSource, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, ObjectReference,
    PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimCondition, PersistentVolumeSpec,
    VolumeNodeAffinity,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::api::ObjectMeta;
use kube::{Resource, ResourceExt};
use serde_json::{Value, json};

use super::class;
use super::decide::{PROVISIONED_BY, Provision};

/// Conditions that a resizer may have set, and that are obsolete once the volume is expanded.
const GROWTH_CONDITIONS: [&str; 4] =
    ["Resizing", "FileSystemResizePending", "ControllerResizeError", "NodeResizeError"];

/// The `PersistentVolume` of a claim: bound to the UID of the claim, so that a new claim of the same name does not get
/// its data.
pub(super) fn volume(
    claim: &PersistentVolumeClaim,
    provision: &Provision,
    path: &Path,
) -> Result<PersistentVolume> {
    let path = path.to_str().context("the path of the volumes is not UTF-8")?.to_owned();
    let annotation = (PROVISIONED_BY.to_owned(), class::provisioner(provision.kind).to_owned());
    Ok(PersistentVolume {
        metadata: ObjectMeta {
            name: Some(provision.name.clone()),
            annotations: Some([annotation].into()),
            ..ObjectMeta::default()
        },
        spec: Some(PersistentVolumeSpec {
            access_modes: Some(provision.access_modes.clone()),
            capacity: Some([("storage".to_owned(), provision.capacity.clone())].into()),
            claim_ref: Some(ObjectReference { resource_version: None, ..claim.object_ref(&()) }),
            local: Some(LocalVolumeSource { fs_type: None, path }),
            node_affinity: Some(only_on(&provision.node)),
            persistent_volume_reclaim_policy: Some(provision.reclaim_policy.clone()),
            storage_class_name: Some(provision.class.clone()),
            volume_mode: Some("Filesystem".to_owned()),
            ..PersistentVolumeSpec::default()
        }),
        status: None,
    })
}

fn only_on(node: &str) -> VolumeNodeAffinity {
    let hostname = NodeSelectorRequirement {
        key: "kubernetes.io/hostname".to_owned(),
        operator: "In".to_owned(),
        values: Some(vec![node.to_owned()]),
    };
    let term = NodeSelectorTerm { match_expressions: Some(vec![hostname]), match_fields: None };
    VolumeNodeAffinity { required: Some(NodeSelector { node_selector_terms: vec![term] }) }
}

/// The patch that sets the new size of a volume.
pub(super) fn grown_volume(capacity: &Quantity) -> Value {
    json!({"spec": {"capacity": {"storage": capacity}}})
}

/// The patch that sets the new size of a claim and removes the conditions of the expansion. A merge patch replaces a
/// whole list, so the other conditions are repeated.
pub(super) fn grown_claim(claim: &PersistentVolumeClaim, capacity: &Quantity) -> Value {
    let conditions = claim.status.iter().flat_map(|status| status.conditions.iter().flatten());
    let kept: Vec<&PersistentVolumeClaimCondition> =
        conditions.filter(|condition| !GROWTH_CONDITIONS.contains(&condition.type_.as_str())).collect();
    let kept = if kept.is_empty() { Value::Null } else { json!(kept) };
    json!({"status": {"capacity": {"storage": capacity}, "conditions": kept}})
}

/// The namespace and name of a claim.
pub(super) fn title(claim: &PersistentVolumeClaim) -> String {
    format!("{}/{}", claim.namespace().unwrap_or_default(), claim.name_any())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::VolumeKind;

    fn claim(status: &Value) -> PersistentVolumeClaim {
        serde_json::from_value(json!({
            "metadata": {"name": "data", "namespace": "shop", "uid": "7", "resourceVersion": "12"},
            "spec": {},
            "status": status,
        }))
        .unwrap()
    }

    #[test]
    fn a_volume_belongs_to_one_claim_and_one_node() {
        let provision = Provision {
            kind: VolumeKind::Sized,
            name: "pvc-7".into(),
            node: "node-2".into(),
            bytes: 100 << 20,
            capacity: Quantity("100Mi".into()),
            access_modes: vec!["ReadWriteOnce".into()],
            class: "sized".into(),
            reclaim_policy: "Delete".into(),
        };
        let built = volume(&claim(&json!({})), &provision, Path::new("/volumes/pvc-7")).unwrap();
        assert_eq!(
            serde_json::to_value(built).unwrap(),
            json!({
                "apiVersion": "v1",
                "kind": "PersistentVolume",
                "metadata": {
                    "name": "pvc-7",
                    "annotations": {"pv.kubernetes.io/provisioned-by": "lab.mainstay.dev/sized"},
                },
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "capacity": {"storage": "100Mi"},
                    "claimRef": {
                        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
                        "namespace": "shop", "name": "data", "uid": "7",
                    },
                    "local": {"path": "/volumes/pvc-7"},
                    "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                        {"key": "kubernetes.io/hostname", "operator": "In", "values": ["node-2"]},
                    ]}]}},
                    "persistentVolumeReclaimPolicy": "Delete",
                    "storageClassName": "sized",
                    "volumeMode": "Filesystem",
                },
            })
        );
    }

    #[test]
    fn an_expansion_removes_only_its_own_conditions() {
        let size = Quantity("300Mi".into());
        let expected = json!({"status": {"capacity": {"storage": "300Mi"}, "conditions": null}});
        assert_eq!(grown_claim(&claim(&json!({})), &size), expected);
        let resizing = json!({"type": "FileSystemResizePending", "status": "True"});
        let other = json!({"type": "Audited", "status": "True"});
        assert_eq!(grown_claim(&claim(&json!({"conditions": [resizing]})), &size), expected);
        assert_eq!(
            grown_claim(&claim(&json!({"conditions": [resizing, other]})), &size),
            json!({"status": {"capacity": {"storage": "300Mi"}, "conditions": [other]}})
        );
        assert_eq!(grown_volume(&size), json!({"spec": {"capacity": {"storage": "300Mi"}}}));
    }
}
