//! The results of the checks, and their table. Pure.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::anyhow;
use lab::console::table;

use super::configuration::Configuration;
use super::judge::Judge;
use super::refusals::Refusals;
use crate::summary::Outcome;

/// Counts and names.
#[derive(Debug)]
pub(crate) struct Tally {
    refusals: Refusals,
    judges: BTreeMap<String, Counts>,
    refused: Vec<String>,
    not_judged: Vec<String>,
}

/// How many configurations a judge was given, and what it said.
#[derive(Debug, Default)]
struct Counts {
    all: usize,
    different: usize,
    accepted: usize,
    listed: usize,
    refused: usize,
}

/// What a judge said, out of what its program printed, in one line.
pub(crate) fn words(printed: &str) -> String {
    let said = printed.split_once("FAILED:").map_or(printed, |(_, said)| said);
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Tally {
    /// Nothing yet.
    pub(crate) fn new(refusals: Refusals) -> Self {
        Self { refusals, judges: BTreeMap::new(), refused: Vec::new(), not_judged: Vec::new() }
    }

    /// No program can judge this one.
    pub(crate) fn not_judged(&mut self, configuration: &Configuration) {
        self.not_judged.push(configuration.shown());
    }

    /// What a judge said about configurations of the same bytes: nothing, or why it refuses them.
    pub(crate) fn judged(&mut self, judge: &Judge, same: &[&Configuration], refused: Option<&str>) {
        let counts = self.judges.entry(judge.shown()).or_default();
        counts.different += 1;
        for one in same {
            counts.all += 1;
            match refused {
                None => counts.accepted += 1,
                Some(words) if self.refusals.reason(one, words).is_some() => counts.listed += 1,
                Some(words) => {
                    counts.refused += 1;
                    self.refused.push(format!("{} by {}: {words}", one.shown(), judge.shown()));
                }
            }
        }
    }

    /// A table of the judges, then names.
    pub(crate) fn told(&self) -> String {
        let heading = ["JUDGE", "CONFIGURATIONS", "DIFFERENT", "ACCEPTED", "REFUSED AS LISTED", "REFUSED"];
        let mut rows = vec![heading.map(str::to_owned).to_vec()];
        for (judge, Counts { all, different, accepted, listed, refused }) in &self.judges {
            let numbers = [all, different, accepted, listed, refused].map(ToString::to_string);
            rows.push(std::iter::once(judge.clone()).chain(numbers).collect());
        }
        let mut told = table(&rows);
        for refused in &self.refused {
            let _ = writeln!(told, "refused: {refused}");
        }
        told
    }

    /// Good when nothing was refused that is not listed and, where all cases were played, all that is listed occurred.
    pub(crate) fn outcome(&self, played: bool) -> Outcome {
        let mut outcome = Outcome::default();
        for name in &self.not_judged {
            outcome.also_skipped(name, "the lab has no program for its version");
        }
        if !self.refused.is_empty() {
            outcome.also_failed(&anyhow!("refused: {}", self.refused.join("; ")));
        }
        let stale = if played { self.refusals.stale() } else { Vec::new() };
        if !stale.is_empty() {
            outcome.also_failed(&anyhow!(
                "listed in conformance/refusals.toml, and not refused: {}",
                stale.join("; ")
            ));
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use lab::paths::Cache;
    use lab::programs::Workshop;
    use lab::versions::Versions;

    use super::super::configuration::Reader;
    use super::super::judge::tests::configuration;
    use super::*;

    const LIST: &str = r#"
        [[refusal]]
        reason = "left out by the case"
        words = "empty duration"
        cases = { prometheus = ["case"] }
    "#;

    fn judged(refused: Option<&str>) -> Tally {
        let judges = Judge::all(&Versions::built_in(), &Workshop::new(Cache::at("/cache"))).unwrap();
        let one = configuration(Reader::Prometheus, "3.13.0", "");
        let mut tally = Tally::new(Refusals::read(LIST).unwrap());
        tally.judged(Judge::choose(&judges, &one).unwrap(), &[&one, &one], refused);
        tally
    }

    #[test]
    fn a_refusal_fails_and_is_told() {
        let tally = judged(Some("no such field"));
        assert_eq!(
            tally.told(),
            "JUDGE             CONFIGURATIONS   DIFFERENT   ACCEPTED   REFUSED AS LISTED   REFUSED\n\
             promtool 3.13.1   2                1           0          0                   2\n\
             refused: prometheus/3.13.0/case@3.13.0 by promtool 3.13.1: no such field\n\
             refused: prometheus/3.13.0/case@3.13.0 by promtool 3.13.1: no such field\n"
        );
        let why = tally.outcome(false).failure.unwrap();
        assert!(why.starts_with("refused: prometheus/3.13.0/case@3.13.0 by promtool 3.13.1: no"), "{why}");
    }

    #[test]
    fn a_listed_refusal_must_occur() {
        assert_eq!(judged(Some("empty duration string")).outcome(true), Outcome::default());
        assert_eq!(judged(None).outcome(false), Outcome::default());
        let stale = "listed in conformance/refusals.toml, and not refused: prometheus case: empty duration";
        assert_eq!(judged(None).outcome(true).failure.as_deref(), Some(stale));
    }

    #[test]
    fn what_nobody_can_judge_is_named_and_counted() {
        let mut tally = judged(None);
        tally.not_judged(&configuration(Reader::Alertmanager, "1.0.0", ""));
        let report = tally.outcome(false).report;
        assert_eq!(report.counts.skipped, 1);
        let named = "alertmanager/1.0.0/case@1.0.0 (the lab has no program for its version)";
        assert_eq!(report.skipped, [named]);
    }

    #[test]
    fn words_are_what_follows_the_verdict() {
        assert_eq!(
            words("`promtool …` failed: Checking x\n  FAILED: parsing x:\n  line 3: no\n"),
            "parsing x: line 3: no"
        );
        assert_eq!(words("killed\n"), "killed");
    }
}
