//! What this operator watches, owns and may do. Watches, pruning and the role follow from it.

use kernel::apply::Way;
use kernel::declare::{Declaration, Detail, Owned, Permission, Prune, Watched, keep_nothing};
use kernel::object::{Key, Object};
use kube::api::DynamicObject;
use serde_json::Value;

use crate::gather::{BUDGET, CLAIM, CONFIG_MAP, JOB, POD, SECRET, SERVICE, STATEFUL_SET};
use crate::names;

/// The declaration.
pub const DECLARATION: Declaration = Declaration {
    name: "example",
    primary: names::EXAMPLE_APP,
    finalizer: names::FINALIZER,
    owned: &[
        Owned {
            kind: SECRET,
            way: Way::Apply,
            selector: None,
            detail: Detail::Full,
            prune: Prune::Unnamed,
            keeps: keep_nothing,
            optional: false,
            why: "the credentials of an application",
        },
        Owned {
            kind: CONFIG_MAP,
            way: Way::Apply,
            selector: None,
            detail: Detail::Full,
            prune: Prune::Unnamed,
            keeps: keep_nothing,
            optional: false,
            why: "the features of an application",
        },
        Owned {
            kind: SERVICE,
            way: Way::Apply,
            selector: None,
            detail: Detail::Full,
            prune: Prune::Unnamed,
            keeps: keep_nothing,
            optional: false,
            why: "how clients and instances find an application",
        },
        Owned {
            kind: STATEFUL_SET,
            way: Way::Apply,
            selector: None,
            detail: Detail::Full,
            prune: Prune::Unnamed,
            keeps: keep_nothing,
            optional: false,
            why: "the instances of an application",
        },
        Owned {
            kind: BUDGET,
            way: Way::Apply,
            selector: None,
            detail: Detail::Full,
            prune: Prune::Unnamed,
            keeps: keep_nothing,
            optional: false,
            why: "how many instances a drain may take at once",
        },
        Owned {
            kind: JOB,
            way: Way::Apply,
            selector: None,
            detail: Detail::Full,
            prune: Prune::Unnamed,
            keeps: keep_nothing,
            optional: false,
            why: "the migrations of an upgrade",
        },
    ],
    watched: &[
        Watched {
            kind: POD,
            concerns: whose_pod,
            selector: None,
            detail: Detail::Full,
            trim: trim_pod,
            optional: false,
            why: "whether instances are ready, what they run and why they fail",
        },
        Watched {
            kind: CLAIM,
            concerns: whose_claim,
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
            verbs: &["patch"],
            why: "an annotation, so that changed features reach an instance in seconds",
        },
        Permission {
            group: "",
            resource: "persistentvolumeclaims",
            verbs: &["patch", "delete"],
            why: "volumes grow, and go with an application if the user says so",
        },
        Permission {
            group: names::EXAMPLE_APP.group,
            resource: "exampleapps/status",
            verbs: &["patch"],
            why: "what became of an application",
        },
        Permission {
            group: names::EXAMPLE_APP.group,
            resource: "exampleapps/finalizers",
            verbs: &["update"],
            why: "children that hold up the deletion of their owner, where the cluster checks that",
        },
    ],
    predecessors: &["kubectl", "kubectl-client-side-apply", "kubectl-create"],
    status_manager: None,
};

/// Instances belong to a set with the name of the application, Jobs say whose they are.
fn whose_pod(pod: &Object) -> Option<Key> {
    let owner = pod.controller()?;
    if owner.is_a(STATEFUL_SET) {
        return Some(Key::new(&pod.key().namespace, &owner.name));
    }
    let app = pod.label(names::JOB_OF).filter(|_| owner.is_a(JOB))?;
    Some(Key::new(&pod.key().namespace, app))
}

/// A set names the volumes of its instances after itself: `data-NAME-0`.
fn whose_claim(claim: &Object) -> Option<Key> {
    let name = &claim.key().name;
    let (without_number, number) = name.rsplit_once('-')?;
    number.parse::<u32>().ok()?;
    let (_, app) = without_number.split_once('-')?;
    Some(Key::new(&claim.key().namespace, app))
}

fn trim_pod(pod: &mut DynamicObject) {
    let containers = pod.data["spec"]["containers"].take();
    let containers = containers.as_array().into_iter().flatten();
    let small: Vec<Value> = containers
        .map(|container| serde_json::json!({"name": container["name"], "image": container["image"]}))
        .collect();
    let status = &mut pod.data["status"];
    let status = serde_json::json!({
        "conditions": status["conditions"].take(),
        "containerStatuses": status["containerStatuses"].take(),
    });
    pod.data = serde_json::json!({"spec": {"containers": small}, "status": status});
}

fn trim_claim(claim: &mut DynamicObject) {
    let status = serde_json::json!({"capacity": claim.data["status"]["capacity"].take()});
    claim.data["status"] = status;
}
