//! The results of the tests of a group: a row for each, and what counts as a failure. Pure.

use anyhow::anyhow;
use serde::{Deserialize, Serialize};

use super::event::{Ending, SuiteResults};
use super::group::Group;
use super::known::Known;
use crate::summary::Outcome;

/// The result of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TestOutcome {
    /// It passed.
    Pass,
    /// It failed.
    Fail,
    /// It did not run.
    Skip,
    /// It did not pass, which says nothing about the operator.
    Excused,
}

/// One test of the suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// Its full name.
    pub(crate) test: String,
    /// Its result. Results that were recorded by earlier versions have another name for it.
    #[serde(alias = "standing")]
    pub(crate) outcome: TestOutcome,
    /// How long it took, in whole seconds.
    pub(crate) seconds: u64,
    /// How many of its cases passed, and how many it has; `None` for a test without cases.
    pub(crate) cases: Option<(usize, usize)>,
    /// A note, such as the reason of a failure.
    pub(crate) note: String,
    /// Whether this is the result of the second attempt.
    pub(crate) repeated: bool,
}

/// The rows of a group after one run: its tests by name, and before them the tests that contain them, if these failed
/// for a reason of their own, such as a restart of the operator.
pub(crate) fn rows(group: &Group, results: &SuiteResults, known: &Known) -> Vec<Row> {
    let prefix = group.prefix();
    let around = ancestors(&prefix).into_iter().filter(|test| failed_itself(results, test));
    let tests = results.children(&prefix).map(str::to_owned);
    let tests = tests.map(|test| row(test, results, known));
    around.map(|test| failed(test, results)).chain(tests).collect()
}

/// A test and all tests that contain it, the outermost first.
fn ancestors(test: &str) -> Vec<String> {
    let ends = test.match_indices('/').map(|(at, _)| at).chain([test.len()]);
    ends.map(|end| test[..end].to_owned()).collect()
}

/// Whether a test that contains others failed for a reason of its own.
fn failed_itself(results: &SuiteResults, test: &str) -> bool {
    let Some(result) = results.about(test) else { return false };
    let has_failed = |name: &str| {
        results.about(name).is_some_and(|result| matches!(result.ending, Some(Ending::Failed) | None))
    };
    let has_failed_child = || results.children(test).any(has_failed);
    match result.ending {
        Some(Ending::Failed) => result.output.contains("Error Trace:") || !has_failed_child(),
        Some(Ending::Passed | Ending::Skipped) => false,
        None => !has_failed_child(),
    }
}

/// The row of a test that contains others and failed for a reason of its own.
fn failed(test: String, results: &SuiteResults) -> Row {
    let result = results.about(&test).cloned().unwrap_or_default();
    let (seconds, note) = (result.whole_seconds(), result.reason().unwrap_or_default());
    Row { test, outcome: TestOutcome::Fail, seconds, cases: None, note, repeated: false }
}

fn row(test: String, results: &SuiteResults, known: &Known) -> Row {
    let about = |name: &str| results.about(name).cloned().unwrap_or_default();
    let result = about(&test);
    let cases = results.cases(&test);
    let bad: Vec<&str> =
        cases.iter().copied().filter(|case| about(case).ending != Some(Ending::Passed)).collect();
    let count = (cases != [test.as_str()]).then_some((cases.len() - bad.len(), cases.len()));
    let outcome = match result.ending {
        Some(Ending::Passed) => TestOutcome::Pass,
        Some(Ending::Skipped) => TestOutcome::Skip,
        Some(Ending::Failed) | None => TestOutcome::Fail,
    };
    let why = || {
        let reason = bad.iter().chain([&test.as_str()]).find_map(|name| about(name).reason());
        match (result.ending, reason) {
            (None, _) => "it did not end".to_owned(),
            (Some(_), reason) => reason.unwrap_or_default(),
        }
    };
    let excuse = known.excuse(&test, &bad);
    let (outcome, note) = match (outcome, excuse) {
        (TestOutcome::Pass, _) => (TestOutcome::Pass, String::new()),
        (_, Some(excuse)) => (TestOutcome::Excused, excuse.reason.clone()),
        (TestOutcome::Skip, None) => (TestOutcome::Skip, why()),
        (_, None) => (TestOutcome::Fail, why()),
    };
    // The time of a test does not include cases that run in parallel.
    let within: u64 = cases.iter().map(|case| about(case).whole_seconds()).sum();
    let seconds = result.whole_seconds().max(within);
    Row { test, outcome, seconds, cases: count, note, repeated: false }
}

/// Replaces the result of a test by that of its second attempt, alone.
pub(crate) fn repeat(first: &mut Row, second: Option<Row>) {
    let Some(second) = second else {
        first.note = format!("{} (a second try did not end)", first.note);
        return;
    };
    let note = match second.outcome {
        TestOutcome::Pass => format!("passed at the second try, alone; the first: {}", first.note),
        TestOutcome::Fail | TestOutcome::Skip | TestOutcome::Excused => {
            format!("twice, the second time alone: {}", second.note)
        }
    };
    *first = Row { note, repeated: true, ..second };
}

/// The rows as an outcome. Excused tests count as skipped.
pub(crate) fn outcome(rows: &[Row]) -> Outcome {
    let mut outcome = Outcome::default();
    for row in rows {
        match row.outcome {
            TestOutcome::Pass => outcome.report.counts.passed += 1,
            TestOutcome::Fail => outcome.also_failed(&anyhow!("{}: {}", row.test, row.note)),
            TestOutcome::Skip | TestOutcome::Excused => outcome.also_skipped(&row.test, &row.note),
        }
        if row.repeated {
            let end =
                if row.outcome == TestOutcome::Pass { "passed at a later try" } else { "failed each time" };
            outcome.report.retried.push(format!("{} ({end})", row.test));
        }
    }
    outcome
}

