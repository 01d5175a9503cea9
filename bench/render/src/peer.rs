//! The peer's side: runs its generator.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::figures::Figures;

/// What the peer's side cost, and its output.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) figures: Figures,
    pub(crate) text: String,
}

/// Runs the peer's generator.
#[expect(clippy::disallowed_methods, reason = "this is where the crate runs programs")]
pub(crate) fn measure(program: &Path, directory: &Path, mode: &str, rounds: usize) -> Result<Peer> {
    let output = std::process::Command::new(program)
        .arg(directory)
        .arg(mode)
        .arg(rounds.to_string())
        .output()
        .with_context(|| format!("cannot run {}", program.display()))?;
    ensure!(
        output.status.success(),
        "{} exited with {}: {}",
        program.display(),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    let result: Value = serde_json::from_slice(&output.stdout).context("cannot parse the peer's figures")?;
    let values = |key: &str| -> Vec<f64> {
        result.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_f64).collect()
    };
    let figures = Figures { time: values("microseconds"), allocated: values("allocated") };
    let text =
        std::fs::read_to_string(directory.join("peer.out")).context("cannot read the peer's output")?;
    Ok(Peer { figures, text })
}
