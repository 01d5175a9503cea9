//! The peer's side: another program.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::figures::Figures;

/// Runs the peer's generator, and gives what it cost and wrote.
#[expect(clippy::disallowed_methods, reason = "the only place of this crate that runs a program")]
pub(crate) fn measure(
    program: &Path,
    directory: &Path,
    mode: &str,
    rounds: usize,
) -> Result<(Figures, String)> {
    let output = std::process::Command::new(program)
        .arg(directory)
        .arg(mode)
        .arg(rounds.to_string())
        .output()
        .with_context(|| format!("running {}", program.display()))?;
    ensure!(
        output.status.success(),
        "{} ended with {}: {}",
        program.display(),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    let told: Value = serde_json::from_slice(&output.stdout).context("reading the peer's figures")?;
    let values = |key: &str| -> Vec<f64> {
        told.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_f64).collect()
    };
    let figures = Figures { time: values("microseconds"), allocated: values("allocated") };
    let text = std::fs::read_to_string(directory.join("peer.out")).context("reading what the peer wrote")?;
    Ok((figures, text))
}
