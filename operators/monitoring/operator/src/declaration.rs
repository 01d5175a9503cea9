//! What each operator watches, owns and may do. Watches, pruning and roles follow from it.

use kernel::apply::Way;
use kernel::declare::{Declaration, Kind, Owned, Right, Sight, Watched};
use kernel::object::{Key, Object};
use kube::api::DynamicObject;
use serde_json::{Value, json};

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
    ],
    rights: &[status("prometheuses/status")],
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
    ],
    rights: &[status("prometheusagents/status")],
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
    ],
    rights: &[status("alertmanagers/status")],
    predecessors: &[PEER],
    status_manager: Some(PEER),
};

/// Thanos Rulers.
pub const THANOS_RULER: Declaration = Declaration {
    name: "thanos",
    primary: kinds::THANOS_RULER,
    finalizer: CLEANUP,
    owned: &[CONFIG_MAPS, SECRETS, SERVICES, STATEFUL_SETS],
    watched: &[selectable(kinds::RULE, "what a Thanos Ruler evaluates"), NAMESPACES, PODS],
    rights: &[status("thanosrulers/status")],
    predecessors: &[PEER],
    status_manager: Some(PEER),
};

const CONFIG_MAPS: Owned = Owned {
    kind: kinds::CONFIG_MAP,
    way: Way::Replace,
    sight: Sight::Outline,
    keeps: keep::metadata,
    optional: false,
    why: "rules; and what resources point to",
};

const SECRETS: Owned = Owned {
    kind: kinds::SECRET,
    way: Way::Replace,
    sight: Sight::Outline,
    keeps: keep::compressed,
    optional: false,
    why: "configurations and certificates; and what resources point to",
};

const SERVICES: Owned = Owned {
    kind: kinds::SERVICE,
    way: Way::Replace,
    sight: Sight::Whole,
    keeps: keep::service,
    optional: true,
    why: "how pods find each other",
};

const STATEFUL_SETS: Owned = Owned {
    kind: kinds::STATEFUL_SET,
    way: Way::Replace,
    sight: Sight::Whole,
    keeps: keep::stateful_set,
    optional: false,
    why: "the pods of a workload",
};

const DAEMON_SETS: Owned = Owned {
    kind: kinds::DAEMON_SET,
    way: Way::Replace,
    sight: Sight::Whole,
    keeps: keep::daemon_set,
    optional: true,
    why: "agents on every node",
};

const NAMESPACES: Watched = Watched {
    kind: kinds::NAMESPACE,
    concerns: nobody,
    sight: Sight::Outline,
    trim: |_| (),
    optional: true,
    why: "labels that selectors ask for",
};

const PODS: Watched = Watched {
    kind: kinds::POD,
    concerns: nobody,
    sight: Sight::Whole,
    trim: trim_pod,
    optional: true,
    why: "whether they are ready, and why not",
};

/// A kind that workloads select.
const fn selectable(kind: Kind, why: &'static str) -> Watched {
    Watched { kind, concerns: nobody, sight: Sight::Whole, trim: trim_status, optional: false, why }
}

/// A kind that workloads select and that need not be there.
const fn optional(kind: Kind, why: &'static str) -> Watched {
    Watched { optional: true, ..selectable(kind, why) }
}

/// A kind of which little is known.
const fn outline(kind: Kind, why: &'static str) -> Watched {
    Watched { kind, concerns: nobody, sight: Sight::Outline, trim: |_| (), optional: false, why }
}

const fn status(resource: &'static str) -> Right {
    Right {
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
    let status = &mut pod.data["status"];
    let status = json!({
        "phase": status["phase"].take(),
        "conditions": status["conditions"].take(),
        "containerStatuses": status["containerStatuses"].take(),
        "initContainerStatuses": status["initContainerStatuses"].take(),
        "podIP": status["podIP"].take(),
    });
    pod.data = json!({"spec": Value::Object(serde_json::Map::new()), "status": status});
    pod.metadata.managed_fields = None;
}
