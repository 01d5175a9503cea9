//! Builds the operator as it is released, and what measures it, and lets it measure.

use anyhow::Result;

use crate::Verdict;
use crate::programs::{Call, Programs};

/// Measures. What depends on the machine is told; what does not is judged by the exit status.
pub(crate) async fn run(programs: &Programs, arguments: &[String]) -> Result<Verdict> {
    let cargo = |words: &str| Call::cargo().words(words);
    programs.run(&cargo("build --release --locked --package mainstay --package bench --bins")).await?;
    let bench = cargo("run --quiet --release --locked --package bench --").arguments(arguments);
    programs.run(&bench).await.map(|()| Verdict::Good)
}
