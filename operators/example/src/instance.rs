//! How one instance is doing, read from its pod. Pure.

use k8s_openapi::api::core::v1::{ContainerStatus, Pod};
use k8s_openapi::jiff::Timestamp;

use crate::adopt;
use crate::names;

/// An instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// Its number: 0 takes the writes.
    pub number: u32,
    /// The version that it runs.
    pub version: Option<String>,
    /// Whether it serves.
    pub ready: bool,
    /// Why it will not get ready by itself, if that is known.
    pub broken: Option<String>,
    /// Whether it is on its way out.
    pub leaving: bool,
    /// When it was made.
    pub created: Option<Timestamp>,
}

impl Instance {
    /// Whether it serves this version.
    pub fn serves(&self, version: &str) -> bool {
        self.ready && !self.leaving && self.version.as_deref() == Some(version)
    }
}

/// The instances, by number.
pub fn all(pods: &[Pod]) -> Vec<Instance> {
    let mut all: Vec<Instance> = pods.iter().filter_map(of).collect();
    all.sort_by_key(|instance| instance.number);
    all
}

fn of(pod: &Pod) -> Option<Instance> {
    let number = pod.metadata.name.as_ref()?.rsplit_once('-')?.1.parse().ok()?;
    let containers = &pod.spec.as_ref()?.containers;
    let container =
        containers.iter().find(|container| container.name == names::CONTAINER).or(containers.first())?;
    let status = pod.status.as_ref();
    let is_true = |name: &str| {
        let conditions = status.and_then(|status| status.conditions.as_ref());
        conditions
            .into_iter()
            .flatten()
            .any(|condition| condition.type_ == name && condition.status == "True")
    };
    let statuses = status.and_then(|status| status.container_statuses.as_ref());
    let broken = statuses.into_iter().flatten().find_map(|status| why_broken(pod, status));
    Some(Instance {
        number,
        version: container.image.as_deref().and_then(adopt::tag).map(String::from),
        ready: is_true("Ready"),
        broken,
        leaving: pod.metadata.deletion_timestamp.is_some(),
        created: pod.metadata.creation_timestamp.as_ref().map(|time| time.0),
    })
}

/// What Kubernetes waits for in vain.
fn why_broken(pod: &Pod, status: &ContainerStatus) -> Option<String> {
    let waiting = status.state.as_ref()?.waiting.as_ref()?;
    let reason = waiting.reason.as_deref()?;
    let hopeless = match reason {
        "CrashLoopBackOff" => status.restart_count >= 2,
        "ImagePullBackOff" | "InvalidImageName" | "CreateContainerConfigError" | "CreateContainerError" => {
            true
        }
        _ => false,
    };
    if !hopeless {
        return None;
    }
    let name = pod.metadata.name.as_deref().unwrap_or_default();
    let last = status.last_state.as_ref().and_then(|state| state.terminated.as_ref()?.message.clone());
    let words = last.or_else(|| waiting.message.clone()).unwrap_or_default();
    let words: String = words.trim().chars().take(400).collect();
    Some(format!("pod {name} is in {reason}: {words}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pod_in_a_crash_loop_says_its_last_words() {
        let pod = |reason: &str, restarts: i32| -> Pod {
            serde_json::from_value(json!({
                "metadata": {"name": "a-b-12"},
                "spec": {"containers": [{"name": "app", "image": "x/y:0.0.2"}]},
                "status": {
                    "conditions": [{"type": "Ready", "status": "False"}],
                    "containerStatuses": [{
                        "name": "app", "ready": false, "restartCount": restarts, "image": "", "imageID": "",
                        "state": {"waiting": {"reason": reason, "message": "back-off"}},
                        "lastState": {"terminated": {"exitCode": 1, "message": "no data\n"}},
                    }],
                },
            }))
            .unwrap()
        };
        let [crashing] = &all(&[pod("CrashLoopBackOff", 3)])[..] else { panic!("one") };
        assert_eq!(
            (crashing.number, crashing.version.as_deref(), crashing.ready),
            (12, Some("0.0.2"), false)
        );
        assert_eq!(crashing.broken.as_deref(), Some("pod a-b-12 is in CrashLoopBackOff: no data"));
        for patient in [pod("CrashLoopBackOff", 1), pod("ContainerCreating", 0), pod("ErrImagePull", 0)] {
            assert_eq!(all(&[patient])[0].broken, None);
        }
    }
}
