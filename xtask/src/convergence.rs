//! Runs convergence plans: some of them as a stage of `make test`, all of them as a suite of `make test-long`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use lab::console::line;
use serde::Deserialize;

use crate::environment;
use crate::junit::{Counts, Report};
use crate::programs::{Call, Programs};
use crate::summary::Outcome;

/// How many plans are run: each scenario with each class of perturbation once, and some more in turn.
const PLANS: usize = 680;

/// The classes of perturbation, and how many scenarios have at least to run with each. The harness itself requires each
/// scenario with each class that applies to it. This list also detects lost scenarios and classes.
const LEAST: [(&str, usize); 13] = [
    ("crash", 65),
    ("answer-lost", 65),
    ("refused", 65),
    ("blocked", 65),
    ("held", 65),
    ("cut", 65),
    ("absent", 65),
    ("idle", 65),
    ("drift", 57),
    ("denied", 43),
    ("stale", 5),
    ("outside", 5),
    ("property", 4),
];

/// A random selection of the plans of `make convergence`, from all scenarios.
pub(crate) async fn slice(programs: &Programs) -> Outcome {
    outcome(programs, Plans::Draw).await
}

/// All plans of all scenarios.
pub(crate) async fn complete(programs: &Programs) -> Outcome {
    outcome(programs, Plans::All).await
}

/// Which plans are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plans {
    Draw,
    All,
}

async fn outcome(programs: &Programs, plans: Plans) -> Outcome {
    let mut outcome = Outcome::default();
    match run(programs, plans, &mut outcome).await {
        Err(error) if outcome.report.counts.failed > 0 => outcome.failure = Some(format!("{error:#}")),
        Err(error) => outcome.also_failed(&error),
        Ok(()) => {}
    }
    outcome
}

async fn run(programs: &Programs, plans: Plans, outcome: &mut Outcome) -> Result<()> {
    programs.run(&Call::build("convergence")).await?;
    let binaries = environment::binaries()?;
    let path = binaries.join("convergence.json");
    // Removed, so that the report of an earlier run is not read.
    let _ = std::fs::remove_file(&path);
    let which = match plans {
        Plans::All => String::new(),
        Plans::Draw => {
            let seed = commit(programs).await?;
            line(format!("{PLANS} plans, selected by the commit {seed}"));
            format!("--draw {PLANS} --seed {seed}")
        }
    };
    let call = Call::of(binaries.join("convergence"))
        .words(&format!("--retry {which} --report"))
        .arguments([path.to_string_lossy()]);
    let ended = programs.run(&call).await;
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => return ended.and(Err(error).context("the plans left no report")),
    };
    let report: HarnessReport = serde_json::from_str(&text).context("the report of the plans")?;
    *outcome = report.outcome();
    match plans {
        Plans::Draw => ended.and(report.is_enough()),
        Plans::All => ended,
    }
}

/// The commit that selects the plans: the same commit runs the same plans, and the next one runs others.
async fn commit(programs: &Programs) -> Result<String> {
    let head = programs.output(&Call::of("git").words("rev-parse HEAD")).await;
    let head = head.context("the commit selects the plans, so the workspace must be a git checkout")?;
    Ok(head.trim().to_owned())
}

/// The report of the harness.
#[derive(Deserialize)]
struct HarnessReport {
    played: usize,
    failed: Vec<String>,
    retried: Vec<String>,
    classes: BTreeMap<String, usize>,
}

impl HarnessReport {
    fn outcome(&self) -> Outcome {
        let failed = self.failed.len();
        let counts = Counts { passed: self.played.saturating_sub(failed), failed, skipped: 0 };
        Outcome {
            report: Report { counts, retried: self.retried.clone(), ..Report::default() },
            ..Outcome::default()
        }
    }

    /// Fails if too few plans were run, in total or of a class.
    fn is_enough(&self) -> Result<()> {
        ensure!(self.played >= PLANS, "{} of {PLANS} plans were run", self.played);
        for (class, least) in LEAST {
            let played = self.classes.get(class).copied().unwrap_or(0);
            ensure!(
                played >= least,
                "{played} plans of the class {class} were run, at least {least} are required"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(played: usize, classes: BTreeMap<String, usize>) -> HarnessReport {
        HarnessReport {
            played,
            failed: vec!["a/idle".into()],
            retried: vec!["a/idle".into(), "b/idle".into()],
            classes,
        }
    }

    fn least() -> BTreeMap<String, usize> {
        LEAST.map(|(class, least)| (class.to_owned(), least)).into()
    }

    #[test]
    fn plans_count_as_tests() {
        let text =
            r#"{"played": 9, "failed": ["a/idle"], "retried": ["a/idle", "b/idle"], "classes": {"idle": 9}}"#;
        let report = serde_json::from_str::<HarnessReport>(text).unwrap().outcome().report;
        assert_eq!(report.counts, Counts { passed: 8, failed: 1, skipped: 0 });
        assert_eq!(report.retried, ["a/idle", "b/idle"]);
        assert!(serde_json::from_str::<HarnessReport>("{}").is_err());
    }

    #[test]
    fn too_few_plans_are_a_failure() {
        assert!(report(PLANS, least()).is_enough().is_ok());
        let few = report(PLANS - 1, least()).is_enough().unwrap_err();
        assert_eq!(few.to_string(), format!("{} of {PLANS} plans were run", PLANS - 1));
    }

    #[test]
    fn too_few_plans_of_a_class_are_a_failure() {
        for (class, least_of_it) in LEAST {
            let mut classes = least();
            classes.insert(class.into(), least_of_it - 1);
            assert!(report(PLANS, classes).is_enough().is_err(), "{class}");
            let mut classes = least();
            classes.remove(class);
            assert!(report(PLANS, classes).is_enough().is_err(), "{class}");
        }
    }

    #[test]
    fn the_minimums_of_all_classes_fit_into_the_plans() {
        assert!(LEAST.iter().map(|(_, least)| least).sum::<usize>() <= PLANS);
    }
}
