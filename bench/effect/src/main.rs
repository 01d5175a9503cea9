//! Measures how soon a change takes effect: from the request that changes a monitor until Prometheus runs it, with our
//! operator and with the Prometheus Operator, one after the other on one lab. `make bench-effect` starts the lab, and
//! removes it in any case.

mod clock;
mod figures;
mod operator;
mod rounds;
mod server;
mod setup;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use e2e::lab::Lab;
use lab::clock::Span;
use lab::console::{line, note};

use figures::Figure;
use operator::Operator;
use setup::Setup;

/// How soon a change of a monitor takes effect
#[derive(Debug, Parser)]
#[command(name = "bench-effect")]
struct Arguments {
    /// The set-ups to measure, in this order
    #[arg(long, value_enum, value_delimiter = ',', default_value = "ours,ours-peer-reloader,peer")]
    setups: Vec<Setup>,
    /// Number of monitors that are applied and changed, one after the other
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Number of rounds for the Prometheus Operator, which takes longer. Default: the same as --rounds
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    peer_rounds: Option<u32>,
    /// Print what would be measured and how long it takes, and exit
    #[arg(long)]
    plan: bool,
    /// The lab: new, with one node and the default sync period of the kubelet
    #[arg(long, value_name = "NAME", required_unless_present = "plan")]
    lab: Option<String>,
    /// The manifest with which the Prometheus Operator is installed
    #[arg(long, value_name = "FILE", required_unless_present = "plan")]
    bundle: Option<PathBuf>,
}

impl Arguments {
    fn rounds_of(&self, setup: Setup) -> u32 {
        match setup {
            Setup::Ours | Setup::OursPeerReloader => self.rounds,
            Setup::Peer => self.peer_rounds.unwrap_or(self.rounds),
        }
    }

    /// What is measured and how long it takes.
    fn plan_text(&self) -> String {
        // The 30 s are for the start of an operator and a Prometheus.
        let length = |setup: Setup| Duration::from_secs(30) + setup.round() * (self.rounds_of(setup) + 1);
        let one = |setup: &Setup| {
            let (name, rounds) = (setup.name(), self.rounds_of(*setup));
            format!("  {name}: rounds: {rounds}, about {}\n", Span(length(*setup)))
        };
        let all: Duration = self.setups.iter().map(|setup| length(*setup)).sum();
        let each: String = self.setups.iter().map(one).collect();
        format!("To measure, in about {}:\n{each}", Span(all))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match Box::pin(run(&Arguments::parse())).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            note(format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Returns whether no target is missed.
async fn run(arguments: &Arguments) -> Result<bool> {
    let (Some(lab), Some(bundle), false) = (&arguments.lab, &arguments.bundle, arguments.plan) else {
        line(arguments.plan_text());
        return Ok(true);
    };
    let lab = Lab::open(lab).await?;
    lab.nodes_ready(1).await?;
    let operator = Operator::install(&lab, bundle).await?;
    let (mut figures, mut ended): (Vec<Figure>, _) = (Vec::new(), Ok(()));
    for setup in &arguments.setups {
        let rounds = arguments.rounds_of(*setup);
        ended = rounds::measure(&lab, &operator, *setup, rounds, &mut figures).await;
        ended = ended.with_context(|| setup.name());
        if ended.is_err() {
            break;
        }
    }
    // Also prints the results before a failure.
    line(format!("\n{}", table::table(&figures)));
    ended?;
    Ok(table::met(&figures))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_set_ups_are_measured_by_default() {
        let parse = |flags: &str| Arguments::parse_from(format!("bench-effect {flags}").split_whitespace());
        let all = parse("--plan");
        assert_eq!(all.setups, [Setup::Ours, Setup::OursPeerReloader, Setup::Peer]);
        assert_eq!(all.setups.iter().map(|setup| all.rounds_of(*setup)).collect::<Vec<_>>(), [20; 3]);
        let few = parse("--plan --setups peer,ours --rounds 3 --peer-rounds 1");
        assert_eq!(few.setups, [Setup::Peer, Setup::Ours]);
        assert_eq!((few.rounds_of(Setup::Peer), few.rounds_of(Setup::Ours)), (1, 3));
        assert!(Arguments::try_parse_from(["bench-effect"]).is_err());
    }
}
