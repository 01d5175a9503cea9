//! Describes the state of the cluster for the error of a wait.

use std::fmt::Write;

use k8s_openapi::api::core::v1::{ContainerState, Event, Pod};
use kube::api::ListParams;
use kube::{Api, Client, ResourceExt};
use serde::Serialize;

const EVENTS: usize = 12;

/// The status of an object as one line of JSON, or the whole object if it has no status.
pub fn status(object: &impl Serialize) -> String {
    let value = serde_json::to_value(object).unwrap_or_default();
    value.get("status").unwrap_or(&value).to_string()
}

/// The pods and the last events of a namespace.
pub async fn namespace(client: &Client, namespace: &str) -> String {
    let mut text = format!("in namespace {namespace}:\n");
    match Api::<Pod>::namespaced(client.clone(), namespace).list(&ListParams::default()).await {
        Ok(pods) => pods.iter().for_each(|one| text.push_str(&pod(one))),
        Err(error) => drop(writeln!(text, "  the pods cannot be listed: {error}")),
    }
    match Api::<Event>::namespaced(client.clone(), namespace).list(&ListParams::default()).await {
        Ok(events) => text.push_str(&last(events.items)),
        Err(error) => drop(writeln!(text, "  the events cannot be listed: {error}")),
    }
    text
}

/// One line for a pod, and one for each container.
fn pod(pod: &Pod) -> String {
    let status = pod.status.clone().unwrap_or_default();
    let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()).unwrap_or("no node");
    let ending = if pod.metadata.deletion_timestamp.is_some() { ", being deleted" } else { "" };
    let mut text = format!(
        "  pod {} on {node}: {}{ending}\n",
        pod.name_any(),
        status.phase.as_deref().unwrap_or("no phase")
    );
    for container in status.container_statuses.unwrap_or_default() {
        let state = container.state.as_ref().map_or_else(|| "no state".into(), state);
        let before = container.last_state.as_ref().map(state_before).unwrap_or_default();
        let _ = writeln!(
            text,
            "    {}: {state}, ready {}, {} restarts{before}",
            container.name, container.ready, container.restart_count
        );
    }
    for condition in status.conditions.unwrap_or_default() {
        if condition.status != "True"
            && let Some(message) = condition.message
        {
            let _ = writeln!(text, "    not {}: {message}", condition.type_);
        }
    }
    text
}

fn state(state: &ContainerState) -> String {
    if let Some(waiting) = &state.waiting {
        let reason = waiting.reason.as_deref().unwrap_or("no reason");
        format!("waiting ({reason}) {}", waiting.message.as_deref().unwrap_or_default())
    } else if let Some(terminated) = &state.terminated {
        let reason = terminated.reason.as_deref().unwrap_or("no reason");
        format!("exited with {} ({reason})", terminated.exit_code)
    } else if state.running.is_some() {
        "running".into()
    } else {
        "no state".into()
    }
}

fn state_before(last: &ContainerState) -> String {
    last.terminated.as_ref().map(|_| format!(", previously: {}", state(last))).unwrap_or_default()
}

fn last(mut events: Vec<Event>) -> String {
    events.sort_by(|one, other| one.metadata.creation_timestamp.cmp(&other.metadata.creation_timestamp));
    let skipped = events.len().saturating_sub(EVENTS);
    events.iter().skip(skipped).fold(String::from("  last events:\n"), |mut text, event| {
        let _ = writeln!(
            text,
            "    {} {}: {} {}",
            event.involved_object.kind.as_deref().unwrap_or_default(),
            event.involved_object.name.as_deref().unwrap_or_default(),
            event.reason.as_deref().unwrap_or_default(),
            event.message.as_deref().unwrap_or_default()
        );
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_of_a_pod_that_cannot_start_says_why() {
        let failing: Pod = serde_json::from_value(serde_json::json!({
            "metadata": { "name": "web-0" },
            "spec": { "nodeName": "e2e-a", "containers": [] },
            "status": {
                "phase": "Pending",
                "containerStatuses": [{
                    "name": "main", "ready": false, "restartCount": 2, "image": "i", "imageID": "",
                    "state": { "waiting": { "reason": "ErrImagePull", "message": "not found" } },
                    "lastState": { "terminated": { "exitCode": 137, "reason": "Error" } },
                }],
                "conditions": [{ "type": "Ready", "status": "False", "message": "containers with unready status: [main]" }],
            },
        }))
        .unwrap();
        assert_eq!(
            pod(&failing),
            "  pod web-0 on e2e-a: Pending\n    main: waiting (ErrImagePull) not found, ready false, 2 restarts, \
             previously: exited with 137 (Error)\n    not Ready: containers with unready status: [main]\n"
        );
    }
}
