//! A whole run: references first, then plans, several at once.

use std::hash::{DefaultHasher, Hash, Hasher};

use anyhow::{Context, Result, bail};
use convergence::kinds;
use convergence::oracle;
use convergence::plan::plans;
use convergence::play::{Cast, Verdict, play};
use convergence::reference::{self, Reference};
use convergence::scenario::{Scenario, Subject};
use convergence::world::World;
use futures::StreamExt;
use futures::stream;
use lab::clock::Stopwatch;
use lab::console::line;

use crate::args::Arguments;
use crate::report::{self, Tally};

/// Plays what was asked for. Whether all of it was well.
pub(crate) async fn run(arguments: Arguments) -> Result<bool> {
    let subjects = kinds::all();
    let subjects = chosen(&subjects, &arguments.kind)?;
    let declarations: Vec<_> = subjects.iter().map(|subject| subject.declaration).collect();
    line(format!("seed {}", arguments.seed));
    let world = World::start(&declarations).await.context("cannot start a control plane")?;
    let mut tally = Tally::start(arguments.trace);
    let references = references(&world, drawn(&subjects, &arguments), &arguments, &mut tally).await;
    Box::pin(disturb(&world, &references, &arguments, &mut tally)).await;
    line(tally.closing());
    if let Some(file) = &arguments.report {
        std::fs::write(file, tally.report().to_string())
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(tally.is_good())
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

/// The scenarios that are asked for; if only so many shall be played, the seed says which.
fn drawn<'a>(subjects: &[&'a Subject], arguments: &Arguments) -> Vec<(&'a Subject, &'a Scenario)> {
    let of = |subject: &'a Subject| subject.scenarios.iter().map(move |scenario| (subject, scenario));
    let mut all: Vec<(&Subject, &Scenario)> = subjects.iter().copied().flat_map(of).collect();
    all.retain(|(_, scenario)| {
        let start = format!("{}/", scenario.name);
        arguments.plan.is_empty() || arguments.plan.iter().any(|plan| plan.starts_with(&start))
    });
    if let Some(count) = arguments.scenarios {
        all.sort_by_key(|(_, scenario)| hash(arguments.seed, scenario.name));
        all.truncate(count);
    }
    all
}

/// Plays the plans of all scenarios.
async fn disturb(world: &World, references: &[Known<'_>], arguments: &Arguments, tally: &mut Tally) {
    let mut all = Vec::new();
    for (subject, scenario, reference) in references {
        let cast = |plan| (Cast { world, subject, scenario, reference }, plan);
        all.extend(plans(subject, scenario, reference).into_iter().map(cast));
    }
    tally.known += all.len();
    all.retain(|(_, plan)| is_wanted(arguments, &plan.to_string()));
    if arguments.minutes.is_some() {
        all.sort_by_key(|(_, plan)| hash(arguments.seed, &plan.to_string()));
    }
    if arguments.list {
        for (_, plan) in &all {
            line(plan.to_string());
        }
        return;
    }
    let watch = Stopwatch::start();
    let in_time = || arguments.limit().is_none_or(|limit| watch.elapsed() < limit);
    let played = stream::iter(all)
        .map(|(cast, plan)| async move {
            if !in_time() {
                return None;
            }
            let watch = Stopwatch::start();
            let verdict = Box::pin(play(&cast, &plan)).await;
            Some((cast, plan, verdict, watch.elapsed()))
        })
        .buffer_unordered(arguments.jobs.max(1));
    let mut played = std::pin::pin!(played);
    let mut failed = Vec::new();
    while let Some(result) = played.next().await {
        let Some((cast, plan, verdict, taken)) = result else { continue };
        tally.count(cast.subject.name, &plan, &verdict, taken);
        if !verdict.wrong.is_empty() {
            failed.push((cast, plan));
        }
    }
    for (cast, plan) in failed.into_iter().filter(|_| arguments.retry) {
        let watch = Stopwatch::start();
        let verdict = Box::pin(play(&cast, &plan)).await;
        tally.count_again(cast.subject.name, &plan, &verdict, watch.elapsed());
    }
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
            let both = async {
                tokio::try_join!(
                    reference::play(world, subject, scenario),
                    reference::play(world, subject, scenario)
                )
            };
            (subject, scenario, Box::pin(both).await, watch.elapsed())
        })
        .buffer_unordered(arguments.jobs.div_ceil(2).max(1));
    let mut played = std::pin::pin!(played);
    let mut references = Vec::new();
    while let Some((subject, scenario, both, taken)) = played.next().await {
        let mut verdict = Verdict::default();
        match both {
            Err(error) => verdict.wrong.push(format!("{error:#}")),
            Ok((one, two)) => {
                verdict.wrong.extend(oracle::sound(subject, scenario, &one));
                if !verdict.wrong.is_empty() {
                    verdict.trace = one.trace.describe();
                }
                let reference = Reference::of(one, two);
                line(report::reference(scenario, &reference, taken));
                if arguments.masked {
                    reference.mask.describe().iter().for_each(line);
                }
                references.push((subject, scenario, reference));
            }
        }
        tally.count_reference(subject.name, scenario.name, &verdict, taken);
    }
    references
}

fn is_wanted(arguments: &Arguments, name: &str) -> bool {
    let named = arguments.plan.is_empty() || arguments.plan.iter().any(|plan| name.contains(plan.as_str()));
    let sliced = arguments.slice.is_none_or(|slice| hash(slice.seed, name).is_multiple_of(slice.of));
    named && sliced
}

/// The same on every machine and in every run.
fn hash(seed: u64, name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, name).hash(&mut hasher);
    hasher.finish()
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
