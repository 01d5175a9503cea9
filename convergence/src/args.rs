//! The command line of `convergence`.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Parser;

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
    /// Play one plan in so many, picked by a seed
    #[arg(long, value_name = "SEED/N")]
    pub(crate) slice: Option<Slice>,
    /// Play plans for so many minutes, in an order that the seed says
    #[arg(long, value_name = "MINUTES")]
    pub(crate) minutes: Option<u64>,
    /// Play so many scenarios, which ones the seed says
    #[arg(long, value_name = "NUMBER")]
    pub(crate) scenarios: Option<usize>,
    /// The seed of what is picked and of that order
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    pub(crate) seed: u64,
    /// How many plans are played at once
    #[arg(long, default_value_t = 8, value_name = "NUMBER")]
    pub(crate) jobs: usize,
    /// Play a plan that failed once more when all others are over; it has failed if it fails again
    #[arg(long)]
    pub(crate) retry: bool,
    /// Write what it came to into this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

impl Arguments {
    /// How long plans may be begun.
    pub(crate) fn limit(&self) -> Option<Duration> {
        self.minutes.map(|minutes| Duration::from_secs(60 * minutes))
    }
}

/// One plan in so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slice {
    pub(crate) seed: u64,
    pub(crate) of: u64,
}

impl FromStr for Slice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no slice; write it as in 7/20");
        let (seed, of) = text.split_once('/').ok_or_else(wrong)?;
        let (Ok(seed), Ok(of)) = (seed.parse(), of.parse()) else { return Err(wrong()) };
        if of == 0 { Err(wrong()) } else { Ok(Self { seed, of }) }
    }
}
