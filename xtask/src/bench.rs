//! Builds the operator as it is released, and what measures it, and lets it measure.

use anyhow::Result;

use crate::programs::{Call, Programs};
use crate::{Verdict, environment};

/// Measures. What depends on the machine is told; what does not is judged by the exit status.
pub(crate) async fn run(programs: &Programs, arguments: &[String]) -> Result<Verdict> {
    let cargo = |words: &str| Call::cargo().words(words);
    programs.run(&cargo("build --release --locked --package mainstay --package bench --bins")).await?;
    let bench = cargo("run --quiet --release --locked --package bench --").arguments(arguments);
    programs.run(&bench).await.map(|()| Verdict::Good)
}

/// Builds the peer's generator and ours, and lets them work side by side.
pub(crate) async fn render(programs: &Programs, arguments: &[String]) -> Result<Verdict> {
    let peer = environment::binaries()?.join("bench-peer");
    let peer = peer.to_string_lossy();
    programs.run(&Call::of("go").words("build -C bench/peer -o").arguments([&peer])).await?;
    let cargo = Call::cargo().words("run --quiet --release --locked --package bench-render -- --peer");
    programs.run(&cargo.arguments([&peer]).arguments(arguments)).await.map(|()| Verdict::Good)
}
