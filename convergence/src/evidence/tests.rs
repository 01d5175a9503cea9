use axum::http::{Method, Uri};
use kernel::call::Call;
use kernel::faults::{Cut, Preconditions, Refusal};

use super::*;
use crate::drift::{Act, Drift};
use crate::injection_point::InjectionPoint;
use crate::plan::ShownState;
use crate::scenario::Property;
use crate::standin::CallFault;
use crate::state::Name;

const PRIMARY: &str = "prometheuses.g";

/// A request: method, path, number of the process, fault, whether it was sent, and status of the response.
type Row = (&'static str, &'static str, u64, Option<&'static str>, bool, Option<u16>);

fn trace(rows: &[Row]) -> Trace {
    let entry = |(at, (method, path, life, fault, sent, status)): (usize, &Row)| {
        let uri: Uri = path.parse().unwrap();
        TraceEntry {
            number: at as u64 + 1,
            life: *life,
            call: Call::of(&method.parse::<Method>().unwrap(), &uri, None),
            body: None,
            preconditions: Preconditions::default(),
            sent: *sent,
            fault: *fault,
            status: *status,
        }
    };
    Trace(rows.iter().enumerate().map(entry).collect())
}

const SECRET: &str = "/api/v1/namespaces/n/secrets/a";
const WATCH_SECRETS: &str = "/api/v1/namespaces/n/secrets?watch=true";
const WATCH_PRIMARY: &str = "/apis/g/v1/namespaces/n/prometheuses?watch=true";

fn why(perturbation: &Perturbation, evidence: &Evidence, rows: &[Row]) -> Option<String> {
    without_effect(perturbation, evidence, &trace(rows), PRIMARY)
}

fn fault(fault: Fault) -> Perturbation {
    let uri: Uri = SECRET.parse().unwrap();
    let target = Target::of(&Call::of(&Method::PUT, &uri, None));
    Perturbation::Fault(InjectionPoint { change: 0, target, nth: 1 }, fault)
}

fn seen(seen: bool) -> Evidence {
    Evidence { seen, ..Evidence::default() }
}

#[test]
fn a_crash_needs_the_write_and_a_restart() {
    let none = Evidence::default();
    let after = fault(Fault::CrashAfter);
    let hit: Row = ("PUT", SECRET, 1, Some("crash-after"), true, Some(200));
    let next: Row = ("GET", WATCH_SECRETS, 2, None, true, Some(200));
    assert_eq!(why(&after, &none, &[hit, next]), None);
    assert_eq!(why(&after, &none, &[hit]).unwrap(), "the operator was not restarted after the crash");
    let untouched: Row = ("PUT", SECRET, 1, None, true, Some(200));
    assert_eq!(
        why(&after, &none, &[untouched, next]).unwrap(),
        "there was no such request: update:secrets:a"
    );
    let unsent: Row = ("PUT", SECRET, 1, Some("crash-after"), false, None);
    assert_eq!(
        why(&after, &none, &[unsent, next]).unwrap(),
        "the API server did not receive the request: update:secrets:a"
    );
    let earlier = Evidence { started: 1, ..Evidence::default() };
    assert!(why(&after, &earlier, &[hit, next]).is_some(), "that was before the change");

    let before = fault(Fault::CrashBefore);
    assert_eq!(why(&before, &none, &[("PUT", SECRET, 1, Some("crash-before"), false, None), next]), None);
    let sent: Row = ("PUT", SECRET, 1, Some("crash-before"), true, Some(200));
    assert_eq!(
        why(&before, &none, &[sent, next]).unwrap(),
        "the API server received the request: update:secrets:a"
    );
}

#[test]
fn a_lost_response_is_one_of_an_executed_request_and_a_rejected_request_is_not_sent() {
    let none = Evidence::default();
    let lost: Row = ("PUT", SECRET, 1, Some("answer-lost"), true, Some(200));
    assert_eq!(why(&fault(Fault::AnswerLost), &none, &[lost]), None);
    assert!(why(&fault(Fault::AnswerLost), &none, &[]).is_some());
    let refused: Row = ("PUT", SECRET, 1, Some("refused-409"), false, Some(409));
    let conflict = fault(Fault::Refused(Refusal::Conflict));
    assert_eq!(why(&conflict, &none, &[refused]), None);
    let other: Row = ("PUT", SECRET, 1, Some("refused-500"), false, Some(500));
    assert!(why(&conflict, &none, &[other]).is_some());
}

#[test]
fn denied_writes_and_blocked_watches_are_in_the_trace() {
    let denied = Perturbation::Denied { change: 0, kind: "secrets".into(), refusal: Refusal::Forbidden };
    let none = Evidence::default();
    assert_eq!(why(&denied, &none, &[("PUT", SECRET, 1, Some("refused-403"), false, Some(403))]), None);
    let allowed: Row = ("PUT", SECRET, 1, None, true, Some(200));
    assert_eq!(why(&denied, &none, &[allowed]).unwrap(), "no write of secrets was rejected");

    let blocked = Perturbation::Blocked { change: 0, kind: "secrets".into(), fault: Fault::Expired };
    assert_eq!(why(&blocked, &none, &[("GET", WATCH_SECRETS, 2, Some("expired"), false, Some(200))]), None);
    let open: Row = ("GET", WATCH_SECRETS, 2, None, true, Some(200));
    assert_eq!(why(&blocked, &none, &[open]).unwrap(), "no watch of secrets failed");
}

#[test]
fn events_are_delayed_only_if_there_are_some_and_the_kind_is_watched() {
    let held = Perturbation::Held { change: 0, kind: "secrets".into(), expired: false };
    let open: [Row; 1] = [("GET", WATCH_SECRETS, 1, None, true, Some(200))];
    let evidence = |seen, ended| Evidence { ended, seen, ..Evidence::default() };
    assert_eq!(why(&held, &evidence(true, 1), &open), None);
    assert!(why(&held, &evidence(false, 1), &open).unwrap().starts_with("no object of secrets changed"));
    assert_eq!(why(&held, &evidence(true, 0), &open).unwrap(), "secrets was not watched");
}

#[test]
fn an_interrupted_watch_starts_again() {
    let cut = Perturbation::Cut { change: 0, kind: "secrets".into(), how: Cut::Broken };
    let open: Row = ("GET", WATCH_SECRETS, 1, None, true, Some(200));
    let evidence = Evidence { started: 1, ..Evidence::default() };
    assert_eq!(why(&cut, &evidence, &[open, open]), None);
    assert_eq!(why(&cut, &evidence, &[open]).unwrap(), "the watch of secrets did not start again");
}

#[test]
fn a_stopped_operator_sends_no_requests_and_is_started_again() {
    let absent = Perturbation::Absent { change: 0 };
    let (read, back): (Row, Row) =
        (("GET", WATCH_SECRETS, 1, None, true, Some(200)), ("GET", WATCH_PRIMARY, 2, None, true, Some(200)));
    let away = |started, ended| Evidence { started, ended, ..Evidence::default() };
    assert_eq!(why(&absent, &away(1, 1), &[read, back]), None);
    assert_eq!(
        why(&absent, &away(0, 1), &[read, back]).unwrap(),
        "1 requests were sent while the operator was stopped"
    );
    assert_eq!(why(&absent, &away(1, 1), &[read]).unwrap(), "the operator was not started again");
}

#[test]
fn an_outdated_cache_is_outdated_and_is_read() {
    let stale = Perturbation::Stale { kind: None, shown: ShownState::Running };
    let replayed: Row = ("GET", WATCH_SECRETS, 2, None, false, Some(200));
    let real: Row = ("GET", WATCH_SECRETS, 2, None, true, Some(200));
    let evidence = |seen| Evidence { seen, frozen: vec!["secrets".into()], ..Evidence::default() };
    assert_eq!(why(&stale, &evidence(true), &[replayed]), None);
    assert_eq!(why(&stale, &evidence(true), &[real]).unwrap(), "the outdated cache of secrets was not read");
    assert_eq!(why(&stale, &evidence(false), &[replayed]).unwrap(), "the outdated cache was not outdated");
}

#[test]
fn effects_without_a_request_must_have_been_observed() {
    let name = Name { kind: "secrets".into(), name: "a".into() };
    let property = Property { path: "retention", change: serde_json::Value::Null, back: None };
    let all = [
        Perturbation::Outside { change: 0, nth: 2, fault: CallFault::Refused },
        Perturbation::Idle,
        Perturbation::Drift(Drift { name, act: Act::Mark }),
        Perturbation::Property(property),
    ];
    for perturbation in all {
        assert_eq!(why(&perturbation, &seen(true), &[]), None, "{perturbation:?}");
        assert!(why(&perturbation, &seen(false), &[]).is_some(), "{perturbation:?}");
    }
}
