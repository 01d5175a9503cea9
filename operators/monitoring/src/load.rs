//! Whether the pods of a workload run what was written, and what is done so that they do: they are asked until they say so,
//! and touched so that the kubelet brings it at once. What is remembered may be lost: then everybody is asked once.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crate::loaded::answer::{Answer, Heard};
use crate::loaded::ask::{Address, Asker};
use crate::loaded::condition;
use crate::loaded::judge::{self, Ended, Running, Verdict, Written, judge};
use crate::loaded::offset::Offset;
use crate::loaded::pace::{self, Pace, Sight};
use crate::loaded::reach::Reach;
use crate::workload::labels;
use api_monitoring::status::Condition;
use k8s_openapi::api::core::v1::{ContainerStatus, Pod, PodStatus};
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kernel::apply::Touch;
use kernel::object::Key;
use serde_json::json;

use crate::kinds;

/// Where reloaders answer.
const PORT: u16 = 8080;
/// The containers of operands. A pod tells of its containers in the order of their names, with those of users among them.
const OPERANDS: [&str; 3] = ["prometheus", "alertmanager", "thanos-ruler"];
/// What is touched.
const TOUCHED: &str = "mainstay.dev/touched";
/// So long after a write nothing is said about pods that are about to load it.
const FRESH: SignedDuration = SignedDuration::from_secs(20);
/// What is told of pods that are not asked because none answered.
const SILENT: &str = "it is not asked, because no pod answered when they were last asked";
/// What is told of a pod that is not asked while others are.
const ALONE: &str = "it did not answer when it was last asked, and is asked again later";
/// How soon the pods are asked after the first look at them.
const SOON: Duration = Duration::from_millis(10);

/// What is remembered of the pods of a workload.
#[derive(Debug, Default)]
pub(crate) struct Loading {
    written: Option<Written>,
    pace: Pace,
    reach: Reach,
    /// What the pods say their version is, as they were last planned.
    version: Option<String>,
    /// By unique id.
    offsets: HashMap<String, Offset>,
    /// What each pod was judged to be, by its name and with its unique id.
    verdicts: BTreeMap<String, (String, Verdict)>,
}

/// What was written, as far as pods are concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Content {
    /// Hash of the configuration, if the workload has one.
    pub(crate) config: Option<String>,
    /// Hash of the files beside it, if all of them are known.
    pub(crate) watched: Option<String>,
}

/// How pods take what was written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Said<'p> {
    /// One runs it.
    Accepted,
    /// One does not take it, in words that anybody may read.
    Refused(&'p Pod, String),
}

impl Loading {
    /// Whether it is not known when what is there was written.
    pub(crate) fn is_new(&self) -> bool {
        self.written.is_none()
    }

    /// Nobody runs: whoever starts is asked anew. If something `has_changed` meanwhile, it is looked up then.
    pub(crate) fn nobody(&mut self, has_changed: bool) {
        self.verdicts.clear();
        self.offsets.clear();
        if has_changed {
            self.written = None;
        }
    }

    /// Asks those pods of which it is not known that they run what was written.
    pub(crate) async fn ask(&mut self, pods: &[Pod], tls: bool, asker: &Asker, now: Timestamp) {
        let Some(written) = self.written.clone() else { return };
        let due = self.due(&written, pods, tls, now);
        if due.is_empty() {
            return;
        }
        let addresses: Vec<Address> = due.iter().map(|(_, address)| *address).collect();
        let answers = asker.ask_all(&addresses).await;
        let answers: Vec<(&Pod, Heard)> = due.into_iter().map(|(pod, _)| pod).zip(answers).collect();
        self.heard(&written, answers, now);
    }

