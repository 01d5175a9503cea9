//! Decides what happens to a pod. Pure.

use std::net::IpAddr;

use serde_json::{Value, json};

/// An action on a pod.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PodAction {
    /// Binds it to the node.
    Bind,
    /// Sets its status.
    SetStatus(Value),
    /// Removes it after its deletion.
    Remove,
}

/// The next action on a pod, if any. `reloaders` is the address of pods with a reloader.
pub(super) fn decide(pod: &Value, reloaders: IpAddr) -> Option<PodAction> {
    if !pod["metadata"]["deletionTimestamp"].is_null() {
        return Some(PodAction::Remove);
    }
    if pod["spec"]["nodeName"].is_null() {
        return Some(PodAction::Bind);
    }
    let phase = pod["status"]["phase"].as_str().unwrap_or("Pending");
    (phase == "Pending").then(|| {
        let mut status = if is_of_job(pod) { job(pod) } else { instance(pod) };
        if has_reloader(pod) {
            status["podIP"] = reloaders.to_string().into();
        }
        PodAction::SetStatus(status)
    })
}

/// Whether a reloader runs beside its first container.
fn has_reloader(pod: &Value) -> bool {
    let containers = pod["spec"]["containers"].as_array();
    let is_reloader =
        |container: &Value| container["name"].as_str().is_some_and(|name| name.ends_with("reloader"));
    containers.into_iter().flatten().any(is_reloader)
}

/// Whether a Job created it.
pub(super) fn is_of_job(pod: &Value) -> bool {
    let owners = pod["metadata"]["ownerReferences"].as_array();
    owners.into_iter().flatten().any(|owner| owner["kind"] == "Job")
}

/// The image of its first container.
pub(super) fn image(pod: &Value) -> &str {
    pod["spec"]["containers"][0]["image"].as_str().unwrap_or_default()
}

/// The arguments of its first container.
pub(super) fn arguments(pod: &Value) -> impl Iterator<Item = &str> {
    pod["spec"]["containers"][0]["args"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn instance(pod: &Value) -> Value {
    let image = image(pod);
    if image.contains("crash-loop") {
        let last = json!({"terminated": {"exitCode": 1, "message": "the stand-in crashes by its tag"}});
        let state = json!({"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}});
        return status(
            pod,
            "Running",
            false,
            &[("state", state), ("lastState", last), ("restartCount", 3.into())],
        );
    }
    let ready = !image.contains("never-ready");
    status(pod, "Running", ready, &[("state", json!({"running": {}}))])
}

fn job(pod: &Value) -> Value {
    let fails =
        image(pod).contains("migration-fails") && !arguments(pod).any(|argument| argument == "--back");
    let (phase, terminated) = if fails {
        ("Failed", json!({"exitCode": 1, "message": "the stand-in fails by its tag"}))
    } else {
        ("Succeeded", json!({"exitCode": 0}))
    };
    status(pod, phase, false, &[("state", json!({"terminated": terminated}))])
}

fn status(pod: &Value, phase: &str, ready: bool, more: &[(&str, Value)]) -> Value {
    let truth = |holds: bool| if holds { "True" } else { "False" };
    let mut container = json!({
        "name": pod["spec"]["containers"][0]["name"],
        "image": image(pod),
        "imageID": "",
        "ready": ready,
        "restartCount": 0,
    });
    for (name, value) in more {
        container[*name] = value.clone();
    }
    json!({
        "phase": phase,
        "conditions": [
            {"type": "PodScheduled", "status": "True"},
            {"type": "Initialized", "status": "True"},
            {"type": "ContainersReady", "status": truth(ready)},
            {"type": "Ready", "status": truth(ready)},
        ],
        "containerStatuses": [container],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RELOADERS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 9));

    fn decide(pod: &Value) -> Option<PodAction> {
        super::decide(pod, RELOADERS)
    }

    #[test]
    fn only_pods_with_a_reloader_have_an_address() {
        let mut pod = pod("x:1", "StatefulSet", &[]);
        let address = |pod: &Value| match decide(pod) {
            Some(PodAction::SetStatus(status)) => status["podIP"].clone(),
            _ => panic!("no status for {pod}"),
        };
        assert_eq!(address(&pod), Value::Null);
        pod["spec"]["containers"] = json!([{"name": "app"}, {"name": "config-reloader"}]);
        assert_eq!(address(&pod), "127.0.0.9");
    }

    fn pod(image: &str, owner: &str, arguments: &[&str]) -> Value {
        json!({
            "metadata": {"name": "app-0", "ownerReferences": [{"kind": owner}]},
            "spec": {"nodeName": "stand-in", "containers": [{"name": "app", "image": image, "args": arguments}]},
        })
    }

    fn phase_and_readiness(pod: &Value) -> (String, bool) {
        let Some(PodAction::SetStatus(status)) = decide(pod) else { panic!("no status for {pod}") };
        (status["phase"].as_str().unwrap().to_owned(), status["containerStatuses"][0]["ready"] == true)
    }

    #[test]
    fn the_tag_decides_the_status_of_an_instance() {
        for (tag, ready) in [("0.0.1", true), ("0.0.2-never-ready", false), ("0.0.2-crash-loop", false)] {
            assert_eq!(
                phase_and_readiness(&pod(&format!("x:{tag}"), "StatefulSet", &[])),
                ("Running".into(), ready),
                "{tag}"
            );
        }
    }

    #[test]
    fn the_tag_decides_the_status_of_a_job() {
        let phase = |tag: &str, arguments: &[&str]| {
            phase_and_readiness(&pod(&format!("x:{tag}"), "Job", arguments)).0
        };
        assert_eq!(phase("0.0.2", &["migrate"]), "Succeeded");
        assert_eq!(phase("0.0.2-migration-fails", &["migrate"]), "Failed");
        assert_eq!(phase("0.0.2-migration-fails", &["migrate", "--back"]), "Succeeded");
    }

    #[test]
    fn a_pod_is_bound_first_and_removed_after_its_deletion() {
        let mut pod = pod("x:0.0.1", "StatefulSet", &[]);
        pod["status"] = json!({"phase": "Running"});
        assert_eq!(decide(&pod), None);
        pod["spec"]["nodeName"] = Value::Null;
        assert_eq!(decide(&pod), Some(PodAction::Bind));
        pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
        assert_eq!(decide(&pod), Some(PodAction::Remove));
    }
}
