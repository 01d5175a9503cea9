//! A whole run: first the references, then the plans, several at the same time.

use anyhow::{Context, Result, anyhow, bail};
use convergence::catalogue::plans;
use convergence::class::Class;
use convergence::cluster::{Leftovers, TestCluster};
use convergence::draw::draw;
use convergence::kinds;
use convergence::oracle;
use convergence::plan::Plan;
use convergence::reference::{self, Reference};
use convergence::runner::{PlanResult, PlanSetup, run_plan};
use convergence::scenario::{Scenario, Subject};
use futures::StreamExt;
use futures::stream;
use lab::clock::Stopwatch;
use lab::console::line;

use crate::args::Arguments;
use crate::report::{self, Tally};

/// How often a plan runs whose perturbation has no effect: see [`PlanResult::replacement`].
const ATTEMPTS: usize = 3;

/// Runs the plans that the arguments select. Returns whether all of them passed.
pub(crate) async fn run(arguments: Arguments) -> Result<bool> {
    let subjects = kinds::all();
    let subjects = chosen(&subjects, &arguments.kind)?;
    let declarations: Vec<_> = subjects.iter().map(|subject| subject.declaration).collect();
    line(format!("repeat this run with: {}", arguments.again()));
    let leftovers = if arguments.draw.is_some() { Leftovers::Stay } else { Leftovers::Go };
    let cluster =
        TestCluster::start(&declarations, leftovers).await.context("cannot start a control plane")?;
    let mut tally = Tally::start(arguments.trace);
    let references = references(&cluster, wanted(&subjects, &arguments), &arguments, &mut tally).await;
    let plans = setups(&cluster, &references, &arguments, &mut tally)?;
    if plans.is_empty() && tally.is_good() {
        bail!("no plan matches the arguments");
    }
    if arguments.list {
        for (_, plan) in &plans {
            line(plan.to_string());
        }
    } else {
        tally.expect_plans(plans.len());
        if arguments.plan.is_empty() {
            tally.expect_classes(due(&subjects));
        }
        Box::pin(run_plans(plans, &arguments, &mut tally)).await;
    }
    line(tally.closing());
    line(format!("repeat this run with: {}", arguments.again()));
    if let Some(file) = &arguments.report {
        std::fs::write(file, tally.report().to_string())
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(tally.is_good())
}

/// The classes that each scenario must be tested with.
fn due(subjects: &[&Subject]) -> Vec<(&'static str, Class)> {
    let mut all = Vec::new();
    for subject in subjects {
        for scenario in &subject.scenarios {
            let classes = Class::ALL.into_iter().filter(|class| class.is_due(subject, scenario));
            all.extend(classes.map(|class| (scenario.name, class)));
        }
    }
    all
}

/// The kinds that the arguments select, or all.
fn chosen<'a>(subjects: &'a [Subject], kinds: &[String]) -> Result<Vec<&'a Subject>> {
    let names: Vec<&str> = subjects.iter().map(|subject| subject.name).collect();
    if let Some(unknown) = kinds.iter().find(|kind| !names.contains(&kind.as_str())) {
        bail!("unknown kind {unknown}; known kinds are {}", names.join(", "));
    }
    let is_wanted = |subject: &&Subject| kinds.is_empty() || kinds.iter().any(|kind| kind == subject.name);
    Ok(subjects.iter().filter(is_wanted).collect())
}

/// A scenario with its reference.
struct Recorded<'a> {
    subject: &'a Subject,
    scenario: &'a Scenario,
    reference: Reference,
}

/// The scenarios that the arguments select.
fn wanted<'a>(subjects: &[&'a Subject], arguments: &Arguments) -> Vec<(&'a Subject, &'a Scenario)> {
    let of = |subject: &'a Subject| subject.scenarios.iter().map(move |scenario| (subject, scenario));
    let mut all: Vec<(&Subject, &Scenario)> = subjects.iter().copied().flat_map(of).collect();
    all.retain(|(_, scenario)| {
        let start = format!("{}/", scenario.name);
        arguments.plan.is_empty() || arguments.plan.iter().any(|plan| plan.starts_with(&start))
    });
    all
}

