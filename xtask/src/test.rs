//! Everything there is to test, from a bare machine to a summary, in stages. The Go programs of the lab are built
//! beside the work of cargo, because the two together fill the processors better than one after the other.

use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use lab::clock::{Span, Stopwatch};
use lab::console::line;
use lab::paths::Cache;
use tokio::sync::oneshot;

use crate::nextest::{self, Suite};
use crate::programs::{Call, Programs};
use crate::summary::{Entry, Outcome, Summary, step};
use crate::{Verdict, check, convergence, environment, operand_check, tools};

/// What the end-to-end tests start as pods, beside what the lab builds for itself.
const IMAGES: &str = "busybox lab mainstay mainstay-reloader example-app etcd alertmanager prometheus versitygw thanos \
                      prometheus-operator:0.93.1 prometheus-config-reloader:0.93.1";

/// The stage in which the operands' own programs judge what we write for them.
const CONFIGURATIONS: &str = "operand configurations";

/// The lab of the end-to-end tests.
const LAB: &str = "e2e";

/// What everything may take on two processors without a cache.
const WHOLE: Duration = minutes(75);

const fn minutes(count: u64) -> Duration {
    Duration::from_secs(60 * count)
}

/// Runs all stages and prints what they came to; the last line is the count over all suites.
pub(crate) async fn run(programs: &Programs) -> Verdict {
    let watch = Stopwatch::start();
    let mut doctor = Ok(());
    let set_up = step("set-up", Some(minutes(5)), async {
        let built = build_lab(programs).await;
        doctor = match &built {
            Ok(()) => examine(programs, "doctor --fix").await,
            Err(_) => Err(anyhow!("there is no lab program")),
        };
        built
    })
    .await;
    let pods = doctor.is_ok();
    if let Err(lacks) = &doctor {
        line(format!("no pods on this machine, so only the control plane is built: {lacks:#}"));
    }

    let (have_programs, programs_built) = oneshot::channel();
    let (have_judges, judges_built) = oneshot::channel();
    let (have_images, images_built) = oneshot::channel();
    let tell = Built { programs: have_programs, judges: have_judges, images: have_images };
    let builds = build_beside(programs, pods, tell);
    let tests = async {
        let tools =
            step("tools", Some(minutes(10)), async { tools::install_all(programs).await.map(drop) }).await;
        let check = step("check", Some(minutes(15)), async { check::run(programs).await.outcome() }).await;
        let built = programs_built.await.unwrap_or(false);
        let api = step("API-server tests", Some(minutes(5)), api_tests(programs, built)).await;
        let convergence = step("convergence (slice)", Some(minutes(10)), plans(programs, built)).await;
        let built = judges_built.await.unwrap_or(false);
        let judged = step(CONFIGURATIONS, Some(minutes(2)), configurations(programs, built)).await;
        let built = images_built.await.unwrap_or(false);
        let cluster = step("end-to-end tests", Some(minutes(15)), end_to_end_tests(programs, built)).await;
        [tools, check, api, convergence, judged, cluster]
    };
    let (built, tested) = tokio::join!(builds, tests);
    let summary = Summary { entries: std::iter::once(set_up).chain(built).chain(tested).collect() };

    let over = if watch.elapsed() > WHOLE { " (over budget)" } else { "" };
    line(format!("\n{}", summary.table()));
    line(format!("in all: {} of {}{over}", Span(watch.elapsed()), Span(WHOLE)));
    line(summary.retries());
    line(summary.closing());
    summary.verdict()
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
pub(crate) async fn operand_check(programs: &Programs) -> Result<Verdict> {
    build_lab(programs).await?;
    programs.run(&lab(&format!("build {}", operand_check::PROGRAMS))?).await?;
    let judged = step(CONFIGURATIONS, None, operand_check::run(programs)).await;
    Ok(Verdict::of(judged.passed()))
}

/// Whom to tell what was built.
struct Built {
    programs: oneshot::Sender<bool>,
    judges: oneshot::Sender<bool>,
    images: oneshot::Sender<bool>,
}

/// Builds the lab's programs, its images, and what judges configurations, while others use the processors too.
async fn build_beside(programs: &Programs, pods: bool, tell: Built) -> Vec<Entry> {
    let logs = Cache::of_user().directory().join("logs");
    let follow = async |words: &str, log: &str| programs.follow(&lab(words)?, "lab", &logs.join(log)).await;
    let words = if pods { "build" } else { "build --control-plane-only" };
    let built = step("lab programs (beside)", Some(minutes(25)), follow(words, "lab-programs.log")).await;
    let go_on = pods && built.passed();
    let _ = tell.programs.send(built.passed());
    let mut entries = vec![built];
    if go_on {
        let words = format!("image build {IMAGES}");
        entries.push(step("lab images (beside)", Some(minutes(25)), follow(&words, "lab-images.log")).await);
    }
    // Without pods the end-to-end stage itself says what the machine lacks.
    let images = !pods || entries.iter().all(Entry::passed);
    if operand_check::applies() {
        let words = format!("build {}", operand_check::PROGRAMS);
        let judges = step("judges (beside)", Some(minutes(15)), follow(&words, "lab-judges.log")).await;
        let _ = tell.judges.send(judges.passed());
        entries.push(judges);
    } else {
        let _ = tell.judges.send(true);
    }
    // Told last: nothing is compiled beside the end-to-end tests.
    let _ = tell.images.send(images);
    entries
}

async fn api_tests(programs: &Programs, built: bool) -> Outcome {
    if !built {
        return Outcome::failed(&anyhow!("the lab's programs were not built"));
    }
    nextest::run(programs, Suite::Api, &[]).await
}

async fn plans(programs: &Programs, built: bool) -> Outcome {
    if !built {
        return Outcome::failed(&anyhow!("the lab's programs were not built"));
    }
    convergence::slice(programs).await
}

async fn configurations(programs: &Programs, built: bool) -> Outcome {
    if !built {
        return Outcome::failed(&anyhow!("the programs that judge configurations were not built"));
    }
    operand_check::run(programs).await
}

async fn end_to_end_tests(programs: &Programs, built: bool) -> Outcome {
    if !built {
        return Outcome::failed(&anyhow!("the lab's programs and images were not built"));
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
