//! What each operator watches, owns and may do. Watches, pruning and roles follow from it.

use kernel::apply::Way;
use kernel::declare::{Declaration, Detail, Kind, Owned, Permission, Prune, Watched};
use kernel::object::{Key, Object};
use kube::api::DynamicObject;
use serde_json::{Map, Value, json};

use crate::{keep, kinds};

/// The name under which the Prometheus Operator writes, so that objects change hands both ways.
const PEER: &str = "PrometheusOperator";

/// What the Prometheus Operator puts on workloads when monitors and rules speak of them. We never do, but take it away from
/// a workload that is deleted.
const CLEANUP: &str = "monitoring.coreos.com/status-cleanup";

/// Servers.
pub const PROMETHEUS: Declaration = Declaration {
    name: "prometheus",
    primary: kinds::PROMETHEUS,
    finalizer: CLEANUP,
    owned: &[CONFIG_MAPS, SECRETS, SERVICES, STATEFUL_SETS],
    watched: &[
        selectable(kinds::SERVICE_MONITOR, "what a Prometheus scrapes"),
        selectable(kinds::POD_MONITOR, "what a Prometheus scrapes"),
        selectable(kinds::PROBE, "what a Prometheus scrapes"),
        optional(kinds::SCRAPE_CONFIG, "what a Prometheus scrapes"),
        selectable(kinds::RULE, "what a Prometheus evaluates"),
        NAMESPACES,
        PODS,
        CLAIMS,
    ],
    permissions: PERMISSIONS_PROMETHEUSES,
    predecessors: &[PEER],
    status_manager: Some(PEER),
};

/// Agents.
pub const AGENT: Declaration = Declaration {
    name: "prometheus-agent",
    primary: kinds::AGENT,
    finalizer: CLEANUP,
    owned: &[SECRETS, SERVICES, STATEFUL_SETS, DAEMON_SETS],
    watched: &[
        selectable(kinds::SERVICE_MONITOR, "what an agent scrapes"),
        selectable(kinds::POD_MONITOR, "what an agent scrapes"),
        selectable(kinds::PROBE, "what an agent scrapes"),
        optional(kinds::SCRAPE_CONFIG, "what an agent scrapes"),
        outline(kinds::CONFIG_MAP, "what monitors point to"),
        NAMESPACES,
        PODS,
        CLAIMS,
    ],
    permissions: PERMISSIONS_PROMETHEUSAGENTS,
    predecessors: &[PEER],
    status_manager: Some(PEER),
};

/// Alertmanagers.
pub const ALERTMANAGER: Declaration = Declaration {
    name: "alertmanager",
    primary: kinds::ALERTMANAGER,
    finalizer: CLEANUP,
    owned: &[SECRETS, SERVICES, STATEFUL_SETS],
    watched: &[
        selectable(kinds::ALERTMANAGER_CONFIG, "whom an Alertmanager tells"),
        outline(kinds::CONFIG_MAP, "what AlertmanagerConfigs point to"),
        NAMESPACES,
        PODS,
        CLAIMS,
    ],
    permissions: PERMISSIONS_ALERTMANAGERS,
    predecessors: &[PEER],
    status_manager: Some(PEER),
};

/// Thanos Rulers.
pub const THANOS_RULER: Declaration = Declaration {
    name: "thanos",
    primary: kinds::THANOS_RULER,
    finalizer: CLEANUP,
    owned: &[CONFIG_MAPS, SECRETS, SERVICES, STATEFUL_SETS],
    watched: &[selectable(kinds::RULE, "what a Thanos Ruler evaluates"), NAMESPACES, PODS, CLAIMS],
    permissions: PERMISSIONS_THANOSRULERS,
    predecessors: &[PEER],
    status_manager: Some(PEER),
};

const CONFIG_MAPS: Owned = Owned {
    kind: kinds::CONFIG_MAP,
    way: Way::Replace,
    selector: None,
    detail: Detail::Metadata,
    prune: Prune::Unnamed,
    keeps: keep::metadata,
    optional: false,
    why: "rules; and what resources point to",
};

const SECRETS: Owned = Owned {
    kind: kinds::SECRET,
    way: Way::Replace,
    selector: None,
    detail: Detail::Metadata,
    prune: Prune::Unnamed,
    keeps: keep::compressed,
    optional: false,
    why: "configurations and certificates; and what resources point to",
};

const SERVICES: Owned = Owned {
    kind: kinds::SERVICE,
    way: Way::Replace,
    selector: None,
    detail: Detail::Full,
    prune: Prune::Unnamed,
    keeps: keep::service,
    optional: true,
    why: "how pods find each other",
};

const STATEFUL_SETS: Owned = Owned {
    kind: kinds::STATEFUL_SET,
    way: Way::Replace,
    selector: None,
    detail: Detail::Full,
    prune: Prune::Unnamed,
    keeps: keep::stateful_set,
    optional: false,
    why: "the pods of a workload",
};

const DAEMON_SETS: Owned = Owned {
    kind: kinds::DAEMON_SET,
    way: Way::Replace,
    selector: None,
    detail: Detail::Full,
    prune: Prune::Unnamed,
    keeps: keep::daemon_set,
    optional: true,
    why: "agents on every node",
};

