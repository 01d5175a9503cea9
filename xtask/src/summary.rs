//! The result of a chore with several steps, and its summary. Pure, except for the stopwatch of a step.

use std::time::Duration;

use anyhow::{Error, Result};
use lab::clock::{Span, Stopwatch};
use lab::console::{line, table};

use crate::ChoreResult;
use crate::junit::{Counts, Report};

/// The outcome of one step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The counts and names of its tests. A failure without a failed test counts as one.
    pub(crate) report: Report,
    /// Why it failed, if it did.
    pub(crate) failure: Option<String>,
    /// Why it could not run, if it could not.
    pub(crate) skipped: Option<String>,
}

impl Outcome {
    /// A failure without a failed test.
    pub(crate) fn failed(error: &Error) -> Self {
        let mut outcome = Self::default();
        outcome.also_failed(error);
        outcome
    }

    /// A step that could not run. It counts as skipped, not as passed.
    pub(crate) fn skipped(reason: impl Into<String>) -> Self {
        let mut outcome = Self { skipped: Some(reason.into()), ..Self::default() };
        outcome.report.counts.skipped = 1;
        outcome
    }

    /// Adds a failure without a failed test.
    pub(crate) fn also_failed(&mut self, error: &Error) {
        self.report.counts.failed += 1;
        let earlier = self.failure.take().map_or_else(String::new, |earlier| format!("{earlier}; "));
        self.failure = Some(format!("{earlier}{error:#}"));
    }

    /// Adds a part of the step that could not run.
    pub(crate) fn also_skipped(&mut self, part: &str, reason: &str) {
        self.report.counts.skipped += 1;
        self.report.skipped.push(format!("{part} ({reason})"));
    }
}

impl From<Result<()>> for Outcome {
    fn from(result: Result<()>) -> Self {
        result.map_or_else(|error| Self::failed(&error), |()| Self::default())
    }
}

/// One step that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    name: &'static str,
    budget: Option<Duration>,
    taken: Duration,
    outcome: Outcome,
}

/// Runs one step: prints its name, measures its time, and prints its outcome.
pub(crate) async fn step<O: Into<Outcome>>(
    name: &'static str,
    budget: Option<Duration>,
    work: impl Future<Output = O>,
) -> Entry {
    let allowed = budget.map_or_else(String::new, |budget| format!(" (budget {})", minutes(budget)));
    line(format!("\n== {name}{allowed}"));
    let watch = Stopwatch::start();
    let outcome = work.await.into();
    let entry = Entry::done(name, budget, watch.elapsed(), outcome);
    line(format!("== {} ({})", entry.ending(), Span(entry.taken)));
    entry
}

/// All steps of a chore.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    /// In the order of the table.
    pub(crate) entries: Vec<Entry>,
    /// The total of all steps, if it has a budget.
    pub(crate) total: Option<Total>,
}

/// What all steps together took, and their budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Total {
    /// Since cargo began to compile this program.
    pub(crate) taken: Duration,
    /// What they may take.
    pub(crate) budget: Duration,
}

impl Summary {
    /// Good when no step failed.
    pub(crate) fn result(&self) -> ChoreResult {
        ChoreResult::of(!self.entries.iter().any(Entry::failed))
    }

    /// The summary as one outcome, for a chore that is a step of a larger one.
    pub(crate) fn outcome(self) -> Outcome {
        let failed: Vec<&str> =
            self.entries.iter().filter(|entry| entry.failed()).map(|entry| entry.name).collect();
        let failure = (!failed.is_empty()).then(|| failed.join(", "));
        let report = Report { counts: self.counts(), retried: self.retried(), skipped: self.skipped() };
        Outcome { report, failure, skipped: None }
    }

    /// Steps, results and times; budgets where there are some.
    pub(crate) fn table(&self) -> String {
        let budgets = self.entries.iter().any(|entry| entry.budget.is_some());
        let heading = if budgets {
            vec!["STAGE", "BUDGET", "TAKEN", "RESULT"]
        } else {
            vec!["STEP", "TAKEN", "RESULT"]
        };
        let mut rows = vec![heading.into_iter().map(str::to_owned).collect()];
        for entry in &self.entries {
            let mut row = vec![entry.name.to_owned()];
            if budgets {
                row.push(entry.budget.map_or_else(String::new, minutes));
            }
            row.extend([Span(entry.taken).to_string(), entry.result()]);
            rows.push(row);
        }
        table(&rows)
    }

