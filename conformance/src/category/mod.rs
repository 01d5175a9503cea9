//! Which of our functions corresponds to which function of the Prometheus Operator, and how close the results must be. One
//! file for each part.

mod admission;
mod alerting;
mod kubelet;
mod round_trip;
mod rules;
mod schema;
mod scrape;
mod select;
mod status;
mod web;
mod workload;
mod workload_alerting;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};

use crate::case::{self, Case};
use crate::compare::Outcome;
use crate::configuration::Configuration;

/// Runs one case.
pub(crate) type Runner = fn(&Case) -> Outcome;

/// Functions of the Prometheus Operator and their counterparts.
const RUNNERS: &[&[(&str, Runner)]] = &[
    admission::RUNNERS,
    alerting::RUNNERS,
    kubelet::RUNNERS,
    rules::RUNNERS,
    scrape::RUNNERS,
    select::RUNNERS,
    status::RUNNERS,
    web::RUNNERS,
    workload::RUNNERS,
    workload_alerting::RUNNERS,
];

/// Folders that other tests read.
const FACTS: &[&str] = &["flags", "metrics", "version-gates", "yaml-scalars"];

/// The results of the cases of a folder.
#[derive(Debug, Default)]
pub(crate) struct FolderResult {
    /// The results.
    pub(crate) outcomes: Vec<Outcome>,
    /// The number of cases that did not run, by function without a counterpart.
    pub(crate) unsupported: BTreeMap<String, usize>,
    /// The configuration files that were generated.
    pub(crate) configurations: Vec<Configuration>,
}

/// The folders of cases, by name.
pub(crate) fn folders(directory: &Path) -> Result<BTreeSet<String>> {
    let mut folders = BTreeSet::new();
    for entry in std::fs::read_dir(directory).with_context(|| format!("reading {}", directory.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() && !FACTS.contains(&name.as_str()) {
            folders.insert(name);
        }
    }
    Ok(folders)
}

/// Runs the cases of a folder.
pub(crate) fn run(folder: &Path) -> Result<FolderResult> {
    if folder.ends_with("crd-fields") {
        return Ok(FolderResult { outcomes: schema::run(folder)?, ..FolderResult::default() });
    }
    let mut result = FolderResult::default();
    for case in case::read(folder)? {
        let runner = RUNNERS.iter().copied().flatten().find(|(function, _)| *function == case.function);
        match runner {
            Some((_, runner)) => {
                let outcome = runner(&case);
                let output = outcome.output.as_ref();
                result.configurations.extend(output.and_then(|output| Configuration::of(&case, output)));
                result.outcomes.push(outcome);
            }
            None => *result.unsupported.entry(case.function).or_default() += 1,
        }
    }
    Ok(result)
}
