//! Runs a suite of tests. `.config/nextest.toml` says which tests belong to which suite.

use anyhow::{Context, Result};

use crate::junit::{self, Report};
use crate::programs::{Call, Programs};
use crate::summary::Outcome;
use crate::{environment, tools};

/// The suites: one profile of the test runner each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Suite {
    /// What needs nothing but the code.
    Unit,
    /// What needs an API server.
    Api,
    /// What needs pods.
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

/// Runs a suite with further environment variables. A failure that no test accounts for (nothing compiled, nothing
/// found) counts as one.
pub(crate) async fn run(programs: &Programs, suite: Suite, environment: &[(&str, &str)]) -> Outcome {
    let mut report = Report::default();
    let result = attempt(programs, suite, environment, &mut report).await;
    let accounted = report.counts.failed > 0;
    let mut outcome = Outcome { report, ..Outcome::default() };
    match result {
        Err(error) if accounted => outcome.failure = Some(format!("{error:#}")),
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
    // Its own default, in the checkout wherever cargo builds.
    let written = environment::workspace().join("target/nextest").join(profile).join("junit.xml");
    // The report of an earlier run must not speak for this one.
    let _ = std::fs::remove_file(&written);
    // Always the whole workspace with all features: with others cargo would compile all again.
    let call = Call::of(nextest)
        .words("nextest run --locked --workspace --all-features --no-fail-fast --profile")
        .words(profile);
    let call = variables.iter().fold(call, |call, (name, value)| call.with(name, value));
    let ended = programs.run(&call).await;
    match std::fs::read_to_string(&written).with_context(|| format!("no report in {}", written.display())) {
        Ok(text) => *report = junit::read(&text)?,
        // A run that failed before its first test leaves none, and its own words say more.
        Err(missing) => return ended.and(Err(missing)),
    }
    ended
}
