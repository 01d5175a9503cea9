//! Whether the pods of a workload run the written content. Their reloaders are asked until they do, and the pods are touched so
//! that the kubelet syncs them at once. If the memory is lost, all pods are asked once.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crate::loaded::answer::{PodAnswer, ReloaderAnswer};
use crate::loaded::ask::{Address, Asker};
use crate::loaded::condition;
use crate::loaded::content::Content;
use crate::loaded::load_state::{LoadState, WrittenContent};
use crate::loaded::offset::Offset;
use crate::loaded::pace::{LoadSummary, Pace, PaceSettings};
use crate::loaded::pod::{ObservedPod, TOUCHED, address, is_running, name, uid};
use crate::loaded::reach::Reach;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kernel::apply::Touch;
use kernel::condition::Statement;
use kernel::object::Key;
use serde_json::json;

use crate::kinds;

/// The port of reloaders.
const PORT: u16 = 8080;
/// For so long after a write, pods that have not loaded it yet do not change the condition.
const FRESH: SignedDuration = SignedDuration::from_secs(20);
/// The message about pods that are not asked because no pod answered.
const NONE_ANSWERS: &str = "it is not asked, because no pod answered when they were last asked";
/// The message about a pod that is not asked while others are.
const ASKED_LATER: &str = "it did not answer when it was last asked, and is asked again later";
/// How soon the pods are asked after their content became known.
const SOON: Duration = Duration::from_millis(10);

/// What is remembered of the pods of a workload.
#[derive(Debug, Default)]
pub(crate) struct Loading {
    written: Option<WrittenContent>,
    pace: Pace,
    reach: Reach,
    /// By unique id.
    pods: HashMap<String, Known>,
}

/// What is known about a pod.
#[derive(Debug, Default)]
struct Known {
    name: String,
    offset: Option<Offset>,
    state: Option<LoadState>,
}

/// What decides which pods are touched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touching<'t> {
    pub(crate) pods: &'t [Pod],
    /// Whether the operator may patch pods.
    pub(crate) is_allowed: bool,
    pub(crate) pace: &'t PaceSettings,
    pub(crate) now: Timestamp,
}

impl Loading {
    /// Whether it is not known when the present content was written.
    pub(crate) fn is_new(&self) -> bool {
        self.written.is_none()
    }

    /// The content that was written last, if it is known.
    pub(crate) fn content(&self) -> Option<&Content> {
        self.written.as_ref().map(|written| &written.content)
    }

    /// Forgets all pods, because there are none. If the content `has_changed`, the time of the write is read when there are
    /// pods again.
    pub(crate) fn has_no_pods(&mut self, has_changed: bool) {
        self.pods.clear();
        if has_changed {
            self.written = None;
        }
    }

    /// Asks the pods that may not run the written content.
    pub(crate) async fn ask(&mut self, pods: &[Pod], tls: bool, asker: &Asker, now: Timestamp) {
        let Some(written) = self.written.clone() else { return };
        let due = self.due(&written, pods, tls, now);
        if due.is_empty() {
            return;
        }
        let addresses: Vec<Address> = due.iter().map(|(_, address)| *address).collect();
        let answers = asker.ask_all(&addresses).await;
        let answers: Vec<(&Pod, PodAnswer)> = due.into_iter().map(|(pod, _)| pod).zip(answers).collect();
        self.record(&written, answers, now);
    }

