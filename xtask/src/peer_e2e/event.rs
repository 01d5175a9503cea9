//! The output of a running Go test binary in the format of `test2json`, collected by test. Pure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Ending {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It did not run.
    Skipped,
}

/// What is known about one test, or one case of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct TestResult {
    /// `None` while it runs, or if the suite was ended before it.
    pub(crate) ending: Option<Ending>,
    /// How long it took.
    pub(crate) seconds: f64,
    /// What it printed, without the output of its cases.
    pub(crate) output: String,
}

/// All tests by their full names.
#[derive(Debug, Default)]
pub(crate) struct SuiteResults {
    tests: BTreeMap<String, TestResult>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    test: Option<String>,
    #[serde(default)]
    elapsed: f64,
    output: Option<String>,
}

impl SuiteResults {
    /// Parses a line. Returns the name of the test that it ended, if any. Lines that are not events are ignored,
    /// because other programs print too.
    pub(crate) fn read(&mut self, line: &str) -> Option<String> {
        let Event { action, test, elapsed, output } = serde_json::from_str(line).ok()?;
        let test = test?;
        let result = self.tests.entry(test.clone()).or_default();
        let ending = match action.as_str() {
            "pass" => Ending::Passed,
            "fail" => Ending::Failed,
            "skip" => Ending::Skipped,
            _ => {
                result.output.push_str(&output.unwrap_or_default());
                return None;
            }
        };
        (result.ending, result.seconds) = (Some(ending), elapsed);
        Some(test)
    }

    /// Whether no test was started.
    pub(crate) fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    /// What is known about a test.
    pub(crate) fn about(&self, test: &str) -> Option<&TestResult> {
        self.tests.get(test)
    }

    /// The names of the direct children of a test.
    pub(crate) fn children(&self, test: &str) -> impl Iterator<Item = &str> {
        let beginning = format!("{test}/");
        self.below(test).filter(move |name| !name[beginning.len()..].contains('/'))
    }

    /// The innermost cases of a test, or the test itself if it has none.
    pub(crate) fn cases<'t>(&'t self, test: &'t str) -> Vec<&'t str> {
        let is_innermost = |name: &&str| self.below(name).next().is_none();
        self.below(test).chain([test]).filter(is_innermost).collect()
    }

    fn below(&self, test: &str) -> impl Iterator<Item = &str> {
        let beginning = format!("{test}/");
        self.tests.keys().map(String::as_str).filter(move |name| name.starts_with(&beginning))
    }
}

impl TestResult {
    /// How long it took, in whole seconds.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a duration of at most hours is neither too large nor negative"
    )]
    pub(crate) fn whole_seconds(&self) -> u64 {
        self.seconds.round() as u64
    }

    /// Why it failed, in a line: the message of an assertion, else the last line that it printed with a position in its
    /// source.
    pub(crate) fn reason(&self) -> Option<String> {
        let lines: Vec<&str> = self.output.lines().map(str::trim).collect();
        let asserted = lines.iter().position(|line| line.starts_with("Error:")).map(|at| {
            let end = lines[at..].iter().position(|line| line.starts_with("Test:")).unwrap_or(1);
            let words = lines[at..at + end].iter().flat_map(|line| line.split_whitespace()).skip(1);
            words.collect::<Vec<_>>().join(" ")
        });
        let printed = || {
            let at_source = |line: &&&str| line.contains("_test.go:") && !line.ends_with(':');
            lines.iter().rev().find(at_source).map(|line| (*line).to_owned())
        };
        asserted.or_else(printed).filter(|reason| !reason.is_empty())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The results after these lines.
    pub(in super::super) fn results(lines: &[&str]) -> SuiteResults {
        let mut results = SuiteResults::default();
        for line in lines {
            results.read(line);
        }
        results
    }

    /// A line that ends a test.
    pub(in super::super) fn ended(action: &str, test: &str, seconds: u32) -> String {
        format!(r#"{{"Action":"{action}","Test":"{test}","Elapsed":{seconds}}}"#)
    }

    #[test]
    fn tests_cases_and_ends_are_found() {
        let mut results = SuiteResults::default();
        assert_eq!(results.read("E1116 klog says something"), None);
        assert_eq!(results.read(r#"{"Action":"run","Test":"A/x/One"}"#), None);
        assert_eq!(results.read(r#"{"Action":"run","Test":"A/x/One/case"}"#), None);
        assert_eq!(results.about("A/x/One").unwrap().ending, None);
        assert_eq!(results.read(&ended("pass", "A/x/One/case", 1)), Some("A/x/One/case".into()));
        assert_eq!(results.read(&ended("skip", "A/x/OneMore", 0)), Some("A/x/OneMore".into()));
        assert_eq!(results.children("A/x").collect::<Vec<_>>(), ["A/x/One", "A/x/OneMore"]);
        assert_eq!(results.cases("A/x/One"), ["A/x/One/case"]);
        assert_eq!(results.cases("A/x/OneMore"), ["A/x/OneMore"]);
        assert_eq!(results.about("A/x/OneMore").unwrap().ending, Some(Ending::Skipped));
    }

    #[test]
    fn the_reason_of_a_failure_is_found() {
        let result = |output: &str| TestResult { output: output.into(), ..TestResult::default() };
        let asserted = "    main_test.go:9: \n\tError Trace:\tmain_test.go:9\n\tError:      \tReceived unexpected error:\n\t            \tno such pod\n\tTest:       \tTestAllNS\n";
        assert_eq!(result(asserted).reason().as_deref(), Some("Received unexpected error: no such pod"));
        let printed =
            "=== RUN TestA\n    a_test.go:7: first\n    a_test.go:8: waiting timed out\n--- FAIL: TestA\n";
        assert_eq!(result(printed).reason().as_deref(), Some("a_test.go:8: waiting timed out"));
        assert_eq!(result("--- FAIL: TestA\n").reason(), None);
    }
}
