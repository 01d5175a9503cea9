use super::*;
use crate::loaded::pod::Running;

const WRITTEN: i64 = 1_000_000;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn content(config: Option<&str>, watched: Option<&str>) -> Content {
    Content { config: config.map(Into::into), watched: watched.map(Into::into) }
}

fn written() -> Written {
    Written { content: content(Some("new"), Some("rules")), at: at(WRITTEN), before: Some(at(WRITTEN - 100)) }
}

fn ready() -> ObservedPod {
    ObservedPod {
        started: Some(at(WRITTEN - 5000)),
        ready_since: Some(at(WRITTEN - 4000)),
        touched: Some(at(WRITTEN)),
        ..ObservedPod::default()
    }
}

fn status(loaded: &str, seen: &str, trouble: Option<(&str, &str)>) -> Status {
    Status {
        config_hash: Some(loaded.into()),
        watched_hash: Some("rules".into()),
        seen_config_hash: Some(seen.into()),
        seen_watched_hash: Some("rules".into()),
        last_error_reason: trouble.map(|(reason, _)| reason.into()),
        last_error: trouble.map(|(_, words)| words.into()),
    }
}

fn ours(status: Status) -> LoadState {
    LoadState::of(
        &written(),
        &ready(),
        &PodAnswer { answer: Answer::Ours(status), offset: None },
        at(WRITTEN + 1),
    )
}

fn pending(words: &str) -> LoadState {
    LoadState::Pending(words.into())
}

fn refused(words: &str) -> LoadState {
    LoadState::Rejected(words.into())
}

#[test]
fn our_reloader_is_judged_by_hashes() {
    assert_eq!(ours(status("new", "new", None)), LoadState::Loaded);
    assert_eq!(ours(status("old", "old", None)), pending("its files are not refreshed yet"));
    assert_eq!(ours(status("old", "new", None)), pending("its reloader has seen it and reloads now"));
    assert_eq!(ours(Status::default()), pending("its files are not refreshed yet"));
}

#[test]
fn a_refusal_counts_when_it_is_about_what_was_written() {
    let no = "the reload was answered 500 (line 12); the log of the reloader says more";
    assert_eq!(ours(status("old", "new", Some(("rejected", no)))), refused(no));
    assert_eq!(
        ours(status("old", "older", Some(("rejected", no)))),
        pending("its files are not refreshed yet")
    );
    let signal = "the configuration was not loaded: the log of the process says why";
    assert_eq!(ours(status("old", "new", Some(("rejected", signal)))), refused(signal));
}

#[test]
fn answers_that_say_nothing_about_the_configuration_are_no_refusal() {
    let starting = "the reload was answered 503; the log of the reloader says more";
    assert_eq!(ours(status("old", "new", Some(("rejected", starting)))), pending(starting));
    let forbidden = "the reload was answered 403; the log of the reloader says more";
    assert_eq!(
        ours(status("old", "new", Some(("rejected", forbidden)))),
        LoadState::Unknown(forbidden.into())
    );
    let slow = "the reload was not answered: no answer";
    assert_eq!(ours(status("old", "new", Some(("timeout", slow)))), pending(slow));
    let mut only_metrics = status("old", "new", None);
    only_metrics.last_error_reason = Some("unreachable".into());
    assert_eq!(ours(only_metrics), pending("its reloader fails: unreachable"));
}

#[test]
fn rule_files_count_too() {
    let mut rules = status("new", "new", None);
    rules.watched_hash = Some("other".into());
    assert_eq!(ours(rules.clone()), pending("its reloader has seen it and reloads now"));
    rules.seen_watched_hash = Some("other".into());
    assert_eq!(ours(rules.clone()), pending("its files are not refreshed yet"));
    // Where their hash is not known, what is in the pod must be loaded.
    let written = Written { content: content(Some("new"), None), ..written() };
    let received = |status| PodAnswer { answer: Answer::Ours(status), offset: None };
    assert_eq!(
        LoadState::of(&written, &ready(), &received(rules.clone()), at(WRITTEN + 1)),
        LoadState::Loaded
    );
    rules.seen_watched_hash = Some("newer".into());
    let verdict = LoadState::of(&written, &ready(), &received(rules), at(WRITTEN + 1));
    assert_eq!(verdict, pending("its reloader has seen it and reloads now"));
}

#[test]
fn nothing_can_be_said_without_anything_to_compare() {
    let written = Written { content: content(None, None), ..written() };
    let received = PodAnswer { answer: Answer::Ours(status("a", "a", None)), offset: None };
    let unknown = LoadState::Unknown("it is not known what should be there".into());
    assert_eq!(LoadState::of(&written, &ready(), &received, at(WRITTEN)), unknown);
    let silent = PodAnswer { answer: Answer::Nothing("no answer".into()), offset: None };
    assert_eq!(
        LoadState::of(&written, &ready(), &silent, at(WRITTEN)),
        LoadState::Unknown("no answer".into())
    );
}

