//! Everything there is to test, from a bare machine to a summary, in stages. The Go programs of the lab are built
//! beside the work of cargo, because the two together fill the processors better than one after the other.
//!
//! A stage that cannot run is skipped and says why: it has not passed.

use anyhow::{Context, Result};
use lab::console::line;
use lab::paths::Cache as Store;
use tokio::sync::oneshot;

use crate::budget::{self, Cache, Stage};
use crate::nextest::{self, Suite};
use crate::programs::{Call, Programs};
use crate::summary::{Entry, Outcome, Summary, Whole, step};
use crate::{ChoreResult, check, convergence, environment, operand_check, tools};

/// What the end-to-end tests start as pods, beside what the lab builds for itself.
const IMAGES: &str = "busybox lab mainstay mainstay-reloader example-app etcd alertmanager prometheus versitygw thanos \
                      prometheus-operator:0.93.1 prometheus-config-reloader:0.93.1";

/// The lab of the end-to-end tests.
const LAB: &str = "e2e";

const NO_LAB: &str = "the lab itself was not built";
const NO_PROGRAMS: &str = "the lab's programs were not built";
const NO_JUDGES: &str = "the programs that judge configurations were not built";
const NO_IMAGES: &str = "the lab's programs and images were not built";

/// One run of all stages.
struct Run<'a> {
    programs: &'a Programs,
    cache: Cache,
}

/// What the machine can do, or why it cannot.
struct Machine {
    lab: Result<(), String>,
    pods: Result<(), String>,
}

/// Runs all stages and prints what they came to; the last line is the count over all suites.
pub(crate) async fn run(programs: &Programs) -> ChoreResult {
    let all_there = tools::all_installed() && lab::cluster::is_built();
    let cache = if all_there { Cache::Full } else { Cache::Empty };
    let run = Run { programs, cache };
    let chores = budget::CHORES;
    let compiled = chores.budget.with(cache);
    let compiled = Entry::done(chores.name, Some(compiled), environment::age(), Outcome::default());
    let (set_up, machine) = run.set_up().await;

    let (have_programs, programs_built) = oneshot::channel();
    let (have_judges, judges_built) = oneshot::channel();
    let (have_images, images_built) = oneshot::channel();
    let tell = Built { programs: have_programs, judges: have_judges, images: have_images };
    let builds = run.build_beside(&machine, tell);
    let tests = async {
        let tools = async { tools::install_all(programs).await.map(drop) };
        let tools = run.stage(budget::TOOLS, tools).await;
        let check = run.stage(budget::CHECK, async { check::run(programs).await.outcome() }).await;
        let built = programs_built.await.unwrap_or(false);
        let api = run.stage(budget::API, api_tests(programs, built)).await;
        let convergence = run.stage(budget::CONVERGENCE, plans(programs, built)).await;
        let built = judges_built.await.unwrap_or(false);
        let judged = run.stage(budget::CONFIGURATIONS, configurations(programs, built)).await;
        let built = images_built.await.unwrap_or(false);
        let tests = end_to_end_tests(programs, &machine, built);
        let cluster = run.stage(budget::END_TO_END, tests).await;
        [tools, check, api, convergence, judged, cluster]
    };
    let (built, tested) = tokio::join!(builds, tests);
    let entries = [compiled, set_up].into_iter().chain(built).chain(tested).collect();
    let whole = Whole { taken: environment::age(), budget: budget::WHOLE.with(cache) };
    let summary = Summary { entries, whole: Some(whole) };
    line(format!("\n{}", summary.table()));
    line(summary.closing());
    summary.result()
}

fn lab(words: &str) -> Result<Call> {
    Ok(Call::of(environment::binaries()?.join("lab")).words(words))
}

/// Builds the lab program, beside this one.
pub(crate) async fn build_lab(programs: &Programs) -> Result<()> {
    programs.run(&Call::build("lab")).await
}

/// Lets the lab look at the machine; an error holds its words.
pub(crate) async fn examine(programs: &Programs, words: &str) -> Result<()> {
    let said = programs.output(&lab(words)?).await.context("this machine cannot run a lab with pods")?;
    line(said.trim_end());
    Ok(())
}