    /// What the table does not contain: what could not run and why, which tests were retried, which stages exceeded
    /// their budget. The last line has the counts of all suites.
    pub(crate) fn closing(&self) -> String {
        let list = |heading: &str, names: &[String]| {
            let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            format!("{heading}: {names}")
        };
        let mut lines: Vec<String> = self.skipped().iter().map(|what| format!("SKIPPED: {what}")).collect();
        lines.push(list("retried", &self.retried()));
        if self.entries.iter().any(|entry| entry.budget.is_some()) {
            let over = self.entries.iter().filter_map(Entry::over_budget);
            let total = self.total.and_then(|total| over_budget("all", total.taken, total.budget));
            lines.push(list("over budget", &over.chain(total).collect::<Vec<_>>()));
        }
        if let Some(Total { taken, budget }) = self.total {
            lines.push(format!("in all: {} of {}", Span(taken), minutes(budget)));
        }
        let Counts { passed, failed, skipped } = self.counts();
        lines.push(format!("{passed} passed, {failed} failed, {skipped} skipped"));
        lines.join("\n")
    }

    fn counts(&self) -> Counts {
        self.entries.iter().map(|entry| entry.outcome.report.counts).sum()
    }

    fn retried(&self) -> Vec<String> {
        self.entries.iter().flat_map(|entry| entry.outcome.report.retried.clone()).collect()
    }

    /// Every step, or part of a step, that could not run, with the reason.
    fn skipped(&self) -> Vec<String> {
        let of = |entry: &Entry| {
            let itself =
                entry.outcome.skipped.iter().map(|why| format!("{} ({})", entry.name, one_line(why)));
            itself.chain(entry.outcome.report.skipped.clone()).collect::<Vec<_>>()
        };
        self.entries.iter().flat_map(of).collect()
    }
}

impl Entry {
    /// A step that was measured elsewhere.
    pub(crate) fn done(
        name: &'static str,
        budget: Option<Duration>,
        taken: Duration,
        outcome: impl Into<Outcome>,
    ) -> Self {
        Self { name, budget, taken, outcome: outcome.into() }
    }

    /// Whether it ran, and nothing failed.
    pub(crate) fn passed(&self) -> bool {
        !self.failed() && self.outcome.skipped.is_none()
    }

    fn failed(&self) -> bool {
        self.outcome.failure.is_some()
    }

    /// The line that is printed when it ends.
    fn ending(&self) -> String {
        let Self { name, outcome, .. } = self;
        match (&outcome.failure, &outcome.skipped) {
            (Some(why), _) => format!("{name}: FAILED: {why}"),
            (None, Some(why)) => format!("SKIPPED: {name}: {why}"),
            (None, None) => format!("{name}: passed"),
        }
    }

    /// Its cell in the table.
    fn result(&self) -> String {
        let Self { name, outcome, .. } = self;
        let result = match (&outcome.failure, &outcome.skipped) {
            // The whole reason was printed when the step ended; the table has its first line.
            (Some(why), _) => format!("FAILED: {}", why.lines().next().unwrap_or_default()),
            (None, Some(_)) => format!("SKIPPED: {name}"),
            (None, None) if outcome.report.skipped.is_empty() => "passed".to_owned(),
            (None, None) => format!("passed, {} SKIPPED", outcome.report.skipped.len()),
        };
        if self.over_budget().is_some() { format!("{result} (over budget)") } else { result }
    }

    /// What it took and its budget, if it exceeded that.
    fn over_budget(&self) -> Option<String> {
        over_budget(self.name, self.taken, self.budget?)
    }
}

fn over_budget(name: &str, taken: Duration, budget: Duration) -> Option<String> {
    (taken > budget).then(|| format!("{name} ({} of {})", Span(taken), minutes(budget)))
}

