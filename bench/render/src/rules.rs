//! Our side: renders PrometheusRules to rule files.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};
use api_monitoring::{Prometheus, PrometheusRule};
use formats::version;
use monitoring_rules::Options;
use monitoring_rules::file::{self, RuleFormat, RuleReader};

use crate::figures::{Figures, Ours, measured};
use crate::inputs;
use crate::monitors::items;

/// How many changes are made in a round: a single one is too short to be measured.
const CHANGES: usize = 20;

/// Renders this number of PrometheusRules, in several rounds.
pub(crate) fn measure(size: usize, rounds: usize) -> Result<Ours> {
    let prometheus: Prometheus = serde_json::from_value(inputs::server())?;
    let rules: Vec<PrometheusRule> = items(&inputs::rules(size))?;
    let version = version::parse(&prometheus.spec.shared.version)?;
    let reader = RuleReader { format: RuleFormat::Prometheus, version, options: Options::default() };
    let one = |rule: &PrometheusRule| -> Result<(String, String)> {
        let written = file::write(&rule.spec, &reader).map_err(|refused| anyhow!("{refused:?}"))?;
        Ok((file::name(rule), written))
    };

    let mut all = Figures::default();
    let mut files = BTreeMap::new();
    for _ in 0..rounds {
        measured(&mut all, || -> Result<()> {
            files = rules.iter().map(&one).collect::<Result<BTreeMap<_, _>>>()?;
            Ok(())
        })?;
    }
    let text = joined(&files);

    let mut changes = Figures::default();
    for round in 0..rounds {
        let changed: Vec<PrometheusRule> = (0..CHANGES)
            .map(|number| serde_json::from_value(inputs::rule((number * 7 + round) % size)))
            .collect::<Result<_, _>>()?;
        measured(&mut changes, || -> Result<()> {
            for rule in &changed {
                let (name, text) = one(rule)?;
                files.insert(name, text);
            }
            Ok(())
        })?;
    }
    changes.divide(CHANGES);
    Ok(Ours { all, one: changes, text })
}

/// All files in one text, sorted by name, as the peer's program writes them.
fn joined(files: &BTreeMap<String, String>) -> String {
    let mut joined = String::new();
    for part in files.iter().flat_map(|(name, text)| ["# ", name, "\n", text]) {
        joined.push_str(part);
    }
    joined
}