    /// The pods to ask. The state of the others follows from their status.
    fn due<'p>(
        &mut self,
        written: &WrittenContent,
        pods: &'p [Pod],
        tls: bool,
        now: Timestamp,
    ) -> Vec<(&'p Pod, Address)> {
        let uids: Vec<&str> = pods.iter().map(uid).collect();
        self.pods.retain(|known, _| uids.contains(&known.as_str()));
        self.reach.keep(&uids);
        let missing = pods.iter().filter(|pod| is_running(pod) && !self.is_loaded(pod));
        let missing: Vec<(&Pod, Address)> =
            missing.filter_map(|pod| Some((pod, address(pod, PORT, tls)?))).collect();
        let missing_uids: Vec<&str> = missing.iter().map(|(pod, _)| uid(pod)).collect();
        let asked = self.reach.due(&missing_uids, now);
        let (due, others): (Vec<_>, Vec<_>) =
            missing.into_iter().partition(|(pod, _)| asked.contains(&uid(pod)));
        let because = if self.reach.is_silent() { NONE_ANSWERS } else { ASKED_LATER };
        for (pod, _) in others {
            let before = self.state(pod).cloned();
            let state = self.evaluate(written, pod, PodAnswer::nothing(because), now);
            // The state when it was asked is more specific.
            if let (Some(before @ LoadState::Unknown(_)), LoadState::Unknown(_)) = (before, state) {
                self.known(pod).state = Some(before);
            }
        }
        due
    }

    /// Records the answers of pods.
    fn record(&mut self, written: &WrittenContent, answers: Vec<(&Pod, PodAnswer)>, now: Timestamp) {
        let is_answer = |received: &PodAnswer| !matches!(received.answer, ReloaderAnswer::Nothing(_));
        self.reach.record(answers.iter().map(|(pod, received)| (uid(pod), is_answer(received))), now);
        for (pod, received) in answers {
            self.evaluate(written, pod, received, now);
        }
    }

    /// Whether one of these pods runs the written content.
    pub(crate) fn is_accepted(&self, pods: &[&Pod]) -> bool {
        pods.iter().any(|pod| self.is_loaded(pod))
    }

    /// The first of these pods that rejects the written content, and its error without secrets.
    pub(crate) fn rejection<'p>(&self, pods: &[&'p Pod]) -> Option<(&'p Pod, &str)> {
        pods.iter().find_map(|pod| match self.state(pod)? {
            LoadState::Rejected(message) => Some((*pod, message.as_str())),
            LoadState::Loaded | LoadState::Pending(_) | LoadState::Unknown(_) => None,
        })
    }

    fn state(&self, pod: &Pod) -> Option<&LoadState> {
        self.pods.get(uid(pod))?.state.as_ref()
    }

    fn is_loaded(&self, pod: &Pod) -> bool {
        self.state(pod) == Some(&LoadState::Loaded)
    }

    fn known(&mut self, pod: &Pod) -> &mut Known {
        let known = self.pods.entry(uid(pod).to_owned()).or_default();
        name(pod).clone_into(&mut known.name);
        known
    }

    fn evaluate(
        &mut self,
        written: &WrittenContent,
        pod: &Pod,
        received: PodAnswer,
        now: Timestamp,
    ) -> LoadState {
        let known = self.known(pod);
        let offset = received.offset.map(|offset| offset.narrowed_by(known.offset));
        known.offset = offset.or(known.offset);
        let state = LoadState::of(written, &ObservedPod::of(pod), &PodAnswer { offset, ..received }, now);
        known.state = Some(state.clone());
        state
    }

    /// After a write: remembers the `content`, if it may have changed, and returns the pods to touch and the time of the next
    /// look at them.
    /// `last_written` is when another process has written the content.
    pub(crate) fn after_write(
        &mut self,
        content: Option<Content>,
        last_written: Option<Timestamp>,
        touching: Touching<'_>,
    ) -> (Vec<Touch>, Option<Duration>) {
        let Touching { pods, is_allowed, pace, now } = touching;
        if let Some(content) = content {
            let before = self.written.as_ref().map(|written| written.at);
            if self.is_unobservable(&content) {
                self.pace.wrote_hidden();
            } else if let Some(at) = last_written.filter(|_| self.is_new()) {
                self.written = Some(WrittenContent { content, at, before: None });
                // Now that the content is known, the pods can be asked.
                return (Vec::new(), (!pods.is_empty()).then_some(SOON));
            } else {
                self.written = Some(WrittenContent { content, at: now, before });
                self.pods.values_mut().for_each(|known| known.state = None);
                self.pace.wrote();
            }
        }
        if self.is_new() || pods.is_empty() {
            return (Vec::new(), None);
        }
        let running = || pods.iter().filter(|pod| is_running(pod));
        let pending = LoadState::Pending(String::new());
        let is_for_all = self.pace.is_for_all();
        let summary = LoadSummary::of(running().map(|pod| self.state(pod).unwrap_or(&pending)));
        let decision = self.pace.next(pace, summary, now);
        let touched =
            running().filter(|pod| decision.touch && is_allowed && (is_for_all || !self.is_loaded(pod)));
        (touched.map(|pod| touch(pod, now)).collect(), decision.requeue_after)
    }

    /// Whether pods do not report what changed: a certificate, or a password of the web server.
    fn is_unobservable(&self, content: &Content) -> bool {
        content.watched.is_some() && self.content() == Some(content)
    }

    /// The condition `ConfigurationLoaded`; none, if the present one is kept.
    pub(crate) fn condition(&self, now: Timestamp) -> Option<Statement> {
        let is_fresh = now.duration_since(self.written.as_ref()?.at) < FRESH;
        let states: BTreeMap<&str, &LoadState> = self
            .pods
            .values()
            .filter_map(|known| Some((known.name.as_str(), known.state.as_ref()?)))
            .collect();
        if states.is_empty() { None } else { condition::condition(&states, is_fresh) }
    }
}

fn touch(pod: &Pod, now: Timestamp) -> Touch {
    Touch {
        kind: kinds::POD,
        key: Key::of(&pod.metadata),
        uid: uid(pod).into(),
        fields: json!({"metadata": {"annotations": {TOUCHED: now.to_string()}}}),
    }
}

#[cfg(test)]
mod tests;
