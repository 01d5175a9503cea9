//! What the answer of a pod means for what was written.
//!
//! Ours tells hashes of what is in the pod and of what is loaded. The peer's tells only when a reload last worked, so
//! these facts of it count (thanos, `pkg/reloader`):
//! - With a configuration file it reloads once when it starts, whatever was loaded before. Without one (Thanos Ruler) it
//!   does nothing at its start, and its counters are zero until something changes.
//! - It reloads when the bytes of the mounted files change, not when a Secret is written anew with the same bytes.
//! - A failed reload is tried every five seconds, and meanwhile it looks at no file: until its watch interval (three
//!   minutes) is over, its failures may be about a configuration that is not there any more.
//! - While its neighbour starts, every attempt fails. That is no refusal.

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::loaded::answer::{Answer, Counters, Heard, Status};
use crate::loaded::culprit;
use crate::loaded::offset::Offset;
use crate::loaded::words;

/// After so many seconds what is written is in every ready pod, and the peer's reloader has tried to load it: the kubelet
/// comes by at least every ninety seconds, that reloader every three minutes.
const SETTLED: i64 = 300;

/// A pod must have been ready for so many seconds before a failure of the peer's reloader counts: it may be one from
/// before, and the next attempt is due in five.
const UP: i64 = 10;

/// So many seconds after a pod was touched for a write, an operand that ends has met it where our reloader has seen it.
const MET: i64 = 3;

/// So many seconds the clocks of two nodes are apart at most, where nobody tells the time.
const CLOCKS: i64 = 30;

/// What was written last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Hash of the configuration; nothing, where a workload has none but rules.
    pub config: Option<String>,
    /// Hash of the files in the watched directories, if all of them are known.
    pub watched: Option<String>,
    /// When something that pods mount was last changed, by our clock. A time that is too late costs patience and nothing
    /// else, so after a restart the time of the last write of the objects will do.
    pub at: Timestamp,
    /// When it was changed the time before, if that is known.
    pub before: Option<Timestamp>,
}

/// What the cluster says about a pod; times are those of the kubelet's clock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pod {
    /// When the kubelet began with it.
    pub started: Option<Timestamp>,
    /// Since when it is ready, if it is.
    pub ready_since: Option<Timestamp>,
    /// When it was last touched, by our clock.
    pub touched: Option<Timestamp>,
    /// The operand's container, if it runs.
    pub running: Option<Running>,
    /// How the operand's container ended, if it does not run.
    pub ended: Option<Ended>,
}

/// A container that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// Since when.
    pub since: Timestamp,
    /// How it ended before.
    pub before: Option<Ended>,
}

/// How a container ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// When.
    pub at: Timestamp,
    /// The end of its log, which the kubelet keeps as its message.
    pub log: String,
}

/// Whether a pod runs what was written. The words may be shown to anybody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Loaded,
    /// Not yet, and what it waits for.
    Pending(String),
    /// The operand does not take it, and what it says.
    Refused(String),
    /// It cannot be told, and why.
    Unknown(String),
}

/// Judges a pod.
pub fn judge(written: &Written, pod: &Pod, heard: &Heard, now: Timestamp) -> Verdict {
    if let Some(ended) = &pod.ended
        && let Some(verdict) = by_its_end(written, pod, ended, heard)
    {
        return verdict;
    }
    match &heard.answer {
        Answer::Nothing(_) if by_its_start(written, pod, heard.offset) => Verdict::Loaded,
        Answer::Nothing(because) => Verdict::Unknown(because.clone()),
        Answer::Ours(status) => by_hash(written, status),
        Answer::Peers(counters) => match heard.offset {
            Some(offset) => by_time(written, pod, counters, offset, now),
            None => Verdict::Unknown("its answer does not tell the time".into()),
        },
    }
}

/// An operand that cannot start with a configuration says so in its last words.
fn by_its_end(written: &Written, pod: &Pod, ended: &Ended, heard: &Heard) -> Option<Verdict> {
    if !culprit::is_refusal(&ended.log) {
        return None;
    }
    let offset = heard.offset.unwrap_or(Offset::NONE);
    let was_brought = || {
        let began_with_it = pod.started.is_some_and(|started| offset.is_after(started, written.at));
        let touched = pod.touched.filter(|touched| *touched >= written.at);
        began_with_it || touched.is_some_and(|touched| offset.is_after(ended.at, later(touched, MET)))
    };
    let has_met_it = match &heard.answer {
        // What is there now may have come after the end, unless it had to be there before.
        Answer::Ours(status) => sees(written, status) && was_brought(),
        Answer::Peers(_) | Answer::Nothing(_) => false,
    };
    if has_met_it || is_there(written.at, pod, offset, ended.at) {
        return Some(Verdict::Refused(words::told(&ended.log)));
    }
    Some(Verdict::Pending("its container ended before that, and starts anew".into()))
}

