//! The Prometheus Operator's own end-to-end suite, run on the lab against our image, or against its own.

mod cluster;
mod event;
mod group;
mod known;
mod page;
mod play;
mod result;
mod suite;

use std::path::Path;

use anyhow::{Context, Result, ensure};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use lab::clock::{Span, Stopwatch};
use lab::console::line;
use lab::paths::{Cache, write_atomically};

use crate::programs::Programs;
use crate::summary::Outcome;
use crate::{ChoreResult, environment, test};

use known::Known;
use play::Player;
use result::{Row, TestOutcome, count};
use suite::Suite;

/// The page that `--write` writes.
const PAGE: &str = "docs/compatibility.md";

/// The lab that they have, if no other name is given.
const LAB: &str = "peer-e2e";

/// The images that the tests start, whichever operator is tested.
const IMAGES: &str = "peer-e2e prometheus:3.13.1 thanos:0.42.2 alertmanager:0.33.1";

/// The registry of both operators' images.
const REPOSITORY: &str = "quay.io/prometheus-operator/prometheus-operator";

/// Which tests run, and against which operator
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The groups of the suite; each runs on a separate lab, one after the other
    #[arg(default_value = "all", value_name = "GROUP", value_parser = groups())]
    groups: Vec<String>,
    /// Only the tests of one group that match this regular expression, with further levels after slashes
    #[arg(long, value_name = "REGEX")]
    test: Option<String>,
    /// The operator whose image is tested
    #[arg(long, value_enum, default_value_t = Operator::Mainstay)]
    operator: Operator,
    /// Do not repeat the tests that fail
    #[arg(long)]
    no_repeat: bool,
    /// Use the lab and the images as they were last built
    #[arg(long)]
    no_build: bool,
    /// Write the results of all groups to docs/compatibility.md
    #[arg(long, conflicts_with = "test")]
    write: bool,
    /// The name of the lab, to run two groups side by side
    #[arg(long, default_value = LAB)]
    lab: String,
}

const EXAMPLES: &str = "\
Examples:
  make peer-e2e GROUP=alertmanager TEST=AMCreateDeleteCluster
  make peer-e2e GROUP=prometheus TEST='ScrapeConfigCreation/scaleway'
  make peer-e2e GROUP=denylist OPERATOR=peer      the same with the Prometheus Operator itself
  make peer-e2e WRITE=yes                         everything, about three hours

What the tests said, and what they left behind when they failed, is kept in the cache under peer-e2e/OPERATOR/GROUP:
told.jsonl (all they printed), diagnostics (objects, logs, events of a failed test), cluster (what was there at the end).
The first run builds the suite and its images, in about ten minutes.";

fn groups() -> PossibleValuesParser {
    PossibleValuesParser::new(["all"].into_iter().chain(group::ALL.map(|group| group.name)))
}

/// The operator that is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Operator {
    /// Ours.
    Mainstay,
    /// The Prometheus Operator of the same version as the suite.
    Peer,
}

impl Operator {
    fn name(self) -> &'static str {
        match self {
            Self::Mainstay => "mainstay",
            Self::Peer => "peer",
        }
    }

    /// Its images beside those that the tests start.
    fn images(self) -> &'static str {
        match self {
            Self::Mainstay => "peer-names",
            Self::Peer => "",
        }
    }

    /// Its own image. The suite finds its companions by the tag.
    fn image(self, suite: &Suite) -> String {
        match self {
            Self::Mainstay => format!("{REPOSITORY}:mainstay"),
            Self::Peer => format!("{REPOSITORY}:v{}", suite.version),
        }
    }
}

/// Whether there is a group of this name.
#[cfg(test)]
pub(crate) fn is_group(name: &str) -> bool {
    group::ALL.iter().any(|group| group.name == name)
}

/// Runs the groups that are asked for.
pub(crate) async fn run(programs: &Programs, asked: &Arguments) -> Result<ChoreResult> {
    let rows = play(programs, asked).await?;
    Ok(ChoreResult::of(count(&rows, TestOutcome::Fail) == 0))
}

