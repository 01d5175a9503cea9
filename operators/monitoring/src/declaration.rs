//! What the operators of all workloads watch and own, and their permissions. The declaration of each kind consists of these
//! parts. Watches, pruning and roles follow from it.

use kernel::apply::Way;
use kernel::declare::{Declaration, Detail, Kind, Owned, Permission, Prune, Watched};
use kernel::object::{Key, Object};
use kube::api::DynamicObject;
use serde_json::{Map, Value, json};

pub use crate::agent::declaration::DECLARATION as AGENT;
pub use crate::alertmanager::declaration::DECLARATION as ALERTMANAGER;
pub use crate::prometheus::declaration::DECLARATION as PROMETHEUS;
pub use crate::thanos_ruler::declaration::DECLARATION as THANOS_RULER;
use crate::{kinds, preserve};

/// The field manager of the Prometheus Operator: either operator can take over the objects of the other.
const PEER: &str = "PrometheusOperator";

/// The finalizer that the Prometheus Operator adds to workloads which the status of monitors and rules mentions. This
/// operator never adds it, but removes it from a workload that is deleted.
const CLEANUP: &str = "monitoring.coreos.com/status-cleanup";

pub(crate) const CONFIG_MAPS: Owned =
    owned(kinds::CONFIG_MAP, Detail::Metadata, preserve::metadata, "rules; and what resources refer to");

pub(crate) const SECRETS: Owned = owned(
    kinds::SECRET,
    Detail::Metadata,
    preserve::compressed,
    "configurations and certificates; and what resources refer to",
);

pub(crate) const SERVICES: Owned =
    Owned { optional: true, ..owned(kinds::SERVICE, Detail::Full, preserve::service, "the names of pods") };

pub(crate) const STATEFUL_SETS: Owned =
    owned(kinds::STATEFUL_SET, Detail::Full, preserve::stateful_set, "the pods of a workload");

pub(crate) const DAEMON_SETS: Owned = Owned {
    optional: true,
    ..owned(kinds::DAEMON_SET, Detail::Full, preserve::daemon_set, "agents on every node")
};

/// A kind of objects that workloads own.
const fn owned(kind: Kind, detail: Detail, keeps: fn(&mut Value, &Value), why: &'static str) -> Owned {
    Owned {
        kind,
        way: Way::Replace,
        selector: None,
        detail,
        prune: Prune::Unnamed,
        keeps,
        optional: false,
        why,
    }
}

pub(crate) const NAMESPACES: Watched =
    Watched { optional: true, ..outline(kinds::NAMESPACE, "the labels that selectors match") };

/// The labels of the pods and claims of all workloads.
const OPERANDS: Option<&str> =
    Some("app.kubernetes.io/name in (alertmanager,prometheus,prometheus-agent,thanos-ruler)");

pub(crate) const PODS: Watched = Watched {
    selector: OPERANDS,
    trim: trim_pod,
    ..optional(kinds::POD, "whether pods are ready, and why not")
};

pub(crate) const CLAIMS: Watched = Watched {
    selector: OPERANDS,
    trim: trim_claim,
    ..optional(kinds::CLAIM, "whether volumes have the requested size")
};

/// The declaration of the operator of a kind of workload.
pub(crate) const fn workload(
    name: &'static str,
    primary: Kind,
    owned: &'static [Owned],
    watched: &'static [Watched],
    permissions: &'static [Permission],
) -> Declaration {
    Declaration {
        name,
        primary,
        finalizer: CLEANUP,
        owned,
        watched,
        permissions,
        predecessors: &[PEER],
        status_manager: Some(PEER),
    }
}

/// A kind that workloads select.
pub(crate) const fn selectable(kind: Kind, why: &'static str) -> Watched {
    Watched {
        kind,
        concerns: no_owner,
        selector: None,
        detail: Detail::Full,
        trim: trim_metadata,
        optional: false,
        why,
    }
}

/// A kind that may be missing from the cluster.
pub(crate) const fn optional(kind: Kind, why: &'static str) -> Watched {
    Watched { optional: true, ..selectable(kind, why) }
}

/// A kind of objects whose metadata is watched, but not their content.
pub(crate) const fn outline(kind: Kind, why: &'static str) -> Watched {
    Watched { detail: Detail::Metadata, trim: |_| (), ..selectable(kind, why) }
}

