//! The suites that take too long for `make test`. They can run one by one, with a summary of the same form.

use std::time::Duration;

use anyhow::Result;
use clap::Args;
use clap::builder::PossibleValuesParser;
use lab::console::{line, table};

use crate::programs::Programs;
use crate::summary::{Outcome, Summary, step};
use crate::{ChoreResult, convergence, fuzz, peer_e2e, test};

/// Which suites run
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The suites to run, one after the other; all by default
    #[arg(value_name = "SUITE", value_parser = names())]
    suites: Vec<String>,
    /// Print the suites and their budgets, and run none
    #[arg(long)]
    list: bool,
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(SUITES.map(|suite| suite.name))
}

/// How a suite is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// All plans of all scenarios.
    Convergence,
    /// A group of the Prometheus Operator's own suite.
    Peer(&'static str),
    /// A search of every fuzz target, for this many seconds each.
    Fuzz(u64),
}

/// A suite.
#[derive(Debug, Clone, Copy)]
struct Suite {
    name: &'static str,
    minutes: u64,
    kind: Kind,
    what: &'static str,
}

/// All suites, in the order in which they run. The budgets are for a full cache, and include what only this suite
/// builds.
const SUITES: [Suite; 5] = [
    Suite {
        name: "convergence",
        minutes: 100,
        kind: Kind::Convergence,
        what: "every scenario with everything that can go wrong",
    },
    Suite {
        name: "peer-alertmanager",
        minutes: 30,
        kind: Kind::Peer("alertmanager"),
        what: "the Prometheus Operator's own tests of Alertmanager",
    },
    Suite {
        name: "peer-prometheus",
        minutes: 50,
        kind: Kind::Peer("prometheus"),
        what: "the Prometheus Operator's own tests of Prometheus",
    },
    Suite {
        name: "peer-thanosruler",
        minutes: 15,
        kind: Kind::Peer("thanosruler"),
        what: "the Prometheus Operator's own tests of Thanos Ruler",
    },
    Suite {
        name: "fuzz",
        minutes: 15,
        kind: Kind::Fuzz(60),
        what: "a search for inputs that break a parser or a writer, a minute each",
    },
];

/// Runs the requested suites and prints the results, or lists all suites.
pub(crate) async fn run(programs: &Programs, arguments: &Arguments) -> ChoreResult {
    if arguments.list {
        line(listed().trim_end());
        return ChoreResult::Good;
    }
    let mut summary = Summary::default();
    for suite in chosen(&arguments.suites) {
        let budget = Duration::from_secs(60 * suite.minutes);
        summary.entries.push(step(suite.name, Some(budget), suite.run(programs)).await);
    }
    line(format!("\n{}", summary.table()));
    line(summary.closing());
    summary.result()
}

/// The suites with these names, or all.
fn chosen(names: &[String]) -> Vec<Suite> {
    let selected = |suite: &&Suite| names.is_empty() || names.iter().any(|name| name == suite.name);
    SUITES.iter().filter(selected).copied().collect()
}

fn listed() -> String {
    let heading = ["SUITE", "BUDGET", "WHAT"].map(str::to_owned).to_vec();
    let rows = SUITES
        .iter()
        .map(|suite| vec![suite.name.to_owned(), format!("{} min", suite.minutes), suite.what.to_owned()]);
    table(&std::iter::once(heading).chain(rows).collect::<Vec<_>>())
}

impl Suite {
    async fn run(self, programs: &Programs) -> Outcome {
        match self.kind {
            Kind::Convergence => convergence::complete(programs).await,
            Kind::Peer(group) => peer(programs, group).await.unwrap_or_else(|error| Outcome::failed(&error)),
            Kind::Fuzz(seconds) => {
                fuzz::search(programs, None, seconds).await.unwrap_or_else(|error| Outcome::failed(&error))
            }
        }
    }
}

/// Runs a group of the Prometheus Operator's own suite, if pods can run.
async fn peer(programs: &Programs, group: &str) -> Result<Outcome> {
    test::build_lab(programs).await?;
    match test::examine(programs, "doctor --fix").await {
        Ok(()) => peer_e2e::group(programs, group).await,
        Err(reason) => Ok(Outcome::skipped(format!("{reason:#}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(suites: &[Suite]) -> Vec<&'static str> {
        suites.iter().map(|suite| suite.name).collect()
    }

    #[test]
    fn suites_are_chosen_by_name_in_their_own_order() {
        assert_eq!(names(&chosen(&[])), names(&SUITES));
        let two = ["fuzz", "convergence"].map(str::to_owned);
        assert_eq!(names(&chosen(&two)), ["convergence", "fuzz"]);
    }

    #[test]
    fn every_suite_is_listed_with_its_budget() {
        let listed = listed();
        let lines: Vec<Vec<&str>> = listed.lines().map(|line| line.split_whitespace().collect()).collect();
        let budgets: Vec<(&str, &str)> = lines[1..].iter().map(|words| (words[0], words[1])).collect();
        let expected: Vec<(&str, String)> =
            SUITES.iter().map(|suite| (suite.name, suite.minutes.to_string())).collect();
        assert_eq!(
            budgets,
            expected.iter().map(|(name, minutes)| (*name, minutes.as_str())).collect::<Vec<_>>()
        );
    }

    #[test]
    fn every_group_of_the_peer_is_one_of_its_suite() {
        for suite in SUITES {
            if let Kind::Peer(group) = suite.kind {
                assert!(peer_e2e::is_group(group), "{group}");
            }
        }
    }
}
