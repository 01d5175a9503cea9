//! The Prometheus Operator's own end-to-end suite, run on the lab against our image, or against its own.

mod cluster;
mod event;
mod group;
mod known;
mod page;
mod result;
mod runner;
mod suite;

use std::path::Path;

use anyhow::{Context, Result, ensure};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use lab::clock::{Span, Stopwatch};
use lab::console::line;
use lab::paths::{Cache, write_atomically};

use crate::programs::{Call, Programs};
use crate::summary::Outcome;
use crate::{ChoreResult, environment, test};

use known::Known;
use result::{Row, TestOutcome, count};
use runner::Runner;
use suite::Suite;

/// The page that `--write` writes.
const PAGE: &str = "docs/compatibility.md";

/// The default name of the lab.
const LAB: &str = "peer-e2e";

/// The images that the tests use, whichever operator is tested.
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
    /// Use the lab and the images of the last build
    #[arg(long)]
    no_build: bool,
    /// Write the results of all groups to docs/compatibility.md
    #[arg(long, conflicts_with = "test")]
    write: bool,
    /// The name of the lab, to run two groups at the same time
    #[arg(long, default_value = LAB)]
    lab: String,
}

const EXAMPLES: &str = "\
Examples:
  make peer-e2e GROUP=alertmanager TEST=AMCreateDeleteCluster
  make peer-e2e GROUP=prometheus TEST='ScrapeConfigCreation/scaleway'
  make peer-e2e GROUP=denylist OPERATOR=peer      the same with the Prometheus Operator itself
  make peer-e2e WRITE=yes                         everything, about three hours

The output of the tests, and the state of the cluster after a failure, are kept in the cache under peer-e2e/OPERATOR/GROUP:
output.jsonl (everything they printed), diagnostics (objects, logs, events of a failed test), cluster (its state at the end).
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

    /// The images of the operator, in addition to those of the tests.
    fn images(self) -> &'static str {
        match self {
            Self::Mainstay => "peer-names",
            Self::Peer => "",
        }
    }

    /// The image of the operator. The suite uses the same tag for its other images.
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

/// Runs the selected groups.
pub(crate) async fn run(programs: &Programs, arguments: &Arguments) -> Result<ChoreResult> {
    let rows = run_groups(programs, arguments).await?;
    Ok(ChoreResult::of(count(&rows, TestOutcome::Fail) == 0))
}

/// Runs one group against our image.
pub(crate) async fn group(programs: &Programs, name: &str) -> Result<Outcome> {
    let arguments = Arguments {
        groups: vec![name.to_owned()],
        test: None,
        operator: Operator::Mainstay,
        no_repeat: false,
        no_build: false,
        write: false,
        lab: LAB.to_owned(),
    };
    Ok(result::outcome(&run_groups(programs, &arguments).await?))
}

/// Runs groups, prints the result of each test, and stores it.
async fn run_groups(programs: &Programs, arguments: &Arguments) -> Result<Vec<Row>> {
    let groups = group::named(&arguments.groups);
    ensure!(
        arguments.test.is_none() || groups.len() == 1,
        "--test needs exactly one group, such as alertmanager"
    );
    ensure!(
        !arguments.write || arguments.operator == Operator::Mainstay,
        "the page is about Mainstay: --write needs --operator mainstay"
    );
    let watch = Stopwatch::start();
    let known = Known::built_in()?;
    if !arguments.no_build {
        test::build_lab(programs).await?;
    }
    let suite = Suite::ensure(programs).await?;
    let cache = Cache::of_user().directory().join("peer-e2e");
    let _lock = cluster::lock(&arguments.lab, &cache)?;
    if !arguments.no_build {
        let images = format!("image build {IMAGES} {}", arguments.operator.images());
        programs.run(&Call::lab(&images)?).await?;
    }

    let directory = cache.join(arguments.operator.name());
    let image = arguments.operator.image(&suite);
    let runner = Runner {
        programs,
        suite: &suite,
        known: &known,
        image: &image,
        lab: &arguments.lab,
        directory: &directory,
        repeats: !arguments.no_repeat,
    };
    let (mut all, mut ended) = (Vec::new(), Ok(()));
    for group in &groups {
        match runner.run_group(group, arguments.test.as_deref()).await {
            Ok(rows) => {
                if arguments.test.is_none() {
                    record(&directory, group.name, &rows)?;
                }
                all.extend(rows);
            }
            // The results of the groups before are printed nevertheless.
            Err(error) => {
                ended = Err(error);
                break;
            }
        }
    }
    line(format!("\n{}", page::shown(arguments.operator.name(), &all)));
    line(format!("{}, {}", page::closing(&all), Span(watch.elapsed())));
    ended?;
    ensure!(!all.is_empty(), "no test was run: the group has no test of this name");
    if arguments.write {
        write_atomically(
            &environment::workspace().join(PAGE),
            page::page(&suite.version, &recorded(&directory)?),
        )?;
        line(format!("wrote {PAGE}"));
    }
    Ok(all)
}

/// Stores the results of a whole group for the page.
fn record(directory: &Path, group: &str, rows: &[Row]) -> Result<()> {
    write_atomically(&directory.join(format!("{group}.json")), serde_json::to_vec_pretty(rows)?)
}

/// The last recorded results of each group.
fn recorded(directory: &Path) -> Result<Vec<(&'static str, Vec<Row>)>> {
    let mut recorded = Vec::new();
    for group in group::ALL {
        let file = directory.join(format!("{}.json", group.name));
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
    fn recorded_results_are_read_back() {
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
