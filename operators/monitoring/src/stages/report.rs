//! What is told about a workload: its status as the Prometheus Operator writes it, conditions of ours where there is
//! something to say, and events about what is new. Pure.

use std::collections::BTreeMap;

use crate::loaded::condition::CONFIGURATION_LOADED;
use crate::plan::{Planned, Remark};
use crate::status::Reconciliation;
use crate::status::reconciliation::{DRIFT_CORRECTED, Remark as Told};
use api_monitoring::status::Condition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition as KubernetesCondition, Time};
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kernel::apply::{Drift, WriteError};
use kernel::condition::{Merging, Order, merge, stated as said};
use kernel::flow::{PassError, PassResult};
use kernel::report::{Note, Reconciled, Report};
use serde_json::{Value, json};

use super::WorkloadOperator;
use super::observe::Health;
use crate::kind::Workload;

/// The condition that says whether the last pass came to its end.
const RECONCILED: &str = "Reconciled";
/// The condition that names what a workload points to and what is not there. It is there only while something is missing.
const REFERENCES: &str = "ReferencesResolved";

/// The condition that names what only the user can do about pods and volumes. It is there only while there is something.
const ROLLED_OUT: &str = "RolledOut";

/// How long a status tells of objects that were written back.
const DRIFT_TOLD: SignedDuration = SignedDuration::from_mins(10);

/// What a status is made of.
#[derive(Default)]
struct Outcome<'o> {
    /// How the workload is doing; nothing, if it could not be read.
    health: Option<&'o Health>,
    /// How it went; nothing, if it is only tried again.
    last: Option<Reconciliation>,
    /// What is missing of what the workload points to.
    gaps: Vec<String>,
    /// What only the user can do about pods and volumes.
    remarks: Vec<String>,
    /// What was deleted and created again.
    recreated: Vec<String>,
    /// What was done about pods and volumes.
    done: Vec<Note>,
    /// Whether pods run what was written; nothing, if what was said about it before holds.
    loaded: Option<Condition>,
}

impl<'o> Outcome<'o> {
    fn of<W: Workload>(
        resource: &W::Resource,
        result: &PassResult<'o, WorkloadOperator<W>>,
        now: Timestamp,
    ) -> Self {
        match result {
            PassResult::Unread(error) => Self { last: failure(error), ..Self::default() },
            PassResult::Invalid { invalid, health, .. } => {
                let last = Some(Reconciliation::Failed(invalid.message.clone()));
                Self { health: Some(health), last, loaded: loaded(health), ..Self::default() }
            }
            PassResult::Applied { inputs, plan, applied, health, error } => {
                let course = &plan.course;
                let last = match (error, &inputs.missing) {
                    (Some(error), _) => failure(error),
                    (None, Some(words)) => Some(Reconciliation::Failed(words.clone())),
                    (None, None) => {
                        let drift = || drift(&W::status(resource), &applied.drifts, now);
                        let told = remark::<W>(resource, course.planned.as_ref());
                        Some(Reconciliation::Done(told.or_else(drift)))
                    }
                };
                let is_empty = course.planned.is_some() && inputs.seen.pods.is_empty();
                Self {
                    health: Some(health),
                    last,
                    gaps: gaps(course.planned.as_ref()),
                    remarks: course.actions.remarks(applied),
                    recreated: applied.recreated.clone(),
                    done: course.actions.events(applied),
                    loaded: if is_empty { nobody_runs::<W>(resource) } else { loaded(health) },
                }
            }
        }
    }
}

/// Whether pods run what was written, with what could not be found out about it.
fn loaded(health: &Health) -> Option<Condition> {
    let mut loaded = health.loaded.clone()?;
    if let Some(words) = &health.hopeless {
        loaded.message = format!("{} ({words})", loaded.message);
    }
    Some(loaded)
}

/// A write that came too late is tried again and says nothing about the workload.
fn failure(error: &PassError) -> Option<Reconciliation> {
    let is_late = matches!(error, PassError::Write(WriteError::Outdated { .. } | WriteError::Fenced));
    (!is_late).then(|| Reconciliation::Failed(error.words()))
}

/// What users should know about a pass that went well. What was found last wins, as with the Prometheus Operator.
fn remark<W: Workload>(resource: &W::Resource, planned: Option<&Planned>) -> Option<Told> {
    let planned = planned?;
    let has = |remark: &Remark| planned.remarks.contains(remark);
    let deprecated = Some(W::facts(resource).deprecated).filter(|fields| !fields.is_empty());
    let selected = W::SELECTS.filter(|_| has(&Remark::NothingSelected)).map(Told::NothingSelected);
    let unmanaged = has(&Remark::Unmanaged).then_some(Told::Unmanaged);
    unmanaged.or(selected).or(deprecated.map(Told::DeprecatedFields))
}

