//! Parses the report of the test runner. Pure.

use std::iter::Sum;
use std::ops::Add;

use anyhow::{Context, Result};
use roxmltree::{Document, Node};

/// The results of tests, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Tests that passed, at the first attempt or a later one.
    pub(crate) passed: usize,
    /// Tests that failed, and steps that failed without naming a test.
    pub(crate) failed: usize,
    /// Tests that were not run.
    pub(crate) skipped: usize,
}

impl Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
        }
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}

/// The results of one run of a suite.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// Its counts.
    pub(crate) counts: Counts,
    /// The tests that needed more than one attempt, each with its result.
    pub(crate) retried: Vec<String>,
    /// What could not run, each with the reason.
    pub(crate) skipped: Vec<String>,
}

/// The beginning of a line that a test prints, with a reason, if the machine lacks what it needs. The test runner
/// counts such a test as passed.
const SKIPPED: &str = "SKIPPED: ";

/// Reads a report in the form of `JUnit`.
pub(crate) fn read(text: &str) -> Result<Report> {
    let document = Document::parse(text).context("the test runner's report is not XML")?;
    let mut report = Report::default();
    for case in document.descendants().filter(|node| node.has_tag_name("testcase")) {
        let has = |names: &[&str]| case.children().any(|child| names.contains(&child.tag_name().name()));
        let failed = has(&["failure", "error"]);
        if failed {
            report.counts.failed += 1;
        } else if let Some(reason) = skipped(&case) {
            report.counts.skipped += 1;
            report.skipped.push(format!("{} ({reason})", name(&case)));
        } else {
            report.counts.passed += 1;
        }
        if has(&["flakyFailure", "flakyError", "rerunFailure", "rerunError"]) {
            let end = if failed { "failed each time" } else { "passed at a later try" };
            report.retried.push(format!("{} ({end})", name(&case)));
        }
    }
    Ok(report)
}

/// Why a test did not run: it is ignored, or it printed the reason itself.
fn skipped(case: &Node<'_, '_>) -> Option<String> {
    let children = |names: &'static [&'static str]| {
        case.children().filter(move |child| names.contains(&child.tag_name().name()))
    };
    if children(&["skipped"]).next().is_some() {
        return Some("ignored".into());
    }
    let outputs: Vec<&str> =
        children(&["system-out", "system-err"]).filter_map(|child| child.text()).collect();
    // The test harness may have printed the name of the test at the beginning of the line.
    let reason = |line: &str| {
        let begun = line.split_once(" ... ").filter(|(begin, _)| begin.starts_with("test "));
        begun.map_or(line, |(_, rest)| rest).strip_prefix(SKIPPED).map(str::to_owned)
    };
    outputs.iter().flat_map(|text| text.lines()).find_map(reason)
}

fn name(case: &Node<'_, '_>) -> String {
    let attribute = |name| case.attribute(name).unwrap_or("?");
    format!("{} {}", attribute("classname"), attribute("name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_counted_and_retries_are_named() {
        let text = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="nextest-run" tests="4" failures="1" errors="0">
  <testsuite name="e2e::pods" tests="4">
    <testcase name="dns" classname="e2e::pods" time="1.0"><system-out>a &lt;failure&gt;</system-out></testcase>
    <testcase name="volumes" classname="e2e::pods"><flakyFailure type="test failure">late</flakyFailure></testcase>
    <testcase name="drain" classname="e2e::pods"><failure type="x"/><rerunFailure type="x"/></testcase>
    <testcase name="gpu" classname="e2e::pods"><skipped/></testcase>
  </testsuite>
</testsuites>"#;
        assert_eq!(
            read(text).unwrap(),
            Report {
                counts: Counts { passed: 2, failed: 1, skipped: 1 },
                retried: vec![
                    "e2e::pods volumes (passed at a later try)".into(),
                    "e2e::pods drain (failed each time)".into(),
                ],
                skipped: vec!["e2e::pods gpu (ignored)".into()],
            }
        );
    }

    #[test]
    fn a_test_that_prints_skipped_has_not_passed() {
        let case = |name: &str, children: &str| {
            format!(r#"<testcase name="{name}" classname="lab">{children}</testcase>"#)
        };
        let cases = [
            case("out", "<system-out>running 1 test\nSKIPPED: no root\ntest out ... ok</system-out>"),
            case("begun", "<system-out>test begun ... SKIPPED: no root\nok</system-out>"),
            case("err", "<system-out>ok</system-out><system-err>SKIPPED: no loop devices\n</system-err>"),
            case("quoted", "<system-out>== conformance: SKIPPED: no cases</system-out>"),
            case("failed", "<failure/><system-out>SKIPPED: no root</system-out>"),
        ];
        assert_eq!(
            read(&format!("<testsuite>{}</testsuite>", cases.concat())).unwrap(),
            Report {
                counts: Counts { passed: 1, failed: 1, skipped: 3 },
                retried: Vec::new(),
                skipped: vec![
                    "lab out (no root)".into(),
                    "lab begun (no root)".into(),
                    "lab err (no loop devices)".into(),
                ],
            }
        );
    }

    #[test]
    fn an_incomplete_report_is_an_error() {
        assert!(read("<testsuites><testsuite>").is_err());
    }
}