/// How many rows have this outcome.
pub(crate) fn count(rows: &[Row], outcome: TestOutcome) -> usize {
    rows.iter().filter(|row| row.outcome == outcome).count()
}

#[cfg(test)]
mod tests {
    use super::super::event::tests::{ended, results};
    use super::super::group;
    use super::*;
    use crate::junit::Counts;

    const RESTARTED: &str = r#"{"Action":"output","Test":"TestAllNS","Output":"Error Trace:\n Error: \t1 restart\n Test: \tTestAllNS\n"}"#;

    fn of(name: &str, lines: &[String]) -> Vec<Row> {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let group = group::named(&[name.to_owned()]).remove(0);
        rows(&group, &results(&lines), &Known::built_in().unwrap())
    }

    fn plain(test: &str, outcome: TestOutcome, seconds: u64, note: &str) -> Row {
        Row { test: test.into(), outcome, seconds, cases: None, note: note.into(), repeated: false }
    }

    #[test]
    fn a_group_has_a_row_for_each_of_its_tests() {
        let lines = [
            r#"{"Action":"run","Test":"TestAllNS/x/Never"}"#.to_owned(),
            ended("pass", "TestAllNS/x/AMWeb", 28),
            ended("pass", "TestAllNS/x/AMCRD/one", 1),
            ended("fail", "TestAllNS/x/AMCRD/two", 2),
            ended("fail", "TestAllNS/x/AMCRD", 0),
            ended("fail", "TestAllNS/x", 40),
            ended("fail", "TestAllNS", 41),
        ];
        let crd = Row { cases: Some((1, 2)), ..plain("TestAllNS/x/AMCRD", TestOutcome::Fail, 3, "") };
        assert_eq!(
            of("alertmanager", &lines),
            [
                crd,
                plain("TestAllNS/x/AMWeb", TestOutcome::Pass, 28, ""),
                plain("TestAllNS/x/Never", TestOutcome::Fail, 0, "it did not end"),
            ]
        );
    }

    #[test]
    fn a_failure_outside_of_the_tests_is_a_separate_row() {
        let lines = [
            ended("pass", "TestAllNS/x/AMWeb", 28),
            ended("pass", "TestAllNS/x", 40),
            RESTARTED.to_owned(),
            ended("fail", "TestAllNS", 41),
        ];
        let rows = of("alertmanager", &lines);
        assert_eq!(rows[0], plain("TestAllNS", TestOutcome::Fail, 41, "1 restart"));
        assert_eq!(rows.len(), 2);

        let no_operator = [ended("fail", "TestAllNS", 300)];
        assert_eq!(of("alertmanager", &no_operator), [plain("TestAllNS", TestOutcome::Fail, 300, "")]);
    }

    #[test]
    fn a_restart_is_reported_with_another_failure() {
        let lines = [
            ended("fail", "TestAllNS/x/AMWeb", 28),
            ended("fail", "TestAllNS/x", 40),
            RESTARTED.to_owned(),
            ended("fail", "TestAllNS", 41),
        ];
        let names: Vec<String> = of("alertmanager", &lines).into_iter().map(|row| row.test).collect();
        assert_eq!(names, ["TestAllNS", "TestAllNS/x/AMWeb"]);
    }

    #[test]
    fn a_known_failure_is_excused() {
        let test = "TestGatedFeatures/FinalizerWhenStatusForConfigResourcesEnabled";
        assert_eq!(of("gated", &[ended("fail", test, 5)])[0].outcome, TestOutcome::Excused);
        assert_eq!(of("gated", &[ended("pass", test, 5)])[0].outcome, TestOutcome::Pass);
        let skipped = of("prometheus", &[ended("skip", "TestAllNS/y/ScrapeConfigDNSSD", 0)]);
        assert_eq!(skipped[0].outcome, TestOutcome::Excused);
    }

    #[test]
    fn the_second_attempt_replaces_the_first() {
        let mut row = plain("T/a", TestOutcome::Fail, 9, "slow");
        repeat(&mut row, Some(plain("T/a", TestOutcome::Pass, 4, "")));
        let note = "passed at the second try, alone; the first: slow";
        assert_eq!(row, Row { repeated: true, ..plain("T/a", TestOutcome::Pass, 4, note) });

        let mut row = plain("T/a", TestOutcome::Fail, 9, "slow");
        repeat(&mut row, Some(plain("T/a", TestOutcome::Fail, 4, "slower")));
        assert_eq!(
            (row.outcome, row.note.as_str()),
            (TestOutcome::Fail, "twice, the second time alone: slower")
        );
    }

    #[test]
    fn excused_and_skipped_tests_have_not_passed() {
        let repeated = Row { repeated: true, ..plain("D", TestOutcome::Pass, 1, "passed at the second try") };
        let rows = [
            plain("A", TestOutcome::Pass, 1, ""),
            plain("B", TestOutcome::Skip, 0, "no such version"),
            plain("C", TestOutcome::Excused, 3, "differs on purpose"),
            repeated,
            plain("E", TestOutcome::Fail, 3, "late"),
        ];
        let outcome = outcome(&rows);
        assert_eq!(outcome.report.counts, Counts { passed: 2, failed: 1, skipped: 2 });
        assert_eq!(outcome.report.skipped, ["B (no such version)", "C (differs on purpose)"]);
        assert_eq!(outcome.report.retried, ["D (passed at a later try)"]);
        assert_eq!(outcome.failure.as_deref(), Some("E: late"));
    }
}
