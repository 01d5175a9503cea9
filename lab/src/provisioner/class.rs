//! The storage classes of the lab and the two provisioner names behind them. Called by `up`, which creates the
//! classes, and by the decisions, which act for these names and no others.

use k8s_openapi::api::storage::v1::StorageClass;
use kube::api::ObjectMeta;

use crate::volume::Kind;

const DIRECTORY: &str = "lab.mainstay.dev/directory";
const SIZED: &str = "lab.mainstay.dev/sized";
const DEFAULT_CLASS: &str = "storageclass.kubernetes.io/is-default-class";

/// What a provisioner name makes, if it is one of ours.
pub(super) fn kind(provisioner: &str) -> Option<Kind> {
    match provisioner {
        DIRECTORY => Some(Kind::Directory),
        SIZED => Some(Kind::Sized),
        _ => None,
    }
}

/// The provisioner name that stands for a kind.
pub(super) fn provisioner(kind: Kind) -> &'static str {
    match kind {
        Kind::Directory => DIRECTORY,
        Kind::Sized => SIZED,
    }
}

/// The classes of the lab: `standard` (the default, without a limit), `sized`, and `sized-retain`, whose volumes
/// outlive their claims. All wait for a pod, because every volume belongs to one node, and all can grow.
pub fn storage_classes() -> Vec<StorageClass> {
    vec![
        build("standard", Kind::Directory, "Delete"),
        build("sized", Kind::Sized, "Delete"),
        build("sized-retain", Kind::Sized, "Retain"),
    ]
}

fn build(name: &str, kind: Kind, reclaim_policy: &str) -> StorageClass {
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
    fn a_provisioner_name_and_a_kind_are_the_same_thing() {
        for kind_of_volume in [Kind::Directory, Kind::Sized] {
            assert_eq!(kind(provisioner(kind_of_volume)), Some(kind_of_volume));
        }
        assert_eq!(kind("kubernetes.io/no-provisioner"), None);
    }
}
