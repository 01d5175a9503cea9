use kernel::condition::Truth;
use serde_json::Value;

use super::*;
use crate::loaded::pod::{RunningContainer, Terminated};

const PACE: PaceSettings = PaceSettings { apart: Duration::from_secs(5), patience: Duration::from_secs(3) };

fn touching(pods: &[Pod], second: i64) -> Touching<'_> {
    Touching { pods, is_allowed: true, pace: &PACE, now: moment(second) }
}

fn moment(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn pod(name: &str, phase: &str) -> Pod {
    let object = json!({
        "metadata": {"name": name, "namespace": "n", "uid": name},
        "status": {"phase": phase, "podIP": "127.0.0.1"},
    });
    serde_json::from_value(object).unwrap()
}

/// The memory after a write of this content.
fn after(hash: &str, pods: &[Pod]) -> (Loading, WrittenContent) {
    let mut loading = Loading::default();
    loading.after_write(Some(content(hash)), None, touching(pods, 0));
    let written = loading.written.clone().unwrap();
    (loading, written)
}

/// Whether one of the pods runs the written content, and the one that rejects it.
fn response<'p>(loading: &'p Loading, pods: &'p [Pod]) -> (bool, Option<(&'p Pod, &'p str)>) {
    let pods: Vec<&Pod> = pods.iter().collect();
    (loading.is_accepted(&pods), loading.rejection(&pods))
}

/// The answer of our reloader after it loaded this content.
fn has(hash: &str) -> PodAnswer {
    let text = json!({"configHash": hash, "seenConfigHash": hash}).to_string();
    PodAnswer { answer: ReloaderAnswer::of_status(text.as_bytes()).unwrap(), offset: None }
}

fn nothing() -> PodAnswer {
    PodAnswer { answer: ReloaderAnswer::Nothing("no answer".into()), offset: None }
}

fn asked(loading: &mut Loading, pods: &[Pod], second: i64) -> Vec<String> {
    let written = loading.written.clone().unwrap();
    let due = loading.due(&written, pods, false, moment(second));
    due.into_iter().map(|(pod, _)| name(pod).to_owned()).collect()
}

fn content(hash: &str) -> Content {
    Content { config: Some(hash.into()), watched: None }
}

const LOG: &str = "time=2026-11-16T15:27:44.617Z level=ERROR source=main.go:745 msg=\"Error loading config\" \
                   err=\"parsing YAML file /etc/x.yaml: yaml: unmarshal errors:\\n  line 12: field secret not found\"";

/// A pod whose operand is in this state, after it rejected its configuration at a time.
fn pod_in(state: &Value, is_ready: bool, ended: i64) -> Pod {
    let end = json!({"exitCode": 1, "finishedAt": moment(ended).to_string(), "message": LOG});
    let container = |name: &str, state: &Value, last: &Value| {
        json!({"name": name, "ready": true, "restartCount": 1, "image": "", "imageID": "", "state": state,
            "lastState": last})
    };
    let runs = json!({"running": {"startedAt": moment(-500).to_string()}});
    let ready = if is_ready { "True" } else { "False" };
    let mut object = serde_json::to_value(pod("a", "Running")).unwrap();
    object["status"]["startTime"] = moment(-1000).to_string().into();
    object["status"]["conditions"] =
        json!([{"type": "Ready", "status": ready, "lastTransitionTime": moment(-400).to_string()}]);
    object["status"]["containerStatuses"] = json!([
        container("a-users-own", &runs, &json!({})),
        container("config-reloader", &runs, &json!({})),
        container("prometheus", state, &json!({"terminated": end})),
    ]);
    serde_json::from_value(object).unwrap()
}

fn touched((touches, requeue_after): &(Vec<Touch>, Option<Duration>)) -> (Vec<&str>, bool) {
    (touches.iter().map(|touch| &*touch.key.name).collect(), requeue_after.is_some())
}

#[test]
fn pods_are_touched_after_own_writes_and_not_after_those_of_others() {
    let pods = [pod("a", "Running"), pod("b", "Pending")];
    let mut loading = Loading::default();
    // After a restart of the operator the pods are only asked.
    let found = loading.after_write(Some(content("1")), Some(moment(0)), touching(&pods, 100));
    assert_eq!(touched(&found), (vec![], true));
    let written = loading.after_write(Some(content("2")), None, touching(&pods, 200));
    assert_eq!(touched(&written), (vec!["a"], true));
    // Many edits do not cause as many touches, and the last one is not lost.
    let again = loading.after_write(Some(content("3")), None, touching(&pods, 202));
    assert_eq!(touched(&again), (vec![], true));
    let later = loading.after_write(None, None, touching(&pods, 206));
    assert_eq!(touched(&later), (vec!["a"], true));
    let without =
        loading.after_write(Some(content("4")), None, Touching { is_allowed: false, ..touching(&pods, 300) });
    assert_eq!(touched(&without), (vec![], true));
    assert_eq!(touched(&loading.after_write(None, None, touching(&[], 400))), (vec![], false));
}

