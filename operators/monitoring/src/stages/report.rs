//! The status of a workload as the Prometheus Operator writes it, additional conditions, and events about changes. Pure.

use crate::plan::{PlanRemark, Planned};
use crate::status::reconciliation::ReconciledRemark;
use crate::status::{ConditionType, Reconciliation, reconciliation};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kernel::apply::{Drift, WriteError};
use kernel::condition::{Merging, Order, merge};
use kernel::flow::{PassError, PassResult, Plan};
use kernel::report::{EventReason, Note, Reconciled, Report};
use serde_json::{Value, json};

use super::WorkloadOperator;
use super::observe::Health;
use crate::kind::Workload;

/// How long the status mentions a corrected drift.
const DRIFT_SHOWN: SignedDuration = SignedDuration::from_mins(10);

/// What the new status is compared with.
struct Previous<'p> {
    status: &'p Value,
    generation: Option<i64>,
    now: &'p Time,
}

/// The status, and events about changes.
pub(super) fn report<W: Workload>(
    resource: &W::Resource,
    result: &PassResult<'_, WorkloadOperator<W>>,
    now: Timestamp,
) -> Report {
    let old = W::status(resource);
    let (generation, time) = (W::metadata(resource).generation, Time(now));
    let previous = Previous { status: &old, generation, now: &time };
    let (reconciled, status) = match result {
        // Nothing is known about the pods: the rest of the status is kept.
        PassResult::Unread(error) => {
            let failed = failure(error).map(|message| ConditionType::Reconciled.failed(&message));
            (Reconciled::Failed, failed.map(|failed| previous.with(old.clone(), failed)))
        }
        PassResult::Invalid { invalid, health, .. } => {
            let last = Reconciliation::Failed(invalid.message.clone());
            (Reconciled::Invalid, Some(previous.status::<W>(resource, health, &last)))
        }
        PassResult::Applied { inputs, plan, applied, health, error } => {
            let (reconciled, last) = match (error, &inputs.missing) {
                (Some(error), _) => (Reconciled::Failed, failure(error).map(Reconciliation::Failed)),
                // The user must provide what the pods lack.
                (None, Some(missing)) => (Reconciled::Invalid, Some(Reconciliation::Failed(missing.clone()))),
                (None, None) => {
                    let remark = remark::<W>(resource, plan.course.planned.as_ref());
                    let remark = remark.or_else(|| drift(&old, &applied.drifts, now));
                    (Reconciled::Done, Some(Reconciliation::Done(remark)))
                }
            };
            (reconciled, last.map(|last| previous.status::<W>(resource, health, &last)))
        }
    };
    let mut status = status.unwrap_or_else(|| old.clone());
    add_empty_texts(&mut status);
    let PassResult::Applied { plan: Plan { course, .. }, applied, .. } = result else {
        let notes = notes(&old, &status, &[]);
        return Report { status, notes, remarks: Vec::new(), reconciled, selected: Vec::new() };
    };
    let mut notes = notes(&old, &status, &applied.recreated);
    notes.extend(course.actions.events(applied));
    let (remarks, selected) = (course.rejection_events.clone(), course.selected.clone());
    Report { status, notes, remarks, reconciled, selected }
}

/// The message about an error; none, if an object was outdated or the lease was lost: then the pass is retried, and nothing is
/// wrong with the workload.
fn failure(error: &PassError) -> Option<String> {
    let is_late = matches!(error, PassError::Write(WriteError::Outdated { .. } | WriteError::Fenced));
    (!is_late).then(|| error.with_causes())
}

/// The remark about a successful pass. The order of precedence is that of the Prometheus Operator.
fn remark<W: Workload>(resource: &W::Resource, planned: Option<&Planned>) -> Option<ReconciledRemark> {
    let planned = planned?;
    let has = |remark: &PlanRemark| planned.remarks.contains(remark);
    let deprecated = Some(W::facts(resource).deprecated).filter(|fields| !fields.is_empty());
    let selected = W::SELECTS.filter(|_| has(&PlanRemark::NothingSelected));
    let unmanaged = has(&PlanRemark::Unmanaged).then_some(ReconciledRemark::Unmanaged);
    unmanaged
        .or(selected.map(ReconciledRemark::NothingSelected))
        .or(deprecated.map(ReconciledRemark::DeprecatedFields))
}

/// The remark about changes of other clients that were written back, in this pass or, according to the status, recently.
fn drift(old: &Value, drifts: &[Drift], now: Timestamp) -> Option<ReconciledRemark> {
    let message = if drifts.is_empty() {
        let before = condition(old, ConditionType::Reconciled)?;
        let message = before["message"]
            .as_str()
            .filter(|_| before["reason"] == EventReason::DriftCorrected.as_str())?;
        let at: Timestamp = message.split_once(": ")?.0.parse().ok()?;
        (now.duration_since(at) < DRIFT_SHOWN).then(|| message.to_owned())?
    } else {
        let all: Vec<String> = drifts.iter().map(ToString::to_string).collect();
        format!("{now:.0}: {}", all.join("; "))
    };
    Some(ReconciledRemark::DriftCorrected(message))
}

