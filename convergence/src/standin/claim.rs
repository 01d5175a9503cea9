//! Decides what happens to a claim. Pure.

use serde_json::{Value, json};

use super::NAME;

/// An action on a claim.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ClaimAction {
    /// Creates this volume for it.
    Provision(Value),
    /// Expands its volume to this size.
    Grow(String),
}

/// The default storage class.
pub(super) fn class() -> Value {
    json!({
        "metadata": {
            "name": NAME,
            "annotations": {"storageclass.kubernetes.io/is-default-class": "true"},
        },
        "provisioner": "convergence.mainstay.dev/stand-in",
        "reclaimPolicy": "Retain",
        "allowVolumeExpansion": true,
        "volumeBindingMode": "Immediate",
    })
}

/// The name of a claim's volume.
pub(super) fn volume_name(claim: &Value) -> String {
    format!("pvc-{}", claim["metadata"]["uid"].as_str().unwrap_or_default())
}

/// The next action on a claim, if any.
pub(super) fn decide(claim: &Value) -> Option<ClaimAction> {
    if !claim["metadata"]["deletionTimestamp"].is_null() {
        return None;
    }
    let size = claim["spec"]["resources"]["requests"]["storage"].as_str()?;
    match claim["status"]["phase"].as_str() {
        Some("Bound") => {
            (claim["status"]["capacity"]["storage"] != size).then(|| ClaimAction::Grow(size.into()))
        }
        _ if claim["spec"]["volumeName"].is_null() => Some(ClaimAction::Provision(volume(claim, size))),
        _ => None,
    }
}

fn volume(claim: &Value, size: &str) -> Value {
    json!({
        "metadata": {"name": volume_name(claim)},
        "spec": {
            "accessModes": claim["spec"]["accessModes"],
            "capacity": {"storage": size},
            "claimRef": {
                "apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "namespace": claim["metadata"]["namespace"],
                "name": claim["metadata"]["name"],
                "uid": claim["metadata"]["uid"],
            },
            "local": {"path": "/nowhere"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                {"key": "kubernetes.io/hostname", "operator": "In", "values": [NAME]},
            ]}]}},
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": claim["spec"]["storageClassName"],
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_gets_a_volume_that_is_expanded_on_request() {
        let mut claim = json!({
            "metadata": {"name": "data", "namespace": "one", "uid": "7"},
            "spec": {"resources": {"requests": {"storage": "1Gi"}}, "storageClassName": NAME},
            "status": {"phase": "Pending"},
        });
        let Some(ClaimAction::Provision(volume)) = decide(&claim) else { panic!("no volume") };
        assert_eq!(volume["metadata"]["name"], "pvc-7");
        assert_eq!(volume["spec"]["claimRef"]["uid"], "7");
        claim["status"] = json!({"phase": "Bound", "capacity": {"storage": "1Gi"}});
        assert_eq!(decide(&claim), None);
        claim["spec"]["resources"]["requests"]["storage"] = "2Gi".into();
        assert_eq!(decide(&claim), Some(ClaimAction::Grow("2Gi".into())));
    }
}
