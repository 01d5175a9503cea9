//! The observed state of a pod and of the operand in it.

use k8s_openapi::api::core::v1::{ContainerStatus, Pod, PodStatus};
use k8s_openapi::jiff::Timestamp;

use crate::loaded::ask::Address;

/// The containers of operands. A pod lists its containers in the order of their names, including those of users.
const OPERANDS: [&str; 3] = ["prometheus", "alertmanager", "thanos-ruler"];

/// The annotation that is changed to touch a pod: it holds the time of the last touch.
pub(crate) const TOUCHED: &str = "mainstay.dev/touched";

/// The observed state of a pod. Times are those of the kubelet's clock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObservedPod {
    /// When the kubelet acknowledged it.
    pub started: Option<Timestamp>,
    /// Since when it is ready, if it is.
    pub ready_since: Option<Timestamp>,
    /// When it was last touched, by our clock.
    pub touched: Option<Timestamp>,
    /// The operand's container, if it runs.
    pub running: Option<RunningContainer>,
    /// How the operand's container terminated, if it does not run.
    pub terminated: Option<Terminated>,
}

/// A container that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningContainer {
    /// Since when.
    pub since: Timestamp,
    /// How it terminated before.
    pub before: Option<Terminated>,
}

/// How a container terminated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terminated {
    /// When.
    pub at: Timestamp,
    /// The end of its log, which the kubelet keeps as its termination message.
    pub log: String,
}

impl ObservedPod {
    /// Reads a pod.
    pub(crate) fn of(pod: &Pod) -> Self {
        let status = pod.status.as_ref();
        let conditions = status.and_then(|status| status.conditions.as_ref()).into_iter().flatten();
        let mut ready = conditions.filter(|one| one.type_ == "Ready" && one.status == "True");
        let annotations = pod.metadata.annotations.as_ref();
        let touched = annotations.and_then(|annotations| annotations.get(TOUCHED));
        let operand = status.and_then(operand);
        let running = operand.and_then(|operand| operand.state.as_ref()?.running.as_ref());
        let since = running.and_then(|running| running.started_at.as_ref()).map(|time| time.0);
        let terminated = operand.and_then(last_termination);
        Self {
            started: status.and_then(|status| status.start_time.as_ref()).map(|time| time.0),
            ready_since: ready
                .next()
                .and_then(|ready| ready.last_transition_time.as_ref())
                .map(|time| time.0),
            touched: touched.and_then(|touched| touched.parse().ok()),
            running: since.map(|since| RunningContainer { since, before: terminated.clone() }),
            terminated: terminated.filter(|_| running.is_none()),
        }
    }
}

fn operand(status: &PodStatus) -> Option<&ContainerStatus> {
    let containers = || status.container_statuses.iter().flatten();
    let named = containers().find(|container| OPERANDS.contains(&container.name.as_str()));
    named.or_else(|| containers().find(|container| !container.name.contains("reloader")))
}

fn last_termination(container: &ContainerStatus) -> Option<Terminated> {
    let states = [&container.state, &container.last_state];
    let terminated = states.into_iter().find_map(|state| state.as_ref()?.terminated.as_ref())?;
    let log = terminated.message.clone().unwrap_or_default();
    Some(Terminated { at: terminated.finished_at.as_ref()?.0, log })
}

pub(crate) fn name(pod: &Pod) -> &str {
    pod.metadata.name.as_deref().unwrap_or_default()
}

pub(crate) fn uid(pod: &Pod) -> &str {
    pod.metadata.uid.as_deref().unwrap_or_default()
}

/// Whether a pod is in the phase `Running` and not being deleted.
pub(crate) fn is_running(pod: &Pod) -> bool {
    let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
    phase == Some("Running") && pod.metadata.deletion_timestamp.is_none()
}

/// A port of a pod.
pub(crate) fn address(pod: &Pod, port: u16, tls: bool) -> Option<Address> {
    let ip = pod.status.as_ref()?.pod_ip.as_ref()?.parse().ok()?;
    Some(Address { ip, port, tls })
}
