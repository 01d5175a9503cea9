//! The output: one line for each plan when it ends, and a summary.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use convergence::class::Class;
use convergence::draw::missing;
use convergence::plan::Plan;
use convergence::reference::{Reference, Run};
use convergence::runner::PlanResult;
use convergence::scenario::Scenario;
use lab::clock::{Span, Stopwatch};
use lab::console::line;
use serde_json::{Value, json};

/// How much is printed of one failure.
const LINES: usize = 25;

/// The results so far.
#[derive(Debug)]
pub(crate) struct Tally {
    watch: Stopwatch,
    /// The number of plans in the catalogue.
    pub(crate) known: usize,
    planned: usize,
    due: Vec<(&'static str, Class)>,
    run: Vec<(&'static str, Class)>,
    references: usize,
    failed: Vec<String>,
    retried: Vec<String>,
    /// Whether the requests of plans that passed are printed too.
    trace: bool,
}

impl Tally {
    pub(crate) fn start(trace: bool) -> Self {
        Self {
            watch: Stopwatch::start(),
            known: 0,
            planned: 0,
            due: Vec::new(),
            run: Vec::new(),
            references: 0,
            failed: Vec::new(),
            retried: Vec::new(),
            trace,
        }
    }

    /// This number of plans must run.
    pub(crate) fn expect_plans(&mut self, plans: usize) {
        self.planned = plans;
    }

    /// These scenarios must run with these classes.
    pub(crate) fn expect_classes(&mut self, due: Vec<(&'static str, Class)>) {
        self.due = due;
    }

    pub(crate) fn count(&mut self, kind: &str, plan: &Plan, result: &PlanResult, taken: Duration) {
        self.run.push((plan.scenario, plan.class()));
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

    /// A plan that had failed ran once more.
    pub(crate) fn count_again(&mut self, kind: &str, plan: &Plan, result: &PlanResult, taken: Duration) {
        let name = plan.to_string();
        if result.is_good() {
            line(format!("{:>9}  {name} (at the second attempt)", Span(taken).to_string()));
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

    /// One line for each expectation that was not met.
    fn missing(&self) -> Vec<String> {
        let tested: BTreeSet<(&str, Class)> = self.run.iter().copied().collect();
        let mut lines = missing(self.due.iter().copied(), &tested);
        if self.run.len() < self.planned {
            lines.push(format!("{} of {} plans ran", self.run.len(), self.planned));
        }
        lines
    }

    pub(crate) fn is_good(&self) -> bool {
        self.failed.is_empty() && self.missing().is_empty()
    }

    /// How many plans of each class ran.
    fn classes(&self) -> BTreeMap<&'static str, usize> {
        let mut all: BTreeMap<&str, usize> = Class::ALL.map(|class| (class.as_str(), 0)).into();
        for (_, class) in &self.run {
            *all.entry(class.as_str()).or_default() += 1;
        }
        all
    }

    /// The results as JSON.
    pub(crate) fn report(&self) -> Value {
        json!({
            "played": self.run.len(),
            "failed": self.failed.iter().cloned().chain(self.missing()).collect::<Vec<_>>(),
            "retried": self.retried,
            "classes": self.classes(),
        })
    }

    pub(crate) fn closing(&self) -> String {
        let mut text = String::new();
        for name in &self.failed {
            let _ = writeln!(text, "FAILED  {name}");
        }
        for missing in self.missing() {
            let _ = writeln!(text, "FAILED  {missing}");
        }
        for name in &self.retried {
            let _ = writeln!(text, "RETRIED {name}");
        }
        let classes = self.classes().into_iter().filter(|(_, count)| *count > 0);
        let classes: Vec<String> = classes.map(|(class, count)| format!("{class} {count}")).collect();
        let pairs: BTreeSet<&(&str, Class)> = self.run.iter().collect();
        let minutes = self.watch.elapsed().as_secs_f64() / 60.0;
        let _ = writeln!(text, "by class: {}", classes.join(", "));
        let _ = write!(
            text,
            "convergence: {} scenarios, {} of {} plans, {} pairs of scenario and class, {} failed, {minutes:.1} \
             minutes",
            self.references,
            self.run.len(),
            self.known,
            pairs.len(),
            self.failed.len(),
        );
        text
    }
}

/// The line about the reference of a scenario.
pub(crate) fn reference(scenario: &Scenario, reference: &Reference, taken: Duration) -> String {
    format!(
        "{:>9}  reference {}: {} requests, {} writes in both runs, {} objects, {} leaves masked, pods {}",
        Span(taken).to_string(),
        scenario.name,
        reference.requests(),
        reference.points.len(),
        reference.end.0.len(),
        reference.mask.len(),
        pods(reference),
    )
}

/// How many pods were created and deleted; both numbers where the two runs differ.
fn pods(reference: &Reference) -> String {
    let shown = |run: &Run| {
        let counts = run.pods.counts();
        let created: usize = counts.values().map(|counts| counts.created).sum();
        let deleted: usize = counts.values().map(|counts| counts.deleted).sum();
        format!("{created} created {deleted} deleted")
    };
    let [one, two] = reference.runs.each_ref().map(shown);
    if one == two { one } else { format!("{one} or {two}") }
}

fn failure(kind: &str, name: &str, result: &PlanResult, taken: Duration) -> String {
    let mut text = format!("{:>9}  FAILED {name}\n", Span(taken).to_string());
    if let Some(why) = &result.without_effect {
        let _ = writeln!(text, "             no effect: {why}");
    }
    for wrong in result.wrong.iter().take(LINES) {
        let _ = writeln!(text, "             {wrong}");
    }
    if result.wrong.len() > LINES {
        let _ = writeln!(text, "             … and {} more", result.wrong.len() - LINES);
    }
    text.push_str(&requests(result));
    let _ =
        write!(text, "             repeat with: cargo run -p convergence -- --kind {kind} --plan '{name}'");
    text
}

/// The last requests without watches.
fn requests(result: &PlanResult) -> String {
    let all: Vec<&str> = result.trace.lines().filter(|line| !line.contains(" watch ")).collect();
    let last = &all[all.len().saturating_sub(2 * LINES)..];
    last.iter().fold(String::new(), |text, request| format!("{text}             | {request}\n"))
}
