//! Whether a pod runs the written content: from the answer of its reloader and from its status.
//!
//! Our reloader reports hashes of the mounted and of the loaded content. The peer's reports only when a reload last
//! succeeded, so these facts about it count (thanos, `pkg/reloader`):
//! - With a configuration file it reloads once when it starts, in any case. Without one (Thanos Ruler) it
//!   does nothing when it starts, and its counters are zero until something changes.
//! - It reloads when the bytes of the mounted files change, not when a Secret is written again with the same bytes.
//! - It retries a failed reload every five seconds, and reads no file meanwhile. Until its watch interval (three
//!   minutes) is over, its failures may be about a configuration that was replaced.
//! - While the operand starts, every attempt fails. Such a failure is no rejection.

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::loaded::answer::{PodAnswer, ReloadCounters, ReloaderAnswer, ReloaderStatus};
use crate::loaded::content::Content;
use crate::loaded::offset::Offset;
use crate::loaded::pod::{ObservedPod, Terminated};
use crate::rejections::error_text;

/// After so many seconds what is written is in every ready pod, and the peer's reloader has tried to load it: the kubelet
/// syncs a pod at least every ninety seconds, that reloader reads the files every three minutes.
const SETTLED: i64 = 300;

/// A pod must have been ready for so many seconds before a failure of the peer's reloader counts: the failure may be from
/// before, and the next attempt is due in five.
const READY: i64 = 10;

/// If an operand terminates so many seconds after its pod was touched for a write, and our reloader has seen what was
/// written, the operand has read it.
const READ: i64 = 3;

/// The largest difference, in seconds, between the clocks of two nodes, where it is not known.
const CLOCKS: i64 = 30;

/// What was written last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenContent {
    /// What was written.
    pub content: Content,
    /// When something that pods mount was last changed, by our clock. After a restart it is the time of the last write of
    /// the objects: a time that is too late only delays the result.
    pub at: Timestamp,
    /// When it was changed the time before, if that is known.
    pub before: Option<Timestamp>,
}

/// Whether a pod runs the written content. The messages contain no secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadState {
    /// The pod runs it.
    Loaded,
    /// The pod does not run it yet, and why.
    Pending(String),
    /// The operand rejects it, and its error.
    Rejected(String),
    /// The state is not known, and why.
    Unknown(String),
}

impl LoadState {
    /// The state of a pod, from what was written, the pod, and the answer of its reloader.
    pub fn of(written: &WrittenContent, pod: &ObservedPod, answer: &PodAnswer, now: Timestamp) -> Self {
        if let Some(terminated) = &pod.terminated
            && let Some(state) = by_termination(written, pod, terminated, answer)
        {
            return state;
        }
        match &answer.answer {
            ReloaderAnswer::Nothing(_) if by_start(written, pod, answer.offset) => Self::Loaded,
            ReloaderAnswer::Nothing(because) => Self::Unknown(because.clone()),
            ReloaderAnswer::Ours(status) => by_hash(&written.content, status),
            ReloaderAnswer::Peers(counters) => match answer.offset {
                Some(offset) => by_time(written, pod, counters, offset, now),
                None => Self::Unknown("its answer has no Date header".into()),
            },
        }
    }

    fn pending(because: &str) -> Self {
        Self::Pending(because.into())
    }
}

/// An operand that cannot start with a configuration logs the error before it terminates.
fn by_termination(
    written: &WrittenContent,
    pod: &ObservedPod,
    terminated: &Terminated,
    answer: &PodAnswer,
) -> Option<LoadState> {
    if !error_text::is_rejection(&terminated.log) {
        return None;
    }
    let offset = answer.offset.unwrap_or(Offset::NONE);
    let was_mounted = || {
        let at_start = pod.started.is_some_and(|started| offset.is_after(started, written.at));
        let touched = pod.touched.filter(|touched| *touched >= written.at);
        at_start || touched.is_some_and(|touched| offset.is_after(terminated.at, later(touched, READ)))
    };
    let was_read = match &answer.answer {
        // What is in the pod now may have come after the termination, unless it was mounted before.
        ReloaderAnswer::Ours(status) => is_mounted(&written.content, status) && was_mounted(),
        ReloaderAnswer::Peers(_) | ReloaderAnswer::Nothing(_) => false,
    };
    if was_read || must_be_mounted(written.at, pod, offset, terminated.at) {
        return Some(LoadState::Rejected(error_text::redacted(&terminated.log)));
    }
    Some(LoadState::pending("its container terminated before that and restarts"))
}