    /// Whom to ask. The others are judged by what the cluster says about them, or it is told why they are not asked.
    fn due<'p>(
        &mut self,
        written: &Written,
        pods: &'p [Pod],
        tls: bool,
        now: Timestamp,
    ) -> Vec<(&'p Pod, Address)> {
        let uids: Vec<&str> = pods.iter().map(uid).collect();
        self.verdicts.retain(|_, (known, _)| uids.contains(&known.as_str()));
        self.offsets.retain(|known, _| uids.contains(&known.as_str()));
        self.reach.keep(&uids);
        let missing = pods.iter().filter(|pod| !self.is_loaded(pod));
        let missing: Vec<(&Pod, Address)> =
            missing.filter_map(|pod| Some((pod, address(pod, tls)?))).collect();
        let missing_uids: Vec<&str> = missing.iter().map(|(pod, _)| uid(pod)).collect();
        let asked = self.reach.whom(&missing_uids, now);
        let (due, others): (Vec<_>, Vec<_>) =
            missing.into_iter().partition(|(pod, _)| asked.contains(&uid(pod)));
        let because = if self.reach.is_silent() { SILENT } else { ALONE };
        for (pod, _) in others {
            let heard = Heard { answer: Answer::Nothing(because.into()), offset: None };
            let verdict = self.judged(written, pod, heard, now);
            let before = self.verdicts.get(name(pod)).map(|(_, before)| before);
            // What it did when it was asked says more.
            if !matches!((before, &verdict), (Some(Verdict::Unknown(_)), Verdict::Unknown(_))) {
                self.verdicts.insert(name(pod).to_owned(), (uid(pod).to_owned(), verdict));
            }
        }
        due
    }

    /// What was answered.
    fn heard(&mut self, written: &Written, answers: Vec<(&Pod, Heard)>, now: Timestamp) {
        let is_answer = |heard: &Heard| !matches!(heard.answer, Answer::Nothing(_));
        self.reach.heard(answers.iter().map(|(pod, heard)| (uid(pod), is_answer(heard))), now);
        for (pod, heard) in answers {
            let verdict = self.judged(written, pod, heard, now);
            self.verdicts.insert(name(pod).to_owned(), (uid(pod).to_owned(), verdict));
        }
    }

    /// What pods are planned to say of their version.
    pub(crate) fn plans(&mut self, version: Option<&str>) {
        self.version = version.map(Into::into);
    }

    /// What was written, and how those pods take it that run the version that is planned: while another one is rolled out,
    /// what is written for it means nothing to the pods from before. Nothing, if it is not known yet.
    pub(crate) fn taken<'p>(&self, pods: &'p [Pod]) -> Option<(Content, Said<'p>)> {
        let Written { config, watched, .. } = self.written.as_ref()?;
        let content = Content { config: config.clone(), watched: watched.clone() };
        let runs = |pod: &&Pod| {
            let label = pod.metadata.labels.as_ref().and_then(|labels| labels.get(labels::VERSION));
            // Users may have a label of their own there, and it is the same in all pods that are planned.
            label.map(String::as_str) == self.version.as_deref()
        };
        let verdict = |pod: &'p Pod| {
            let (_, verdict) = self.verdicts.get(name(pod)).filter(|(known, _)| known == uid(pod))?;
            Some((pod, verdict.clone()))
        };
        let known = || pods.iter().filter(runs).filter_map(verdict);
        let refuses = known().find_map(|(pod, verdict)| match verdict {
            Verdict::Refused(words) => Some(Said::Refused(pod, words)),
            Verdict::Loaded | Verdict::Pending(_) | Verdict::Unknown(_) => None,
        });
        let accepts = || known().any(|(_, verdict)| verdict == Verdict::Loaded).then_some(Said::Accepted);
        refuses.or_else(accepts).map(|said| (content, said))
    }

    fn is_loaded(&self, pod: &Pod) -> bool {
        let known = self.verdicts.get(name(pod)).filter(|(known, _)| known == uid(pod));
        known.is_some_and(|(_, verdict)| *verdict == Verdict::Loaded)
    }

    fn judged(&mut self, written: &Written, pod: &Pod, heard: Heard, now: Timestamp) -> Verdict {
        let before = self.offsets.get(uid(pod)).copied();
        let offset = heard.offset.map(|offset| offset.narrowed_by(before));
        if let Some(offset) = offset {
            self.offsets.insert(uid(pod).to_owned(), offset);
        }
        judge(written, &seen(pod), &Heard { offset, ..heard }, now)
    }

    /// After a pass has written or not: what is known of what is there, and what follows. `last` is when it was written by
    /// somebody before us.
    pub(crate) fn afterwards(
        &mut self,
        content: Option<Content>,
        last: Option<Timestamp>,
        (pods, may_touch, pace): (&[Pod], bool, &pace::Settings),
        now: Timestamp,
    ) -> (Vec<Touch>, Option<Duration>) {
        if let Some(content) = content {
            let before = self.written.as_ref().map(|written| written.at);
            if self.written.as_ref().is_some_and(|written| shows_nothing(written, &content)) {
                self.pace.wrote_hidden();
            } else if let Some(last) = last.filter(|_| self.written.is_none()) {
                self.written = Some(content.written(last, None));
                // Now that it is known what should be there, the pods can be asked.
                return (Vec::new(), (!pods.is_empty()).then_some(SOON));
            } else {
                self.written = Some(content.written(now, before));
                self.verdicts.clear();
                self.pace.wrote();
            }
        }
        if self.written.is_none() || pods.is_empty() {
            return (Vec::new(), None);
        }
        let pending = || Verdict::Pending(String::new());
        let each: Vec<Verdict> = pods
            .iter()
            .filter(|pod| runs(pod))
            .map(|pod| self.verdicts.get(name(pod)).map_or_else(pending, |(_, verdict)| verdict.clone()))
            .collect();
        let is_for_all = self.pace.is_for_all();
        let decision = self.pace.next(pace, Sight::of(&each), now);
        let touches = if decision.touch && may_touch {
            let lacks_it = |pod: &&Pod| runs(pod) && (is_for_all || !self.is_loaded(pod));
            pods.iter().filter(lacks_it).map(|pod| touch(pod, now)).collect()
        } else {
            Vec::new()
        };
        (touches, decision.requeue_after)
    }

    /// What is told about it; nothing, if what was told before holds.
    pub(crate) fn condition(&self, now: Timestamp) -> Option<Condition> {
        let written = self.written.as_ref()?;
        if self.verdicts.is_empty() {
            return None;
        }
        let verdicts = self.verdicts.iter().map(|(name, (_, verdict))| (name.clone(), verdict.clone()));
        condition::condition(&verdicts.collect(), now.duration_since(written.at) < FRESH)
    }
}

