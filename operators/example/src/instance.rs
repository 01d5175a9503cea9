//! The state of one instance, from its pod. Pure.

use capability::health::PodHealth;
use k8s_openapi::api::core::v1::Pod;

use crate::adopt;
use crate::names;

/// The longest message that is quoted, in characters.
const LONGEST_MESSAGE: usize = 400;

/// An instance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppInstance {
    /// Its ordinal. The instance 0 receives the writes.
    pub ordinal: i32,
    /// The version that it runs.
    pub version: Option<String>,
    /// The health of its pod.
    pub health: PodHealth,
}

impl AppInstance {
    /// Whether it serves this version.
    pub fn serves(&self, version: &str) -> bool {
        self.health.serves() && self.version.as_deref() == Some(version)
    }

    /// Why it will not become ready by itself, if that is certain: the first failure to pull an image may pass, and so may
    /// the first crash.
    pub fn failure(&self) -> Option<String> {
        let failure = self.health.failure.as_ref()?;
        let is_final = match &*failure.reason {
            "CrashLoopBackOff" => failure.restarts >= 2,
            "ImagePullBackOff"
            | "InvalidImageName"
            | "CreateContainerConfigError"
            | "CreateContainerError" => true,
            _ => false,
        };
        let message: String = failure.message.trim().chars().take(LONGEST_MESSAGE).collect();
        is_final.then(|| format!("pod {} is in {}: {message}", self.health.name, failure.reason))
    }
}

/// The instances, by ordinal.
pub fn all(pods: &[Pod]) -> Vec<AppInstance> {
    let mut all: Vec<AppInstance> = pods.iter().filter_map(of).collect();
    all.sort_by_key(|instance| instance.ordinal);
    all
}

fn of(pod: &Pod) -> Option<AppInstance> {
    let ordinal = pod.metadata.name.as_ref()?.rsplit_once('-')?.1.parse().ok()?;
    let containers = &pod.spec.as_ref()?.containers;
    let container =
        containers.iter().find(|container| container.name == names::CONTAINER).or(containers.first())?;
    let version = container.image.as_deref().and_then(adopt::tag).map(String::from);
    Some(AppInstance { ordinal, version, health: PodHealth::of(pod) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pod_in_a_crash_loop_fails_with_its_last_message() {
        let pod = |reason: &str, restarts: i32| -> Pod {
            serde_json::from_value(json!({
                "metadata": {"name": "a-b-12"},
                "spec": {"containers": [{"name": "app", "image": "x/y:0.0.2"}]},
                "status": {
                    "phase": "Running",
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
        let [crashing] = &all(&[pod("CrashLoopBackOff", 3)])[..] else { panic!("there is not one instance") };
        let known = (crashing.ordinal, crashing.version.as_deref(), crashing.health.is_ready);
        assert_eq!(known, (12, Some("0.0.2"), false));
        assert_eq!(crashing.failure().as_deref(), Some("pod a-b-12 is in CrashLoopBackOff: no data"));
        for pending in [pod("CrashLoopBackOff", 1), pod("ContainerCreating", 0), pod("ErrImagePull", 0)] {
            assert_eq!(all(&[pending])[0].failure(), None);
        }
    }
}
