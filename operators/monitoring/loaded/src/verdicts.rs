//! What is remembered of refused objects, so that they stay out after a restart of the operator: in the status of the
//! object, as a condition of the workload's binding; and where that is not written, in an annotation of the Secret with
//! the configuration.

use std::collections::BTreeMap;

use api_monitoring::status::BindingCondition;
use serde::{Deserialize, Serialize};

use crate::subject::Subject;

/// The annotation of the Secret.
pub const ANNOTATION: &str = "mainstay.dev/refused-objects";

/// The condition's type, its status and its reason. What is wrong with an object before it is written has other reasons.
const ACCEPTED: &str = "Accepted";
const FALSE: &str = "False";
/// The reason of a condition that tells a refusal.
pub const REASON: &str = "RefusedByOperand";

/// Between who refuses and what it says.
const REFUSES: &str = " refuses it: ";

/// So many objects are kept in the annotation: it has a limit, and so has patience.
const KEPT: usize = 200;

/// Why an object is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The generation of the object that was refused.
    pub generation: i64,
    /// Who refused it, with its version: `Prometheus 2.42.0`. Another version is asked again.
    pub by: String,
    /// What it says, in words that anybody may read.
    pub words: String,
}

impl Refusal {
    /// As a condition; when it began is the caller's.
    pub fn condition(&self) -> BindingCondition {
        BindingCondition {
            type_: ACCEPTED.into(),
            status: FALSE.into(),
            reason: REASON.into(),
            message: format!("{}{REFUSES}{}", self.by, self.words),
            observed_generation: self.generation,
            last_transition_time: None,
        }
    }

    /// Out of a condition; nothing, if it says something else.
    pub fn read(condition: &BindingCondition) -> Option<Self> {
        let is_ours = condition.type_ == ACCEPTED && condition.status == FALSE && condition.reason == REASON;
        let (by, words) = condition.message.split_once(REFUSES).filter(|_| is_ours)?;
        Some(Self { generation: condition.observed_generation, by: by.into(), words: words.into() })
    }
}

/// The refused objects of a workload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdicts(BTreeMap<Subject, Refusal>);

/// As the annotation holds it.
#[derive(Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    subject: Subject,
    #[serde(flatten)]
    refusal: Refusal,
}

impl Verdicts {
    /// Remembers a refusal. One of an older generation gives way.
    pub fn refuse(&mut self, subject: Subject, refusal: Refusal) {
        self.0.insert(subject, refusal);
    }

    /// Why an object of this generation is left out by this operand; nothing, if it is not, or not any more.
    pub fn excludes(&self, subject: &Subject, generation: i64, by: &str) -> Option<&Refusal> {
        self.0.get(subject).filter(|refusal| refusal.generation == generation && refusal.by == by)
    }

    /// Forgets what does not hold any more: `now` tells the generation of an object that is still there.
    pub fn retain(&mut self, by: &str, now: impl Fn(&Subject) -> Option<i64>) {
        self.0.retain(|subject, refusal| refusal.by == by && now(subject) == Some(refusal.generation));
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&Subject, &Refusal)> {
        self.0.iter()
    }

    /// Whether nothing is refused.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of the annotation; nothing, if there is nothing to remember.
    pub fn annotation(&self) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let entry = |(subject, refusal): (&Subject, &Refusal)| Entry {
            subject: subject.clone(),
            refusal: refusal.clone(),
        };
        let entries: Vec<Entry> = self.0.iter().take(KEPT).map(entry).collect();
        serde_json::to_string(&entries).ok()
    }

    /// Out of the annotation. What cannot be read is forgotten: it is found out again.
    pub fn of_annotation(text: &str) -> Self {
        let entries: Vec<Entry> = serde_json::from_str(text).unwrap_or_default();
        Self(entries.into_iter().map(|entry| (entry.subject, entry.refusal)).collect())
    }
}

impl FromIterator<(Subject, Refusal)> for Verdicts {
    fn from_iter<I: IntoIterator<Item = (Subject, Refusal)>>(refusals: I) -> Self {
        Self(refusals.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::subject::Kind;

    const BY: &str = "Prometheus 2.42.0";

    fn subject(name: &str) -> Subject {
        Subject::new(Kind::ServiceMonitor, "team", name)
    }

    fn refusal() -> Refusal {
        Refusal { generation: 3, by: BY.into(), words: "unknown relabel action \"…\"".into() }
    }

    #[test]
    fn another_generation_or_version_is_tried_again() {
        let verdicts = Verdicts::from_iter([(subject("bad"), refusal())]);
        assert_eq!(verdicts.excludes(&subject("bad"), 3, BY), Some(&refusal()));
        assert_eq!(verdicts.excludes(&subject("bad"), 4, BY), None);
        assert_eq!(verdicts.excludes(&subject("bad"), 3, "Prometheus 3.13.1"), None);
        assert_eq!(verdicts.excludes(&subject("good"), 3, BY), None);
    }

    #[test]
    fn what_does_not_hold_any_more_is_forgotten() {
        let names = ["same", "changed", "gone"];
        let all = Verdicts::from_iter(names.map(|name| (subject(name), refusal())));
        let now = |it: &Subject| match it.name.as_str() {
            "same" => Some(3),
            "changed" => Some(4),
            _ => None,
        };
        let mut left = all.clone();
        left.retain(BY, now);
        assert_eq!(left, Verdicts::from_iter([(subject("same"), refusal())]));
        let mut none = all;
        none.retain("Prometheus 3.13.1", now);
        assert_eq!(none, Verdicts::default());
    }

    #[test]
    fn a_condition_tells_it_to_people_and_to_the_next_operator() {
        let condition = BindingCondition {
            type_: "Accepted".into(),
            status: "False".into(),
            reason: "RefusedByOperand".into(),
            message: "Prometheus 2.42.0 refuses it: unknown relabel action \"…\"".into(),
            observed_generation: 3,
            last_transition_time: None,
        };
        assert_eq!(refusal().condition(), condition);
        assert_eq!(Refusal::read(&condition), Some(refusal()));
        let other = BindingCondition { reason: "InvalidConfiguration".into(), ..condition };
        assert_eq!(Refusal::read(&other), None);
    }

    #[test]
    fn an_annotation_holds_the_same() {
        let verdicts = Verdicts::from_iter([(subject("bad"), refusal())]);
        let text = "[{\"kind\":\"ServiceMonitor\",\"namespace\":\"team\",\"name\":\"bad\",\"generation\":3,\
                    \"by\":\"Prometheus 2.42.0\",\"words\":\"unknown relabel action \\\"…\\\"\"}]";
        assert_eq!(verdicts.annotation().as_deref(), Some(text));
        assert_eq!(Verdicts::of_annotation(text), verdicts);
        assert_eq!(Verdicts::of_annotation("nonsense"), Verdicts::default());
        assert_eq!(Verdicts::default().annotation(), None);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_on_the_way(generation in 0..i64::MAX, words in "\\PC{0,40}", names in prop::collection::btree_set("[a-z]{1,8}", 0..20)) {
            let refusal = Refusal { generation, by: BY.into(), words };
            prop_assert_eq!(Refusal::read(&refusal.condition()), Some(refusal.clone()));
            let verdicts: Verdicts = names.iter().map(|name| (subject(name), refusal.clone())).collect();
            prop_assert_eq!(Verdicts::of_annotation(&verdicts.annotation().unwrap_or_default()), verdicts);
        }
    }
}
