//! The chores of this workspace. The Makefile lists them; all logic is here. Each chore is a file. The other modules:
//!
//! | module | contents |
//! |---|---|
//! | [`programs`], [`environment`] | the only modules that run programs and read the environment |
//! | [`tools`] | installs pinned tools into the cache |
//! | [`nextest`], [`junit`] | run a suite and read its report |
//! | [`summary`], [`budget`] | the result, and how long each stage may take |
//! | [`operand_check`] | has the programs of the operands check the configurations that we write |
//! | [`peer_e2e`] | runs the Prometheus Operator's end-to-end suite against our image |
//! | [`generate`], [`manifests`], [`reference`](mod@reference) | the generated files |
//! | `documents` | tests that commands, files, functions and links in the documents exist |

mod bench;
mod bench_effect;
mod bench_monitoring;
mod budget;
mod check;
mod convergence;
mod demo;
#[cfg(test)]
mod documents;
mod environment;
mod fuzz;
mod generate;
mod junit;
mod manifests;
mod nextest;
mod operand_check;
mod peer_e2e;
mod programs;
mod reference;
mod summary;
mod test;
mod test_long;
mod tools;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use lab::console::{line, note};

use programs::Programs;

/// The chores of this workspace
#[derive(Debug, Parser)]
#[command(name = "xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Start a cluster and show what Mainstay can do
    Demo,
    /// Run all checks and tests that fit into an hour, and print a summary
    Test,
    /// Run the suites that take too long for `test`, one or all, and print a summary
    TestLong(test_long::Arguments),
    /// Run all checks that need no cluster: format, lints, unit tests, generated files, dependencies, spelling
    Check,
    /// Write the generated files
    Gen {
        /// Write nothing; fail if a file is outdated
        #[arg(long)]
        check: bool,
    },
    /// Measure the CPU, memory and requests of the operator, with few and with many resources
    #[command(disable_help_flag = true)]
    Bench {
        /// Arguments of the benchmark: `--help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Measure the cost of rendering configurations, compared with the Prometheus Operator's generator
    #[command(disable_help_flag = true)]
    BenchRender {
        /// Arguments of the benchmark: `--help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Measure our monitoring operators and the Prometheus Operator, on an API server without nodes
    #[command(disable_help_flag = true)]
    BenchMonitoring {
        /// Arguments of the benchmark: `--help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Measure how soon a change of a monitor takes effect, with both operators, on a separate lab
    #[command(disable_help_flag = true)]
    BenchEffect {
        /// Arguments of the benchmark: `--help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Have the operands' own programs check the configurations that we write
    OperandCheck,
    /// Search for inputs that break a parser or a writer; the corpus is kept in the cache
    Fuzz {
        /// The target; all by default
        target: Option<String>,
        /// Seconds for each target
        #[arg(long, default_value_t = 60)]
        seconds: u64,
    },
    /// Run the Prometheus Operator's own end-to-end suite on the lab, against our image
    PeerE2e(peer_e2e::Arguments),
    /// Install the tools that the checks need, into the cache
    Tools,
}

/// The result of a chore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChoreResult {
    Good,
    Bad,
}

impl ChoreResult {
    fn of(good: bool) -> Self {
        if good { Self::Good } else { Self::Bad }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match Box::pin(perform(Arguments::parse().chore)).await {
        Ok(ChoreResult::Good) => ExitCode::SUCCESS,
        Ok(ChoreResult::Bad) => ExitCode::FAILURE,
        Err(error) => {
            note(format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

async fn perform(chore: Chore) -> Result<ChoreResult> {
    let programs = Programs::watching_signals()?;
    match chore {
        Chore::Demo => demo::run(&programs).await,
        Chore::Test => Ok(Box::pin(test::run(&programs)).await),
        Chore::TestLong(arguments) => Ok(Box::pin(test_long::run(&programs, &arguments)).await),
        Chore::Check => {
            let summary = check::run(&programs).await;
            line(summary.closing());
            Ok(summary.result())
        }
        Chore::Gen { check } => generate::run(check),
        Chore::Bench { arguments } => bench::run(&programs, &arguments).await,
        Chore::BenchRender { arguments } => bench::render(&programs, &arguments).await,
        Chore::BenchMonitoring { arguments } => bench_monitoring::run(&programs, &arguments).await,
        Chore::BenchEffect { arguments } => bench_effect::run(&programs, &arguments).await,
        Chore::OperandCheck => test::operand_check(&programs).await,
        Chore::Fuzz { target, seconds } => fuzz::run(&programs, target.as_deref(), seconds).await,
        Chore::PeerE2e(arguments) => peer_e2e::run(&programs, &arguments).await,
        Chore::Tools => tools::install_all(&programs).await,
    }
}