impl Previous<'_> {
    fn status<W: Workload>(&self, resource: &W::Resource, health: &Health, last: &Reconciliation) -> Value {
        let mut status = W::report(resource, &health.pods);
        let of_kind = conditions(&status);
        status["conditions"] = Value::Null;
        let always = [health.pods.available(), reconciliation::condition(last)];
        let is_loaded =
            |condition: &Condition| condition.type_ == ConditionType::ConfigurationLoaded.as_str();
        let loaded = match &health.loaded {
            Some(loaded) => Some(loaded.into()),
            None => conditions(self.status).into_iter().find(is_loaded),
        };
        let conditions =
            always.into_iter().chain(of_kind).chain(health.failures.iter().cloned()).chain(loaded);
        conditions.fold(status, |status, stated| self.with(status, stated))
    }

    /// A status with another condition. The condition keeps its position and the time of its last change.
    fn with(&self, mut status: Value, stated: Condition) -> Value {
        let mut known = conditions(&status);
        if !known.iter().any(|known| known.type_ == stated.type_) {
            known.extend(conditions(self.status).into_iter().filter(|before| before.type_ == stated.type_));
        }
        let merging =
            Merging { owned: &[], order: Order::AsKnown, generation: self.generation, now: self.now };
        status["conditions"] = json!(merge(&known, [stated], merging));
        status
    }
}

/// A condition of a status.
pub(super) fn condition(status: &Value, wanted: ConditionType) -> Option<&Value> {
    status["conditions"].as_array()?.iter().find(|condition| condition["type"] == wanted.as_str())
}

fn conditions(status: &Value) -> Vec<Condition> {
    serde_json::from_value(status["conditions"].clone()).unwrap_or_default()
}

/// Adds empty reasons and messages to conditions, as the Prometheus Operator does.
fn add_empty_texts(status: &mut Value) {
    let conditions = status.get_mut("conditions").and_then(Value::as_array_mut);
    for condition in conditions.into_iter().flatten() {
        for text in ["reason", "message"] {
            if condition[text].is_null() {
                condition[text] = "".into();
            }
        }
    }
}

/// An event for each condition that became false, or is false with another message; and for each recreated object.
fn notes(old: &Value, new: &Value, recreated: &[String]) -> Vec<Note> {
    let failed = |kind: ConditionType| {
        let stated = condition(new, kind).filter(|stated| stated["status"] == "False")?;
        let is_same =
            |before: &Value| ["status", "message"].iter().all(|field| before[field] == stated[field]);
        let message = stated["message"].as_str().unwrap_or_default().to_owned();
        let note = Note { alarming: true, reason: kind.failure(), message };
        (!condition(old, kind).is_some_and(is_same)).then_some(note)
    };
    let recreated = recreated.iter().map(|message| Note {
        alarming: false,
        reason: EventReason::Recreated.as_str(),
        message: message.clone(),
    });
    ConditionType::ALL.into_iter().filter_map(failed).chain(recreated).collect()
}

#[cfg(test)]
mod tests {
    use kernel::condition::stated;

    use super::*;

    fn at(second: i64) -> Time {
        Time(Timestamp::from_second(second).unwrap())
    }

    #[test]
    fn a_condition_takes_the_place_of_the_last_one_and_keeps_its_time() {
        let with = |old: &Value, status: Value, message: &str, generation: i64, now: Time| {
            let previous = Previous { status: old, generation: Some(generation), now: &now };
            previous.with(status, ConditionType::Reconciled.failed(message))
        };
        let first = with(&Value::Null, json!({"replicas": 2}), "a", 3, at(0));
        let expected = json!({"replicas": 2, "conditions": [{
            "type": "Reconciled", "status": "False", "reason": "ReconciliationFailed", "message": "a",
            "lastTransitionTime": "1970-01-01T00:00:00Z", "observedGeneration": 3,
        }]});
        assert_eq!(first, expected);
        let second = with(&first, first.clone(), "b", 4, at(60));
        assert_eq!(second["conditions"][0]["lastTransitionTime"], "1970-01-01T00:00:00Z");
        assert_eq!(
            (&second["conditions"][0]["message"], second["conditions"].as_array().unwrap().len()),
            (&json!("b"), 1)
        );
    }

    #[test]
    fn a_drift_is_reported_for_ten_minutes() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let message = "1970-01-01T00:01:00Z: Secret a/b was changed by kubectl-patch (data.x) and has been written back";
        let old = json!({"conditions": [stated("Reconciled", "True", "DriftCorrected", message)]});
        assert_eq!(drift(&old, &[], at(659)), Some(ReconciledRemark::DriftCorrected(message.into())));
        assert_eq!(drift(&old, &[], at(660)), None);
        let other = json!({"conditions": [stated("Reconciled", "True", "", message)]});
        assert_eq!(drift(&other, &[], at(60)), None);
    }

    #[test]
    fn only_changes_are_events() {
        let bad = |message: &str| json!({"conditions": [ConditionType::Reconciled.failed(message)]});
        let good = json!({"conditions": [stated("Reconciled", "True", "", "")]});
        let events = |old: &Value, new: &Value| notes(old, new, &[]);
        let event =
            |message: &str| Note { alarming: true, reason: "ReconciliationFailed", message: message.into() };
        assert_eq!(events(&good, &bad("a")), [event("a")]);
        assert_eq!(events(&bad("a"), &bad("b")), [event("b")]);
        assert_eq!(events(&bad("a"), &bad("a")), []);
        assert_eq!(events(&bad("a"), &good), []);
        let recreated = Note { alarming: false, reason: "Recreated", message: "x".into() };
        assert_eq!(notes(&good, &good, &["x".into()]), [recreated]);
    }
}