/// What others had changed and was written back: in this pass, or else what the status said of it a short while ago.
fn drift(old: &Value, drifts: &[Drift], now: Timestamp) -> Option<Told> {
    let words = if drifts.is_empty() {
        let before = condition(old, RECONCILED).filter(|before| before["reason"] == DRIFT_CORRECTED)?;
        let words = before["message"].as_str()?;
        let at: Timestamp = words.split_once(": ")?.0.parse().ok()?;
        (now.duration_since(at) < DRIFT_TOLD).then(|| words.to_owned())?
    } else {
        let all: Vec<String> = drifts.iter().map(ToString::to_string).collect();
        format!("{now:.0}: {}", all.join("; "))
    };
    Some(Told::DriftCorrected(words))
}

fn gaps(planned: Option<&Planned>) -> Vec<String> {
    let Some(planned) = planned else { return Vec::new() };
    let is_gap = |remark: &&Remark| {
        matches!(remark, Remark::Kept { .. } | Remark::Absent { .. } | Remark::LongName { .. })
    };
    planned.remarks.iter().filter(is_gap).map(ToString::to_string).collect()
}

/// What is told about a configuration that nobody is there to load; nothing, if nothing was told of it before.
fn nobody_runs<W: Workload>(resource: &W::Resource) -> Option<Condition> {
    condition(&W::status(resource), CONFIGURATION_LOADED)?;
    crate::loaded::condition::condition(&BTreeMap::new(), false)
}

/// Its status and what is new.
pub(super) fn report<W: Workload>(
    resource: &W::Resource,
    result: &PassResult<'_, WorkloadOperator<W>>,
    now: Timestamp,
) -> Report {
    let outcome = Outcome::of(resource, result, now);
    let old = W::status(resource);
    let status = with_empty_texts(status::<W>(resource, &outcome, &old, &Time(now)));
    let mut notes = notes(&old, &status, &outcome.recreated);
    notes.extend(outcome.done);
    let course = match result {
        PassResult::Applied { plan, .. } => Some(&plan.course),
        PassResult::Unread(_) | PassResult::Invalid { .. } => None,
    };
    Report {
        status,
        notes,
        remarks: course.map(|course| course.refusals.clone()).unwrap_or_default(),
        reconciled: reconciled(result),
        selected: course.map(|course| course.selected.clone()).unwrap_or_default(),
    }
}

/// How the pass came out: a workload whose pods lack something is one that its user must mend.
fn reconciled<W: Workload>(result: &PassResult<'_, WorkloadOperator<W>>) -> Reconciled {
    match result {
        PassResult::Unread(_) | PassResult::Applied { error: Some(_), .. } => Reconciled::Failed,
        PassResult::Invalid { .. } => Reconciled::Invalid,
        PassResult::Applied { inputs, .. } if inputs.missing.is_some() => Reconciled::Invalid,
        PassResult::Applied { .. } => Reconciled::Done,
    }
}

fn status<W: Workload>(resource: &W::Resource, outcome: &Outcome<'_>, old: &Value, now: &Time) -> Value {
    let generation = W::metadata(resource).generation;
    match (outcome.health, &outcome.last) {
        // Nothing is known of its pods: what was said of them last stays.
        (None, Some(Reconciliation::Failed(words))) => {
            let said = said(RECONCILED, "False", "ReconciliationFailed", words);
            with(old.clone(), said, old, (generation, now))
        }
        (_, None) | (None, Some(_)) => old.clone(),
        (Some(health), Some(last)) => {
            let mut status = W::report(resource, &health.seen, last, now);
            let mut say =
                |said: KubernetesCondition| status = with(status.take(), said, old, (generation, now));
            if !outcome.gaps.is_empty() {
                say(said(REFERENCES, "False", "MissingReference", &outcome.gaps.join("\n")));
            }
            if !outcome.remarks.is_empty() {
                say(said(ROLLED_OUT, "False", "NeedsAttention", &outcome.remarks.join("\n")));
            }
            match (&outcome.loaded, condition(old, CONFIGURATION_LOADED)) {
                (Some(loaded), _) => {
                    say(said(CONFIGURATION_LOADED, &loaded.status, &loaded.reason, &loaded.message));
                }
                (None, Some(before)) => {
                    let text = |field: &str| before[field].as_str().unwrap_or_default();
                    say(said(CONFIGURATION_LOADED, text("status"), text("reason"), text("message")));
                }
                (None, None) => {}
            }
            status
        }
    }
}

fn condition<'s>(status: &'s Value, kind: &str) -> Option<&'s Value> {
    status["conditions"].as_array()?.iter().find(|condition| condition["type"] == kind)
}

