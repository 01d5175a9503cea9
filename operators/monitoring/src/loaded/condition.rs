//! The condition `ConfigurationLoaded` of a workload, from the states of its pods.

use std::collections::BTreeMap;

use kernel::condition::{Statement, Truth};

use crate::loaded::load_state::LoadState;
use crate::status::ConditionType;

/// How many groups of pods the message lists, and how many pods of each.
const LISTED: usize = 5;

/// Why the condition has its status. The worst reason of all pods counts, which is the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// There are no pods.
    NoPods,
    /// Every pod runs the written content.
    AllPodsLoaded,
    /// Some pods do not answer.
    Unanswered,
    /// A pod does not run it yet.
    Pending,
    /// An operand rejects it.
    Refused,
}

impl Reason {
    /// The reason of one pod, and the message about it.
    fn of(state: &LoadState) -> (Self, &str) {
        match state {
            LoadState::Loaded => (Self::AllPodsLoaded, ""),
            LoadState::Unknown(message) => (Self::Unanswered, message),
            LoadState::Pending(message) => (Self::Pending, message),
            LoadState::Rejected(message) => (Self::Refused, message),
        }
    }

    /// The reason and the status of the condition, and what the message begins with.
    fn texts(self) -> (&'static str, Truth, &'static str) {
        match self {
            Self::NoPods => ("NoPods", Truth::Unknown, "There are no pods."),
            Self::AllPodsLoaded => ("AllPodsLoaded", Truth::True, ""),
            Self::Unanswered => {
                ("Unanswered", Truth::Unknown, "It is not known which configuration all pods have loaded. ")
            }
            Self::Pending => ("Pending", Truth::False, "Not all pods have loaded the configuration. "),
            Self::Refused => ("Refused", Truth::False, "The configuration is rejected. "),
        }
    }
}

/// The condition, from the states of the pods by their names. While a write is `fresh`, pods that are about to load it do
/// not change the condition: a change that takes effect in time causes no write of the status.
pub fn condition(pods: &BTreeMap<&str, &LoadState>, fresh: bool) -> Option<Statement> {
    let worst = pods.values().map(|state| Reason::of(state).0).max().unwrap_or(Reason::NoPods);
    if worst == Reason::Pending && fresh {
        return None;
    }
    let (reason, truth, introduction) = worst.texts();
    let message = format!("{introduction}{}", list(worst, pods));
    let kind = ConditionType::ConfigurationLoaded.as_str();
    Some(Statement { kind, truth, reason, message, alarming: truth == Truth::False })
}

/// Lists the pods with this reason, those with the same message together.
fn list(reason: Reason, pods: &BTreeMap<&str, &LoadState>) -> String {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (pod, state) in pods.iter().filter(|(_, state)| !matches!(state, LoadState::Loaded)) {
        let (its, message) = Reason::of(state);
        if its == reason {
            groups.entry(message).or_default().push(pod);
        }
    }
    let group = |(message, pods): (&&str, &Vec<&str>)| format!("{}: {message}", names(pods));
    let mut listed: Vec<String> = groups.iter().take(LISTED).map(group).collect();
    if groups.len() > LISTED {
        listed.push("and others".into());
    }
    listed.join("; ")
}

fn names(pods: &[&str]) -> String {
    let first = pods.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
    match pods.len().saturating_sub(LISTED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(pods: &[(&str, LoadState)], fresh: bool) -> Option<Statement> {
        condition(&pods.iter().map(|(name, state)| (*name, state)).collect(), fresh)
    }

    fn of(pods: &[(&str, LoadState)], fresh: bool) -> (String, String, String) {
        let condition = stated(pods, fresh).unwrap();
        assert_eq!(condition.kind, "ConfigurationLoaded");
        (condition.truth.as_str().into(), condition.reason.into(), condition.message)
    }

    fn texts(status: &str, reason: &str, message: &str) -> (String, String, String) {
        (status.into(), reason.into(), message.into())
    }

    #[test]
    fn the_worst_pod_decides_and_is_named() {
        let loaded = || LoadState::Loaded;
        let rejected = || LoadState::Rejected("line 12".into());
        let pending = || LoadState::Pending("it is starting".into());
        let unknown = |words: &str| LoadState::Unknown(words.into());
        assert_eq!(of(&[], false), texts("Unknown", "NoPods", "There are no pods."));
        assert_eq!(of(&[("a-0", loaded()), ("a-1", loaded())], false), texts("True", "AllPodsLoaded", ""));
        assert_eq!(
            of(&[("a-0", rejected()), ("a-1", rejected()), ("a-2", pending())], true),
            texts("False", "Refused", "The configuration is rejected. a-0, a-1: line 12")
        );
        assert_eq!(
            of(&[("a-0", loaded()), ("a-1", pending()), ("a-2", unknown("x"))], false),
            texts("False", "Pending", "Not all pods have loaded the configuration. a-1: it is starting")
        );
        assert_eq!(
            of(&[("a-0", loaded()), ("a-1", unknown("no answer")), ("a-2", unknown("answered 401"))], true),
            texts(
                "Unknown",
                "Unanswered",
                "It is not known which configuration all pods have loaded. a-2: answered 401; a-1: no answer"
            )
        );
    }

    #[test]
    fn pending_pods_do_not_change_the_condition_of_a_fresh_write() {
        assert_eq!(stated(&[("a-0", LoadState::Pending("soon".into()))], true), None);
    }

    #[test]
    fn messages_are_short() {
        let name = |index: usize| format!("a-{index:02}");
        let same: Vec<String> = (0..20).map(name).collect();
        let pods: Vec<(&str, LoadState)> =
            same.iter().map(|name| (name.as_str(), LoadState::Rejected("line 12".into()))).collect();
        assert_eq!(
            of(&pods, false),
            texts(
                "False",
                "Refused",
                "The configuration is rejected. a-00, a-01, a-02, a-03, a-04 and 15 more: line 12"
            )
        );
    }
}
