//! What a chore of several steps came to, and how it is told at the end. Pure, but for the stopwatch of a step.

use std::time::Duration;

use anyhow::{Error, Result};
use lab::clock::{Span, Stopwatch};
use lab::console::{line, table};

use crate::Verdict;
use crate::junit::{Counts, Report};

/// What one step came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Its tests; a failure that no test accounts for counts as one.
    pub(crate) report: Report,
    /// Why it failed, if it did.
    pub(crate) failure: Option<String>,
}

impl Outcome {
    /// A failure that no test accounts for.
    pub(crate) fn failed(error: &Error) -> Self {
        let mut outcome = Self::default();
        outcome.also_failed(error);
        outcome
    }

    /// Adds a failure that no test accounts for.
    pub(crate) fn also_failed(&mut self, error: &Error) {
        self.report.counts.failed += 1;
        let earlier = self.failure.take().map_or_else(String::new, |earlier| format!("{earlier}; "));
        self.failure = Some(format!("{earlier}{error:#}"));
    }
}

impl From<Result<()>> for Outcome {
    fn from(result: Result<()>) -> Self {
        result.map_or_else(|error| Self::failed(&error), |()| Self::default())
    }
}

/// One step, done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    name: &'static str,
    budget: Option<Duration>,
    taken: Duration,
    outcome: Outcome,
}

/// Does one step: announces it, takes its time, says at once why it failed.
pub(crate) async fn step<O: Into<Outcome>>(
    name: &'static str,
    budget: Option<Duration>,
    work: impl Future<Output = O>,
) -> Entry {
    let allowed = budget.map_or_else(String::new, |budget| format!(" (budget {})", minutes(budget)));
    line(format!("\n== {name}{allowed}"));
    let watch = Stopwatch::start();
    let entry = Entry { name, budget, outcome: work.await.into(), taken: watch.elapsed() };
    let end =
        entry.outcome.failure.as_ref().map_or_else(|| "passed".to_owned(), |why| format!("FAILED: {why}"));
    line(format!("== {name}: {end} ({})", Span(entry.taken)));
    entry
}

/// All steps of a chore, done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    /// In the order of the table.
    pub(crate) entries: Vec<Entry>,
}

impl Summary {
    /// Good when every step was.
    pub(crate) fn verdict(&self) -> Verdict {
        Verdict::of(self.entries.iter().all(Entry::passed))
    }

    /// The whole as one outcome, for a chore that is a step of a larger one.
    pub(crate) fn outcome(self) -> Outcome {
        let failed: Vec<&str> =
            self.entries.iter().filter(|entry| !entry.passed()).map(|entry| entry.name).collect();
        let failure = (!failed.is_empty()).then(|| failed.join(", "));
        let report = Report { counts: self.counts(), retried: self.retried() };
        Outcome { report, failure }
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

    /// Every test that needed a second try.
    pub(crate) fn retries(&self) -> String {
        let retried = self.retried();
        if retried.is_empty() { "retried: none".into() } else { format!("retried: {}", retried.join(", ")) }
    }

    /// The last line: what all suites came to.
    pub(crate) fn closing(&self) -> String {
        let Counts { passed, failed, skipped } = self.counts();
        let skipped = if skipped == 0 { String::new() } else { format!(", {skipped} skipped") };
        format!("{passed} passed, {failed} failed{skipped}")
    }

    fn counts(&self) -> Counts {
        self.entries.iter().map(|entry| entry.outcome.report.counts).sum()
    }

    fn retried(&self) -> Vec<String> {
        self.entries.iter().flat_map(|entry| entry.outcome.report.retried.clone()).collect()
    }
}

impl Entry {
    /// Whether it passed.
    pub(crate) fn passed(&self) -> bool {
        self.outcome.failure.is_none()
    }

    fn result(&self) -> String {
        let result = match &self.outcome.failure {
            None => "passed".to_owned(),
            // The reason was told in full when the step ended; here its first line has to do.
            Some(why) => format!("FAILED: {}", why.lines().next().unwrap_or_default()),
        };
        let over = self.budget.is_some_and(|budget| self.taken > budget);
        if over { format!("{result} (over budget)") } else { result }
    }
}

fn minutes(budget: Duration) -> String {
    format!("{} min", budget.as_secs() / 60)
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    fn entry(name: &'static str, budget: u64, taken: u64, outcome: impl Into<Outcome>) -> Entry {
        let budget = Some(Duration::from_secs(60 * budget));
        Entry { name, budget, taken: Duration::from_secs(taken), outcome: outcome.into() }
    }

    #[test]
    fn a_summary_tells_stages_retries_and_counts() {
        let tests = Report {
            counts: Counts { passed: 7, failed: 0, skipped: 0 },
            retried: vec!["e2e::pods dns (passed at a later try)".into()],
        };
        let summary = Summary {
            entries: vec![
                entry("set-up", 5, 301, Ok(())),
                entry("check", 15, 9, Err(anyhow!("format\nand more"))),
                entry("e2e", 15, 80, Outcome { report: tests, failure: None }),
            ],
        };
        assert_eq!(
            summary.table(),
            "STAGE    BUDGET   TAKEN        RESULT\n\
             set-up   5 min    5 min 01 s   passed (over budget)\n\
             check    15 min   9.0 s        FAILED: format\n\
             e2e      15 min   80.0 s       passed\n"
        );
        assert_eq!(summary.retries(), "retried: e2e::pods dns (passed at a later try)");
        assert_eq!(summary.closing(), "7 passed, 1 failed");
        assert_eq!(summary.verdict(), Verdict::Bad);
        assert_eq!(summary.outcome().failure.as_deref(), Some("check"));
    }

    #[test]
    fn skipped_tests_are_told_only_if_there_are_some() {
        let skipped = Report { counts: Counts { passed: 1, failed: 0, skipped: 2 }, retried: Vec::new() };
        let summary =
            Summary { entries: vec![entry("check", 1, 1, Outcome { report: skipped, failure: None })] };
        assert_eq!(summary.closing(), "1 passed, 0 failed, 2 skipped");
        assert_eq!(summary.retries(), "retried: none");
        assert_eq!(summary.verdict(), Verdict::Good);
    }
}
