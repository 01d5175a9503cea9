//! Has the operands' own programs check our configurations: the output of the conformance run, and golden files. Each is
//! checked by the program of the version that it was made for, or of the next one that the lab has.

mod configuration;
mod judge;
mod refusals;
mod tally;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use lab::console::line;
use lab::paths::{Cache, remove_all, write_atomically};
use lab::programs::Workshop;
use lab::versions::Versions;

use crate::check::{CASES, no_cases};
use crate::environment;
use crate::programs::{Call, Programs};
use crate::summary::Outcome;

use configuration::{Configuration, Origin, Reader};
use judge::Judge;
pub(crate) use judge::PROGRAMS;
use refusals::Refusals;
use tally::Tally;

/// How many files a program is given at once: few enough that two of them share the work.
const BATCH: usize = 64;

/// Configurations of the same bytes for the same judge, which are judged once.
#[derive(Debug)]
struct Group<'c> {
    judge: &'c Judge,
    reader: Reader,
    same: Vec<&'c Configuration>,
}

/// Why there is nothing to judge, if there is nothing. What cannot be read is for the run to complain about.
pub(crate) fn nothing_to_judge() -> Option<String> {
    let golden = configuration::golden(&environment::workspace());
    let nothing = !has_cases() && golden.is_ok_and(|golden| golden.is_empty());
    nothing.then(|| format!("{}, and no golden configurations", no_cases()))
}

fn has_cases() -> bool {
    environment::workspace().join(CASES).is_dir()
}

/// Judges all there is with programs that the lab has built.
pub(crate) async fn run(programs: &Programs) -> Outcome {
    if let Some(reason) = nothing_to_judge() {
        return Outcome::skipped(reason);
    }
    attempt(programs).await.unwrap_or_else(|error| Outcome::failed(&error))
}

async fn attempt(programs: &Programs) -> Result<Outcome> {
    let list = environment::workspace().join("conformance/refusals.toml");
    let list = std::fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let judges = Judge::all(&Versions::built_in(), &Workshop::new(Cache::of_user()))?;
    for judge in &judges {
        programs.output(&judge.introduction()).await?;
    }
    let place = environment::binaries()?.join("configurations");
    // The files of an earlier run must not speak for this one.
    remove_all(&place)?;
    let mut made = golden(&place.join("golden"))?;
    if has_cases() {
        made.extend(play(programs, &place.join("cases")).await?);
    }
    let mut tally = Tally::new(Refusals::read(&list)?);
    let groups = grouped(&judges, &made, &mut tally);
    let refused = refused(programs, &groups).await?;
    for (number, group) in groups.iter().enumerate() {
        tally.judged(group.judge, &group.same, refused.get(&number).map(String::as_str));
    }
    line(tally.told().trim_end());
    let mut outcome = tally.outcome(has_cases());
    if !has_cases() {
        outcome.also_skipped("configurations of the conformance cases", &no_cases());
    }
    Ok(outcome)
}

/// The golden files, written out: some are snapshots, whose heading no program can read.
fn golden(place: &Path) -> Result<Vec<Configuration>> {
    let mut golden = configuration::golden(&environment::workspace())?;
    for (number, one) in golden.iter_mut().enumerate() {
        one.path = place.join(format!("{number}.yaml"));
        write_atomically(&one.path, &one.text)?;
    }
    Ok(golden)
}

/// What the conformance run makes.
async fn play(programs: &Programs, written: &Path) -> Result<Vec<Configuration>> {
    let call = Call::own("conformance")
        .words(CASES)
        .arguments(["--write-configurations".into(), written.to_string_lossy()]);
    programs.output(&call).await?;
    let made = configuration::below(written, Origin::Case)?;
    ensure!(!made.is_empty(), "the conformance run made no configuration");
    Ok(made)
}

/// Who judges what, in an order in which neighbors can be judged together.
fn grouped<'c>(judges: &'c [Judge], made: &'c [Configuration], tally: &mut Tally) -> Vec<Group<'c>> {
    let mut groups: BTreeMap<(String, Reader, &str), Group<'c>> = BTreeMap::new();
    for one in made {
        let Some(judge) = Judge::choose(judges, one) else {
            tally.not_judged(one);
            continue;
        };
        let group = groups.entry((judge.shown(), one.reader, &one.text));
        group.or_insert(Group { judge, reader: one.reader, same: Vec::new() }).same.push(one);
    }
    groups.into_values().collect()
}

/// Which groups are refused, by their number, and in which words. A batch that is refused is halved until the ones are
/// found that are at fault. Two batches at a time.
async fn refused(programs: &Programs, groups: &[Group<'_>]) -> Result<BTreeMap<usize, String>> {
    let mut batches: Vec<(usize, &[Group<'_>])> = Vec::new();
    let mut first = 0;
    for alike in groups.chunk_by(|one, next| one.judge == next.judge && one.reader == next.reader) {
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
            let [Group { judge, reader, .. }, ..] = batch else { continue };
            let files: Vec<&Configuration> =
                batch.iter().filter_map(|group| group.same.first().copied()).collect();
            match programs.output(&judge.call(*reader, &files)).await {
                Ok(_) => {}
                Err(error) if programs.stopped() => return Err(error),
                Err(error) if batch.len() == 1 => {
                    found.borrow_mut().insert(first, tally::words(&format!("{error:#}")));
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
