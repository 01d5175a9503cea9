use super::*;
use crate::loaded::pod::RunningContainer;

const WRITTEN: i64 = 1_000_000;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn content(config: Option<&str>, watched: Option<&str>) -> Content {
    Content { config: config.map(Into::into), watched: watched.map(Into::into) }
}

fn written() -> WrittenContent {
    let content = content(Some("new"), Some("rules"));
    WrittenContent { content, at: at(WRITTEN), before: Some(at(WRITTEN - 100)) }
}

fn ready() -> ObservedPod {
    ObservedPod {
        started: Some(at(WRITTEN - 5000)),
        ready_since: Some(at(WRITTEN - 4000)),
        touched: Some(at(WRITTEN)),
        ..ObservedPod::default()
    }
}

fn status(loaded: &str, seen: &str, error: Option<(&str, &str)>) -> ReloaderStatus {
    ReloaderStatus {
        config_hash: Some(loaded.into()),
        watched_hash: Some("rules".into()),
        seen_config_hash: Some(seen.into()),
        seen_watched_hash: Some("rules".into()),
        last_error_reason: error.map(|(reason, _)| reason.into()),
        last_error: error.map(|(_, message)| message.into()),
    }
}

fn ours(status: ReloaderStatus) -> LoadState {
    LoadState::of(
        &written(),
        &ready(),
        &PodAnswer { answer: ReloaderAnswer::Ours(status), offset: None },
        at(WRITTEN + 1),
    )
}

fn pending(message: &str) -> LoadState {
    LoadState::Pending(message.into())
}

fn rejected(message: &str) -> LoadState {
    LoadState::Rejected(message.into())
}

#[test]
fn hashes_of_our_reloader_decide() {
    assert_eq!(ours(status("new", "new", None)), LoadState::Loaded);
    assert_eq!(ours(status("old", "old", None)), pending("its files are not refreshed yet"));
    assert_eq!(ours(status("old", "new", None)), pending("its reloader has seen it and reloads now"));
    assert_eq!(ours(ReloaderStatus::default()), pending("its files are not refreshed yet"));
}

#[test]
fn a_rejection_counts_if_it_is_about_the_written_content() {
    let no = "the reload was answered 500 (line 12); the log of the reloader says more";
    assert_eq!(ours(status("old", "new", Some(("rejected", no)))), rejected(no));
    assert_eq!(
        ours(status("old", "older", Some(("rejected", no)))),
        pending("its files are not refreshed yet")
    );
    let signal = "the configuration was not loaded: the log of the process says why";
    assert_eq!(ours(status("old", "new", Some(("rejected", signal)))), rejected(signal));
}

#[test]
fn answers_about_something_else_are_no_rejection() {
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
    // If their hash is not known, the files in the pod must be loaded.
    let written = WrittenContent { content: content(Some("new"), None), ..written() };
    let received = |status| PodAnswer { answer: ReloaderAnswer::Ours(status), offset: None };
    assert_eq!(
        LoadState::of(&written, &ready(), &received(rules.clone()), at(WRITTEN + 1)),
        LoadState::Loaded
    );
    rules.seen_watched_hash = Some("newer".into());
    let state = LoadState::of(&written, &ready(), &received(rules), at(WRITTEN + 1));
    assert_eq!(state, pending("its reloader has seen it and reloads now"));
}

#[test]
fn without_hashes_the_state_is_unknown() {
    let written = WrittenContent { content: content(None, None), ..written() };
    let received = PodAnswer { answer: ReloaderAnswer::Ours(status("a", "a", None)), offset: None };
    let unknown = LoadState::Unknown("the expected content is not known".into());
    assert_eq!(LoadState::of(&written, &ready(), &received, at(WRITTEN)), unknown);
    let silent = PodAnswer { answer: ReloaderAnswer::Nothing("no answer".into()), offset: None };
    assert_eq!(
        LoadState::of(&written, &ready(), &silent, at(WRITTEN)),
        LoadState::Unknown("no answer".into())
    );
}

/// The peer's reloader, on a clock that is an hour ahead, asked at some second after the write.
fn peers(pod: &ObservedPod, counters: ReloadCounters, seconds: i64) -> LoadState {
    peers_after(&written(), pod, counters, seconds)
}

