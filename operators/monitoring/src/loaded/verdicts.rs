//! What is remembered of refused objects, so that they stay out after a restart of the operator: in an annotation of the
//! Secret with the configuration. A refusal holds for one state of the object and one of the [`Operand`]; records from
//! before these were told hold for none, so that what is in them is tried again once.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::loaded::operand::Operand;
use crate::loaded::subject::Subject;

/// The annotation of the Secret.
pub const ANNOTATION: &str = "mainstay.dev/refused-objects";

/// So many objects are kept in the annotation: it has a limit, and so has patience.
const KEPT: usize = 200;

/// What a configuration got from an object depends on this, and on the workload.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// What tells it from another one that had its name before: that one was counted from one too.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// How often its spec was changed.
    pub generation: i64,
    /// The state of the Secrets and ConfigMaps that it points to; empty, if there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub read: String,
}

/// Why an object is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// What was refused: another state is tried again.
    #[serde(flatten)]
    pub stamp: Stamp,
    /// Who refused it. Another one is asked again.
    #[serde(flatten)]
    pub operand: Operand,
    /// What it says, in words that anybody may read.
    pub words: String,
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
    /// Remembers a refusal. One of an older state gives way.
    pub fn refuse(&mut self, subject: Subject, refusal: Refusal) {
        self.0.insert(subject, refusal);
    }

    /// Why an object is left out; nothing, if it is not.
    pub fn of(&self, subject: &Subject) -> Option<&Refusal> {
        self.0.get(subject)
    }

    /// Forgets what does not hold any more: `now` tells the state of an object that is still asked for. Of what is
    /// forgotten, those that are still asked for.
    pub fn retain<'s>(
        &mut self,
        operand: &Operand,
        now: impl Fn(&Subject) -> Option<&'s Stamp>,
    ) -> BTreeSet<Subject> {
        let mut forgotten = BTreeSet::new();
        self.0.retain(|subject, refusal| {
            let stamp = now(subject);
            let holds = refusal.operand == *operand && stamp == Some(&refusal.stamp);
            if !holds && stamp.is_some() {
                forgotten.insert(subject.clone());
            }
            holds
        });
        forgotten
    }

    /// Everything that is left out.
    pub fn subjects(&self) -> BTreeSet<Subject> {
        self.0.keys().cloned().collect()
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
    use monitoring_select::SelectableKind;

    fn subject(name: &str) -> Subject {
        Subject::new(SelectableKind::ServiceMonitor, "team", name)
    }

    fn stamp(uid: &str, generation: i64, read: &str) -> Stamp {
        Stamp { uid: uid.into(), generation, read: read.into() }
    }

    fn operand(by: &str, workload: &str) -> Operand {
        Operand { by: by.into(), workload: workload.into() }
    }

    fn prometheus() -> Operand {
        operand("Prometheus 2.42.0", "w")
    }

    fn refusal() -> Refusal {
        let words = "unknown relabel action \"…\"".into();
        Refusal { stamp: stamp("u", 3, "a"), operand: prometheus(), words }
    }

    #[test]
    fn what_does_not_hold_any_more_is_forgotten() {
        let names = ["same", "changed", "gone", "reads another", "made anew"];
        let all = Verdicts::from_iter(names.map(|name| (subject(name), refusal())));
        let now = BTreeMap::from([
            (subject("same"), stamp("u", 3, "a")),
            (subject("changed"), stamp("u", 4, "a")),
            (subject("reads another"), stamp("u", 3, "b")),
            (subject("made anew"), stamp("v", 3, "a")),
        ]);
        let mut left = all.clone();
        let forgotten = left.retain(&prometheus(), |it| now.get(it));
        assert_eq!(left, Verdicts::from_iter([(subject("same"), refusal())]));
        assert_eq!(forgotten, ["changed", "made anew", "reads another"].map(subject).into());
        for other in [operand("Prometheus 3.13.1", "w"), operand("Prometheus 2.42.0", "v")] {
            let mut none = all.clone();
            assert_eq!(none.retain(&other, |it| now.get(it)), now.keys().cloned().collect());
            assert_eq!(none, Verdicts::default());
        }
    }

    #[test]
    fn records_of_old_are_read_and_tried_again() {
        let old = "[{\"kind\":\"ServiceMonitor\",\"namespace\":\"team\",\"name\":\"bad\",\"generation\":3,\
                   \"by\":\"Prometheus 2.42.0\",\"words\":\"no\"}]";
        let mut verdicts = Verdicts::of_annotation(old);
        assert_eq!(verdicts.subjects(), [subject("bad")].into());
        let now = stamp("u", 3, "");
        assert_eq!(verdicts.retain(&prometheus(), |_| Some(&now)), [subject("bad")].into());
        assert!(verdicts.is_empty());
    }

    #[test]
    fn an_annotation_holds_the_same() {
        let verdicts = Verdicts::from_iter([(subject("bad"), refusal())]);
        let text = "[{\"kind\":\"ServiceMonitor\",\"namespace\":\"team\",\"name\":\"bad\",\"uid\":\"u\",\
                    \"generation\":3,\"read\":\"a\",\"by\":\"Prometheus 2.42.0\",\"workload\":\"w\",\"words\":\"unknown relabel action \\\"…\\\"\"}]";
        assert_eq!(verdicts.annotation().as_deref(), Some(text));
        assert_eq!(Verdicts::of_annotation(text), verdicts);
        assert_eq!(Verdicts::of_annotation("nonsense"), Verdicts::default());
        assert_eq!(Verdicts::default().annotation(), None);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_on_the_way(generation in 0..i64::MAX, words in "\\PC{0,40}", names in prop::collection::btree_set("[a-z]{1,8}", 0..20)) {
            let refusal = Refusal { stamp: stamp("u", generation, ""), operand: prometheus(), words };
            let verdicts: Verdicts = names.iter().map(|name| (subject(name), refusal.clone())).collect();
            prop_assert_eq!(Verdicts::of_annotation(&verdicts.annotation().unwrap_or_default()), verdicts);
        }
    }
}
