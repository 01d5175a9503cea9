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
    let due = loading.due(pods, false, moment(second));
    due.into_iter().map(|(pod, _)| name(pod).to_owned()).collect()
}

fn content(hash: &str) -> Content {
    Content { config: Some(hash.into()), watched: None }
}

fn touched((touches, look_again): &(Vec<Touch>, Option<Duration>)) -> (Vec<&str>, bool) {
    (touches.iter().map(|touch| &*touch.key.name).collect(), look_again.is_some())
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