const NAMESPACES: Watched = Watched {
    kind: kinds::NAMESPACE,
    concerns: nobody,
    selector: None,
    detail: Detail::Metadata,
    trim: |_| (),
    optional: true,
    why: "labels that selectors ask for",
};

/// By these labels workloads know their pods and claims: nobody looks at others.
const OPERANDS: Option<&str> =
    Some("app.kubernetes.io/name in (alertmanager,prometheus,prometheus-agent,thanos-ruler)");

const PODS: Watched = Watched {
    kind: kinds::POD,
    concerns: nobody,
    selector: OPERANDS,
    detail: Detail::Full,
    trim: trim_pod,
    optional: true,
    why: "whether they are ready, and why not",
};

const CLAIMS: Watched = Watched {
    kind: kinds::CLAIM,
    concerns: nobody,
    selector: OPERANDS,
    detail: Detail::Full,
    trim: trim_claim,
    optional: true,
    why: "whether volumes are as large as asked for",
};

/// A kind that workloads select.
const fn selectable(kind: Kind, why: &'static str) -> Watched {
    Watched {
        kind,
        concerns: nobody,
        selector: None,
        detail: Detail::Full,
        trim: trim_status,
        optional: false,
        why,
    }
}

/// A kind that workloads select and that need not be there.
const fn optional(kind: Kind, why: &'static str) -> Watched {
    Watched { optional: true, ..selectable(kind, why) }
}

/// A kind of which little is known.
const fn outline(kind: Kind, why: &'static str) -> Watched {
    Watched {
        kind,
        concerns: nobody,
        selector: None,
        detail: Detail::Metadata,
        trim: |_| (),
        optional: false,
        why,
    }
}

/// The rights of an operator: its own status, what it says of others, and pods.
macro_rules! permissions {
    ($own:literal $(, $other:literal)*) => {
        &[
            status(concat!($own, "/status")),
            finalizers(concat!($own, "/finalizers")),
            $(told(concat!($other, "/status")),)*
            PATCH_PODS, DELETE_PODS, EVICT_PODS, WAKE_STATEFUL_SETS, GROW_CLAIMS, STORAGE_CLASSES]
    };
}

const PERMISSIONS_PROMETHEUSES: &[Permission] = permissions!(
    "prometheuses",
    "servicemonitors",
    "podmonitors",
    "probes",
    "scrapeconfigs",
    "prometheusrules"
);
const PERMISSIONS_PROMETHEUSAGENTS: &[Permission] =
    permissions!("prometheusagents", "servicemonitors", "podmonitors", "probes", "scrapeconfigs");
const PERMISSIONS_ALERTMANAGERS: &[Permission] = permissions!("alertmanagers", "alertmanagerconfigs");
const PERMISSIONS_THANOSRULERS: &[Permission] = permissions!("thanosrulers", "prometheusrules");

const PATCH_PODS: Permission = Permission {
    group: "",
    resource: "pods",
    verbs: &["patch"],
    why: "touched after a change of their configuration, so that it takes effect at once; labels, if a selector changed",
};

const DELETE_PODS: Permission = Permission {
    group: "",
    resource: "pods",
    verbs: &["delete"],
    why: "pods that cannot be brought up to date otherwise, and pods that a stuck roll-out waits for",
};

const EVICT_PODS: Permission = Permission {
    group: "",
    resource: "pods/eviction",
    verbs: &["create"],
    why: "the same, where disruption budgets shall be kept",
};

const WAKE_STATEFUL_SETS: Permission = Permission {
    group: "apps",
    resource: "statefulsets",
    verbs: &["patch"],
    why: "roll-outs that go on only when their StatefulSet changes, and how long surplus shards are kept",
};

const GROW_CLAIMS: Permission =
    Permission { group: "", resource: "persistentvolumeclaims", verbs: &["patch"], why: "volumes that grow" };

const STORAGE_CLASSES: Permission = Permission {
    group: "storage.k8s.io",
    resource: "storageclasses",
    verbs: &["get"],
    why: "whether a class is there, and lets volumes grow",
};

const fn told(resource: &'static str) -> Permission {
    Permission {
        group: "monitoring.coreos.com",
        resource,
        verbs: &["patch"],
        why: "what workloads made of an object",
    }
}

const fn finalizers(resource: &'static str) -> Permission {
    Permission {
        group: "monitoring.coreos.com",
        resource,
        verbs: &["update"],
        why: "objects that go only after what they made, where the cluster checks who may say so of its owner",
    }
}

const fn status(resource: &'static str) -> Permission {
    Permission {
        group: "monitoring.coreos.com",
        resource,
        verbs: &["patch", "update"],
        why: "what became of a workload",
    }
}

/// Whom it concerns depends on selectors and references: see `interest`.
fn nobody(_object: &Object) -> Option<Key> {
    None
}

/// What `kubectl` and the server wrote for themselves is of no use to us.
fn trim_status(object: &mut DynamicObject) {
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
    let status = &mut claim.data["status"];
    let status = json!({
        "phase": status["phase"].take(),
        "capacity": status["capacity"].take(),
        "conditions": status["conditions"].take(),
    });
    let spec = &mut claim.data["spec"];
    let spec =
        json!({"storageClassName": spec["storageClassName"].take(), "resources": spec["resources"].take()});
    claim.data = json!({"spec": spec, "status": status});
    claim.metadata.managed_fields = None;
}

#[cfg(test)]
mod tests;
