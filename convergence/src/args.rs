//! The command line of `convergence`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Parser;
use convergence::draw::Seed;

/// Run every scenario of a kind with everything that can go wrong, and check that the result is the same
#[derive(Debug, Clone, Parser)]
#[command(name = "convergence")]
pub(crate) struct Arguments {
    /// The kind; can be given several times; all by default
    #[arg(long)]
    pub(crate) kind: Vec<String>,
    /// Print the plans and run none; the scenarios run once, because their writes decide which plans there are
    #[arg(long)]
    pub(crate) list: bool,
    /// Print what is not compared, because it differs between two runs without a fault
    #[arg(long)]
    pub(crate) masked: bool,
    /// Print the requests of the operator, also of plans that passed
    #[arg(long)]
    pub(crate) trace: bool,
    /// Run the plans whose names contain this; can be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) plan: Vec<String>,
    /// Run this number of plans: each scenario with each class of perturbation at least once, the rest in turns
    #[arg(long, value_name = "NUMBER", conflicts_with = "plan")]
    pub(crate) draw: Option<usize>,
    /// The seed of the draw: any text, such as a commit
    #[arg(long, default_value = "1", value_name = "TEXT")]
    pub(crate) seed: Seed,
    /// The number of plans that run at the same time
    #[arg(long, default_value_t = 12, value_name = "NUMBER")]
    pub(crate) jobs: usize,
    /// Run a plan that failed once more at the end; it has failed if it fails again
    #[arg(long)]
    pub(crate) retry: bool,
    /// Write the results to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

impl Arguments {
    /// The command that repeats this run.
    pub(crate) fn again(&self) -> String {
        let mut text = "cargo run -p convergence --".to_owned();
        for kind in &self.kind {
            let _ = write!(text, " --kind {kind}");
        }
        for plan in &self.plan {
            let _ = write!(text, " --plan '{plan}'");
        }
        if let Some(count) = self.draw {
            let _ = write!(text, " --draw {count} --seed {}", self.seed);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_prints_the_command_that_repeats_it() {
        let again = |line: &str| Arguments::try_parse_from(line.split(' ')).unwrap().again();
        assert_eq!(again("convergence --jobs 2"), "cargo run -p convergence --");
        let drawn = "convergence --kind thanos --draw 60 --seed 0ceb3e5";
        assert_eq!(again(drawn), "cargo run -p convergence -- --kind thanos --draw 60 --seed 0ceb3e5");
    }
}