/// Runs one group against our image.
pub(crate) async fn group(programs: &Programs, name: &str) -> Result<Outcome> {
    let asked = Arguments {
        groups: vec![name.to_owned()],
        test: None,
        operator: Operator::Mainstay,
        no_repeat: false,
        no_build: false,
        write: false,
        lab: LAB.to_owned(),
    };
    Ok(result::outcome(&play(programs, &asked).await?))
}

/// Runs groups, and prints and stores the result of each test.
async fn play(programs: &Programs, asked: &Arguments) -> Result<Vec<Row>> {
    let groups = group::named(&asked.groups);
    ensure!(
        asked.test.is_none() || groups.len() == 1,
        "--test narrows one group: say which, such as alertmanager"
    );
    ensure!(
        !asked.write || asked.operator == Operator::Mainstay,
        "the page tells about Mainstay, not about the peer"
    );
    let watch = Stopwatch::start();
    let known = Known::built_in()?;
    if !asked.no_build {
        test::build_lab(programs).await?;
    }
    let suite = Suite::ensure(programs).await?;
    let cache = Cache::of_user().directory().join("peer-e2e");
    let _held = cluster::hold(&asked.lab, &cache)?;
    if !asked.no_build {
        let images = format!("image build {IMAGES} {}", asked.operator.images());
        programs.run(&cluster::lab(&images)?).await?;
    }

    let place = cache.join(asked.operator.name());
    let image = asked.operator.image(&suite);
    let player = Player {
        programs,
        suite: &suite,
        known: &known,
        image: &image,
        lab: &asked.lab,
        place: &place,
        repeats: !asked.no_repeat,
    };
    let (mut all, mut ended) = (Vec::new(), Ok(()));
    for group in &groups {
        match player.play(group, asked.test.as_deref()).await {
            Ok(rows) => {
                if asked.test.is_none() {
                    record(&place, group.name, &rows)?;
                }
                all.extend(rows);
            }
            // What came before is told all the same.
            Err(error) => {
                ended = Err(error);
                break;
            }
        }
    }
    line(format!("\n{}", page::shown(asked.operator.name(), &all)));
    line(format!("{}, {}", page::closing(&all), Span(watch.elapsed())));
    ended?;
    ensure!(!all.is_empty(), "no test was run: is there one of this name in the group?");
    if asked.write {
        write_atomically(
            &environment::workspace().join(PAGE),
            page::page(&suite.version, &recorded(&place)?),
        )?;
        line(format!("wrote {PAGE}"));
    }
    Ok(all)
}

/// Stores the results of a whole group for the page.
fn record(place: &Path, group: &str, rows: &[Row]) -> Result<()> {
    write_atomically(&place.join(format!("{group}.json")), serde_json::to_vec_pretty(rows)?)
}

/// What was last recorded of each group.
fn recorded(place: &Path) -> Result<Vec<(&'static str, Vec<Row>)>> {
    let mut recorded = Vec::new();
    for group in group::ALL {
        let file = place.join(format!("{}.json", group.name));
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let rows = serde_json::from_str(&text).with_context(|| format!("cannot read {}", file.display()))?;
        recorded.push((group.name, rows));
    }
    Ok(recorded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recorded_of_a_group_is_read_back() {
        let directory = tempfile::tempdir().unwrap();
        let row = Row {
            test: "TestDenylist/Prometheus".into(),
            outcome: TestOutcome::Pass,
            seconds: 65,
            cases: Some((1, 1)),
            note: String::new(),
            repeated: true,
        };
        record(directory.path(), "denylist", std::slice::from_ref(&row)).unwrap();
        assert_eq!(recorded(directory.path()).unwrap(), [("denylist", vec![row])]);
    }

    #[test]
    fn the_images_are_those_of_the_table() {
        let versions = lab::versions::Versions::built_in();
        for operator in [Operator::Mainstay, Operator::Peer] {
            let words: Vec<String> =
                IMAGES.split(' ').chain(operator.images().split_whitespace()).map(str::to_owned).collect();
            versions.select_images(&words).unwrap();
        }
        assert!(versions.select_images(&[format!("{REPOSITORY}:mainstay")]).is_ok());
    }
}
