//! Has the programs of the operands check our configurations: the output of the conformance run, and golden files. Each
//! is checked by the program of the version that it was generated for, or of the next version that the lab has.

mod checker;
mod configuration;
mod refusals;
mod tally;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use lab::console::line;
use lab::paths::{Cache, remove_all, write_atomically};
use lab::programs::Builder;
use lab::versions::Versions;

use crate::check::{CASES, no_cases};
use crate::environment;
use crate::programs::{Call, Programs};
use crate::summary::Outcome;

use checker::Checker;
pub(crate) use checker::PROGRAMS;
use configuration::{Configuration, Origin, Reader};
use refusals::Refusals;
use tally::Tally;

/// How many files one call checks: few enough that two calls share the work.
const BATCH: usize = 64;

/// Configurations with the same content for the same checker, which are checked once.
#[derive(Debug)]
struct Group<'c> {
    checker: &'c Checker,
    reader: Reader,
    same: Vec<&'c Configuration>,
}

/// Why there is nothing to check, if so. The run itself reports files that cannot be read.
pub(crate) fn nothing_to_check() -> Option<String> {
    let golden = configuration::golden(&environment::workspace());
    let nothing = !has_cases() && golden.is_ok_and(|golden| golden.is_empty());
    nothing.then(|| format!("{}, and no golden configurations", no_cases()))
}

fn has_cases() -> bool {
    environment::workspace().join(CASES).is_dir()
}

/// Checks all configurations with programs that the lab has built.
pub(crate) async fn run(programs: &Programs) -> Outcome {
    if let Some(reason) = nothing_to_check() {
        return Outcome::skipped(reason);
    }
    attempt(programs).await.unwrap_or_else(|error| Outcome::failed(&error))
}

async fn attempt(programs: &Programs) -> Result<Outcome> {
    let list = environment::workspace().join("conformance/refusals.toml");
    let list = std::fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let checkers = Checker::all(&Versions::built_in(), &Builder::new(Cache::of_user()))?;
    for checker in &checkers {
        programs.output(&checker.print_version()).await?;
    }
    let directory = environment::binaries()?.join("configurations");
    // Removed, so that files of an earlier run are not checked.
    remove_all(&directory)?;
    let mut all = golden(&directory.join("golden"))?;
    if has_cases() {
        all.extend(run_cases(programs, &directory.join("cases")).await?);
    }
    let mut tally = Tally::new(Refusals::read(&list)?);
    let groups = grouped(&checkers, &all, &mut tally);
    let refused = refused(programs, &groups).await?;
    for (number, group) in groups.iter().enumerate() {
        tally.add(group.checker, &group.same, refused.get(&number).map(String::as_str));
    }
    line(tally.report().trim_end());
    let mut outcome = tally.outcome(has_cases());
    if !has_cases() {
        outcome.also_skipped("configurations of the conformance cases", &no_cases());
    }
    Ok(outcome)
}

/// The golden files, written to `directory` without the heading of snapshots, which no program can parse.
fn golden(directory: &Path) -> Result<Vec<Configuration>> {
    let mut golden = configuration::golden(&environment::workspace())?;
    for (number, one) in golden.iter_mut().enumerate() {
        one.path = directory.join(format!("{number}.yaml"));
        write_atomically(&one.path, &one.text)?;
    }
    Ok(golden)
}

/// The configurations that the conformance run generates.
async fn run_cases(programs: &Programs, directory: &Path) -> Result<Vec<Configuration>> {
    let call = Call::own("conformance")
        .words(CASES)
        .arguments(["--write-configurations".into(), directory.to_string_lossy()]);
    programs.output(&call).await?;
    let made = configuration::below(directory, Origin::Case)?;
    ensure!(!made.is_empty(), "the conformance run generated no configuration");
    Ok(made)
}

/// Groups the configurations by checker, reader and content, in an order in which neighbors can be checked together.
fn grouped<'c>(checkers: &'c [Checker], all: &'c [Configuration], tally: &mut Tally) -> Vec<Group<'c>> {
    let mut groups: BTreeMap<(String, Reader, &str), Group<'c>> = BTreeMap::new();
    for one in all {
        let Some(checker) = Checker::choose(checkers, one) else {
            tally.add_unchecked(one);
            continue;
        };
        let group = groups.entry((checker.shown(), one.reader, &one.text));
        group.or_insert(Group { checker, reader: one.reader, same: Vec::new() }).same.push(one);
    }
    groups.into_values().collect()
}

/// Which groups are rejected, by their number, and the messages. A rejected batch is halved until the rejected files
/// are found. Two batches are checked at a time.
async fn refused(programs: &Programs, groups: &[Group<'_>]) -> Result<BTreeMap<usize, String>> {
    let mut batches: Vec<(usize, &[Group<'_>])> = Vec::new();
    let mut first = 0;
    for alike in groups.chunk_by(|one, next| one.checker == next.checker && one.reader == next.reader) {
        for batch in alike.chunks(BATCH) {
            batches.push((first, batch));
            first += batch.len();
        }
    }
    let (batches, found) = (RefCell::new(batches), RefCell::new(BTreeMap::new()));
    let work = async || -> Result<()> {
        loop {
            let next = batches.borrow_mut().pop();
            let Some((first, batch)) = next else { return Ok(()) };
            let [Group { checker, reader, .. }, ..] = batch else { continue };
            let files: Vec<&Configuration> =
                batch.iter().filter_map(|group| group.same.first().copied()).collect();
            match programs.output(&checker.call(*reader, &files)).await {
                Ok(_) => {}
                Err(error) if programs.stopped() => return Err(error),
                Err(error) if batch.len() == 1 => {
                    found.borrow_mut().insert(first, tally::message(&format!("{error:#}")));
                }
                Err(_) => {
                    let (front, back) = batch.split_at(batch.len() / 2);
                    batches.borrow_mut().extend([(first, front), (first + front.len(), back)]);
                }
            }
        }
    };
    let (one, other) = tokio::join!(work(), work());
    one.and(other)?;
    Ok(found.into_inner())
}
