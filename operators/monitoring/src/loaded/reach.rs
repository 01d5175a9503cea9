//! Which pods are asked. A network policy may prevent some from answering, and each request to these takes the whole
//! timeout.
//!
//! - A pod that answered, or was never asked, is asked whenever there is something to ask.
//! - A pod that did not answer is asked again after a pause that grows. Of several such pods one is asked at a time, with a
//!   pause between them; the one that was asked longest ago comes first.
//! - If no pod is known to answer, there is one pause for all of them, and then one is asked. Its answer ends the pauses of
//!   the others.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::jiff::Timestamp;

/// The first pause.
const FIRST: Duration = Duration::from_secs(10);

/// The longest.
const LONGEST: Duration = Duration::from_mins(10);

/// Requests in a row without an answer, and when the last one was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Silence {
    rounds: u32,
    last: Timestamp,
}

impl Silence {
    /// One more request without an answer.
    fn after(before: Option<Self>, now: Timestamp) -> Self {
        Self { rounds: before.map_or(0, |before| before.rounds).saturating_add(1), last: now }
    }

    fn is_over(&self, now: Timestamp) -> bool {
        let pause = FIRST.saturating_mul(2_u32.saturating_pow(self.rounds.saturating_sub(1))).min(LONGEST);
        self.is_past(pause, now)
    }

    /// A clock that was set back must not make the pause longer.
    fn is_past(&self, pause: Duration, now: Timestamp) -> bool {
        Duration::try_from(now.duration_since(self.last)).map_or(true, |since| since >= pause)
    }
}

/// Which pods of a workload answered. If it is lost, all pods are asked once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    /// By unique id: none, if the pod answered when it was last asked.
    pods: BTreeMap<String, Option<Silence>>,
    /// Of all of them together, as long as none answers.
    silence: Option<Silence>,
}

impl Reach {
    /// Forgets all but these pods.
    pub fn keep(&mut self, pods: &[&str]) {
        self.pods.retain(|known, _| pods.contains(&known.as_str()));
    }

    /// Whether no pod is known to answer, so that only one is asked.
    pub fn is_silent(&self) -> bool {
        self.silence.is_some()
    }

    /// Which of these pods, by their unique ids, to ask at `now`.
    pub fn due<'p>(&self, pods: &[&'p str], now: Timestamp) -> Vec<&'p str> {
        if let Some(silence) = &self.silence {
            let one = pods.iter().min_by_key(|pod| self.asked(pod)).filter(|_| silence.is_over(now));
            return one.copied().into_iter().collect();
        }
        let is_apart = self.pods.values().flatten().all(|silence| silence.is_past(FIRST, now));
        let is_due = |pod: &&&str| self.silent(pod).is_some_and(|silence| silence.is_over(now));
        let one = pods.iter().filter(is_due).min_by_key(|pod| self.asked(pod)).filter(|_| is_apart);
        let answering = pods.iter().filter(|pod| self.silent(pod).is_none());
        answering.chain(one).copied().collect()
    }

    /// Which pods were asked, and whether each of them answered.
    pub fn record<'p>(&mut self, answers: impl IntoIterator<Item = (&'p str, bool)>, now: Timestamp) {
        let mut has_answer = false;
        let mut asked = false;
        for (pod, answered) in answers {
            let before = self.silent(pod);
            let silence = (!answered).then(|| Silence::after(before, now));
            self.pods.insert(pod.to_owned(), silence);
            has_answer |= answered;
            asked = true;
        }
        if has_answer {
            if self.silence.take().is_some() {
                self.pods.retain(|_, silence| silence.is_none());
            }
        } else if asked && self.pods.values().all(Option::is_some) {
            self.silence = Some(Silence::after(self.silence, now));
        }
    }

    fn silent(&self, pod: &str) -> Option<Silence> {
        self.pods.get(pod).copied().flatten()
    }

    /// When a silent pod was last asked. One that was never asked comes first.
    fn asked(&self, pod: &str) -> Option<Timestamp> {
        self.silent(pod).map(|silence| silence.last)
    }
}

#[cfg(test)]
mod tests;
