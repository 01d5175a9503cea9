//! What a person reads: a line for each failure as it happens, and what it all came to.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use convergence::class::Class;
use convergence::draw::missing;
use convergence::plan::Plan;
use convergence::play::PlanResult;
use convergence::reference::{Reference, Run};
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
    promised: usize,
    due: Vec<(&'static str, Class)>,
    played: Vec<(&'static str, Class)>,
    references: usize,
    failed: Vec<String>,
    retried: Vec<String>,
    /// Whether requests are printed also where all was well.
    trace: bool,
}

impl Tally {
    pub(crate) fn start(trace: bool) -> Self {
        Self {
            watch: Stopwatch::start(),
            known: 0,
            promised: 0,
            due: Vec::new(),
            played: Vec::new(),
            references: 0,
            failed: Vec::new(),
            retried: Vec::new(),
            trace,
        }
    }

    /// So many plans must be played.
    pub(crate) fn promise(&mut self, plans: usize) {
        self.promised = plans;
    }

    /// Each of these scenarios must meet each of these classes.
    pub(crate) fn expect(&mut self, due: Vec<(&'static str, Class)>) {
        self.due = due;
    }

    pub(crate) fn count(&mut self, kind: &str, plan: &Plan, result: &PlanResult, taken: Duration) {
        self.played.push((plan.scenario, plan.class()));
        let name = plan.to_string();
        if result.is_good() {
            line(format!("{:>9}  {name}", Span(taken).to_string()));
            if self.trace {
                line(requests(result));
            }
        } else {
            line(failure(kind, &name, result, taken));
            self.failed.push(name);
        }
    }

    /// A plan that had failed was played once more.
    pub(crate) fn count_again(&mut self, kind: &str, plan: &Plan, result: &PlanResult, taken: Duration) {
        let name = plan.to_string();
        if result.is_good() {
            line(format!("{:>9}  {name} (at the second try)", Span(taken).to_string()));
            self.failed.retain(|failed| *failed != name);
        } else {
            line(failure(kind, &name, result, taken));
        }
        self.retried.push(name);
    }

    pub(crate) fn count_reference(
        &mut self,
        kind: &str,
        scenario: &str,
        result: &PlanResult,
        taken: Duration,
    ) {
        self.references += 1;
        if !result.wrong.is_empty() {
            let name = format!("{scenario}/");
            line(failure(kind, &name, result, taken));
            self.failed.push(format!("{name} (reference)"));
        }
    }

    /// What was promised and not played, a line each.
    fn unmet(&self) -> Vec<String> {
        let met: BTreeSet<(&str, Class)> = self.played.iter().copied().collect();
        let mut lines = missing(self.due.iter().copied(), &met);
        if self.played.len() < self.promised {
            lines.push(format!("{} of {} plans were played", self.played.len(), self.promised));
        }
        lines
    }

    pub(crate) fn is_good(&self) -> bool {
        self.failed.is_empty() && self.unmet().is_empty()
    }

    /// How many plans of each class were played.
    fn classes(&self) -> BTreeMap<&'static str, usize> {
        let mut all: BTreeMap<&str, usize> = Class::ALL.map(|class| (class.as_str(), 0)).into();
        for (_, class) in &self.played {
            *all.entry(class.as_str()).or_default() += 1;
        }
        all
    }

    /// For programs.
    pub(crate) fn report(&self) -> Value {
        json!({
            "played": self.played.len(),
            "failed": self.failed.iter().cloned().chain(self.unmet()).collect::<Vec<_>>(),
            "retried": self.retried,
            "classes": self.classes(),
        })
    }

    pub(crate) fn closing(&self) -> String {
        let mut text = String::new();
        for name in &self.failed {
            let _ = writeln!(text, "FAILED  {name}");
        }
        for unmet in self.unmet() {
            let _ = writeln!(text, "FAILED  {unmet}");
        }
        for name in &self.retried {
            let _ = writeln!(text, "RETRIED {name}");
        }
        let classes = self.classes().into_iter().filter(|(_, count)| *count > 0);
        let classes: Vec<String> = classes.map(|(class, count)| format!("{class} {count}")).collect();
        let pairs: BTreeSet<&(&str, Class)> = self.played.iter().collect();
        let minutes = self.watch.elapsed().as_secs_f64() / 60.0;
        let _ = writeln!(text, "by class: {}", classes.join(", "));
        let _ = write!(
            text,
            "convergence: {} scenarios, {} of {} plans played, {} pairs of scenario and class, {} failed, {minutes:.1} \
             minutes",
            self.references,
            self.played.len(),
            self.known,
            pairs.len(),
            self.failed.len(),
        );
        text
    }
}

/// What a scenario did.
pub(crate) fn reference(scenario: &Scenario, reference: &Reference, taken: Duration) -> String {
    format!(
        "{:>9}  reference {}: {} requests, {} writes in both runs, {} objects, {} leaves masked, pods {}",
        Span(taken).to_string(),
        scenario.name,
        reference.requests(),
        reference.spots.len(),
        reference.end.0.len(),
        reference.mask.len(),
        pods(reference),
    )
}

/// How many pods were made and removed; both numbers where the two runs differ.
fn pods(reference: &Reference) -> String {
    let said = |run: &Run| {
        let counts = run.pods.counts();
        let made: usize = counts.values().map(|counts| counts.made).sum();
        let removed: usize = counts.values().map(|counts| counts.removed).sum();
        format!("{made} made {removed} removed")
    };
    let [one, two] = reference.runs.each_ref().map(said);
    if one == two { one } else { format!("{one} or {two}") }
}

fn failure(kind: &str, name: &str, result: &PlanResult, taken: Duration) -> String {
    let mut text = format!("{:>9}  FAILED {name}\n", Span(taken).to_string());
    if let Some(why) = &result.missed {
        let _ = writeln!(text, "             did not strike: {why}");
    }
    for wrong in result.wrong.iter().take(LINES) {
        let _ = writeln!(text, "             {wrong}");
    }
    if result.wrong.len() > LINES {
        let _ = writeln!(text, "             … and {} more", result.wrong.len() - LINES);
    }
    text.push_str(&requests(result));
    let _ = write!(text, "             again: cargo run -p convergence -- --kind {kind} --plan '{name}'");
    text
}

/// The last requests that were no watches.
fn requests(result: &PlanResult) -> String {
    let all: Vec<&str> = result.trace.lines().filter(|line| !line.contains(" watch ")).collect();
    let last = &all[all.len().saturating_sub(2 * LINES)..];
    last.iter().fold(String::new(), |text, request| format!("{text}             | {request}\n"))
}
