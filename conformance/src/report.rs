//! The output. The only module that prints.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports")]

use crate::category::FolderResult;
use crate::compare::Comparison;
use crate::differences::Differences;

/// Counts the results and prints them.
#[derive(Debug)]
pub(crate) struct Report {
    diff: Option<String>,
    known: Differences,
    run: usize,
    failed: usize,
    documented: usize,
    unsupported: usize,
}

impl Report {
    /// A report that shows the differences of cases whose names contain `diff`.
    pub(crate) fn new(diff: Option<String>, known: Differences) -> Self {
        println!(
            "{:<32} {:>6} {:>6} {:>6} {:>6} {:>6}",
            "category", "all", "same", "alike", "known", "failed"
        );
        Self { diff, known, run: 0, failed: 0, documented: 0, unsupported: 0 }
    }

    /// Prints one line for a category, then its failed cases.
    pub(crate) fn category(&mut self, name: &str, result: &FolderResult) {
        let outcomes = &result.outcomes;
        let count = |comparison: &Comparison| {
            outcomes.iter().filter(|outcome| outcome.comparison == *comparison).count()
        };
        let mut failed = Vec::new();
        let mut known = 0;
        for outcome in outcomes {
            if let Comparison::Different { expected, found } = &outcome.comparison {
                if self.known.reason(name, &outcome.name, expected, found).is_some() {
                    known += 1;
                } else {
                    failed.push((&outcome.name, expected, found));
                }
            }
        }
        println!(
            "{name:<32} {:>6} {:>6} {:>6} {known:>6} {:>6}",
            outcomes.len(),
            count(&Comparison::Same),
            count(&Comparison::Alike),
            failed.len()
        );
        for (case, expected, found) in &failed {
            println!("    failed: {case}");
            if self.diff.as_ref().is_some_and(|wanted| case.contains(wanted.as_str())) {
                print!("{}", difference(expected, found));
            }
        }
        for (function, count) in &result.unsupported {
            println!("    not implemented: {function} ({count} cases)");
        }
        self.failed += failed.len();
        self.documented += known;
        self.unsupported += result.unsupported.values().sum::<usize>();
        self.run += outcomes.len();
    }

    /// Prints the summary. Returns whether no case failed.
    pub(crate) fn finish(&self) -> bool {
        println!(
            "{} cases: {} failed, {} differ as documented; {} not run",
            self.run, self.failed, self.documented, self.unsupported
        );
        self.failed == 0 && self.run > 0
    }
}

/// Prints an error that prevented the comparison.
pub(crate) fn problem(message: &str) {
    eprintln!("error: {message}");
}

/// The lines that differ, without the common lines before and after them.
fn difference(expected: &str, found: &str) -> String {
    let (expected, found): (Vec<_>, Vec<_>) = (expected.lines().collect(), found.lines().collect());
    let same_before = expected.iter().zip(&found).take_while(|(one, other)| one == other).count();
    let rest = |lines: &[&str]| lines.len() - same_before;
    let same_after = expected
        .iter()
        .rev()
        .zip(found.iter().rev())
        .take_while(|(one, other)| one == other)
        .count()
        .min(rest(&expected))
        .min(rest(&found));
    let shown = |sign: &'static str, lines: &[&str]| -> Vec<String> {
        lines.iter().map(|line| format!("      {sign} {line}\n")).collect()
    };
    let mut lines = vec![format!("      from line {}\n", same_before + 1)];
    lines.extend(shown(" ", &expected[same_before.saturating_sub(4)..same_before]));
    lines.extend(shown("-", &expected[same_before..expected.len() - same_after]));
    lines.extend(shown("+", &found[same_before..found.len() - same_after]));
    lines.concat()
}
