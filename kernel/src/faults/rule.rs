//! What goes wrong, and when. Pure: a decision depends on the request and on how many like it came before.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::refusal::Refusal;
use crate::call::{Call, Purpose, Verb};

/// What happens to a request.
#[derive(Debug, Clone)]
pub enum Fault {
    /// The process dies before the request is sent.
    CrashBefore,
    /// The server has done it; the process dies before it learns so.
    CrashAfter,
    /// The server has done it; the connection breaks before the answer arrives.
    AnswerLost,
    /// The server says no, and does nothing.
    Refused(Refusal),
    /// Sent later.
    Delayed(Duration),
    /// Sent when the gate opens.
    HeldUntil(Gate),
    /// The answer ends in the middle of an object: of the next event, if it is a watch.
    Truncated,
    /// A watch begins, and its first event says that history is gone. To anything else it is a 410.
    Expired,
}

impl Fault {
    /// One word for the trace and for the name of a plan.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::CrashBefore => "crash-before",
            Self::CrashAfter => "crash-after",
            Self::AnswerLost => "answer-lost",
            Self::Refused(Refusal::Forbidden) => "refused-403",
            Self::Refused(Refusal::Conflict) => "refused-409",
            Self::Refused(Refusal::Gone) => "refused-410",
            Self::Refused(Refusal::TooManyRequests(_)) => "refused-429",
            Self::Refused(Refusal::InternalError) => "refused-500",
            Self::Refused(Refusal::Unavailable) => "refused-503",
            Self::Refused(Refusal::Timeout) => "refused-504",
            Self::Delayed(_) => "delayed",
            Self::HeldUntil(_) => "held",
            Self::Truncated => "truncated",
            Self::Expired => "expired",
        }
    }
}

/// Something that is closed until a test opens it. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Gate(CancellationToken);

impl Gate {
    /// Opens it, for good.
    pub fn open(&self) {
        self.0.cancel();
    }

    /// Waits until it is open.
    pub async fn opened(&self) {
        self.0.cancelled().await;
    }
}

/// A test of a request, for what the other choices cannot say.
pub type Predicate = Arc<dyn Fn(&Call) -> bool + Send + Sync>;

/// Which requests a rule counts.
#[derive(Clone)]
pub enum Calls {
    /// All of them: leases, events and questions too.
    Any,
    /// All that are work, reads included.
    Work,
    /// Writes that are work and are kept.
    Writes,
    /// One verb on one kind (`configmaps`, `statefulsets.apps`), subresources included.
    Of(Verb, String),
    /// Whatever the test says.
    Where(Predicate),
}

impl Calls {
    /// Those that pass a test.
    pub fn matching(test: impl Fn(&Call) -> bool + Send + Sync + 'static) -> Self {
        Self::Where(Arc::new(test))
    }

    /// Whether a request is one of these.
    pub fn include(&self, call: &Call) -> bool {
        match self {
            Self::Any => true,
            Self::Work => call.purpose == Purpose::Work,
            Self::Writes => call.is_write(),
            Self::Of(verb, kind) => call.verb == *verb && call.kind() == *kind,
            Self::Where(test) => test(call),
        }
    }
}

impl fmt::Debug for Calls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => formatter.write_str("Any"),
            Self::Work => formatter.write_str("Work"),
            Self::Writes => formatter.write_str("Writes"),
            Self::Of(verb, kind) => write!(formatter, "Of({verb:?}, {kind})"),
            Self::Where(_) => formatter.write_str("Where(…)"),
        }
    }
}

/// Which of the counted requests are hit. The first is number 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hits {
    /// One.
    Nth(u64),
    /// The first so many.
    First(u64),
    /// All.
    Every,
}

impl Hits {
    fn include(self, number: u64) -> bool {
        match self {
            Self::Nth(wanted) => number == wanted,
            Self::First(last) => number <= last,
            Self::Every => true,
        }
    }
}

/// One thing that goes wrong.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Which requests count, from the moment the rule is made known.
    pub calls: Calls,
    /// Which of them are hit.
    pub hits: Hits,
    /// What happens to those.
    pub fault: Fault,
}

/// Rules, and how many requests each has counted.
#[derive(Debug, Default)]
pub struct Rules(Vec<(Rule, u64)>);

impl Rules {
    /// Adds a rule behind the others.
    pub fn add(&mut self, rule: Rule) {
        self.0.push((rule, 0));
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Counts a request with every rule that it concerns. The first rule that it hits decides.
    pub fn decide(&mut self, call: &Call) -> Option<Fault> {
        let mut decision = None;
        for (rule, count) in self.0.iter_mut().filter(|(rule, _)| rule.calls.include(call)) {
            *count += 1;
            if decision.is_none() && rule.hits.include(*count) {
                decision = Some(rule.fault.clone());
            }
        }
        decision
    }
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;

    fn call(method: &Method, path: &str) -> Call {
        Call::of(method, &path.parse().unwrap(), None)
    }

    fn said(rules: &mut Rules, calls: &[Call]) -> Vec<&'static str> {
        calls.iter().map(|call| rules.decide(call).map_or("-", |fault| fault.as_str())).collect()
    }

    #[test]
    fn writes_are_counted_and_nothing_beside_them() {
        let write = call(&Method::POST, "/api/v1/namespaces/d/pods");
        let lease = call(&Method::PUT, "/apis/coordination.k8s.io/v1/namespaces/d/leases/a");
        let read = call(&Method::GET, "/api/v1/namespaces/d/pods");
        let mut rules = Rules::default();
        rules.add(Rule { calls: Calls::Writes, hits: Hits::Nth(2), fault: Fault::CrashAfter });
        let all = [write.clone(), lease, read, write.clone(), write];
        assert_eq!(said(&mut rules, &all), ["-", "-", "-", "crash-after", "-"]);
    }

    #[test]
    fn the_first_rule_that_hits_decides_and_all_count() {
        let get = call(&Method::GET, "/apis/apps/v1/namespaces/d/statefulsets/a");
        let list = call(&Method::GET, "/apis/apps/v1/namespaces/d/statefulsets");
        let mut rules = Rules::default();
        rules.add(Rule { calls: Calls::Work, hits: Hits::First(2), fault: Fault::Truncated });
        let gets = Calls::Of(Verb::Get, "statefulsets.apps".into());
        let conflict = Fault::Refused(Refusal::Conflict);
        rules.add(Rule { calls: gets, hits: Hits::Nth(2), fault: conflict });
        let lists = Calls::matching(|call| call.verb == Verb::List);
        rules.add(Rule { calls: lists, hits: Hits::Every, fault: Fault::Expired });
        let all = [get.clone(), list.clone(), get, list.clone(), list];
        assert_eq!(said(&mut rules, &all), ["truncated", "truncated", "refused-409", "expired", "expired"]);
        rules.clear();
        assert_eq!(said(&mut rules, &all), ["-"; 5]);
    }
}
