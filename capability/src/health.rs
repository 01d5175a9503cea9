//! The health of a pod: whether it is ready, and if not, whether it can still become ready.

use k8s_openapi::api::core::v1::{ContainerStatus, Pod, PodCondition};
use k8s_openapi::jiff::{SignedDuration, Timestamp};

/// How long a pod may take to become ready if it neither fails nor starts.
const PATIENCE: SignedDuration = SignedDuration::from_mins(10);

/// Label with the revision that a pod was created from.
const REVISION: &str = "controller-revision-hash";

/// Reasons of waiting containers that a restart does not resolve.
const FAILURES: [&str; 8] = [
    "ImagePullBackOff",
    "ErrImagePull",
    "ErrImageNeverPull",
    "InvalidImageName",
    "CrashLoopBackOff",
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
];

/// The health of a pod.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PodHealth {
    /// Its name.
    pub name: String,
    /// The revision that it was created from; empty if it has none.
    pub revision: String,
    /// Whether it runs and is ready.
    pub is_ready: bool,
    /// Whether it is being deleted.
    pub is_terminating: bool,
    /// Whether a container runs that has not started yet. It may be reading hours of data.
    pub is_starting: bool,
    /// When it became ready, or was last ready. When it was created, if it was never ready.
    pub since: Option<Timestamp>,
    /// Why it fails, if it does.
    pub failure: Option<PodFailure>,
    /// The message of the first of its conditions that is not met.
    pub message: Option<String>,
}

/// Why a pod fails, for a reason that a restart does not resolve.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PodFailure {
    /// The reason, as the kubelet or the scheduler reports it.
    pub reason: String,
    /// How often the container was restarted.
    pub restarts: i32,
    /// The last message of the container, or else that of the kubelet or the scheduler.
    pub message: String,
}

impl PodHealth {
    /// The health of this pod.
    pub fn of(pod: &Pod) -> Self {
        let status = pod.status.as_ref();
        let inits = status.and_then(|status| status.init_container_statuses.as_deref());
        let mains = status.and_then(|status| status.container_statuses.as_deref());
        let containers = || inits.unwrap_or_default().iter().chain(mains.unwrap_or_default());
        let is_starting = containers().any(is_starting);
        let failure = || containers().find_map(failure).or_else(|| unschedulable(pod));
        let ready = condition(pod, "Ready");
        let changed = ready.and_then(|ready| ready.last_transition_time.as_ref());
        Self {
            name: pod.metadata.name.clone().unwrap_or_default(),
            revision: revision(pod).to_owned(),
            is_ready: is_ready(pod),
            is_terminating: pod.metadata.deletion_timestamp.is_some(),
            is_starting,
            since: changed.or(pod.metadata.creation_timestamp.as_ref()).map(|time| time.0),
            failure: if is_starting { None } else { failure() },
            message: message(pod),
        }
    }

    /// Whether it is ready and not terminating.
    pub fn serves(&self) -> bool {
        self.is_ready && !self.is_terminating
    }

    /// When it is considered stuck, if it is neither ready nor failing; `None` while a container is starting.
    pub fn given_up_at(&self) -> Option<Timestamp> {
        self.since.filter(|_| !self.is_starting)?.checked_add(PATIENCE).ok()
    }
}

/// The revision that a pod was created from.
pub fn revision(pod: &Pod) -> &str {
    pod.metadata
        .labels
        .as_ref()
        .and_then(|labels| labels.get(REVISION))
        .map(String::as_str)
        .unwrap_or_default()
}

/// Whether a pod runs and is ready.
pub fn is_ready(pod: &Pod) -> bool {
    let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
    phase == Some("Running") && condition(pod, "Ready").is_some_and(|ready| ready.status == "True")
}

fn condition<'p>(pod: &'p Pod, kind: &str) -> Option<&'p PodCondition> {
    pod.status.as_ref()?.conditions.as_ref()?.iter().find(|condition| condition.type_ == kind)
}

fn is_starting(container: &ContainerStatus) -> bool {
    let is_running = container.state.as_ref().is_some_and(|state| state.running.is_some());
    is_running && container.started != Some(true)
}

fn failure(container: &ContainerStatus) -> Option<PodFailure> {
    let waiting = container.state.as_ref()?.waiting.as_ref()?;
    let reason = waiting.reason.clone().filter(|reason| FAILURES.contains(&reason.as_str()))?;
    let last = container.last_state.as_ref().and_then(|state| state.terminated.as_ref()?.message.clone());
    let message = last.or_else(|| waiting.message.clone()).unwrap_or_default();
    Some(PodFailure { reason, restarts: container.restart_count, message })
}

