//! Conditions of a status. Pure; called by the `report` of every kind.
//!
//! # Guarantees
//! - `lastTransitionTime` moves only when `status` does.
//! - Conditions of other owners are not changed.
//! - The same input gives the same bytes: conditions are sorted by type, or keep their positions.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;

/// How many bytes of a message are kept. The conventions of the Kubernetes API allow no more, and a status that is too large
/// could not be written at all.
const LONGEST_MESSAGE: usize = 32_768;

/// A message, cut to the length that conditions may have.
pub fn bounded(message: &str) -> &str {
    &message[..message.floor_char_boundary(LONGEST_MESSAGE)]
}

/// The status of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Truth {
    /// True.
    True,
    /// False.
    False,
    /// Unknown.
    Unknown,
}

impl Truth {
    /// As Kubernetes writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

/// A condition, before it is merged. Types and reasons come from enumerations of the kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The condition's type.
    pub kind: &'static str,
    /// Its status.
    pub truth: Truth,
    /// The reason, in one word.
    pub reason: &'static str,
    /// The message for the user.
    pub message: String,
    /// Whether its event is a warning.
    pub alarming: bool,
}

impl From<&Statement> for Condition {
    fn from(statement: &Statement) -> Self {
        stated(statement.kind, statement.truth.as_str(), statement.reason, &statement.message)
    }
}

/// A condition to be merged, without generation and time.
pub fn stated(kind: &str, status: &str, reason: &str, message: &str) -> Condition {
    Condition {
        type_: kind.into(),
        status: status.into(),
        reason: reason.into(),
        message: message.into(),
        observed_generation: None,
        last_transition_time: Time(Timestamp::UNIX_EPOCH),
    }
}

/// In which order conditions are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By type.
    ByType,
    /// Present conditions keep their positions; new ones follow in the order of the statements.
    AsKnown,
}

/// How conditions are merged.
#[derive(Debug, Clone, Copy)]
pub struct Merging<'a> {
    /// The types that the caller owns: those that are no longer stated are removed.
    pub owned: &'a [&'a str],
    /// The order in which they are written.
    pub order: Order,
    /// The generation that the statements are about.
    pub generation: Option<i64>,
    /// The time of the statements.
    pub now: &'a Time,
}

/// The merged conditions. The generation and the time of the stated ones are ignored.
pub fn merge<S: Into<Condition>>(
    old: &[Condition],
    stated: impl IntoIterator<Item = S>,
    merging: Merging<'_>,
) -> Vec<Condition> {
    let mut stated: Vec<Condition> = stated.into_iter().map(Into::into).collect();
    for condition in &mut stated {
        let before = old.iter().find(|before| before.type_ == condition.type_);
        let unchanged = before.filter(|before| before.status == condition.status);
        condition.observed_generation = merging.generation;
        condition.message.truncate(bounded(&condition.message).len());
        condition.last_transition_time =
            unchanged.map_or(merging.now, |before| &before.last_transition_time).clone();
    }
    let mut merged = Vec::new();
    for before in old {
        match stated.iter().position(|condition| condition.type_ == before.type_) {
            Some(at) => merged.push(stated.remove(at)),
            None if merging.owned.contains(&before.type_.as_str()) => {}
            None => merged.push(before.clone()),
        }
    }
    merged.append(&mut stated);
    if merging.order == Order::ByType {
        merged.sort_by(|one, other| one.type_.cmp(&other.type_));
    }
    merged
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(second: i64) -> Time {
        Time(Timestamp::from_second(second).unwrap())
    }

    fn merge(
        old: &[Condition],
        statements: &[Statement],
        owned: &[&str],
        generation: Option<i64>,
        now: &Time,
    ) -> Vec<Condition> {
        super::merge(old, statements, Merging { owned, order: Order::ByType, generation, now })
    }

    fn statement(kind: &'static str, truth: Truth, message: &str) -> Statement {
        Statement { kind, truth, reason: "Because", message: message.into(), alarming: false }
    }

    #[test]
    fn a_new_message_moves_no_transition_time_and_a_new_status_does() {
        let first = merge(&[], &[statement("Ready", Truth::False, "no pods")], &[], Some(1), &at(10));
        let second = merge(&first, &[statement("Ready", Truth::False, "one pod")], &[], Some(2), &at(20));
        assert_eq!(second[0].message, "one pod");
        assert_eq!(second[0].observed_generation, Some(2));
        assert_eq!(second[0].last_transition_time, at(10));
        let third = merge(&second, &[statement("Ready", Truth::True, "")], &[], Some(2), &at(30));
        assert_eq!(third[0].last_transition_time, at(30));
    }

    #[test]
    fn conditions_of_others_are_kept_and_own_ones_that_are_not_stated_are_removed() {
        let old = merge(
            &[],
            &[statement("Foreign", Truth::True, "x"), statement("Upgrading", Truth::True, "y")],
            &[],
            None,
            &at(1),
        );
        let ready = [statement("Ready", Truth::True, "")];
        let new = merge(&old, &ready, &["Ready", "Upgrading"], Some(3), &at(2));
        let kinds: Vec<&str> = new.iter().map(|condition| condition.type_.as_str()).collect();
        assert_eq!(kinds, ["Foreign", "Ready"]);
        assert_eq!(new[0], old[0]);
    }

    #[test]
    fn conditions_keep_their_positions_if_they_are_not_sorted() {
        let merge = |old: &[Condition], statements: &[Statement]| {
            let merging =
                Merging { owned: &["Upgrading"], order: Order::AsKnown, generation: None, now: &at(1) };
            super::merge(old, statements, merging)
        };
        let kinds = |conditions: &[Condition]| -> Vec<String> {
            conditions.iter().map(|condition| condition.type_.clone()).collect()
        };
        let is_true = |kind: &'static str| statement(kind, Truth::True, "");
        let first = merge(&[], &[is_true("Upgrading"), is_true("Ready"), is_true("Foreign")]);
        assert_eq!(kinds(&first), ["Upgrading", "Ready", "Foreign"]);
        let second = merge(&first, &[is_true("Degraded"), is_true("Ready"), is_true("Accepted")]);
        assert_eq!(kinds(&second), ["Ready", "Foreign", "Degraded", "Accepted"]);
    }

    fn statements() -> impl Strategy<Value = Vec<Statement>> {
        let truth = prop_oneof![Just(Truth::True), Just(Truth::False), Just(Truth::Unknown)];
        let kinds = prop::sample::subsequence(vec!["Ready", "Upgrading", "Degraded"], 0..=3);
        (kinds, prop::collection::vec((truth, "[a-z]{0,3}"), 3)).prop_map(|(kinds, rest)| {
            let statement = |(kind, (truth, message)): (_, (_, String))| statement(kind, truth, &message);
            kinds.into_iter().zip(rest).map(statement).collect()
        })
    }

    proptest! {
        #[test]
        fn the_same_statements_change_nothing(one in statements(), other in statements()) {
            let owned = ["Ready", "Upgrading", "Degraded"];
            let old = merge(&[], &one, &owned, Some(1), &at(1));
            let new = merge(&old, &other, &owned, Some(2), &at(2));
            prop_assert_eq!(new.len(), other.len());
            prop_assert_eq!(&merge(&new, &other, &owned, Some(2), &at(3)), &new);
            for condition in &new {
                let before = old.iter().find(|old| old.type_ == condition.type_);
                let kept = before.is_some_and(|before| before.status == condition.status);
                prop_assert_eq!(&condition.last_transition_time, &at(if kept { 1 } else { 2 }));
            }
        }
    }
}
