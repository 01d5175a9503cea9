use serde_json::Value;

use super::*;

const PACE: pace::Settings =
    pace::Settings { apart: Duration::from_secs(5), patience: Duration::from_secs(3) };

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

/// One that says this of its version.
fn pod_of(version: Option<&str>) -> Pod {
    let mut pod = pod("a", "Running");
    pod.metadata.labels =
        version.map(|version| BTreeMap::from([(labels::VERSION.to_owned(), version.to_owned())]));
    pod
}

/// Loading, after this was written.
fn after(hash: &str, pods: &[Pod]) -> (Loading, Written) {
    let mut loading = Loading::default();
    loading.afterwards(Some(content(hash)), None, (pods, true, &PACE), moment(0));
    let written = loading.written.clone().unwrap();
    (loading, written)
}

/// What our reloader says that has loaded this.
fn has(hash: &str) -> Heard {
    let text = json!({"configHash": hash, "seenConfigHash": hash}).to_string();
    Heard { answer: Answer::of_status(text.as_bytes()).unwrap(), offset: None }
}

fn nothing() -> Heard {
    Heard { answer: Answer::Nothing("no answer".into()), offset: None }
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

/// One whose operand is in this state, after it refused its configuration at some second.
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
fn pods_are_touched_when_something_was_written_and_not_when_somebody_else_did() {
    let pods = [pod("a", "Running"), pod("b", "Pending")];
    let mut loading = Loading::default();
    // What was there when we came is only asked for.
    let found = loading.afterwards(Some(content("1")), Some(moment(0)), (&pods, true, &PACE), moment(100));
    assert_eq!(touched(&found), (vec![], true));
    let written = loading.afterwards(Some(content("2")), None, (&pods, true, &PACE), moment(200));
    assert_eq!(touched(&written), (vec!["a"], true));
    // A stream of edits is no stream of touches, and the last one is not lost.
    let again = loading.afterwards(Some(content("3")), None, (&pods, true, &PACE), moment(202));
    assert_eq!(touched(&again), (vec![], true));
    let later = loading.afterwards(None, None, (&pods, true, &PACE), moment(206));
    assert_eq!(touched(&later), (vec!["a"], true));
    let without = loading.afterwards(Some(content("4")), None, (&pods, false, &PACE), moment(300));
    assert_eq!(touched(&without), (vec![], true));
    assert_eq!(touched(&loading.afterwards(None, None, (&[], true, &PACE), moment(400))), (vec![], false));
}

#[test]
fn a_change_that_no_pod_tells_of_reaches_all_and_changes_no_verdict() {
    let pods = [pod("a", "Running")];
    let whole = Content { config: Some("1".into()), watched: Some("2".into()) };
    let mut loading = Loading::default();
    loading.afterwards(Some(whole.clone()), None, (&pods, true, &PACE), moment(0));
    loading.verdicts.insert("a".into(), ("a".into(), Verdict::Loaded));
    let rotated = loading.afterwards(Some(whole), None, (&pods, true, &PACE), moment(2));
    assert_eq!(touched(&rotated), (vec![], true));
    let later = loading.afterwards(None, None, (&pods, true, &PACE), moment(5));
    assert_eq!(touched(&later), (vec!["a"], true));
    assert_eq!(loading.written.as_ref().map(|written| written.at), Some(moment(0)));
    assert_eq!(loading.condition(moment(60)).unwrap().status, "True");
}

#[test]
fn a_pod_that_cannot_be_reached_hides_no_other_one() {
    let pods = [pod("a", "Running"), pod("b", "Running")];
    let (mut loading, written) = after("1", &pods);
    assert_eq!(asked(&mut loading, &pods, 1), ["a", "b"]);
    loading.heard(&written, vec![(&pods[0], nothing()), (&pods[1], has("1"))], moment(1));
    // One has loaded it, and only the other one is left to be asked.
    for second in [11, 31, 71] {
        assert_eq!(asked(&mut loading, &pods, second), ["a"]);
        loading.heard(&written, vec![(&pods[0], nothing())], moment(second));
    }
    loading.afterwards(Some(content("2")), None, (&pods, true, &PACE), moment(80));
    let written = loading.written.clone().unwrap();
    assert_eq!(asked(&mut loading, &pods, 81), ["b"]);
    let refuses =
        json!({"configHash": "1", "seenConfigHash": "2", "lastErrorReason": "rejected", "lastError": "no"});
    let refuses = Answer::of_status(refuses.to_string().as_bytes()).unwrap();
    loading.heard(&written, vec![(&pods[1], Heard { answer: refuses, offset: None })], moment(81));
    let refused = Some((content("2"), Said::Refused(&pods[1], "no".into())));
    assert_eq!(loading.taken(&pods), refused);
    assert_eq!(loading.condition(moment(81)).unwrap().reason, "Refused");
    loading.heard(&written, vec![(&pods[1], has("2"))], moment(82));
    let condition = loading.condition(moment(82)).unwrap();
    let because = format!("It is not known everywhere which configuration is loaded. a: {ALONE}");
    assert_eq!((condition.reason.as_str(), condition.message), ("Unanswered", because));
}

#[test]
fn the_operand_is_looked_at_and_not_its_neighbours() {
    let running = json!({"running": {"startedAt": moment(20).to_string()}});
    let mut runs = pod_in(&running, true, 10);
    let annotation = touch(&runs, moment(15)).fields["metadata"]["annotations"].clone();
    runs.metadata.annotations = serde_json::from_value(annotation).unwrap();
    let end = Ended { at: moment(10), log: LOG.into() };
    let expected = judge::Pod {
        started: Some(moment(-1000)),
        ready_since: Some(moment(-400)),
        touched: Some(moment(15)),
        running: Some(Running { since: moment(20), before: Some(end.clone()) }),
        ended: None,
    };
    assert_eq!(seen(&runs), expected);
    let waits = pod_in(&json!({"waiting": {"reason": "CrashLoopBackOff"}}), false, 10);
    let ended = judge::Pod { ready_since: None, touched: None, running: None, ended: Some(end), ..expected };
    assert_eq!(seen(&waits), ended);
}

#[test]
fn an_operand_shows_how_it_takes_something_also_where_nobody_is_asked() {
    let waits = [pod_in(&json!({"waiting": {"reason": "CrashLoopBackOff"}}), false, 390)];
    let (mut loading, written) = after("1", &waits);
    loading.heard(&written, vec![(&pod("a", "Running"), nothing())], moment(385));
    assert_eq!(loading.taken(&waits), None);
    assert_eq!(asked(&mut loading, &waits, 391), Vec::<String>::new());
    let refused = Said::Refused(&waits[0], "yaml: unmarshal errors: line 12: field secret not found".into());
    assert_eq!(loading.taken(&waits), Some((content("1"), refused)));
    // Without whoever it was about, it starts.
    loading.afterwards(Some(content("2")), None, (&waits, true, &PACE), moment(392));
    assert_eq!(asked(&mut loading, &waits, 393), Vec::<String>::new());
    assert_eq!(loading.taken(&waits), None);
    let runs = [pod_in(&json!({"running": {"startedAt": moment(393).to_string()}}), true, 390)];
    assert_eq!(asked(&mut loading, &runs, 394), Vec::<String>::new());
    assert_eq!(loading.taken(&runs), Some((content("2"), Said::Accepted)));
}

#[test]
fn only_pods_as_they_are_planned_are_believed() {
    // What pods say, what is planned that they say, and whether they are believed.
    let cases = [
        (Some("3.13.0"), Some("3.13.0"), true),
        (Some("3.12.0"), Some("3.13.0"), false),
        // A user's own label.
        (Some("mine"), Some("mine"), true),
        (None, Some("3.13.0"), false),
        (None, None, true),
    ];
    for (says, planned, is_believed) in cases {
        let pods = [pod_of(says)];
        let (mut loading, written) = after("1", &pods);
        loading.plans(planned);
        loading.heard(&written, vec![(&pods[0], has("1"))], moment(1));
        let accepted = is_believed.then(|| (content("1"), Said::Accepted));
        assert_eq!(loading.taken(&pods), accepted, "{says:?} {planned:?}");
    }
}

#[test]
fn what_is_written_while_nobody_runs_is_looked_up_when_somebody_does() {
    let mut loading = Loading::default();
    loading.afterwards(Some(content("1")), None, (&[pod("a", "Running")], true, &PACE), moment(0));
    loading.nobody(false);
    assert!(!loading.is_new());
    loading.nobody(true);
    assert!(loading.is_new());
}