/// Whether an operand whose reloader does not answer has read what was written when it started.
fn by_start(written: &WrittenContent, pod: &ObservedPod, offset: Option<Offset>) -> bool {
    let (Some(running), Some(_)) = (&pod.running, pod.ready_since) else { return false };
    let offset = offset.unwrap_or(Offset::NONE);
    // It rejected the previous content, and runs: so it has the new one.
    let has_replacement = || {
        let (Some(terminated), Some(before)) = (&running.before, written.before) else { return false };
        error_text::is_rejection(&terminated.log)
            && must_be_mounted(before, pod, offset, terminated.at)
            && offset.is_after(running.since, written.at)
    };
    must_be_mounted(written.at, pod, offset, running.since) || has_replacement()
}

/// Whether what was written at a time of our clock must have been in the pod at a time of its clock.
fn must_be_mounted(written: Timestamp, pod: &ObservedPod, offset: Offset, time: Timestamp) -> bool {
    let at_start = pod.started.is_some_and(|started| offset.is_after(started, later(written, CLOCKS)));
    at_start || offset.is_after(time, later(written, SETTLED))
}

fn later(time: Timestamp, seconds: i64) -> Timestamp {
    time.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(time)
}

/// Whether what was written is in the pod.
fn is_mounted(written: &Content, status: &ReloaderStatus) -> bool {
    let is = |wanted: &Option<String>, seen: &Option<String>| wanted.is_none() || wanted == seen;
    let is_known = status.seen_config_hash.is_some() || status.seen_watched_hash.is_some();
    is_known
        && is(&written.config, &status.seen_config_hash)
        && is(&written.watched, &status.seen_watched_hash)
}

fn by_hash(written: &Content, status: &ReloaderStatus) -> LoadState {
    if written.config.is_none() && written.watched.is_none() {
        return LoadState::Unknown("the expected content is not known".into());
    }
    let config = written.config.is_none() || written.config == status.config_hash;
    let watched = match (&written.watched, &status.seen_watched_hash) {
        (Some(_), _) => written.watched == status.watched_hash,
        // Only the content in the pod is known: it must be loaded.
        (None, Some(_)) => status.seen_watched_hash == status.watched_hash,
        (None, None) => true,
    };
    if config && watched {
        return LoadState::Loaded;
    }
    let error = status.last_error.clone().unwrap_or_default();
    match status.last_error_reason.as_deref() {
        Some("rejected") if is_mounted(written, status) => match code(&error) {
            // Prometheus, Alertmanager and Thanos Ruler answer with 500 if they reject a configuration, and only then.
            Some(500) | None => LoadState::Rejected(error),
            Some(503) => LoadState::Pending(error),
            Some(_) => LoadState::Unknown(error),
        },
        Some("rejected") | None if is_mounted(written, status) => {
            LoadState::pending("its reloader has seen it and reloads now")
        }
        Some("rejected") | None => LoadState::pending("its files are not refreshed yet"),
        Some(reason) if error.is_empty() => LoadState::Pending(format!("its reloader fails: {reason}")),
        Some(_) => LoadState::Pending(error),
    }
}

/// The HTTP status code in an error of our reloader.
fn code(error: &str) -> Option<u16> {
    error.split_once("answered ")?.1.get(..3)?.parse().ok()
}

fn by_time(
    written: &WrittenContent,
    pod: &ObservedPod,
    counters: &ReloadCounters,
    offset: Offset,
    now: Timestamp,
) -> LoadState {
    let after = |theirs: Option<Timestamp>, ours| theirs.is_some_and(|theirs| offset.is_after(theirs, ours));
    let is_settled = now.duration_since(written.at).as_secs() >= SETTLED;
    if counters.successful && after(counters.last_success, written.at) {
        return LoadState::Loaded;
    }
    if counters.reloads == 0 || counters.successful {
        // A pod that started after the write started with it. In a pod that was ready long enough nothing failed since the
        // kubelet has synced it: the content was loaded before, or was changed back.
        let started_with_it = counters.reloads == 0 && after(pod.started, written.at);
        return match pod.ready_since {
            Some(_) if started_with_it || is_settled => LoadState::Loaded,
            _ if counters.reloads > 0 => LoadState::pending("no reload has succeeded since"),
            Some(_) => LoadState::pending("its reloader has not seen it yet"),
            None => LoadState::pending("it is starting"),
        };
    }
    let Some(since) = pod.ready_since else { return LoadState::pending("it is starting") };
    if offset.seconds_since(since, now) < READY {
        return LoadState::pending("it has just started");
    }
    let last_succeeded = written.before.is_some_and(|before| after(counters.last_success, before));
    if last_succeeded || is_settled {
        return LoadState::Rejected(
            "its reloader reports that the last reload failed; its log says why".into(),
        );
    }
    LoadState::pending("its reloader still tries the previous configuration")
}

#[cfg(test)]
mod tests;