/// The peer's reloader, on a clock that is an hour ahead, asked at some second after the write.
fn peers(pod: &ObservedPod, counters: Counters, seconds: i64) -> LoadState {
    peers_after(&written(), pod, counters, seconds)
}

fn peers_after(written: &Written, pod: &ObservedPod, counters: Counters, seconds: i64) -> LoadState {
    let (pod, mut counters) = (ahead(pod), counters);
    counters.last_success = counters.last_success.map(an_hour_ahead);
    let now = at(WRITTEN + seconds);
    let offset = Offset::of(an_hour_ahead(now), now, now);
    let received = PodAnswer { answer: Answer::Peers(counters), offset: Some(offset) };
    LoadState::of(written, &pod, &received, now)
}

fn an_hour_ahead(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond() + 3_600_000_000).unwrap()
}

fn ahead(pod: &ObservedPod) -> ObservedPod {
    ObservedPod {
        started: pod.started.map(an_hour_ahead),
        ready_since: pod.ready_since.map(an_hour_ahead),
        ..pod.clone()
    }
}

fn worked(seconds: i64) -> Counters {
    Counters { successful: true, last_success: Some(at(WRITTEN + seconds)), reloads: 7, failed: 1 }
}

fn failing(last_success: Option<i64>) -> Counters {
    Counters {
        successful: false,
        last_success: last_success.map(|seconds| at(WRITTEN + seconds)),
        reloads: 9,
        failed: 2,
    }
}

#[test]
fn the_peers_reloader_is_judged_by_the_time_of_its_success_on_its_own_clock() {
    assert_eq!(peers(&ready(), worked(3), 5), LoadState::Loaded);
    assert_eq!(peers(&ready(), worked(-3), 5), pending("no reload has succeeded since"));
    let received = PodAnswer { answer: Answer::Peers(worked(3)), offset: None };
    let unknown = LoadState::Unknown("its answer does not tell the time".into());
    assert_eq!(LoadState::of(&written(), &ready(), &received, at(WRITTEN + 5)), unknown);
}

#[test]
fn a_write_that_changed_nothing_in_the_pods_is_loaded_in_the_end() {
    assert_eq!(peers(&ready(), worked(-3), SETTLED - 1), pending("no reload has succeeded since"));
    assert_eq!(peers(&ready(), worked(-3), SETTLED), LoadState::Loaded);
    let gone = ObservedPod { ready_since: None, ..ready() };
    assert_eq!(peers(&gone, worked(-3), SETTLED), pending("no reload has succeeded since"));
}

#[test]
fn a_pod_that_started_after_the_write_has_it() {
    // A Thanos Ruler: its reloader has no configuration file, and does nothing at its start.
    let young = ObservedPod {
        started: Some(at(WRITTEN + 3)),
        ready_since: Some(at(WRITTEN + 6)),
        ..ObservedPod::default()
    };
    assert_eq!(peers(&young, Counters::default(), 8), LoadState::Loaded);
    let starting = ObservedPod { ready_since: None, ..young.clone() };
    assert_eq!(peers(&starting, Counters::default(), 8), pending("it is starting"));
    assert_eq!(peers(&ready(), Counters::default(), 8), pending("its reloader has not seen it yet"));
    assert_eq!(peers(&ready(), Counters::default(), SETTLED), LoadState::Loaded);
}

#[test]
fn failures_while_the_neighbour_starts_are_no_refusal() {
    let starting = ObservedPod { started: Some(at(WRITTEN + 3)), ..ObservedPod::default() };
    assert_eq!(peers(&starting, failing(None), 30), pending("it is starting"));
    let up = ObservedPod { ready_since: Some(at(WRITTEN + 25)), ..starting };
    assert_eq!(peers(&up, failing(None), 30), pending("it has just started"));
}

#[test]
fn a_failure_of_the_peers_reloader_is_about_the_write_if_the_one_before_was_loaded() {
    let words = "its reloader reports that the last reload failed; its log says why";
    assert_eq!(peers(&ready(), failing(Some(-50)), 5), refused(words));
    // The one before failed too: these may still be its failures.
    let still = pending("its reloader still tries the previous configuration");
    assert_eq!(peers(&ready(), failing(Some(-200)), 5), still);
    assert_eq!(peers(&ready(), failing(Some(-200)), SETTLED), refused(words));
    // What worked since may have been about files that were there before.
    assert_eq!(peers(&ready(), failing(Some(3)), 5), refused(words));
    let first = Written { before: None, ..written() };
    assert_eq!(peers_after(&first, &ready(), failing(Some(-50)), 5), still);
}

