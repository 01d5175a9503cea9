//! Runs convergence plans: some of them as a stage of `make test`, all of them as a suite of `make test-long`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use lab::console::line;
use serde::Deserialize;

use crate::environment;
use crate::junit::{Counts, Report};
use crate::programs::{Call, Programs};
use crate::summary::Outcome;

/// How many plans are played: each scenario with each class of perturbation once, and some more in turns.
const PLANS: usize = 680;

/// The classes that every run meets, and how many scenarios do at least. The harness itself demands each scenario with
/// each class that applies to it; this stays when scenarios or classes are lost.
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

/// A draw of the plans of `make convergence`, of all scenarios.
pub(crate) async fn slice(programs: &Programs) -> Outcome {
    outcome(programs, Plans::Draw).await
}

/// All of the plans of all of the scenarios.
pub(crate) async fn complete(programs: &Programs) -> Outcome {
    outcome(programs, Plans::All).await
}

/// Which plans are played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plans {
    Draw,
    All,
}

async fn outcome(programs: &Programs, plans: Plans) -> Outcome {
    let mut outcome = Outcome::default();
    match play(programs, plans, &mut outcome).await {
        Err(error) if outcome.report.counts.failed > 0 => outcome.failure = Some(format!("{error:#}")),
        Err(error) => outcome.also_failed(&error),
        Ok(()) => {}
    }
    outcome
}

async fn play(programs: &Programs, plans: Plans, outcome: &mut Outcome) -> Result<()> {
    programs.run(&Call::build("convergence")).await?;
    let binaries = environment::binaries()?;
    let told = binaries.join("convergence.json");
    // The report of an earlier run must not speak for this one.
    let _ = std::fs::remove_file(&told);
    let which = match plans {
        Plans::All => String::new(),
        Plans::Draw => {
            let seed = commit(programs).await?;
            line(format!("{PLANS} plans, drawn by the commit {seed}"));
            format!("--draw {PLANS} --seed {seed}")
        }
    };
    let call = Call::of(binaries.join("convergence"))
        .words(&format!("--retry {which} --report"))
        .arguments([told.to_string_lossy()]);
    let ended = programs.run(&call).await;
    let text = match std::fs::read_to_string(&told) {
        Ok(text) => text,
        Err(error) => return ended.and(Err(error).context("the plans left no report")),
    };
    let told: HarnessReport = serde_json::from_str(&text).context("the report of the plans")?;
    *outcome = told.outcome();
    match plans {
        Plans::Draw => ended.and(told.is_enough()),
        Plans::All => ended,
    }
}

/// The commit that the draw depends on: the same commit plays the same plans, the next one plays others.
async fn commit(programs: &Programs) -> Result<String> {
    let head = programs.output(&Call::of("git").words("rev-parse HEAD")).await;
    let head = head.context("the plans are drawn by the commit, so the sources must be a git checkout")?;
    Ok(head.trim().to_owned())
}

/// What the harness said about its plans.
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

    /// Fewer plans than promised are a failure, and fewer of a class than there have to be.
    fn is_enough(&self) -> Result<()> {
        ensure!(self.played >= PLANS, "{} of {PLANS} plans were played", self.played);
        for (class, least) in LEAST {
            let played = self.classes.get(class).copied().unwrap_or(0);
            ensure!(
                played >= least,
                "{played} plans of the class {class} were played, at least {least} must be"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(played: usize, classes: BTreeMap<String, usize>) -> HarnessReport {
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
    fn fewer_plans_than_promised_are_a_failure() {
        assert!(told(PLANS, least()).is_enough().is_ok());
        let few = told(PLANS - 1, least()).is_enough().unwrap_err();
        assert_eq!(few.to_string(), format!("{} of {PLANS} plans were played", PLANS - 1));
    }

    #[test]
    fn a_class_that_is_not_played_often_enough_is_a_failure() {
        for (class, least_of_it) in LEAST {
            let mut classes = least();
            classes.insert(class.into(), least_of_it - 1);
            assert!(told(PLANS, classes).is_enough().is_err(), "{class}");
            let mut classes = least();
            classes.remove(class);
            assert!(told(PLANS, classes).is_enough().is_err(), "{class}");
        }
    }

    #[test]
    fn the_least_of_all_classes_fits_into_the_plans() {
        assert!(LEAST.iter().map(|(_, least)| least).sum::<usize>() <= PLANS);
    }
}
