//! `up` as a command: with its locks, and several times over when somebody wants to know how long it takes.

use std::time::Duration;

use anyhow::Result;

use crate::args;
use crate::clock::{Span, Stopwatch};
use crate::cluster;
use crate::console::{Progress, line};
use crate::state::{self, Lab, LabName};
use crate::versions::Versions;

/// Brings the lab up that was asked for.
pub async fn bring_up(asked: &args::Up, progress: Progress) -> Result<Lab> {
    let name = LabName::new(&asked.lab.name)?;
    let _held = state::lock(&name)?;
    let lab = {
        let _table = state::lock_table()?;
        Lab::request(asked, Versions::built_in().default_version("kubernetes")?)?
    };
    cluster::up(&lab, progress).await?;
    Ok(lab)
}

/// Brings it up and down several times and prints the median.
pub async fn measure(asked: &args::Up, runs: u8) -> Result<()> {
    let name = LabName::new(&asked.lab.name)?;
    cluster::build(asked.kubernetes.as_deref(), asked.control_plane_only.is_some())?;
    let mut taken = Vec::new();
    for run in 1..=runs {
        cluster::down(&name, false)?;
        line(format!("run {run} of {runs}"));
        let watch = Stopwatch::start();
        bring_up(asked, Progress::start()).await?;
        taken.push(watch.elapsed());
    }
    cluster::down(&name, false)?;
    let each: Vec<String> = taken.iter().map(|taken| Span(*taken).to_string()).collect();
    line(format!("up: median {} of {}", Span(median(taken)), each.join(", ")));
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_one() {
        let seconds = |all: &[u64]| all.iter().copied().map(Duration::from_secs).collect::<Vec<_>>();
        assert_eq!(median(seconds(&[9, 1, 5])), Duration::from_secs(5));
        assert_eq!(median(Vec::new()), Duration::ZERO);
    }
}
