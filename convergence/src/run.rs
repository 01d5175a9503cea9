//! A whole run: references first, then plans, several at once.

use anyhow::{Context, Result, anyhow, bail};
use convergence::catalogue::plans;
use convergence::class::Class;
use convergence::draw::draw;
use convergence::kinds;
use convergence::oracle;
use convergence::plan::Plan;
use convergence::play::{Cast, PlanResult, play};
use convergence::reference::{self, Reference};
use convergence::scenario::{Scenario, Subject};
use convergence::world::{Leftovers, World};
use futures::StreamExt;
use futures::stream;
use lab::clock::Stopwatch;
use lab::console::line;

use crate::args::Arguments;
use crate::report::{self, Tally};

/// How often a plan runs whose perturbation has no effect: see [`PlanResult::instead`].
const TRIES: usize = 3;

/// Plays what was asked for. Whether all of it was well.
pub(crate) async fn run(arguments: Arguments) -> Result<bool> {
    let subjects = kinds::all();
    let subjects = chosen(&subjects, &arguments.kind)?;
    let declarations: Vec<_> = subjects.iter().map(|subject| subject.declaration).collect();
    line(format!("this run again: {}", arguments.again()));
    let leftovers = if arguments.draw.is_some() { Leftovers::Stay } else { Leftovers::Go };
    let world = World::start(&declarations, leftovers).await.context("cannot start a control plane")?;
    let mut tally = Tally::start(arguments.trace);
    let references = references(&world, wanted(&subjects, &arguments), &arguments, &mut tally).await;
    let plans = casts(&world, &references, &arguments, &mut tally)?;
    if arguments.list {
        for (_, plan) in &plans {
            line(plan.to_string());
        }
    } else {
        tally.promise(plans.len());
        if arguments.plan.is_empty() {
            tally.expect(due(&subjects));
        }
        Box::pin(disturb(plans, &arguments, &mut tally)).await;
    }
    line(tally.closing());
    line(format!("this run again: {}", arguments.again()));
    if let Some(file) = &arguments.report {
        std::fs::write(file, tally.report().to_string())
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(tally.is_good())
}

/// What each scenario must meet.
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

/// The kinds that are asked for, or all.
fn chosen<'a>(subjects: &'a [Subject], kinds: &[String]) -> Result<Vec<&'a Subject>> {
    let names: Vec<&str> = subjects.iter().map(|subject| subject.name).collect();
    if let Some(unknown) = kinds.iter().find(|kind| !names.contains(&kind.as_str())) {
        bail!("there is no kind {unknown}; there are {}", names.join(", "));
    }
    let is_wanted = |subject: &&Subject| kinds.is_empty() || kinds.iter().any(|kind| kind == subject.name);
    Ok(subjects.iter().filter(is_wanted).collect())
}

/// A scenario, whose it is, and what it does when nothing goes wrong.
type Known<'a> = (&'a Subject, &'a Scenario, Reference);

/// The scenarios that are asked for.
fn wanted<'a>(subjects: &[&'a Subject], arguments: &Arguments) -> Vec<(&'a Subject, &'a Scenario)> {
    let of = |subject: &'a Subject| subject.scenarios.iter().map(move |scenario| (subject, scenario));
    let mut all: Vec<(&Subject, &Scenario)> = subjects.iter().copied().flat_map(of).collect();
    all.retain(|(_, scenario)| {
        let start = format!("{}/", scenario.name);
        arguments.plan.is_empty() || arguments.plan.iter().any(|plan| plan.starts_with(&start))
    });
    all
}

/// The plans that are asked for, with all that they need, in the order in which they are played.
fn casts<'a>(
    world: &'a World,
    references: &'a [Known<'a>],
    arguments: &Arguments,
    tally: &mut Tally,
) -> Result<Vec<(Cast<'a>, Plan)>> {
    let mut all = Vec::new();
    for (subject, scenario, reference) in references {
        let cast = |plan| (Cast { world, subject, scenario, reference }, plan);
        all.extend(plans(subject, scenario, reference).into_iter().map(cast));
    }
    tally.known += all.len();
    let names = &arguments.plan;
    all.retain(|(_, plan)| names.is_empty() || names.iter().any(|name| plan.to_string().contains(name)));
    let Some(count) = arguments.draw else { return Ok(all) };
    let plans: Vec<Plan> = all.iter().map(|(_, plan)| plan.clone()).collect();
    let drawn = draw(&arguments.seed, &plans, count);
    let drawn = drawn.map_err(|impossible| anyhow!("cannot draw {count} plans: {impossible}"))?;
    let mut all: Vec<_> = all.into_iter().map(Some).collect();
    Ok(drawn.into_iter().filter_map(|at| all[at].take()).collect())
}

