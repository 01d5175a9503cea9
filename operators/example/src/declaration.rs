//! What this operator watches, owns and may do. Watches, pruning and the role follow from it.

use kernel::apply::Way;
use kernel::declare::{Declaration, Detail, Owned, Permission, Prune, Watched, keep_nothing};
use kernel::object::{Key, Object};
use kube::api::DynamicObject;
use serde_json::{Value, json};

use crate::gather::{BUDGET, CLAIM, CONFIG_MAP, JOB, POD, SECRET, SERVICE, STATEFUL_SET};
use crate::names;

/// The declaration.
pub const DECLARATION: Declaration = Declaration {
    name: "example",
    primary: names::EXAMPLE_APP,
    finalizer: names::FINALIZER,
    owned: &[
        Owned { kind: SECRET, why: "the credentials of an application", ..OWNED },
        Owned { kind: CONFIG_MAP, why: "the features of an application", ..OWNED },
        Owned { kind: SERVICE, why: "how clients and instances find an application", ..OWNED },
        Owned { kind: STATEFUL_SET, why: "the instances of an application", ..OWNED },
        Owned { kind: BUDGET, why: "how many instances a drain may evict at once", ..OWNED },
        Owned { kind: JOB, why: "the migrations of an upgrade", ..OWNED },
    ],
    watched: &[
        Watched {
            kind: POD,
            concerns: app_of_pod,
            selector: None,
            detail: Detail::Full,
            trim: trim_pod,
            optional: false,
            why: "whether instances are ready, what they run and why they fail",
        },
        Watched {
            kind: CLAIM,
            concerns: app_of_claim,
            selector: None,
            detail: Detail::Full,
            trim: trim_claim,
            optional: false,
            why: "how large the volumes are",
        },
    ],
    permissions: &[
        Permission {
            group: "",
            resource: "pods",
            verbs: &["patch", "delete"],
            why: "an annotation, so that changed features reach an instance in seconds; pods that block a rollout",
        },
        Permission {
            group: "",
            resource: "persistentvolumeclaims",
            verbs: &["patch", "delete"],
            why: "volumes grow, and are deleted with an application if the user wants that",
        },
        Permission {
            group: names::EXAMPLE_APP.group,
            resource: "exampleapps/status",
            verbs: &["patch"],
            why: "the status of an application",
        },
        Permission {
            group: names::EXAMPLE_APP.group,
            resource: "exampleapps/finalizers",
            verbs: &["update"],
            why: "children that block the deletion of their owner, if the cluster checks that",
        },
    ],
    predecessors: &["kubectl", "kubectl-client-side-apply", "kubectl-create"],
    status_manager: None,
};

/// What all owned kinds have in common.
const OWNED: Owned = Owned {
    kind: SECRET,
    way: Way::Apply,
    selector: None,
    detail: Detail::Full,
    prune: Prune::Unnamed,
    keeps: keep_nothing,
    optional: false,
    why: "",
};

/// Instances are owned by a StatefulSet with the name of the application; pods of Jobs have a label with that name.
fn app_of_pod(pod: &Object) -> Option<Key> {
    let owner = pod.controller()?;
    if owner.is_a(STATEFUL_SET) {
        return Some(Key::new(&pod.key().namespace, &owner.name));
    }
    let app = pod.label(names::JOB_OF).filter(|_| owner.is_a(JOB))?;
    Some(Key::new(&pod.key().namespace, app))
}

/// The claims of a StatefulSet contain its name: `data-NAME-0`.
fn app_of_claim(claim: &Object) -> Option<Key> {
    let (without_ordinal, ordinal) = claim.key().name.rsplit_once('-')?;
    ordinal.parse::<u32>().ok()?;
    let (_, app) = without_ordinal.split_once('-')?;
    Some(Key::new(&claim.key().namespace, app))
}

fn trim_pod(pod: &mut DynamicObject) {
    let containers = pod.data["spec"]["containers"].take();
    let containers = containers.as_array().into_iter().flatten();
    let small: Vec<Value> =
        containers.map(|container| json!({"name": container["name"], "image": container["image"]})).collect();
    let status = &mut pod.data["status"];
    let status = json!({
        "phase": status["phase"].take(),
        "conditions": status["conditions"].take(),
        "containerStatuses": status["containerStatuses"].take(),
    });
    pod.data = json!({"spec": {"containers": small}, "status": status});
}

fn trim_claim(claim: &mut DynamicObject) {
    let status = &mut claim.data["status"];
    let [phase, capacity, conditions] = ["phase", "capacity", "conditions"].map(|field| status[field].take());
    claim.data["status"] = json!({"phase": phase, "capacity": capacity, "conditions": conditions});
}