/// Whether an operand of which nobody tells has taken what was written when it started.
fn by_its_start(written: &Written, pod: &Pod, offset: Option<Offset>) -> bool {
    let (Some(running), Some(_)) = (&pod.running, pod.ready_since) else { return false };
    let offset = offset.unwrap_or(Offset::NONE);
    // It did not take what was there before, and runs: so it has what came after that.
    let is_over_the_last_one = || {
        let (Some(ended), Some(before)) = (&running.before, written.before) else { return false };
        culprit::is_refusal(&ended.log)
            && is_there(before, pod, offset, ended.at)
            && offset.is_after(running.since, written.at)
    };
    is_there(written.at, pod, offset, running.since) || is_over_the_last_one()
}

/// Whether what was written at a moment of ours must have been in the pod at a moment of its own.
fn is_there(written: Timestamp, pod: &Pod, offset: Offset, moment: Timestamp) -> bool {
    let began_with_it = pod.started.is_some_and(|started| offset.is_after(started, later(written, CLOCKS)));
    began_with_it || offset.is_after(moment, later(written, SETTLED))
}

fn later(moment: Timestamp, seconds: i64) -> Timestamp {
    moment.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(moment)
}

/// Whether what was written is in the pod.
fn sees(written: &Written, status: &Status) -> bool {
    let is = |wanted: &Option<String>, there: &Option<String>| wanted.is_none() || wanted == there;
    let anything = status.seen_config_hash.is_some() || status.seen_watched_hash.is_some();
    anything
        && is(&written.config, &status.seen_config_hash)
        && is(&written.watched, &status.seen_watched_hash)
}

fn by_hash(written: &Written, status: &Status) -> Verdict {
    if written.config.is_none() && written.watched.is_none() {
        return Verdict::Unknown("it is not known what should be there".into());
    }
    let config = written.config.is_none() || written.config == status.config_hash;
    let watched = match (&written.watched, &status.seen_watched_hash) {
        (Some(_), _) => written.watched == status.watched_hash,
        // What is in the pod is loaded; more cannot be told.
        (None, Some(_)) => status.seen_watched_hash == status.watched_hash,
        (None, None) => true,
    };
    if config && watched {
        return Verdict::Loaded;
    }
    let words = status.last_error.clone().unwrap_or_default();
    match status.last_error_reason.as_deref() {
        Some("rejected") if sees(written, status) => match code(&words) {
            // Prometheus, Alertmanager and Thanos Ruler all answer so, and only so, to what they do not take.
            Some(500) | None => Verdict::Refused(words),
            Some(503) => Verdict::Pending(words),
            Some(_) => Verdict::Unknown(words),
        },
        Some("rejected") | None if sees(written, status) => {
            Verdict::Pending("its reloader has seen it and has it loaded now".into())
        }
        Some("rejected") | None => Verdict::Pending("its files are not refreshed yet".into()),
        Some(reason) if words.is_empty() => Verdict::Pending(format!("its reloader has trouble: {reason}")),
        Some(_) => Verdict::Pending(words),
    }
}

/// The code in what our reloader says of an answer.
fn code(words: &str) -> Option<u16> {
    words.split_once("answered ")?.1.get(..3)?.parse().ok()
}

fn by_time(written: &Written, pod: &Pod, counters: &Counters, offset: Offset, now: Timestamp) -> Verdict {
    let after = |theirs: Option<Timestamp>, ours| theirs.is_some_and(|theirs| offset.is_after(theirs, ours));
    let age = now.duration_since(written.at).as_secs();
    let is_ready = pod.ready_since.is_some();
    if counters.successful && after(counters.last_success, written.at) {
        return Verdict::Loaded;
    }
    if counters.reloads == 0 {
        return if is_ready && after(pod.started, written.at) {
            // It started with it.
            Verdict::Loaded
        } else if is_ready && age >= SETTLED {
            Verdict::Loaded
        } else if is_ready {
            Verdict::Pending("its reloader has not seen it yet".into())
        } else {
            Verdict::Pending("it is starting".into())
        };
    }
    if counters.successful {
        // A kubelet that lives has brought it by now, and nothing failed: it was loaded before, or changed back.
        return if is_ready && age >= SETTLED {
            Verdict::Loaded
        } else {
            Verdict::Pending("no reload has worked since".into())
        };
    }
    let Some(since) = pod.ready_since else { return Verdict::Pending("it is starting".into()) };
    if offset.seconds_since(since, now) < UP {
        return Verdict::Pending("it has just started".into());
    }
    let last_one_worked = written.before.is_some_and(|before| after(counters.last_success, before));
    if last_one_worked || age >= SETTLED {
        return Verdict::Refused("its reloader says that the last reload failed; its log says why".into());
    }
    Verdict::Pending("its reloader still tries what was there before".into())
}

#[cfg(test)]
mod tests;
