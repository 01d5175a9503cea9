//! One measurement: a number of applications on a separate control plane, from their creation to the restart of the
//! operator.

use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use lab::ControlPlane;
use lab::clock::{Stopwatch, wait_for};
use lab::console::{Progress, line};

use crate::apps::Applications;
use crate::operator::{LIMIT, Operator};
use crate::table::{Change, Installation, Measured, Restart};

/// The limit for the installation, for each application.
const PER_APPLICATION: Duration = Duration::from_millis(500);
/// How often the progress of an installation is printed.
const COUNT_EVERY: Duration = Duration::from_secs(10);

/// Measures with this number of applications and of changes.
pub(crate) async fn measure(program: &Path, applications: usize, changes: usize) -> Result<Measured> {
    let mut progress = Progress::start();
    let plane = ControlPlane::start().await.context("cannot start the control plane")?;
    let apps = Applications::create(plane.client().await?, applications).await?;
    progress.say(format!("{applications} applications are created"));

    let operator = Operator::start(program, &plane.kubeconfig())?;
    let installation = install(&operator, &apps, applications, &mut progress).await?;
    let mut made = Vec::new();
    for (at, mebibytes) in apps.sample(changes).zip(100..) {
        made.push(change(&operator, &apps, at, mebibytes).await?);
    }
    progress.say(format!("{applications} applications, {changes} changes"));
    operator.stop().await?;

    let operator = Operator::start(program, &plane.kubeconfig())?;
    let restart = restart(&operator).await?;
    progress.say(format!("{applications} applications, operator restarted"));
    operator.stop().await?;
    Ok(Measured { applications, installation, changes: made, restart })
}

async fn install(
    operator: &Operator,
    apps: &Applications,
    number: usize,
    progress: &mut Progress,
) -> Result<Installation> {
    let limit = LIMIT + PER_APPLICATION * u32::try_from(number)?;
    // Counting slows down the API server, and so the operator: it is not done every time.
    let counted = Cell::new(Stopwatch::start());
    let installed = wait_for(limit, async || {
        if counted.get().elapsed() < COUNT_EVERY {
            return None;
        }
        let installed = apps.installed().await.ok()?;
        counted.set(Stopwatch::start());
        if installed < number {
            line(format!("           {installed} of {number} applications are installed"));
            return None;
        }
        Some(())
    });
    installed.await.with_context(|| format!("not all applications were installed in {limit:?}"))?;
    let quiet = operator.settled(LIMIT).await?;
    let page = operator.page().await?;
    progress.say(format!("{number} applications are installed"));
    Ok(Installation {
        seconds: quiet.since_start,
        processor: quiet.processor,
        requests: page.requests,
        objects: page.objects,
        memory: operator.memory()?,
    })
}

async fn change(operator: &Operator, apps: &Applications, at: usize, mebibytes: u32) -> Result<Change> {
    // The metrics are read before and after the measurement, because serving them costs CPU time.
    let before = operator.page().await?;
    let processor = operator.quiet().await?.processor;
    let latency = apps.change(at, mebibytes).await?;
    let processor = operator.quiet().await?.processor.saturating_sub(processor);
    let after = operator.page().await?;
    let (requests, passes) = (after.requests - before.requests, after.passes - before.passes);
    Ok(Change { requests, passes, processor, latency })
}

async fn restart(operator: &Operator) -> Result<Restart> {
    let quiet = operator.settled(LIMIT).await?;
    let page = operator.page().await?;
    Ok(Restart {
        seconds: quiet.since_start,
        processor: quiet.processor,
        writes: page.writes,
        objects: page.objects,
        memory: operator.memory()?,
    })
}
