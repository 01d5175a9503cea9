//! All checks and tests that fit into an hour, in stages, with a summary. The Go programs of the lab are built at the
//! same time as cargo runs, because both together use the processors better than one after the other.
//!
//! A stage that cannot run is skipped with a reason and does not count as passed.

use anyhow::{Context, Result};
use lab::console::line;
use lab::paths::Cache;
use tokio::sync::oneshot;

use crate::budget::{self, CacheState, Stage};
use crate::nextest::{self, Suite};
use crate::programs::{Call, Programs};
use crate::summary::{Entry, Outcome, Summary, Total, step};
use crate::{ChoreResult, check, convergence, environment, operand_check, tools};

/// The images that the end-to-end tests use, in addition to those that every lab builds.
const IMAGES: &str = "busybox lab mainstay mainstay-reloader example-app etcd alertmanager prometheus versitygw thanos \
                      prometheus-operator:0.93.1 prometheus-config-reloader:0.93.1";

/// The lab of the end-to-end tests.
const LAB: &str = "e2e";

const NO_LAB: &str = "the lab program was not built";
const NO_PROGRAMS: &str = "the lab's programs were not built";
const NO_CHECKERS: &str = "the programs that check configurations were not built";
const NO_IMAGES: &str = "the lab's programs and images were not built";

/// One run of all stages.
struct Run<'a> {
    programs: &'a Programs,
    cache: CacheState,
}

/// Whether the machine can run a lab and pods, or why not.
struct Machine {
    lab: Result<(), String>,
    pods: Result<(), String>,
}

/// Runs all stages and prints the results; the last line has the counts of all suites.
pub(crate) async fn run(programs: &Programs) -> ChoreResult {
    let all_there = tools::all_installed() && lab::cluster::is_built();
    let cache = if all_there { CacheState::Full } else { CacheState::Empty };
    let run = Run { programs, cache };
    let chores = budget::CHORES;
    let compiled = chores.budget.with(cache);
    let compiled = Entry::done(chores.name, Some(compiled), environment::age(), Outcome::default());
    let (set_up, machine) = run.set_up().await;

    let (have_programs, programs_built) = oneshot::channel();
    let (have_checkers, checkers_built) = oneshot::channel();
    let (have_images, images_built) = oneshot::channel();
    let results = BuildResults { programs: have_programs, checkers: have_checkers, images: have_images };
    let builds = run.build_beside(&machine, results);
    let tests = async {
        let tools = async { tools::install_all(programs).await.map(drop) };
        let tools = run.stage(budget::TOOLS, tools).await;
        let check = run.stage(budget::CHECK, async { check::run(programs).await.outcome() }).await;
        let built = programs_built.await.unwrap_or(false);
        let api = run.stage(budget::API, api_tests(programs, built)).await;
        let convergence = run.stage(budget::CONVERGENCE, plans(programs, built)).await;
        let built = checkers_built.await.unwrap_or(false);
        let checked = run.stage(budget::CONFIGURATIONS, configurations(programs, built)).await;
        let built = images_built.await.unwrap_or(false);
        let tests = end_to_end_tests(programs, &machine, built);
        let cluster = run.stage(budget::END_TO_END, tests).await;
        [tools, check, api, convergence, checked, cluster]
    };
    let (built, tested) = tokio::join!(builds, tests);
    let entries = [compiled, set_up].into_iter().chain(built).chain(tested).collect();
    let total = Total { taken: environment::age(), budget: budget::TOTAL.with(cache) };
    let summary = Summary { entries, total: Some(total) };
    line(format!("\n{}", summary.table()));
    line(summary.closing());
    summary.result()
}

/// Builds the lab program in the directory of this one.
pub(crate) async fn build_lab(programs: &Programs) -> Result<()> {
    programs.run(&Call::build("lab")).await
}

/// Runs `lab doctor`. An error contains its output.
pub(crate) async fn examine(programs: &Programs, words: &str) -> Result<()> {
    let report =
        programs.output(&Call::lab(words)?).await.context("this machine cannot run a lab with pods")?;
    line(report.trim_end());
    Ok(())
}

/// Has the programs that read our configurations check them, and does nothing else.
pub(crate) async fn operand_check(programs: &Programs) -> Result<ChoreResult> {
    build_lab(programs).await?;
    programs.run(&Call::lab(&format!("build {}", operand_check::PROGRAMS))?).await?;
    let checked = step(budget::CONFIGURATIONS.name, None, operand_check::run(programs)).await;
    let summary = Summary { entries: vec![checked], total: None };
    line(summary.closing());
    Ok(summary.result())
}

