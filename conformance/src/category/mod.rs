//! Which of our functions corresponds to which of the peer's, and how close the results must be. One file for each part.

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

/// Plays one case.
pub(crate) type Player = fn(&Case) -> Outcome;

/// Functions of the peer and who plays them.
const PLAYERS: &[&[(&str, Player)]] = &[
    admission::PLAYERS,
    alerting::PLAYERS,
    kubelet::PLAYERS,
    rules::PLAYERS,
    scrape::PLAYERS,
    select::PLAYERS,
    status::PLAYERS,
    web::PLAYERS,
    workload::PLAYERS,
    workload_alerting::PLAYERS,
];

/// Folders with facts that other tests read.
const FACTS: &[&str] = &["flags", "metrics", "version-gates", "yaml-scalars"];

/// What became of the cases of a folder.
#[derive(Debug, Default)]
pub(crate) struct Played {
    /// Those that were played.
    pub(crate) outcomes: Vec<Outcome>,
    /// The number of those that were not, by the function that has no counterpart here.
    pub(crate) unplayed: BTreeMap<String, usize>,
    /// The configuration files that we made.
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

/// Plays a folder.
pub(crate) fn play(folder: &Path) -> Result<Played> {
    if folder.ends_with("crd-fields") {
        return Ok(Played { outcomes: schema::run(folder)?, ..Played::default() });
    }
    let mut played = Played::default();
    for case in case::read(folder)? {
        let player = PLAYERS.iter().copied().flatten().find(|(function, _)| *function == case.function);
        match player {
            Some((_, player)) => {
                let outcome = player(&case);
                let made = outcome.made.as_ref();
                played.configurations.extend(made.and_then(|made| Configuration::of(&case, made)));
                played.outcomes.push(outcome);
            }
            None => *played.unplayed.entry(case.function).or_default() += 1,
        }
    }
    Ok(played)
}
