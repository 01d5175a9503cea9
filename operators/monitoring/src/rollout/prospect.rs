//! Whether a pod that is not ready may still become it.

use k8s_openapi::api::core::v1::{ContainerStatus, Pod};
use k8s_openapi::jiff::{SignedDuration, Timestamp};

/// How long one waits for a pod whose containers all run, or are about to, and that does not get ready.
const PATIENCE: SignedDuration = SignedDuration::from_mins(10);

/// Why containers wait that wait for ever.
const HOPELESS: [&str; 8] = [
    "ImagePullBackOff",
    "ErrImagePull",
    "ErrImageNeverPull",
    "InvalidImageName",
    "CrashLoopBackOff",
    "CreateContainerConfigError",
    "CreateContainerError",
    "RunContainerError",
];

/// What may become of a pod that is not ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prospect<'p> {
    /// It fails for this reason, which a restart cannot mend.
    Hopeless(&'p str),
    /// It is starting, however long that takes.
    Starting,
    /// It may get ready, and is given up at this time.
    Unclear(Timestamp),
}

impl<'p> Prospect<'p> {
    /// Looks at a pod. A container that runs and has not started yet may be reading hours of data: nobody disturbs it.
    pub(crate) fn of(pod: &'p Pod) -> Self {
        let status = pod.status.as_ref();
        let inits = status.and_then(|status| status.init_container_statuses.as_deref());
        let mains = status.and_then(|status| status.container_statuses.as_deref());
        let containers = || inits.unwrap_or_default().iter().chain(mains.unwrap_or_default());
        if containers().any(is_starting) {
            return Self::Starting;
        }
        let waiting = containers().find_map(|container| {
            let reason = container.state.as_ref()?.waiting.as_ref()?.reason.as_deref()?;
            HOPELESS.contains(&reason).then_some(reason)
        });
        if let Some(reason) = waiting.or_else(|| unscheduled(pod)) {
            return Self::Hopeless(reason);
        }
        let until = unready_since(pod).and_then(|since| since.checked_add(PATIENCE).ok());
        until.map_or(Self::Starting, Self::Unclear)
    }
}

fn is_starting(container: &ContainerStatus) -> bool {
    let runs = container.state.as_ref().is_some_and(|state| state.running.is_some());
    runs && container.started != Some(true)
}

/// Why no node takes it, if that is so.
fn unscheduled(pod: &Pod) -> Option<&str> {
    let conditions = pod.status.as_ref()?.conditions.as_ref()?;
    let refused = conditions.iter().find(|one| one.type_ == "PodScheduled" && one.status == "False")?;
    refused.reason.as_deref().filter(|reason| *reason == "Unschedulable")
}

/// Since when it is not ready: one that never was, since it was made.
fn unready_since(pod: &Pod) -> Option<Timestamp> {
    let conditions = pod.status.as_ref().and_then(|status| status.conditions.as_deref());
    let ready = conditions.unwrap_or_default().iter().find(|one| one.type_ == "Ready");
    let turned = ready.and_then(|ready| ready.last_transition_time.as_ref());
    turned.or(pod.metadata.creation_timestamp.as_ref()).map(|time| time.0)
}

#[cfg(test)]
mod tests {
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

    use super::*;
    use crate::rollout::tests::build::{condition, container, pod, unready, waiting};

    #[test]
    fn only_what_a_restart_cannot_mend_is_hopeless() {
        let limit = Prospect::Unclear(Timestamp::from_second(600).expect("a time"));
        for reason in HOPELESS {
            assert_eq!(Prospect::of(&waiting(pod(0), reason)), Prospect::Hopeless(reason));
        }
        for reason in ["ContainerCreating", "PodInitializing"] {
            assert_eq!(Prospect::of(&waiting(pod(0), reason)), limit);
        }
        assert_eq!(Prospect::of(&unready(pod(0))), limit);
        let mut unscheduled = unready(pod(0));
        let status = unscheduled.status.get_or_insert_default();
        status.container_statuses = None;
        status.conditions = Some(vec![condition("PodScheduled", "False", "Unschedulable", 0)]);
        assert_eq!(Prospect::of(&unscheduled), Prospect::Hopeless("Unschedulable"));
    }

    #[test]
    fn one_of_which_nothing_is_known_is_starting() {
        let mut new = pod(0);
        new.status = None;
        assert_eq!(Prospect::of(&new), Prospect::Starting);
        new.metadata.creation_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
        assert_eq!(Prospect::of(&new), Prospect::Unclear(Timestamp::from_second(600).expect("a time")));
    }

    #[test]
    fn a_container_that_is_starting_is_not_disturbed() {
        let with = |started: bool| {
            let mut pod = unready(pod(0));
            let sidecar = container("sidecar", Err("CrashLoopBackOff"));
            let containers = Some(vec![container("main", Ok(started)), sidecar]);
            pod.status.get_or_insert_default().container_statuses = containers;
            pod
        };
        assert_eq!(Prospect::of(&with(false)), Prospect::Starting);
        assert_eq!(Prospect::of(&with(true)), Prospect::Hopeless("CrashLoopBackOff"));
        let mut init = unready(pod(0));
        let status = init.status.get_or_insert_default();
        status.container_statuses = Some(vec![container("main", Err("PodInitializing"))]);
        status.init_container_statuses = Some(vec![container("init", Err("CrashLoopBackOff"))]);
        assert_eq!(Prospect::of(&init), Prospect::Hopeless("CrashLoopBackOff"));
    }
}