/// The plans that the arguments select, in the order in which they run.
fn setups<'a>(
    cluster: &'a TestCluster,
    references: &'a [Recorded<'a>],
    arguments: &Arguments,
    tally: &mut Tally,
) -> Result<Vec<(PlanSetup<'a>, Plan)>> {
    let mut all = Vec::new();
    for Recorded { subject, scenario, reference } in references {
        let setup = |plan| (PlanSetup { cluster, subject, scenario, reference }, plan);
        all.extend(plans(subject, scenario, reference).into_iter().map(setup));
    }
    tally.known += all.len();
    let names = &arguments.plan;
    all.retain(|(_, plan)| names.is_empty() || names.iter().any(|name| plan.to_string().contains(name)));
    let Some(count) = arguments.draw else { return Ok(all) };
    let plans: Vec<Plan> = all.iter().map(|(_, plan)| plan.clone()).collect();
    let drawn = draw(&arguments.seed, &plans, count);
    let drawn = drawn.map_err(|error| anyhow!("cannot draw {count} plans: {error}"))?;
    let mut all: Vec<_> = all.into_iter().map(Some).collect();
    Ok(drawn.into_iter().filter_map(|at| all[at].take()).collect())
}

/// Runs plans, and at the end those that failed once more.
async fn run_plans(plans: Vec<(PlanSetup<'_>, Plan)>, arguments: &Arguments, tally: &mut Tally) {
    let results = stream::iter(plans)
        .map(|(setup, plan)| async move {
            let watch = Stopwatch::start();
            let result = Box::pin(run_until_effective(&setup, &plan)).await;
            (setup, plan, result, watch.elapsed())
        })
        .buffer_unordered(arguments.jobs.max(1));
    let mut results = std::pin::pin!(results);
    let mut failed = Vec::new();
    while let Some((setup, plan, result, taken)) = results.next().await {
        tally.count(setup.subject.name, &plan, &result, taken);
        if !result.is_good() {
            failed.push((setup, plan));
        }
    }
    for (setup, plan) in failed.into_iter().filter(|_| arguments.retry) {
        let watch = Stopwatch::start();
        let result = Box::pin(run_until_effective(&setup, &plan)).await;
        tally.count_again(setup.subject.name, &plan, &result, watch.elapsed());
    }
}

/// Runs a plan until its perturbation takes effect, at most [`ATTEMPTS`] times.
async fn run_until_effective(setup: &PlanSetup<'_>, plan: &Plan) -> PlanResult {
    let mut result = Box::pin(run_plan(setup, plan)).await;
    for _ in 1..ATTEMPTS {
        if result.without_effect.is_none() || !result.wrong.is_empty() {
            break;
        }
        result = Box::pin(run_plan(setup, &result.replacement(plan))).await;
    }
    result
}

/// Records the references of scenarios.
async fn references<'a>(
    cluster: &TestCluster,
    scenarios: Vec<(&'a Subject, &'a Scenario)>,
    arguments: &Arguments,
    tally: &mut Tally,
) -> Vec<Recorded<'a>> {
    let results = stream::iter(scenarios)
        .map(|(subject, scenario)| async move {
            let watch = Stopwatch::start();
            let both = Box::pin(reference::record(cluster, subject, scenario)).await;
            (subject, scenario, both, watch.elapsed())
        })
        .buffer_unordered(arguments.jobs.div_ceil(2).max(1));
    let mut results = std::pin::pin!(results);
    let mut references = Vec::new();
    while let Some((subject, scenario, both, taken)) = results.next().await {
        let mut result = PlanResult::default();
        match both {
            Err(error) => result.wrong.push(format!("{error:#}")),
            Ok((one, two)) => {
                result.wrong.extend(oracle::check_reference(subject, scenario, &one));
                if !result.wrong.is_empty() {
                    result.trace = one.trace.describe();
                }
                let reference = Reference::of(one, two);
                line(report::reference(scenario, &reference, taken));
                if arguments.masked {
                    reference.mask.describe().iter().for_each(line);
                }
                references.push(Recorded { subject, scenario, reference });
            }
        }
        tally.count_reference(subject.name, scenario.name, &result, taken);
    }
    references
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_kind_is_an_error_also_beside_others() {
        let subjects = kinds::all();
        let names = |kinds: &[&str]| {
            let kinds: Vec<String> = kinds.iter().map(|kind| (*kind).to_owned()).collect();
            let name = |chosen: Vec<&Subject>| chosen.into_iter().map(|subject| subject.name).collect();
            chosen(&subjects, &kinds).map(name).map_err(|error| error.to_string())
        };
        assert_eq!(names(&["thanos", "example"]), Ok(vec!["example", "thanos"]));
        assert_eq!(names(&[]).map(|all: Vec<&str>| all.len()), Ok(subjects.len()));
        let unknown =
            "unknown kind agent; known kinds are example, prometheus, prometheus-agent, alertmanager, thanos";
        assert_eq!(names(&["prometheus", "agent"]), Err(unknown.to_owned()));
    }
}
