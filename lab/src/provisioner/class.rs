//! The storage classes of the lab and their two provisioner names. Called by `up`, which creates the classes, and by
//! `decide`, which ignores all other provisioners.

use k8s_openapi::api::storage::v1::StorageClass;
use kube::api::ObjectMeta;

use crate::volume::VolumeKind;

const DIRECTORY: &str = "lab.mainstay.dev/directory";
const SIZED: &str = "lab.mainstay.dev/sized";
const DEFAULT_CLASS: &str = "storageclass.kubernetes.io/is-default-class";

/// The kind of volume of a provisioner name, if it is one of the lab's.
pub(super) fn kind(provisioner: &str) -> Option<VolumeKind> {
    match provisioner {
        DIRECTORY => Some(VolumeKind::Directory),
        SIZED => Some(VolumeKind::Sized),
        _ => None,
    }
}

/// The provisioner name of a kind.
pub(super) fn provisioner(kind: VolumeKind) -> &'static str {
    match kind {
        VolumeKind::Directory => DIRECTORY,
        VolumeKind::Sized => SIZED,
    }
}

/// The classes of the lab: `standard` (the default, without a limit), `sized`, and `sized-retain`, whose volumes are
/// kept when their claims are deleted. All wait for a pod, because every volume belongs to one node, and all allow
/// expansion.
pub fn storage_classes() -> Vec<StorageClass> {
    vec![
        build("standard", VolumeKind::Directory, "Delete"),
        build("sized", VolumeKind::Sized, "Delete"),
        build("sized-retain", VolumeKind::Sized, "Retain"),
    ]
}

fn build(name: &str, kind: VolumeKind, reclaim_policy: &str) -> StorageClass {
    let default = (name == "standard").then(|| [(DEFAULT_CLASS.to_owned(), "true".to_owned())].into());
    StorageClass {
        metadata: ObjectMeta { name: Some(name.to_owned()), annotations: default, ..ObjectMeta::default() },
        provisioner: provisioner(kind).to_owned(),
        reclaim_policy: Some(reclaim_policy.to_owned()),
        volume_binding_mode: Some("WaitForFirstConsumer".to_owned()),
        allow_volume_expansion: Some(true),
        ..StorageClass::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classes_are_these() {
        let class = |name: &str, provisioner: &str, reclaim_policy: &str, metadata: serde_json::Value| {
            let mut metadata = metadata;
            metadata["name"] = name.into();
            serde_json::json!({
                "apiVersion": "storage.k8s.io/v1",
                "kind": "StorageClass",
                "metadata": metadata,
                "provisioner": provisioner,
                "reclaimPolicy": reclaim_policy,
                "volumeBindingMode": "WaitForFirstConsumer",
                "allowVolumeExpansion": true,
            })
        };
        let default =
            serde_json::json!({"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}});
        let none = serde_json::json!({});
        assert_eq!(
            serde_json::to_value(storage_classes()).unwrap(),
            serde_json::json!([
                class("standard", "lab.mainstay.dev/directory", "Delete", default),
                class("sized", "lab.mainstay.dev/sized", "Delete", none.clone()),
                class("sized-retain", "lab.mainstay.dev/sized", "Retain", none),
            ])
        );
    }

    #[test]
    fn each_kind_has_one_provisioner_name() {
        for kind_of_volume in [VolumeKind::Directory, VolumeKind::Sized] {
            assert_eq!(kind(provisioner(kind_of_volume)), Some(kind_of_volume));
        }
        assert_eq!(kind("kubernetes.io/no-provisioner"), None);
    }
}