/// The permissions of an operator: its own status, the status of the kinds that it selects, and pods.
macro_rules! permissions {
    ($own:literal $(, $selectable:literal)*) => {
        &[
            $crate::declaration::status(concat!($own, "/status")),
            $crate::declaration::finalizers(concat!($own, "/finalizers")),
            $($crate::declaration::binding(concat!($selectable, "/status")),)*
            $crate::declaration::PATCH_PODS,
            $crate::declaration::DELETE_PODS,
            $crate::declaration::EVICT_PODS,
            $crate::declaration::PATCH_STATEFUL_SETS,
            $crate::declaration::GROW_CLAIMS,
            $crate::declaration::STORAGE_CLASSES,
        ]
    };
}
pub(crate) use permissions;

const fn permission(
    group: &'static str,
    resource: &'static str,
    verbs: &'static [&'static str],
    why: &'static str,
) -> Permission {
    Permission { group, resource, verbs, why }
}

pub(crate) const PATCH_PODS: Permission = permission(
    "",
    "pods",
    &["patch"],
    "an annotation after a change of the configuration, so that it takes effect at once; labels, if a selector changed",
);

pub(crate) const DELETE_PODS: Permission = permission(
    "",
    "pods",
    &["delete"],
    "pods that cannot be updated otherwise, and pods that block a rollout",
);

pub(crate) const EVICT_PODS: Permission =
    permission("", "pods/eviction", &["create"], "the same, without violating PodDisruptionBudgets");

pub(crate) const PATCH_STATEFUL_SETS: Permission = permission(
    "apps",
    "statefulsets",
    &["patch"],
    "rollouts that only continue when their StatefulSet changes, and the deletion deadline of surplus shards",
);

pub(crate) const GROW_CLAIMS: Permission =
    permission("", "persistentvolumeclaims", &["patch"], "volumes that grow");

pub(crate) const STORAGE_CLASSES: Permission = permission(
    "storage.k8s.io",
    "storageclasses",
    &["get"],
    "whether a storage class exists and its volumes can grow",
);

pub(crate) const fn binding(resource: &'static str) -> Permission {
    permission(
        "monitoring.coreos.com",
        resource,
        &["patch"],
        "whether workloads accept an object that they select",
    )
}

pub(crate) const fn finalizers(resource: &'static str) -> Permission {
    permission(
        "monitoring.coreos.com",
        resource,
        &["update"],
        "owner references that block deletion, where the cluster checks who may set them",
    )
}

pub(crate) const fn status(resource: &'static str) -> Permission {
    permission("monitoring.coreos.com", resource, &["patch", "update"], "the status of a workload")
}

/// Which workloads an object concerns depends on selectors and references: see `interest`.
fn no_owner(_object: &Object) -> Option<Key> {
    None
}

/// Removes the metadata that only `kubectl` and the API server use.
fn trim_metadata(object: &mut DynamicObject) {
    if let Some(annotations) = &mut object.metadata.annotations {
        annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
    }
    object.metadata.managed_fields = None;
}

fn trim_pod(pod: &mut DynamicObject) {
    let status = pod.data["status"].take();
    let spec = &pod.data["spec"];
    let each = |list: &str, fields: &[&str]| -> Vec<Value> {
        spec[list].as_array().into_iter().flatten().map(|one| some(one, fields)).collect()
    };
    let spec = json!({
        "containers": each("containers", &["name", "image", "command", "args"]),
        "initContainers": each("initContainers", &["name", "image"]),
        "volumes": each("volumes", &["name", "persistentVolumeClaim"]),
        "subdomain": spec["subdomain"],
    });
    let kept = ["phase", "startTime", "conditions", "containerStatuses", "initContainerStatuses", "podIP"];
    let status = some(&status, &kept);
    pod.data = json!({"spec": spec, "status": status});
    pod.metadata.managed_fields = None;
}

/// Some fields of an object.
fn some(object: &Value, fields: &[&str]) -> Value {
    fields.iter().map(|field| ((*field).to_owned(), object[*field].clone())).collect::<Map<_, _>>().into()
}

fn trim_claim(claim: &mut DynamicObject) {
    let status = some(&claim.data["status"], &["phase", "capacity", "conditions"]);
    let spec = some(&claim.data["spec"], &["storageClassName", "resources"]);
    claim.data = json!({"spec": spec, "status": status});
    claim.metadata.managed_fields = None;
}

#[cfg(test)]
mod tests;
