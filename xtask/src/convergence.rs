//! Plays convergence plans: a part of them as one stage of all tests, all of them as a suite of the long ones.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::environment;
use crate::junit::{Counts, Report};
use crate::programs::{Call, Programs};
use crate::summary::Outcome;

/// Of how many scenarios: each must first be played without a disturbance, so not of all.
const SCENARIOS: u64 = 20;

/// How many minutes of their plans are played.
const MINUTES: u64 = 3;

/// Which ones. The same in every run, so that a run that fails says something about the code and not about the draw: all
/// of them are played by `make convergence`.
const SEED: u64 = 1;

/// Some of the plans of some of the scenarios of `make convergence`.
pub(crate) async fn slice(programs: &Programs) -> Outcome {
    outcome(programs, &format!("--scenarios {SCENARIOS} --minutes {MINUTES} --seed {SEED}")).await
}

/// All of the plans of all of the scenarios.
pub(crate) async fn complete(programs: &Programs) -> Outcome {
    outcome(programs, "").await
}

async fn outcome(programs: &Programs, which: &str) -> Outcome {
    let mut outcome = Outcome::default();
    match play(programs, which, &mut outcome).await {
        Err(error) if outcome.report.counts.failed > 0 => outcome.failure = Some(format!("{error:#}")),
        Err(error) => outcome.also_failed(&error),
        Ok(()) => {}
    }
    outcome
}

async fn play(programs: &Programs, which: &str, outcome: &mut Outcome) -> Result<()> {
    programs.run(&Call::build("convergence")).await?;
    let binaries = environment::binaries()?;
    let told = binaries.join("convergence.json");
    // The report of an earlier run must not speak for this one.
    let _ = std::fs::remove_file(&told);
    let call = Call::of(binaries.join("convergence"))
        .words(&format!("--retry {which} --report"))
        .arguments([told.to_string_lossy()]);
    let ended = programs.run(&call).await;
    match std::fs::read_to_string(&told).with_context(|| format!("no report in {}", told.display())) {
        Ok(text) => *outcome = read(&text)?,
        // Without one nothing is known to have been played, however the program ended.
        Err(missing) => return ended.and(Err(missing)),
    }
    ended
}

/// What the harness said about its plans.
fn read(text: &str) -> Result<Outcome> {
    #[derive(Deserialize)]
    struct Told {
        played: usize,
        failed: Vec<String>,
        retried: Vec<String>,
    }
    let Told { played, failed, retried } = serde_json::from_str(text).context("the report of the plans")?;
    let counts = Counts { passed: played.saturating_sub(failed.len()), failed: failed.len(), skipped: 0 };
    Ok(Outcome { report: Report { counts, retried, ..Report::default() }, ..Outcome::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_count_as_tests() {
        let text = r#"{"played": 9, "failed": ["a/idle"], "retried": ["a/idle", "b/idle"]}"#;
        let report = read(text).unwrap().report;
        assert_eq!(report.counts, Counts { passed: 8, failed: 1, skipped: 0 });
        assert_eq!(report.retried, ["a/idle", "b/idle"]);
        assert!(read("{}").is_err());
    }
}