fn peers_after(
    written: &WrittenContent,
    pod: &ObservedPod,
    counters: ReloadCounters,
    seconds: i64,
) -> LoadState {
    let (pod, mut counters) = (ahead(pod), counters);
    counters.last_success = counters.last_success.map(an_hour_ahead);
    let now = at(WRITTEN + seconds);
    let offset = Offset::of(an_hour_ahead(now), now, now);
    let received = PodAnswer { answer: ReloaderAnswer::Peers(counters), offset: Some(offset) };
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

fn worked(seconds: i64) -> ReloadCounters {
    ReloadCounters { successful: true, last_success: Some(at(WRITTEN + seconds)), reloads: 7, failed: 1 }
}

fn failing(last_success: Option<i64>) -> ReloadCounters {
    ReloadCounters {
        successful: false,
        last_success: last_success.map(|seconds| at(WRITTEN + seconds)),
        reloads: 9,
        failed: 2,
    }
}

#[test]
fn the_last_success_of_the_peers_reloader_decides_by_its_own_clock() {
    assert_eq!(peers(&ready(), worked(3), 5), LoadState::Loaded);
    assert_eq!(peers(&ready(), worked(-3), 5), pending("no reload has succeeded since"));
    let received = PodAnswer { answer: ReloaderAnswer::Peers(worked(3)), offset: None };
    let unknown = LoadState::Unknown("its answer has no Date header".into());
    assert_eq!(LoadState::of(&written(), &ready(), &received, at(WRITTEN + 5)), unknown);
}

#[test]
fn a_write_without_a_change_in_the_pods_counts_as_loaded_later() {
    assert_eq!(peers(&ready(), worked(-3), SETTLED - 1), pending("no reload has succeeded since"));
    assert_eq!(peers(&ready(), worked(-3), SETTLED), LoadState::Loaded);
    let gone = ObservedPod { ready_since: None, ..ready() };
    assert_eq!(peers(&gone, worked(-3), SETTLED), pending("no reload has succeeded since"));
}

#[test]
fn a_pod_that_started_after_the_write_has_loaded_it() {
    // As in a Thanos Ruler: its reloader has no configuration file, and does nothing when it starts.
    let young = ObservedPod {
        started: Some(at(WRITTEN + 3)),
        ready_since: Some(at(WRITTEN + 6)),
        ..ObservedPod::default()
    };
    assert_eq!(peers(&young, ReloadCounters::default(), 8), LoadState::Loaded);
    let starting = ObservedPod { ready_since: None, ..young.clone() };
    assert_eq!(peers(&starting, ReloadCounters::default(), 8), pending("it is starting"));
    assert_eq!(peers(&ready(), ReloadCounters::default(), 8), pending("its reloader has not seen it yet"));
    assert_eq!(peers(&ready(), ReloadCounters::default(), SETTLED), LoadState::Loaded);
}

#[test]
fn failures_while_the_operand_starts_are_no_rejection() {
    let starting = ObservedPod { started: Some(at(WRITTEN + 3)), ..ObservedPod::default() };
    assert_eq!(peers(&starting, failing(None), 30), pending("it is starting"));
    let up = ObservedPod { ready_since: Some(at(WRITTEN + 25)), ..starting };
    assert_eq!(peers(&up, failing(None), 30), pending("it has just started"));
}

#[test]
fn a_failure_of_the_peers_reloader_is_about_the_write_if_the_one_before_was_loaded() {
    let words = "its reloader reports that the last reload failed; its log says why";
    assert_eq!(peers(&ready(), failing(Some(-50)), 5), rejected(words));
    // The previous write failed too: these may still be its failures.
    let still = pending("its reloader still tries the previous configuration");
    assert_eq!(peers(&ready(), failing(Some(-200)), 5), still);
    assert_eq!(peers(&ready(), failing(Some(-200)), SETTLED), rejected(words));
    // A later success may have been about previous files.
    assert_eq!(peers(&ready(), failing(Some(3)), 5), rejected(words));
    let first = WrittenContent { before: None, ..written() };
    assert_eq!(peers_after(&first, &ready(), failing(Some(-50)), 5), still);
}

const LOG: &str = "time=2026-11-16T15:27:44.617Z level=ERROR source=main.go:745 msg=\"Error loading config\" \
                   err=\"parsing YAML file /etc/x.yaml: yaml: unmarshal errors:\\n  line 12: field secret not found\"";
const WORDS: &str = "yaml: unmarshal errors: line 12: field secret not found";
const RESTARTS: &str = "its container terminated before that and restarts";

fn end(seconds: i64, log: &str) -> Terminated {
    Terminated { at: at(WRITTEN + seconds), log: log.into() }
}

/// A pod whose operand terminated so many seconds after the write.
fn ended(seconds: i64, log: &str) -> ObservedPod {
    ObservedPod { ready_since: None, terminated: Some(end(seconds, log)), ..ready() }
}

#[test]
fn the_log_of_an_operand_that_cannot_start_is_reported() {
    let state_of = |pod: &ObservedPod, seen: &str| {
        let received = PodAnswer { answer: ReloaderAnswer::Ours(status("old", seen, None)), offset: None };
        LoadState::of(&written(), pod, &received, at(WRITTEN + 60))
    };
    assert_eq!(state_of(&ended(5, LOG), "new"), rejected(WORDS));
    assert_eq!(state_of(&ended(5, LOG), "old"), pending(RESTARTS));
    assert_eq!(state_of(&ended(-5, LOG), "new"), pending(RESTARTS));
    // Other causes of a termination are not about the configuration.
    assert_eq!(
        state_of(&ended(5, "out of memory"), "new"),
        pending("its reloader has seen it and reloads now")
    );
    // The content may have been mounted after the termination, unless the pod was touched or started before.
    let touched =
        |seconds: Option<i64>, pod| ObservedPod { touched: seconds.map(|it| at(WRITTEN + it)), ..pod };
    assert_eq!(state_of(&touched(None, ended(SETTLED, LOG)), "new"), pending(RESTARTS));
    assert_eq!(state_of(&touched(None, ended(SETTLED + 1, LOG)), "new"), rejected(WORDS));
    assert_eq!(state_of(&touched(Some(-100), ended(5, LOG)), "new"), pending(RESTARTS));
    assert_eq!(state_of(&touched(Some(5), ended(5 + READ, LOG)), "new"), pending(RESTARTS));
    assert_eq!(state_of(&touched(Some(5), ended(6 + READ, LOG)), "new"), rejected(WORDS));
    let began =
        |seconds| ObservedPod { started: Some(at(WRITTEN + seconds)), ..touched(None, ended(5, LOG)) };
    assert_eq!(state_of(&began(0), "new"), pending(RESTARTS));
    assert_eq!(state_of(&began(1), "new"), rejected(WORDS));
}

#[test]
fn without_an_answer_start_and_termination_of_the_operand_decide() {
    let state_of = |written: &WrittenContent, pod: &ObservedPod| {
        let received = PodAnswer { answer: ReloaderAnswer::Nothing("no answer".into()), offset: None };
        LoadState::of(written, pod, &received, at(WRITTEN + 1000))
    };
    let unknown = LoadState::Unknown("no answer".into());
    let runs = |since: i64, before: Option<Terminated>| ObservedPod {
        running: Some(RunningContainer { since: at(WRITTEN + since), before }),
        ..ready()
    };
    let rows = [
        // An operand that started long after the write, and is ready, has read it.
        (runs(SETTLED, None), unknown.clone()),
        (runs(SETTLED + 1, None), LoadState::Loaded),
        (ObservedPod { ready_since: None, ..runs(SETTLED + 1, None) }, unknown.clone()),
        // So has the operand of a pod that started after the write.
        (ObservedPod { started: Some(at(WRITTEN + CLOCKS)), ..runs(CLOCKS + 2, None) }, unknown.clone()),
        (
            ObservedPod { started: Some(at(WRITTEN + CLOCKS + 1)), ..runs(CLOCKS + 2, None) },
            LoadState::Loaded,
        ),
        // An operand that rejected the previous content, and runs, has read the new one.
        (runs(5, Some(end(-1, LOG))), LoadState::Loaded),
        (runs(5, Some(end(-1, "out of memory"))), unknown.clone()),
        (runs(-1, Some(end(-2, LOG))), unknown.clone()),
        // The rejected content may have been older than the previous one.
        (runs(5, Some(end(-1000 + SETTLED, LOG))), unknown.clone()),
        (ended(SETTLED, LOG), pending(RESTARTS)),
        (ended(SETTLED + 1, LOG), rejected(WORDS)),
    ];
    let long_after = WrittenContent { before: Some(at(WRITTEN - 1000)), ..written() };
    for (pod, state) in rows {
        assert_eq!(state_of(&long_after, &pod), state, "{pod:?}");
    }
    let first = WrittenContent { before: None, ..written() };
    assert_eq!(state_of(&first, &runs(5, Some(end(-1, LOG)))), unknown);
}
