//! The condition `ConfigurationLoaded` of a workload, from what is known of each of its pods.

use std::collections::BTreeMap;

use api_monitoring::status::Condition;

use crate::loaded::judge::Verdict;

/// The condition's type.
pub const CONFIGURATION_LOADED: &str = "ConfigurationLoaded";

/// So many groups of pods are told about, and so many pods of each.
const TOLD: usize = 5;

/// Why the condition is as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Every pod runs what was written.
    AllPodsLoaded,
    /// An operand refuses it.
    Refused,
    /// A pod does not run it yet.
    Pending,
    /// Some pod cannot be asked.
    Unanswered,
    /// There is nobody to run it.
    NoPods,
}

impl Reason {
    /// As conditions write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AllPodsLoaded => "AllPodsLoaded",
            Self::Refused => "Refused",
            Self::Pending => "Pending",
            Self::Unanswered => "Unanswered",
            Self::NoPods => "NoPods",
        }
    }

    fn status(self) -> &'static str {
        match self {
            Self::AllPodsLoaded => "True",
            Self::Refused | Self::Pending => "False",
            Self::Unanswered | Self::NoPods => "Unknown",
        }
    }

    fn introduction(self) -> &'static str {
        match self {
            Self::AllPodsLoaded => "",
            Self::Refused => "The configuration is refused. ",
            Self::Pending => "The configuration is not loaded everywhere. ",
            Self::Unanswered => "It is not known everywhere which configuration is loaded. ",
            Self::NoPods => "There are no pods.",
        }
    }
}

/// The condition, from what each pod, by its name, was judged to be. While a write is `fresh` nothing is said about
/// pods that are about to load it: what was said before stays, and an edit that takes effect in time costs no write.
pub fn condition(pods: &BTreeMap<String, Verdict>, fresh: bool) -> Option<Condition> {
    let any = |is: fn(&Verdict) -> bool| pods.values().any(is);
    let reason = if pods.is_empty() {
        Reason::NoPods
    } else if any(|verdict| matches!(verdict, Verdict::Refused(_))) {
        Reason::Refused
    } else if any(|verdict| matches!(verdict, Verdict::Pending(_))) {
        if fresh {
            return None;
        }
        Reason::Pending
    } else if any(|verdict| matches!(verdict, Verdict::Unknown(_))) {
        Reason::Unanswered
    } else {
        Reason::AllPodsLoaded
    };
    Some(Condition {
        type_: CONFIGURATION_LOADED.into(),
        status: reason.status().into(),
        reason: reason.as_str().into(),
        message: message(reason, pods),
        ..Condition::default()
    })
}

/// Names the pods that are the reason, those with the same words together.
fn message(reason: Reason, pods: &BTreeMap<String, Verdict>) -> String {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (pod, verdict) in pods {
        match (reason, verdict) {
            (Reason::Refused, Verdict::Refused(words))
            | (Reason::Pending, Verdict::Pending(words))
            | (Reason::Unanswered, Verdict::Unknown(words)) => groups.entry(words).or_default().push(pod),
            _ => {}
        }
    }
    let group = |(words, pods): (&&str, &Vec<&str>)| format!("{}: {words}", list(pods));
    let mut told: Vec<String> = groups.iter().take(TOLD).map(group).collect();
    if groups.len() > TOLD {
        told.push("and others".into());
    }
    format!("{}{}", reason.introduction(), told.join("; "))
}

fn list(pods: &[&str]) -> String {
    let first = pods.iter().take(TOLD).copied().collect::<Vec<_>>().join(", ");
    match pods.len().saturating_sub(TOLD) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(pods: &[(&str, Verdict)], fresh: bool) -> Option<Condition> {
        let pods = pods.iter().map(|(name, verdict)| ((*name).to_owned(), verdict.clone())).collect();
        condition(&pods, fresh)
    }

    fn of(pods: &[(&str, Verdict)], fresh: bool) -> (String, String, String) {
        let condition = said(pods, fresh).unwrap();
        assert_eq!(condition.type_, "ConfigurationLoaded");
        (condition.status, condition.reason, condition.message)
    }

    fn told(status: &str, reason: &str, message: &str) -> (String, String, String) {
        (status.into(), reason.into(), message.into())
    }

    #[test]
    fn the_worst_pod_decides_and_is_named() {
        let loaded = || Verdict::Loaded;
        let refused = || Verdict::Refused("line 12".into());
        let pending = || Verdict::Pending("it is starting".into());
        let unknown = |words: &str| Verdict::Unknown(words.into());
        assert_eq!(of(&[], false), told("Unknown", "NoPods", "There are no pods."));
        assert_eq!(of(&[("a-0", loaded()), ("a-1", loaded())], false), told("True", "AllPodsLoaded", ""));
        assert_eq!(
            of(&[("a-0", refused()), ("a-1", refused()), ("a-2", pending())], true),
            told("False", "Refused", "The configuration is refused. a-0, a-1: line 12")
        );
        assert_eq!(
            of(&[("a-0", loaded()), ("a-1", pending()), ("a-2", unknown("x"))], false),
            told("False", "Pending", "The configuration is not loaded everywhere. a-1: it is starting")
        );
        assert_eq!(
            of(&[("a-0", loaded()), ("a-1", unknown("no answer")), ("a-2", unknown("answered 401"))], true),
            told(
                "Unknown",
                "Unanswered",
                "It is not known everywhere which configuration is loaded. a-2: answered 401; a-1: no answer"
            )
        );
    }

    #[test]
    fn a_fresh_write_that_is_under_way_changes_nothing() {
        assert_eq!(said(&[("a-0", Verdict::Pending("soon".into()))], true), None);
    }

    #[test]
    fn a_message_stays_short() {
        let name = |index: usize| format!("a-{index:02}");
        let same: Vec<String> = (0..20).map(name).collect();
        let pods: Vec<(&str, Verdict)> =
            same.iter().map(|name| (name.as_str(), Verdict::Refused("line 12".into()))).collect();
        assert_eq!(
            of(&pods, false),
            told(
                "False",
                "Refused",
                "The configuration is refused. a-00, a-01, a-02, a-03, a-04 and 15 more: line 12"
            )
        );
    }
}