fn unschedulable(pod: &Pod) -> Option<PodFailure> {
    let refused = condition(pod, "PodScheduled").filter(|condition| condition.status == "False")?;
    let reason = refused.reason.clone().filter(|reason| reason == "Unschedulable")?;
    Some(PodFailure { reason, restarts: 0, message: refused.message.clone().unwrap_or_default() })
}

/// The message of the first condition of a pod that is not met, in the order in which they become true.
fn message(pod: &Pod) -> Option<String> {
    let steps = ["PodScheduled", "Initialized", "ContainersReady", "Ready"];
    let mut conditions = steps.iter().filter_map(|step| condition(pod, step));
    let unmet = conditions.find(|condition| condition.status == "False")?;
    unmet.message.clone().filter(|message| !message.is_empty())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

    use super::*;
    use crate::rollout::tests::build::{condition, container, pod, unready, waiting};

    /// The reason why a pod fails, and when it is given up.
    fn outlook(pod: &Pod) -> (Option<String>, Option<i64>) {
        let health = PodHealth::of(pod);
        let reason = health.failure.as_ref().map(|failure| failure.reason.clone());
        (reason, health.given_up_at().map(Timestamp::as_second))
    }

    #[test]
    fn only_reasons_that_a_restart_does_not_resolve_are_failures() {
        for reason in FAILURES {
            assert_eq!(outlook(&waiting(pod(0), reason)), (Some(reason.into()), Some(600)));
        }
        for reason in ["ContainerCreating", "PodInitializing"] {
            assert_eq!(outlook(&waiting(pod(0), reason)), (None, Some(600)));
        }
        assert_eq!(outlook(&unready(pod(0))), (None, Some(600)));
        let mut unscheduled = unready(pod(0));
        let status = unscheduled.status.get_or_insert_default();
        status.container_statuses = None;
        status.conditions = Some(vec![condition("PodScheduled", "False", "Unschedulable", 0)]);
        assert_eq!(outlook(&unscheduled).0, Some("Unschedulable".into()));
    }

    #[test]
    fn a_pod_without_a_status_is_not_given_up() {
        let mut new = pod(0);
        new.status = None;
        assert_eq!(outlook(&new), (None, None));
        new.metadata.creation_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
        assert_eq!(outlook(&new), (None, Some(600)));
    }

    #[test]
    fn a_pod_with_a_starting_container_is_not_failing() {
        let with = |started: bool| {
            let mut pod = unready(pod(0));
            let sidecar = container("sidecar", Err("CrashLoopBackOff"));
            let containers = Some(vec![container("main", Ok(started)), sidecar]);
            pod.status.get_or_insert_default().container_statuses = containers;
            pod
        };
        assert_eq!(outlook(&with(false)), (None, None));
        assert_eq!(outlook(&with(true)).0, Some("CrashLoopBackOff".into()));
        let mut init = unready(pod(0));
        let status = init.status.get_or_insert_default();
        status.container_statuses = Some(vec![container("main", Err("PodInitializing"))]);
        status.init_container_statuses = Some(vec![container("init", Err("CrashLoopBackOff"))]);
        assert_eq!(outlook(&init).0, Some("CrashLoopBackOff".into()));
    }

    #[test]
    fn a_pod_that_does_not_run_is_not_ready() {
        let mut pod = pod(0);
        assert!(is_ready(&pod));
        pod.status.get_or_insert_default().phase = Some("Pending".into());
        assert!(!is_ready(&pod));
    }

    #[test]
    fn the_message_is_that_of_the_first_condition_that_is_not_met() {
        let mut pod = unready(pod(0));
        let unmet = |kind: &str, message: &str| PodCondition {
            message: Some(message.into()),
            ..condition(kind, "False", "", 0)
        };
        let conditions = [unmet("Ready", "not ready"), unmet("ContainersReady", "containers not ready")];
        pod.status.get_or_insert_default().conditions = Some(conditions.into());
        assert_eq!(PodHealth::of(&pod).message.as_deref(), Some("containers not ready"));
        pod.status.get_or_insert_default().conditions = Some(vec![unmet("Ready", "")]);
        assert_eq!(PodHealth::of(&pod).message, None);
    }

    #[test]
    fn a_failure_has_the_last_message_of_its_container() {
        let mut pod = waiting(pod(0), "CrashLoopBackOff");
        let containers = pod.status.get_or_insert_default().container_statuses.get_or_insert_default();
        containers[0].restart_count = 3;
        let last = containers[0].last_state.get_or_insert_default().terminated.get_or_insert_default();
        last.message = Some("no data".into());
        let failure =
            PodFailure { reason: "CrashLoopBackOff".into(), restarts: 3, message: "no data".into() };
        assert_eq!(PodHealth::of(&pod).failure, Some(failure));
    }
}