/// Sends whether something was built to the stages that need it.
struct BuildResults {
    programs: oneshot::Sender<bool>,
    checkers: oneshot::Sender<bool>,
    images: oneshot::Sender<bool>,
}

impl Run<'_> {
    async fn stage<O: Into<Outcome>>(&self, stage: Stage, work: impl Future<Output = O>) -> Entry {
        step(stage.name, Some(stage.budget.with(self.cache)), work).await
    }

    /// Builds the lab program and runs `lab doctor`.
    async fn set_up(&self) -> (Entry, Machine) {
        let mut machine = Machine { lab: Err(NO_LAB.into()), pods: Err(NO_LAB.into()) };
        let entry = self
            .stage(budget::SET_UP, async {
                build_lab(self.programs).await?;
                machine.lab = Ok(());
                machine.pods =
                    examine(self.programs, "doctor --fix").await.map_err(|reason| format!("{reason:#}"));
                Ok(())
            })
            .await;
        if let (Ok(()), Err(reason)) = (&machine.lab, &machine.pods) {
            line(format!("this machine cannot run pods, so only the control plane is built: {reason}"));
        }
        (entry, machine)
    }

    /// Builds the programs of the lab, its images, and the programs that check configurations, while other stages run.
    async fn build_beside(&self, machine: &Machine, results: BuildResults) -> Vec<Entry> {
        let pods = machine.pods.is_ok();
        let words = if pods { "build" } else { "build --control-plane-only" };
        let programs = self.build(budget::LAB_PROGRAMS, words, "lab-programs.log", machine.lab.clone()).await;
        let _ = results.programs.send(programs.passed());

        let possible = if programs.passed() { machine.pods.clone() } else { Err(NO_PROGRAMS.into()) };
        let words = format!("image build {IMAGES}");
        let images = self.build(budget::LAB_IMAGES, &words, "lab-images.log", possible).await;

        let possible = operand_check::nothing_to_check().map_or_else(|| machine.lab.clone(), Err);
        let words = format!("build {}", operand_check::PROGRAMS);
        let checkers = self.build(budget::CHECKERS, &words, "lab-checkers.log", possible).await;
        let _ = results.checkers.send(checkers.passed());
        // Sent last, so that nothing is compiled during the end-to-end tests.
        let _ = results.images.send(images.passed());
        vec![programs, images, checkers]
    }

    /// Builds something with the lab program, if that is possible.
    async fn build(&self, stage: Stage, words: &str, log: &str, possible: Result<(), String>) -> Entry {
        self.stage(stage, async {
            if let Err(reason) = possible {
                return Outcome::skipped(reason);
            }
            let log = Cache::of_user().directory().join("logs").join(log);
            async { self.programs.follow(&Call::lab(words)?, "lab", &log).await }.await.into()
        })
        .await
    }
}

async fn api_tests(programs: &Programs, built: bool) -> Outcome {
    if !built {
        return Outcome::skipped(NO_PROGRAMS);
    }
    nextest::run(programs, Suite::Api, &[]).await
}

async fn plans(programs: &Programs, built: bool) -> Outcome {
    if !built {
        return Outcome::skipped(NO_PROGRAMS);
    }
    convergence::slice(programs).await
}

async fn configurations(programs: &Programs, built: bool) -> Outcome {
    if let Some(reason) = operand_check::nothing_to_check() {
        return Outcome::skipped(reason);
    }
    if !built {
        return Outcome::skipped(NO_CHECKERS);
    }
    operand_check::run(programs).await
}

async fn end_to_end_tests(programs: &Programs, machine: &Machine, built: bool) -> Outcome {
    if let Err(reason) = &machine.pods {
        return Outcome::skipped(reason);
    }
    if !built {
        return Outcome::skipped(NO_IMAGES);
    }
    if let Err(error) = examine(programs, "doctor").await {
        return Outcome::failed(&error);
    }
    let up = async {
        // Removes what an interrupted run left behind, so that it does not affect this one.
        programs.run(&Call::lab(&format!("down --name {LAB}"))?).await?;
        programs.run(&Call::lab(&format!("up --name {LAB} --nodes 3"))?).await
    };
    let mut outcome = match up.await {
        Ok(()) => nextest::run(programs, Suite::EndToEnd, &[("MAINSTAY_LAB", LAB)]).await,
        Err(error) => Outcome::failed(&error),
    };
    // Removed in any case, also after Ctrl-C.
    let down =
        async { Programs::regardless_of_signals().run(&Call::lab(&format!("down --name {LAB}"))?).await };
    if let Err(error) = down.await {
        outcome.also_failed(&error.context("the lab of the tests could not be removed"));
    }
    outcome
}