#[test]
fn after_a_change_that_pods_do_not_report_all_are_touched_and_no_state_changes() {
    let pods = [pod("a", "Running")];
    let whole = Content { config: Some("1".into()), watched: Some("2".into()) };
    let mut loading = Loading::default();
    loading.after_write(Some(whole.clone()), None, touching(&pods, 0));
    loading.known(&pods[0]).state = Some(LoadState::Loaded);
    let rotated = loading.after_write(Some(whole), None, touching(&pods, 2));
    assert_eq!(touched(&rotated), (vec![], true));
    let later = loading.after_write(None, None, touching(&pods, 5));
    assert_eq!(touched(&later), (vec!["a"], true));
    assert_eq!(loading.written.as_ref().map(|written| written.at), Some(moment(0)));
    assert_eq!(loading.condition(moment(60)).unwrap().truth, Truth::True);
}

#[test]
fn an_unreachable_pod_hides_no_other_pod() {
    let pods = [pod("a", "Running"), pod("b", "Running")];
    let (mut loading, written) = after("1", &pods);
    assert_eq!(asked(&mut loading, &pods, 1), ["a", "b"]);
    loading.record(&written, vec![(&pods[0], nothing()), (&pods[1], has("1"))], moment(1));
    // One pod has loaded it, and only the other one is asked.
    for second in [11, 31, 71] {
        assert_eq!(asked(&mut loading, &pods, second), ["a"]);
        loading.record(&written, vec![(&pods[0], nothing())], moment(second));
    }
    loading.after_write(Some(content("2")), None, touching(&pods, 80));
    let written = loading.written.clone().unwrap();
    assert_eq!(asked(&mut loading, &pods, 81), ["b"]);
    let rejects =
        json!({"configHash": "1", "seenConfigHash": "2", "lastErrorReason": "rejected", "lastError": "no"});
    let rejects = ReloaderAnswer::of_status(rejects.to_string().as_bytes()).unwrap();
    loading.record(&written, vec![(&pods[1], PodAnswer { answer: rejects, offset: None })], moment(81));
    assert_eq!(loading.content(), Some(&content("2")));
    assert_eq!(response(&loading, &pods), (false, Some((&pods[1], "no"))));
    assert_eq!(loading.condition(moment(81)).unwrap().reason, "Refused");
    loading.record(&written, vec![(&pods[1], has("2"))], moment(82));
    let condition = loading.condition(moment(82)).unwrap();
    let because = format!("It is not known which configuration all pods have loaded. a: {ASKED_LATER}");
    assert_eq!((condition.reason, condition.message), ("Unanswered", because));
}

#[test]
fn only_the_container_of_the_operand_is_observed() {
    let running = json!({"running": {"startedAt": moment(20).to_string()}});
    let mut runs = pod_in(&running, true, 10);
    let annotation = touch(&runs, moment(15)).fields["metadata"]["annotations"].clone();
    runs.metadata.annotations = serde_json::from_value(annotation).unwrap();
    let end = Terminated { at: moment(10), log: LOG.into() };
    let expected = ObservedPod {
        started: Some(moment(-1000)),
        ready_since: Some(moment(-400)),
        touched: Some(moment(15)),
        running: Some(RunningContainer { since: moment(20), before: Some(end.clone()) }),
        terminated: None,
    };
    assert_eq!(ObservedPod::of(&runs), expected);
    let waits = pod_in(&json!({"waiting": {"reason": "CrashLoopBackOff"}}), false, 10);
    let ended =
        ObservedPod { ready_since: None, touched: None, running: None, terminated: Some(end), ..expected };
    assert_eq!(ObservedPod::of(&waits), ended);
}

#[test]
fn containers_show_the_result_where_pods_cannot_be_asked() {
    let waits = [pod_in(&json!({"waiting": {"reason": "CrashLoopBackOff"}}), false, 390)];
    let (mut loading, written) = after("1", &waits);
    loading.record(&written, vec![(&pod("a", "Running"), nothing())], moment(385));
    assert_eq!(response(&loading, &waits), (false, None));
    assert_eq!(asked(&mut loading, &waits, 391), Vec::<String>::new());
    let error = "yaml: unmarshal errors: line 12: field secret not found";
    assert_eq!(response(&loading, &waits), (false, Some((&waits[0], error))));
    // With another configuration it starts.
    loading.after_write(Some(content("2")), None, touching(&waits, 392));
    assert_eq!(asked(&mut loading, &waits, 393), Vec::<String>::new());
    assert_eq!(response(&loading, &waits), (false, None));
    let runs = [pod_in(&json!({"running": {"startedAt": moment(393).to_string()}}), true, 390)];
    assert_eq!(asked(&mut loading, &runs, 394), Vec::<String>::new());
    assert_eq!(response(&loading, &runs), (true, None));
}

#[test]
fn the_time_of_a_write_without_pods_is_read_when_pods_start() {
    let mut loading = Loading::default();
    loading.after_write(Some(content("1")), None, touching(&[pod("a", "Running")], 0));
    loading.has_no_pods(false);
    assert!(!loading.is_new());
    loading.has_no_pods(true);
    assert!(loading.is_new());
}