const LOG: &str = "time=2026-11-16T15:27:44.617Z level=ERROR source=main.go:745 msg=\"Error loading config\" \
                   err=\"parsing YAML file /etc/x.yaml: yaml: unmarshal errors:\\n  line 12: field secret not found\"";
const WORDS: &str = "yaml: unmarshal errors: line 12: field secret not found";
const ANEW: &str = "its container terminated before that and restarts";

fn end(seconds: i64, log: &str) -> Terminated {
    Terminated { at: at(WRITTEN + seconds), log: log.into() }
}

/// One whose operand ended so many seconds after the write.
fn ended(seconds: i64, log: &str) -> ObservedPod {
    ObservedPod { ready_since: None, terminated: Some(end(seconds, log)), ..ready() }
}

#[test]
fn an_operand_that_cannot_start_says_why() {
    let judged = |pod: &ObservedPod, seen: &str| {
        let received = PodAnswer { answer: Answer::Ours(status("old", seen, None)), offset: None };
        LoadState::of(&written(), pod, &received, at(WRITTEN + 60))
    };
    assert_eq!(judged(&ended(5, LOG), "new"), refused(WORDS));
    assert_eq!(judged(&ended(5, LOG), "old"), pending(ANEW));
    assert_eq!(judged(&ended(-5, LOG), "new"), pending(ANEW));
    // Whatever else ended it is not about the configuration.
    assert_eq!(
        judged(&ended(5, "out of memory"), "new"),
        pending("its reloader has seen it and reloads now")
    );
    // That it is there now does not mean that it was there before the end, unless the kubelet was made to bring it.
    let touched =
        |seconds: Option<i64>, pod| ObservedPod { touched: seconds.map(|it| at(WRITTEN + it)), ..pod };
    assert_eq!(judged(&touched(None, ended(SETTLED, LOG)), "new"), pending(ANEW));
    assert_eq!(judged(&touched(None, ended(SETTLED + 1, LOG)), "new"), refused(WORDS));
    assert_eq!(judged(&touched(Some(-100), ended(5, LOG)), "new"), pending(ANEW));
    assert_eq!(judged(&touched(Some(5), ended(5 + READ, LOG)), "new"), pending(ANEW));
    assert_eq!(judged(&touched(Some(5), ended(6 + READ, LOG)), "new"), refused(WORDS));
    let began =
        |seconds| ObservedPod { started: Some(at(WRITTEN + seconds)), ..touched(None, ended(5, LOG)) };
    assert_eq!(judged(&began(0), "new"), pending(ANEW));
    assert_eq!(judged(&began(1), "new"), refused(WORDS));
}

#[test]
fn an_operand_of_which_nobody_tells_is_judged_by_its_start_and_its_end() {
    let judged = |written: &Written, pod: &ObservedPod| {
        let received = PodAnswer { answer: Answer::Nothing("no answer".into()), offset: None };
        LoadState::of(written, pod, &received, at(WRITTEN + 1000))
    };
    let unknown = LoadState::Unknown("no answer".into());
    let runs = |since: i64, before: Option<Terminated>| ObservedPod {
        running: Some(Running { since: at(WRITTEN + since), before }),
        ..ready()
    };
    let rows = [
        // One that started long after the write has read it, and is ready with it.
        (runs(SETTLED, None), unknown.clone()),
        (runs(SETTLED + 1, None), LoadState::Loaded),
        (ObservedPod { ready_since: None, ..runs(SETTLED + 1, None) }, unknown.clone()),
        // So has one in a pod that began after it.
        (ObservedPod { started: Some(at(WRITTEN + CLOCKS)), ..runs(CLOCKS + 2, None) }, unknown.clone()),
        (
            ObservedPod { started: Some(at(WRITTEN + CLOCKS + 1)), ..runs(CLOCKS + 2, None) },
            LoadState::Loaded,
        ),
        // One that did not take what was there before the write, and runs, has another one.
        (runs(5, Some(end(-1, LOG))), LoadState::Loaded),
        (runs(5, Some(end(-1, "out of memory"))), unknown.clone()),
        (runs(-1, Some(end(-2, LOG))), unknown.clone()),
        // What that one did not take may have been older still.
        (runs(5, Some(end(-1000 + SETTLED, LOG))), unknown.clone()),
        (ended(SETTLED, LOG), pending(ANEW)),
        (ended(SETTLED + 1, LOG), refused(WORDS)),
    ];
    let long_after = Written { before: Some(at(WRITTEN - 1000)), ..written() };
    for (pod, verdict) in rows {
        assert_eq!(judged(&long_after, &pod), verdict, "{pod:?}");
    }
    let first = Written { before: None, ..written() };
    assert_eq!(judged(&first, &runs(5, Some(end(-1, LOG)))), unknown);
}