fn conditions(status: &Value) -> Vec<KubernetesCondition> {
    serde_json::from_value(status["conditions"].clone()).unwrap_or_default()
}

/// A status with one more condition, or another one in the place of that of the same type. It keeps the time of its last
/// change.
fn with(
    mut status: Value,
    said: KubernetesCondition,
    old: &Value,
    (generation, now): (Option<i64>, &Time),
) -> Value {
    let mut known = conditions(&status);
    if !known.iter().any(|known| known.type_ == said.type_) {
        known.extend(conditions(old).into_iter().filter(|before| before.type_ == said.type_));
    }
    let merging = Merging { owned: &[], order: Order::AsKnown, generation, now };
    status["conditions"] = json!(merge(&known, [said], merging));
    status
}

/// A status as the Prometheus Operator writes it: conditions say also that they have nothing to say.
fn with_empty_texts(mut status: Value) -> Value {
    let conditions = status.get_mut("conditions").and_then(Value::as_array_mut);
    for condition in conditions.into_iter().flatten() {
        for text in ["reason", "message"] {
            if condition[text].is_null() {
                condition[text] = "".into();
            }
        }
    }
    status
}

/// An event for what became bad, or is bad for another reason; and for what was made anew.
fn notes(old: &Value, new: &Value, anew: &[String]) -> Vec<Note> {
    let news = |kind: &str, reason: &'static str| {
        let said = condition(new, kind).filter(|said| said["status"] == "False")?;
        let before = condition(old, kind);
        let is_new = before
            .is_none_or(|before| before["status"] != said["status"] || before["message"] != said["message"]);
        let message = said["message"].as_str().unwrap_or_default().to_owned();
        is_new.then_some(Note { alarming: true, reason, message })
    };
    let made = |words: &String| Note { alarming: false, reason: "Recreated", message: words.clone() };
    let bad = [
        news(RECONCILED, "ReconciliationFailed"),
        news(REFERENCES, "MissingReference"),
        news(ROLLED_OUT, "NeedsAttention"),
        news(CONFIGURATION_LOADED, "ConfigurationNotLoaded"),
    ];
    bad.into_iter().flatten().chain(anew.iter().map(made)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Time {
        Time(Timestamp::from_second(second).unwrap())
    }

    #[test]
    fn a_condition_takes_the_place_of_the_last_one_and_keeps_its_time() {
        let failed = |words: &str| said(RECONCILED, "False", "ReconciliationFailed", words);
        let first = with(json!({"replicas": 2}), failed("a"), &Value::Null, (Some(3), &at(0)));
        let expected = json!({"replicas": 2, "conditions": [{
            "type": "Reconciled", "status": "False", "reason": "ReconciliationFailed", "message": "a",
            "lastTransitionTime": "1970-01-01T00:00:00Z", "observedGeneration": 3,
        }]});
        assert_eq!(first, expected);
        let second = with(first.clone(), failed("b"), &first, (Some(4), &at(60)));
        assert_eq!(second["conditions"][0]["lastTransitionTime"], "1970-01-01T00:00:00Z");
        assert_eq!(
            (&second["conditions"][0]["message"], second["conditions"].as_array().unwrap().len()),
            (&json!("b"), 1)
        );
    }

    #[test]
    fn a_drift_is_told_for_ten_minutes() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let words = "1970-01-01T00:01:00Z: Secret a/b was changed by kubectl-patch (data.x) and has been written back";
        let old = json!({"conditions": [said(RECONCILED, "True", DRIFT_CORRECTED, words)]});
        assert_eq!(drift(&old, &[], at(659)), Some(Told::DriftCorrected(words.into())));
        assert_eq!(drift(&old, &[], at(660)), None);
        let other = json!({"conditions": [said(RECONCILED, "True", "", words)]});
        assert_eq!(drift(&other, &[], at(60)), None);
    }

    #[test]
    fn only_news_are_told() {
        let bad =
            |words: &str| json!({"conditions": [said(RECONCILED, "False", "ReconciliationFailed", words)]});
        let good = json!({"conditions": [said(RECONCILED, "True", "", "")]});
        let note =
            |words: &str| Note { alarming: true, reason: "ReconciliationFailed", message: words.into() };
        assert_eq!(notes(&good, &bad("a"), &[]), [note("a")]);
        assert_eq!(notes(&bad("a"), &bad("b"), &[]), [note("b")]);
        assert_eq!(notes(&bad("a"), &bad("a"), &[]), []);
        assert_eq!(notes(&bad("a"), &good, &[]), []);
        let anew = Note { alarming: false, reason: "Recreated", message: "x".into() };
        assert_eq!(notes(&good, &good, &["x".into()]), [anew]);
    }
}
