//! What a person reads: a line for each failure as it happens, and what it all came to.

use std::fmt::Write as _;
use std::time::Duration;

use convergence::plan::Plan;
use convergence::play::Verdict;
use convergence::reference::Reference;
use convergence::scenario::Scenario;
use lab::clock::{Span, Stopwatch};
use lab::console::line;
use serde_json::{Value, json};

/// How much is printed of one failure.
const LINES: usize = 25;

/// What was played so far.
#[derive(Debug)]
pub(crate) struct Tally {
    watch: Stopwatch,
    /// How many plans there are.
    pub(crate) known: usize,
    played: usize,
    spared: usize,
    references: usize,
    failed: Vec<String>,
    retried: Vec<String>,
    /// Whether requests are printed also where all was well.
    trace: bool,
}

impl Tally {
    pub(crate) fn start(trace: bool) -> Self {
        let watch = Stopwatch::start();
        let (failed, retried) = (Vec::new(), Vec::new());
        Self { watch, known: 0, played: 0, spared: 0, references: 0, failed, retried, trace }
    }

    pub(crate) fn count(&mut self, kind: &str, plan: &Plan, verdict: &Verdict, taken: Duration) {
        self.played += 1;
        self.spared += usize::from(verdict.spared.is_some());
        let name = plan.to_string();
        if verdict.wrong.is_empty() {
            let spared = verdict.spared.map(|why| format!(" ({why})")).unwrap_or_default();
            line(format!("{:>9}  {name}{spared}", Span(taken).to_string()));
            if self.trace {
                line(requests(verdict));
            }
        } else {
            line(failure(kind, &name, verdict, taken));
            self.failed.push(name);
        }
    }

    /// A plan that had failed was played once more.
    pub(crate) fn count_again(&mut self, kind: &str, plan: &Plan, verdict: &Verdict, taken: Duration) {
        let name = plan.to_string();
        if verdict.wrong.is_empty() {
            line(format!("{:>9}  {name} (at the second try)", Span(taken).to_string()));
            self.failed.retain(|failed| *failed != name);
        } else {
            line(failure(kind, &name, verdict, taken));
        }
        self.retried.push(name);
    }

    pub(crate) fn count_reference(&mut self, kind: &str, scenario: &str, verdict: &Verdict, taken: Duration) {
        self.references += 1;
        if !verdict.wrong.is_empty() {
            let name = format!("{scenario}/");
            line(failure(kind, &name, verdict, taken));
            self.failed.push(format!("{name} (reference)"));
        }
    }

    pub(crate) fn is_good(&self) -> bool {
        self.failed.is_empty()
    }

    /// For programs.
    pub(crate) fn report(&self) -> Value {
        json!({"played": self.played, "failed": self.failed, "retried": self.retried})
    }

    pub(crate) fn closing(&self) -> String {
        let mut text = String::new();
        for name in &self.failed {
            let _ = writeln!(text, "FAILED  {name}");
        }
        for name in &self.retried {
            let _ = writeln!(text, "RETRIED {name}");
        }
        let minutes = self.watch.elapsed().as_secs_f64() / 60.0;
        let _ = write!(
            text,
            "convergence: {} scenarios, {} of {} plans played, {} spared, {} failed, {minutes:.1} minutes",
            self.references,
            self.played,
            self.known,
            self.spared,
            self.failed.len(),
        );
        text
    }
}

/// What a scenario did.
pub(crate) fn reference(scenario: &Scenario, reference: &Reference, taken: Duration) -> String {
    format!(
        "{:>9}  reference {}: {} requests, {} writes in both runs, {} objects, {} leaves masked",
        Span(taken).to_string(),
        scenario.name,
        reference.requests(),
        reference.spots.len(),
        reference.end.0.len(),
        reference.mask.len(),
    )
}

fn failure(kind: &str, name: &str, verdict: &Verdict, taken: Duration) -> String {
    let mut text = format!("{:>9}  FAILED {name}\n", Span(taken).to_string());
    for wrong in verdict.wrong.iter().take(LINES) {
        let _ = writeln!(text, "             {wrong}");
    }
    if verdict.wrong.len() > LINES {
        let _ = writeln!(text, "             … and {} more", verdict.wrong.len() - LINES);
    }
    text.push_str(&requests(verdict));
    let _ = write!(text, "             again: cargo run -p convergence -- --kind {kind} --plan '{name}'");
    text
}

/// The last requests that were no watches.
fn requests(verdict: &Verdict) -> String {
    let all: Vec<&str> = verdict.trace.lines().filter(|line| !line.contains(" watch ")).collect();
    let last = &all[all.len().saturating_sub(2 * LINES)..];
    last.iter().fold(String::new(), |text, request| format!("{text}             | {request}\n"))
}
