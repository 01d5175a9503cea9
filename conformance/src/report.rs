//! The output. The only module that prints.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports")]

use crate::category::Played;
use crate::compare::Comparison;
use crate::differences::Differences;

/// Counts, and prints as it goes.
#[derive(Debug)]
pub(crate) struct Report {
    diff: Option<String>,
    known: Differences,
    played: usize,
    failed: usize,
    documented: usize,
    unplayed: usize,
}

impl Report {
    /// Shows what differs in cases whose names contain `diff`.
    pub(crate) fn new(diff: Option<String>, known: Differences) -> Self {
        println!(
            "{:<32} {:>6} {:>6} {:>6} {:>6} {:>6}",
            "category", "all", "same", "alike", "known", "failed"
        );
        Self { diff, known, played: 0, failed: 0, documented: 0, unplayed: 0 }
    }

    /// One line, then what failed.
    pub(crate) fn category(&mut self, name: &str, played: &Played) {
        let outcomes = &played.outcomes;
        let count =
            |verdict: &Comparison| outcomes.iter().filter(|outcome| outcome.verdict == *verdict).count();
        let mut failed = Vec::new();
        let mut known = 0;
        for outcome in outcomes {
            if let Comparison::Different { expected, found } = &outcome.verdict {
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
        for (function, count) in &played.unplayed {
            println!("    not built yet: {function} ({count} cases)");
        }
        self.failed += failed.len();
        self.documented += known;
        self.unplayed += played.unplayed.values().sum::<usize>();
        self.played += outcomes.len();
    }

    /// Whether all is well.
    pub(crate) fn finish(&self) -> bool {
        println!(
            "{} played: {} failed, {} differ as documented; {} not played",
            self.played, self.failed, self.documented, self.unplayed
        );
        self.failed == 0 && self.played > 0
    }
}

/// Says what went wrong before anything could be compared.
pub(crate) fn problem(words: &str) {
    eprintln!("error: {words}");
}

/// The lines that only one side has, with the lines around them left out.
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
