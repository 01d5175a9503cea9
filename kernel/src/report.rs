//! The report of a pass: a status that is written once and only if it changed, and events that are not repeated. Pure:
//! `apply` writes the status and `events` records.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde_json::{Map, Value};

use crate::condition::Statement;
use crate::declare::Kind;
use crate::object::Object;

/// An event about a resource, for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Whether it is a warning.
    pub alarming: bool,
    /// The reason, in one word.
    pub reason: &'static str,
    /// What happened.
    pub message: String,
}

/// The reasons of events that the resources of all operators have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventReason {
    /// An object that another client changed was written back.
    DriftCorrected,
    /// An object was recreated, because a field of it cannot be changed.
    Recreated,
    /// The resource cannot be parsed.
    Unreadable,
}

impl EventReason {
    /// As Kubernetes writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DriftCorrected => "DriftCorrected",
            Self::Recreated => "Recreated",
            Self::Unreadable => "Unreadable",
        }
    }
}

/// An event about an object that a resource uses.
#[derive(Debug, Clone, PartialEq)]
pub struct RelatedNote {
    /// Its kind.
    pub kind: Kind,
    /// The object.
    pub object: Arc<Object>,
    /// The action, in one word.
    pub action: &'static str,
    /// The event.
    pub note: Note,
}

/// The outcome of a pass, for metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reconciled {
    /// It succeeded.
    Done,
    /// The user has to act.
    Invalid,
    /// Something failed and is retried.
    Failed,
}

/// How many objects of a kind a resource selects, for metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectedCount {
    /// Their kind.
    pub kind: Kind,
    /// All of them.
    pub selected: usize,
    /// Those that are rejected.
    pub rejected: usize,
}

/// The report about a resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Its whole status.
    pub status: Value,
    /// Events about it.
    pub notes: Vec<Note>,
    /// Events about objects that it uses.
    pub remarks: Vec<RelatedNote>,
    /// The outcome of the pass.
    pub reconciled: Reconciled,
    /// What it selects, for each kind.
    pub selected: Vec<SelectedCount>,
}

/// An event for each condition that is new, or has another status or reason than before. A new message alone causes none: it
/// may count pods.
pub fn notes(old: &[Condition], statements: &[Statement]) -> Vec<Note> {
    let is_new = |statement: &&Statement| {
        let before = old.iter().find(|condition| condition.type_ == statement.kind);
        before.is_none_or(|before| {
            before.status != statement.truth.as_str() || before.reason != statement.reason
        })
    };
    let note = |statement: &Statement| Note {
        alarming: statement.alarming,
        reason: statement.reason,
        message: statement.message.clone(),
    };
    statements.iter().filter(is_new).filter(|statement| !statement.message.is_empty()).map(note).collect()
}

/// A status with the changes of a merge patch.
pub fn merged(mut status: Value, patch: &Value) -> Value {
    json_patch::merge(&mut status, patch);
    status
}

/// The merge patch that turns one status into another; `None` if they are equal.
pub fn difference(old: &Value, new: &Value) -> Option<Value> {
    if old == new {
        return None;
    }
    let (Value::Object(before), Value::Object(after)) = (old, new) else { return Some(new.clone()) };
    let mut patch = Map::new();
    for (name, value) in after {
        if let Some(change) = difference(before.get(name).unwrap_or(&Value::Null), value) {
            patch.insert(name.clone(), change);
        }
    }
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        patch.insert(name.clone(), Value::Null);
    }
    Some(patch.into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::condition::{Merging, Order, Truth, merge};

    #[test]
    fn only_new_reasons_cause_events() {
        let now =
            k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(k8s_openapi::jiff::Timestamp::UNIX_EPOCH);
        let statement = |truth, reason, message: &str| Statement {
            kind: "Ready",
            truth,
            reason,
            message: message.into(),
            alarming: truth == Truth::False,
        };
        let first = [statement(Truth::False, "Starting", "0 of 1")];
        let merging = Merging { owned: &[], order: Order::ByType, generation: None, now: &now };
        let old = merge(&[], &first, merging);
        assert_eq!(notes(&[], &first).len(), 1);
        assert_eq!(notes(&old, &first), []);
        assert_eq!(notes(&old, &[statement(Truth::False, "Starting", "1 of 2")]), []);
        assert_eq!(notes(&old, &[statement(Truth::False, "Failed", "no")])[0].reason, "Failed");
        assert_eq!(notes(&old, &[statement(Truth::True, "Starting", "2 of 2")]).len(), 1);
    }

    fn status() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            (0..3u8).prop_map(Value::from),
            Just(json!([1, 2]))
        ];
        let map = leaf.prop_recursive(3, 16, 3, |inner| {
            prop::collection::btree_map("[a-c]", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect()))
        });
        prop::collection::btree_map("[a-c]", map, 0..4)
            .prop_map(|map| Value::Object(map.into_iter().collect()))
    }

    proptest! {
        #[test]
        fn the_difference_turns_one_into_the_other(old in status(), new in status()) {
            match difference(&old, &new) {
                None => prop_assert_eq!(old, new),
                Some(patch) => prop_assert_eq!(merged(old, &patch), new),
            }
        }
    }
}
