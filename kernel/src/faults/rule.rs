//! Faults, and when they are injected. Pure: a decision depends on the request and on the number of similar ones before.

use std::fmt;
use std::sync::Arc;

use super::refusal::Refusal;
use crate::call::{Call, Verb};

/// A fault of a request.
#[derive(Debug, Clone)]
pub enum Fault {
    /// The process crashes before the request is sent.
    CrashBefore,
    /// The server has done it; the process crashes before the answer arrives.
    CrashAfter,
    /// The server has done it; the connection breaks before the answer arrives.
    AnswerLost,
    /// The server rejects it, and does nothing.
    Refused(Refusal),
    /// The answer ends in the middle of an object: of the next event, if it is a watch.
    Truncated,
    /// A watch starts, and its first event says that the version is expired. Other requests are answered with 410.
    Expired,
}

impl Fault {
    /// One word for the trace and for the name of a plan.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::CrashBefore => "crash-before",
            Self::CrashAfter => "crash-after",
            Self::AnswerLost => "answer-lost",
            Self::Refused(refusal) => refusal.name(),
            Self::Truncated => "truncated",
            Self::Expired => "expired",
        }
    }
}

/// Which requests a rule counts.
#[derive(Clone)]
pub struct Calls(Arc<dyn Fn(&Call) -> bool + Send + Sync>);

impl Calls {
    /// Those that match a predicate.
    pub fn matching(test: impl Fn(&Call) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(test))
    }

    /// Writes that are work and not dry runs.
    pub fn writes() -> Self {
        Self::matching(Call::is_write)
    }

    /// One verb on one kind (`configmaps`, `statefulsets.apps`), subresources included.
    pub fn of(verb: Verb, kind: impl Into<String>) -> Self {
        let kind = kind.into();
        Self::matching(move |call| call.verb == verb && call.kind() == kind)
    }
}

impl fmt::Debug for Calls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Calls(…)")
    }
}

/// Which of the counted requests a rule applies to. The first is number 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hits {
    /// One.
    Nth(u64),
    /// All.
    Every,
}

impl Hits {
    fn include(self, number: u64) -> bool {
        match self {
            Self::Nth(wanted) => number == wanted,
            Self::Every => true,
        }
    }
}

/// One fault, and the requests that it is injected into.
#[derive(Debug, Clone)]
pub struct FaultRule {
    /// Which requests count, from the moment the rule is added.
    pub calls: Calls,
    /// Which of them get the fault.
    pub hits: Hits,
    /// The fault.
    pub fault: Fault,
}

/// Rules, and how many requests each has counted.
#[derive(Debug, Default)]
pub struct FaultRules(Vec<(FaultRule, u64)>);

impl FaultRules {
    /// Adds a rule behind the others.
    pub fn add(&mut self, rule: FaultRule) {
        self.0.push((rule, 0));
    }

    /// Removes all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Counts a request with every rule that matches. The first rule that applies decides.
    pub fn decide(&mut self, call: &Call) -> Option<Fault> {
        let mut decision = None;
        for (rule, count) in self.0.iter_mut().filter(|(rule, _)| (rule.calls.0)(call)) {
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
    use crate::call::Purpose;

    fn call(method: &Method, path: &str) -> Call {
        Call::of(method, &path.parse().unwrap(), None)
    }

    fn names(rules: &mut FaultRules, calls: &[Call]) -> Vec<&'static str> {
        calls.iter().map(|call| rules.decide(call).map_or("-", |fault| fault.as_str())).collect()
    }

    #[test]
    fn only_writes_are_counted() {
        let write = call(&Method::POST, "/api/v1/namespaces/d/pods");
        let lease = call(&Method::PUT, "/apis/coordination.k8s.io/v1/namespaces/d/leases/a");
        let read = call(&Method::GET, "/api/v1/namespaces/d/pods");
        let mut rules = FaultRules::default();
        rules.add(FaultRule { calls: Calls::writes(), hits: Hits::Nth(2), fault: Fault::CrashAfter });
        let all = [write.clone(), lease, read, write.clone(), write];
        assert_eq!(names(&mut rules, &all), ["-", "-", "-", "crash-after", "-"]);
    }

    #[test]
    fn the_first_rule_that_applies_decides_and_all_count() {
        let get = call(&Method::GET, "/apis/apps/v1/namespaces/d/statefulsets/a");
        let list = call(&Method::GET, "/apis/apps/v1/namespaces/d/statefulsets");
        let mut rules = FaultRules::default();
        for number in [1, 2] {
            let work = Calls::matching(|call| call.purpose == Purpose::Work);
            rules.add(FaultRule { calls: work, hits: Hits::Nth(number), fault: Fault::Truncated });
        }
        let gets = Calls::of(Verb::Get, "statefulsets.apps");
        let conflict = Fault::Refused(Refusal::Conflict);
        rules.add(FaultRule { calls: gets, hits: Hits::Nth(2), fault: conflict });
        let lists = Calls::matching(|call| call.verb == Verb::List);
        rules.add(FaultRule { calls: lists, hits: Hits::Every, fault: Fault::Expired });
        let all = [get.clone(), list.clone(), get, list.clone(), list];
        assert_eq!(names(&mut rules, &all), ["truncated", "truncated", "refused-409", "expired", "expired"]);
        rules.clear();
        assert_eq!(names(&mut rules, &all), ["-"; 5]);
    }
}
