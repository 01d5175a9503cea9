//! The command line of `convergence`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Parser;
use convergence::draw::Seed;

/// Plays every scenario of a kind with everything that can go wrong, and checks that it comes to the same end
#[derive(Debug, Clone, Parser)]
#[command(name = "convergence")]
pub(crate) struct Arguments {
    /// The kind; can be given several times; all if absent
    #[arg(long)]
    pub(crate) kind: Vec<String>,
    /// Print the plans and play none: the writes of a scenario are known once it was played
    #[arg(long)]
    pub(crate) list: bool,
    /// Print what is not compared, because it differs between two runs without a fault
    #[arg(long)]
    pub(crate) masked: bool,
    /// Print what the operator asked, also where all was well
    #[arg(long)]
    pub(crate) trace: bool,
    /// Play the plans whose names contain this; can be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) plan: Vec<String>,
    /// Play so many plans: each scenario with each class of perturbation at least once, the rest in turns
    #[arg(long, value_name = "NUMBER", conflicts_with = "plan")]
    pub(crate) draw: Option<usize>,
    /// What the draw depends on: any text, such as the name of a commit
    #[arg(long, default_value = "1", value_name = "TEXT")]
    pub(crate) seed: Seed,
    /// How many plans are played at once
    #[arg(long, default_value_t = 12, value_name = "NUMBER")]
    pub(crate) jobs: usize,
    /// Play a plan that failed once more when all others are over; it has failed if it fails again
    #[arg(long)]
    pub(crate) retry: bool,
    /// Write what it came to into this file, as JSON
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
    fn a_run_says_how_it_is_repeated() {
        let again = |words: &str| Arguments::try_parse_from(words.split(' ')).unwrap().again();
        assert_eq!(again("convergence --jobs 2"), "cargo run -p convergence --");
        let drawn = "convergence --kind thanos --draw 60 --seed 0ceb3e5";
        assert_eq!(again(drawn), "cargo run -p convergence -- --kind thanos --draw 60 --seed 0ceb3e5");
    }
}