/// Lets the programs that read our configurations judge them, and nothing else.
pub(crate) async fn operand_check(programs: &Programs) -> Result<ChoreResult> {
    build_lab(programs).await?;
    programs.run(&lab(&format!("build {}", operand_check::PROGRAMS))?).await?;
    let judged = step(budget::CONFIGURATIONS.name, None, operand_check::run(programs)).await;
    let summary = Summary { entries: vec![judged], whole: None };
    line(summary.closing());
    Ok(summary.result())
}

/// Whom to tell what was built.
struct Built {
    programs: oneshot::Sender<bool>,
    judges: oneshot::Sender<bool>,
    images: oneshot::Sender<bool>,
}

impl Run<'_> {
    async fn stage<O: Into<Outcome>>(&self, stage: Stage, work: impl Future<Output = O>) -> Entry {
        step(stage.name, Some(stage.budget.with(self.cache)), work).await
    }

    /// Builds the lab, and lets it look at the machine.
    async fn set_up(&self) -> (Entry, Machine) {
        let mut machine = Machine { lab: Err(NO_LAB.into()), pods: Err(NO_LAB.into()) };
        let entry = self
            .stage(budget::SET_UP, async {
                build_lab(self.programs).await?;
                machine.lab = Ok(());
                machine.pods =
                    examine(self.programs, "doctor --fix").await.map_err(|lacks| format!("{lacks:#}"));
                Ok(())
            })
            .await;
        if let (Ok(()), Err(lacks)) = (&machine.lab, &machine.pods) {
            line(format!("no pods on this machine, so only the control plane is built: {lacks}"));
        }
        (entry, machine)
    }

    /// Builds the lab's programs, its images, and what judges configurations, while others use the processors too.
    async fn build_beside(&self, machine: &Machine, tell: Built) -> Vec<Entry> {
        let pods = machine.pods.is_ok();
        let words = if pods { "build" } else { "build --control-plane-only" };
        let programs = self.build(budget::LAB_PROGRAMS, words, "lab-programs.log", machine.lab.clone()).await;
        let _ = tell.programs.send(programs.passed());

        let possible = if programs.passed() { machine.pods.clone() } else { Err(NO_PROGRAMS.into()) };
        let words = format!("image build {IMAGES}");
        let images = self.build(budget::LAB_IMAGES, &words, "lab-images.log", possible).await;

        let possible = operand_check::nothing_to_judge().map_or_else(|| machine.lab.clone(), Err);
        let words = format!("build {}", operand_check::PROGRAMS);
        let judges = self.build(budget::JUDGES, &words, "lab-judges.log", possible).await;
        let _ = tell.judges.send(judges.passed());
        // Told last: nothing is compiled beside the end-to-end tests.
        let _ = tell.images.send(images.passed());
        vec![programs, images, judges]
    }

    /// Lets the lab build something, if that is possible.
    async fn build(&self, stage: Stage, words: &str, log: &str, possible: Result<(), String>) -> Entry {
        self.stage(stage, async {
            if let Err(reason) = possible {
                return Outcome::skipped(reason);
            }
            let log = Store::of_user().directory().join("logs").join(log);
            async { self.programs.follow(&lab(words)?, "lab", &log).await }.await.into()
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
    if let Some(reason) = operand_check::nothing_to_judge() {
        return Outcome::skipped(reason);
    }
    if !built {
        return Outcome::skipped(NO_JUDGES);
    }
    operand_check::run(programs).await
}

async fn end_to_end_tests(programs: &Programs, machine: &Machine, built: bool) -> Outcome {
    if let Err(lacks) = &machine.pods {
        return Outcome::skipped(lacks);
    }
    if !built {
        return Outcome::skipped(NO_IMAGES);
    }
    if let Err(lacks) = examine(programs, "doctor").await {
        return Outcome::failed(&lacks);
    }
    let up = async {
        // What an interrupted run left behind must not speak for this one.
        programs.run(&lab(&format!("down --name {LAB}"))?).await?;
        programs.run(&lab(&format!("up --name {LAB} --nodes 3"))?).await
    };
    let mut outcome = match up.await {
        Ok(()) => nextest::run(programs, Suite::EndToEnd, &[("MAINSTAY_LAB", LAB)]).await,
        Err(error) => Outcome::failed(&error),
    };
    // Whatever happened, also after Ctrl-C: nothing of it stays on the machine.
    let down = async { Programs::regardless_of_signals().run(&lab(&format!("down --name {LAB}"))?).await };
    if let Err(error) = down.await {
        outcome.also_failed(&error.context("the lab of the tests did not go away"));
    }
    outcome
}