/// Plays plans, and at the end those again that failed.
async fn disturb(plans: Vec<(Cast<'_>, Plan)>, arguments: &Arguments, tally: &mut Tally) {
    let played = stream::iter(plans)
        .map(|(cast, plan)| async move {
            let watch = Stopwatch::start();
            let result = Box::pin(strike(&cast, &plan)).await;
            (cast, plan, result, watch.elapsed())
        })
        .buffer_unordered(arguments.jobs.max(1));
    let mut played = std::pin::pin!(played);
    let mut failed = Vec::new();
    while let Some((cast, plan, result, taken)) = played.next().await {
        tally.count(cast.subject.name, &plan, &result, taken);
        if !result.is_good() {
            failed.push((cast, plan));
        }
    }
    for (cast, plan) in failed.into_iter().filter(|_| arguments.retry) {
        let watch = Stopwatch::start();
        let result = Box::pin(strike(&cast, &plan)).await;
        tally.count_again(cast.subject.name, &plan, &result, watch.elapsed());
    }
}

/// Runs a plan until its perturbation takes effect, or it was tried often enough.
async fn strike(cast: &Cast<'_>, plan: &Plan) -> PlanResult {
    let mut result = Box::pin(play(cast, plan)).await;
    for _ in 1..TRIES {
        if result.missed.is_none() || !result.wrong.is_empty() {
            break;
        }
        result = Box::pin(play(cast, &result.instead(plan))).await;
    }
    result
}

/// What scenarios do when nothing goes wrong.
async fn references<'a>(
    world: &World,
    scenarios: Vec<(&'a Subject, &'a Scenario)>,
    arguments: &Arguments,
    tally: &mut Tally,
) -> Vec<Known<'a>> {
    let played = stream::iter(scenarios)
        .map(|(subject, scenario)| async move {
            let watch = Stopwatch::start();
            let both = Box::pin(reference::play(world, subject, scenario)).await;
            (subject, scenario, both, watch.elapsed())
        })
        .buffer_unordered(arguments.jobs.div_ceil(2).max(1));
    let mut played = std::pin::pin!(played);
    let mut references = Vec::new();
    while let Some((subject, scenario, both, taken)) = played.next().await {
        let mut result = PlanResult::default();
        match both {
            Err(error) => result.wrong.push(format!("{error:#}")),
            Ok((one, two)) => {
                result.wrong.extend(oracle::sound(subject, scenario, &one));
                if !result.wrong.is_empty() {
                    result.trace = one.trace.describe();
                }
                let reference = Reference::of(one, two);
                line(report::reference(scenario, &reference, taken));
                if arguments.masked {
                    reference.mask.describe().iter().for_each(line);
                }
                references.push((subject, scenario, reference));
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
    fn a_kind_that_is_not_there_is_an_error_also_beside_others() {
        let subjects = kinds::all();
        let names = |kinds: &[&str]| {
            let kinds: Vec<String> = kinds.iter().map(|kind| (*kind).to_owned()).collect();
            let name = |chosen: Vec<&Subject>| chosen.into_iter().map(|subject| subject.name).collect();
            chosen(&subjects, &kinds).map(name).map_err(|error| error.to_string())
        };
        assert_eq!(names(&["thanos", "example"]), Ok(vec!["example", "thanos"]));
        assert_eq!(names(&[]).map(|all: Vec<&str>| all.len()), Ok(subjects.len()));
        let unknown =
            "there is no kind agent; there are example, prometheus, prometheus-agent, alertmanager, thanos";
        assert_eq!(names(&["prometheus", "agent"]), Err(unknown.to_owned()));
    }
}