impl Content {
    fn written(self, at: Timestamp, before: Option<Timestamp>) -> Written {
        Written { config: self.config, watched: self.watched, at, before }
    }
}

/// Whether something else was written than what pods tell of: a certificate, a login of the web server.
fn shows_nothing(written: &Written, content: &Content) -> bool {
    content.watched.is_some() && (&written.config, &written.watched) == (&content.config, &content.watched)
}

fn name(pod: &Pod) -> &str {
    pod.metadata.name.as_deref().unwrap_or_default()
}

fn uid(pod: &Pod) -> &str {
    pod.metadata.uid.as_deref().unwrap_or_default()
}

/// Whether its containers run, or did.
pub(crate) fn runs(pod: &Pod) -> bool {
    let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
    phase == Some("Running") && pod.metadata.deletion_timestamp.is_none()
}

fn address(pod: &Pod, tls: bool) -> Option<Address> {
    at(pod, PORT, tls).filter(|_| runs(pod))
}

/// A port of a pod.
pub(crate) fn at(pod: &Pod, port: u16, tls: bool) -> Option<Address> {
    let ip = pod.status.as_ref()?.pod_ip.as_ref()?.parse().ok()?;
    Some(Address { ip, port, tls })
}

/// The last words of an operand that has ended.
pub(crate) fn last_words(pod: &Pod) -> Option<String> {
    seen(pod).ended.map(|ended| ended.log)
}

/// What the cluster says about a pod.
pub(crate) fn seen(pod: &Pod) -> judge::Pod {
    let status = pod.status.as_ref();
    let conditions = status.and_then(|status| status.conditions.as_ref()).into_iter().flatten();
    let ready = conditions.clone().find(|condition| condition.type_ == "Ready" && condition.status == "True");
    let annotations = pod.metadata.annotations.as_ref();
    let touched = annotations.and_then(|annotations| annotations.get(TOUCHED));
    let operand = status.and_then(operand);
    let running = operand.and_then(|operand| operand.state.as_ref()?.running.as_ref());
    let since = running.and_then(|running| running.started_at.as_ref()).map(|time| time.0);
    let end = operand.and_then(last_end);
    judge::Pod {
        started: status.and_then(|status| status.start_time.as_ref()).map(|time| time.0),
        ready_since: ready.and_then(|ready| ready.last_transition_time.as_ref()).map(|time| time.0),
        touched: touched.and_then(|touched| touched.parse().ok()),
        running: since.map(|since| Running { since, before: end.clone() }),
        ended: end.filter(|_| running.is_none()),
    }
}

fn operand(status: &PodStatus) -> Option<&ContainerStatus> {
    let containers = || status.container_statuses.iter().flatten();
    let named = containers().find(|container| OPERANDS.contains(&container.name.as_str()));
    named.or_else(|| containers().find(|container| !container.name.contains("reloader")))
}

fn last_end(container: &ContainerStatus) -> Option<Ended> {
    let present = container.state.as_ref().and_then(|state| state.terminated.as_ref());
    let last = container.last_state.as_ref().and_then(|state| state.terminated.as_ref());
    let end = present.or(last)?;
    Some(Ended { at: end.finished_at.as_ref()?.0, log: end.message.clone().unwrap_or_default() })
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
