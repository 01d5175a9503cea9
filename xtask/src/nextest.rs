//! Runs a suite of tests. `.config/nextest.toml` says which tests belong to which suite.

use anyhow::{Context, Result};

use crate::junit::{self, Report};
use crate::programs::{Call, Programs};
use crate::summary::Outcome;
use crate::{environment, tools};

/// The suites: one profile of the test runner each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Suite {
    /// Tests that need only the code.
    Unit,
    /// Tests that need an API server.
    Api,
    /// Tests that need pods.
    EndToEnd,
}

impl Suite {
    fn profile(self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Api => "api",
            Self::EndToEnd => "e2e",
        }
    }
}

/// Runs a suite with these environment variables. A failure without a failed test (nothing compiled, no test found)
/// counts as one.
pub(crate) async fn run(programs: &Programs, suite: Suite, environment: &[(&str, &str)]) -> Outcome {
    let mut report = Report::default();
    let result = attempt(programs, suite, environment, &mut report).await;
    let has_failed_test = report.counts.failed > 0;
    let mut outcome = Outcome { report, ..Outcome::default() };
    match result {
        Err(error) if has_failed_test => outcome.failure = Some(format!("{error:#}")),
        Err(error) => outcome.also_failed(&error),
        Ok(()) => {}
    }
    outcome
}

async fn attempt(
    programs: &Programs,
    suite: Suite,
    variables: &[(&str, &str)],
    report: &mut Report,
) -> Result<()> {
    let profile = suite.profile();
    let nextest = tools::NEXTEST.installed(programs).await?;
    // The default directory of the test runner, in the workspace and not in the target directory of cargo.
    let path = environment::workspace().join("target/nextest").join(profile).join("junit.xml");
    // Removed, so that the report of an earlier run is not read.
    let _ = std::fs::remove_file(&path);
    // Always the whole workspace with all features: otherwise cargo would compile everything again.
    let call = Call::of(nextest)
        .words("nextest run --locked --workspace --all-features --no-fail-fast --profile")
        .words(profile);
    let call = variables.iter().fold(call, |call, (name, value)| call.with(name, value));
    let ended = programs.run(&call).await;
    match std::fs::read_to_string(&path).with_context(|| format!("no report in {}", path.display())) {
        Ok(text) => *report = junit::read(&text)?,
        // A run that failed before its first test leaves no report, and its own error is more useful.
        Err(missing) => return ended.and(Err(missing)),
    }
    ended
}
