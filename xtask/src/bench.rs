//! Builds a release of the operator and the benchmark, and runs the benchmark.

use anyhow::Result;

use crate::programs::{Call, Programs};
use crate::{ChoreResult, environment};

/// Runs the benchmark. Its exit status depends on the results that do not depend on the machine.
pub(crate) async fn run(programs: &Programs, arguments: &[String]) -> Result<ChoreResult> {
    let cargo = |words: &str| Call::cargo().words(words);
    programs.run(&cargo("build --release --locked --package mainstay --package bench --bins")).await?;
    let bench = cargo("run --quiet --release --locked --package bench --").arguments(arguments);
    programs.run(&bench).await.map(|()| ChoreResult::Good)
}

/// Builds the generators of both operators and runs them.
pub(crate) async fn render(programs: &Programs, arguments: &[String]) -> Result<ChoreResult> {
    let peer = environment::binaries()?.join("bench-peer");
    let peer = peer.to_string_lossy();
    programs.run(&Call::of("go").words("build -C bench/peer -o").arguments([&peer])).await?;
    let cargo = Call::cargo().words("run --quiet --release --locked --package bench-render -- --peer");
    programs.run(&cargo.arguments([&peer]).arguments(arguments)).await.map(|()| ChoreResult::Good)
}
