//! The command `up`: takes the locks, and can repeat the start to measure its duration.

use std::time::Duration;

use anyhow::Result;

use crate::args;
use crate::clock::Span;
use crate::cluster;
use crate::console::{Progress, line, table};
use crate::state::{self, Lab, LabName};
use crate::versions::Versions;

/// Starts the requested lab.
pub async fn bring_up(options: &args::Up, progress: &mut Progress) -> Result<Lab> {
    let name = LabName::new(&options.lab.name)?;
    let _lock = state::lock(&name)?;
    let lab = {
        let _table = state::lock_table()?;
        Lab::request(options, Versions::built_in().default_version("kubernetes")?)?
    };
    cluster::up(&lab, progress).await?;
    Ok(lab)
}

/// Starts and stops the lab several times and prints the median of each stage.
pub async fn measure(options: &args::Up, runs: u8) -> Result<()> {
    let name = LabName::new(&options.lab.name)?;
    anyhow::ensure!(
        Lab::find(&name)?.is_none(),
        "lab `{}` exists: use another --name to measure",
        name.as_str()
    );
    cluster::build(options.kubernetes.as_deref(), options.control_plane_only.is_some())?;
    let mut stages: Vec<(String, Vec<Duration>)> = Vec::new();
    for run in 1..=runs {
        line(format!("run {run} of {runs}"));
        let mut progress = Progress::start();
        let outcome = bring_up(options, &mut progress).await;
        cluster::down(&name, false)?;
        outcome?;
        for (stage, taken) in progress.stages() {
            match stages.iter_mut().find(|(known, _)| known == stage) {
                Some((_, times)) => times.push(*taken),
                None => stages.push((stage.clone(), vec![*taken])),
            }
        }
    }
    let row = |(stage, times): &(String, Vec<Duration>)| {
        let each: Vec<String> = times.iter().map(|taken| Span(*taken).to_string()).collect();
        vec![stage.clone(), Span(median(times.clone())).to_string(), each.join(", ")]
    };
    let heading = ["STAGE", "MEDIAN", "EACH"].map(str::to_owned).to_vec();
    line(table(&std::iter::once(heading).chain(stages.iter().map(row)).collect::<Vec<_>>()).trim_end());
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