fn minutes(budget: Duration) -> String {
    format!("{} min", budget.as_secs() / 60)
}

/// A text without line breaks.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    fn entry(name: &'static str, budget: u64, taken: u64, outcome: impl Into<Outcome>) -> Entry {
        Entry::done(name, Some(Duration::from_secs(60 * budget)), Duration::from_secs(taken), outcome)
    }

    #[test]
    fn a_summary_has_stages_retries_and_counts() {
        let report = Report {
            counts: Counts { passed: 7, failed: 0, skipped: 0 },
            retried: vec!["e2e::pods dns (passed at a later try)".into()],
            skipped: Vec::new(),
        };
        let summary = Summary {
            entries: vec![
                entry("set-up", 5, 301, Ok(())),
                entry("check", 15, 9, Err(anyhow!("format\nand more"))),
                entry("e2e", 15, 80, Outcome { report, ..Outcome::default() }),
            ],
            total: Some(Total { taken: Duration::from_secs(390), budget: Duration::from_mins(6) }),
        };
        assert_eq!(
            summary.table(),
            "STAGE    BUDGET   TAKEN        RESULT\n\
             set-up   5 min    5 min 01 s   passed (over budget)\n\
             check    15 min   9.0 s        FAILED: format\n\
             e2e      15 min   80.0 s       passed\n"
        );
        assert_eq!(
            summary.closing(),
            "retried: e2e::pods dns (passed at a later try)\n\
             over budget: set-up (5 min 01 s of 5 min), all (6 min 30 s of 6 min)\n\
             in all: 6 min 30 s of 6 min\n\
             7 passed, 1 failed, 0 skipped"
        );
        assert_eq!(summary.result(), ChoreResult::Bad);
        assert_eq!(summary.outcome().failure.as_deref(), Some("check"));
    }

    #[test]
    fn a_skipped_step_is_named_and_has_not_passed() {
        let inner = Summary {
            entries: vec![
                Entry::done("format", None, Duration::ZERO, Ok(())),
                Entry::done("conformance", None, Duration::ZERO, Outcome::skipped("there are no cases")),
            ],
            total: None,
        };
        assert_eq!(
            inner.table(),
            "STEP          TAKEN   RESULT\n\
             format        0.0 s   passed\n\
             conformance   0.0 s   SKIPPED: conformance\n"
        );
        assert_eq!(
            inner.closing(),
            "SKIPPED: conformance (there are no cases)\nretried: none\n0 passed, 0 failed, 1 skipped"
        );
        assert_eq!(inner.entries[1].ending(), "SKIPPED: conformance: there are no cases");

        let mut checked = Outcome::default();
        checked.also_skipped("alertmanager 1.0.0", "no program of its version");
        let entries = vec![
            entry("check", 1, 1, inner.outcome()),
            entry("configs", 1, 1, checked),
            entry("e2e", 1, 0, Outcome::skipped("no pods here:\n  no root\n")),
        ];
        let summary = Summary { entries, total: None };
        assert_eq!(
            summary.table(),
            "STAGE     BUDGET   TAKEN   RESULT\n\
             check     1 min    1.0 s   passed, 1 SKIPPED\n\
             configs   1 min    1.0 s   passed, 1 SKIPPED\n\
             e2e       1 min    0.0 s   SKIPPED: e2e\n"
        );
        assert_eq!(
            summary.closing(),
            "SKIPPED: conformance (there are no cases)\n\
             SKIPPED: alertmanager 1.0.0 (no program of its version)\n\
             SKIPPED: e2e (no pods here: no root)\n\
             retried: none\n\
             over budget: none\n\
             0 passed, 0 failed, 3 skipped"
        );
        assert!(!summary.entries[2].passed());
        assert_eq!(summary.result(), ChoreResult::Good);
    }

    #[test]
    fn a_step_that_was_skipped_and_failed_has_failed() {
        let mut outcome = Outcome::skipped("no root");
        outcome.also_failed(&anyhow!("the lab could not be removed"));
        let entry = entry("e2e", 1, 1, outcome);
        assert_eq!(entry.result(), "FAILED: the lab could not be removed");
        assert!(!entry.passed());
    }
}
