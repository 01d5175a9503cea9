//! Feature gates.

use std::collections::BTreeSet;

use go_syntax::quoted::Quoted;

use crate::flags::flag::{Flag, Group};
use crate::flags::value::{FlagValue, RejectedValue, boolean};

/// A feature that can be enabled or disabled. Gates are ordered by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Gate {
    /// Agents in a DaemonSet.
    PrometheusAgentDaemonSet,
    /// What happens to the data of a shard that is scaled down.
    PrometheusShardRetentionPolicy,
    /// Shards spread over zones.
    PrometheusTopologySharding,
    /// Remote writes as resources.
    RemoteWriteCustomResourceDefinition,
    /// Status of monitors and rules.
    StatusForConfigurationResources,
}

impl Gate {
    /// All gates, by name.
    pub const ALL: [Self; 5] = [
        Self::PrometheusAgentDaemonSet,
        Self::PrometheusShardRetentionPolicy,
        Self::PrometheusTopologySharding,
        Self::RemoteWriteCustomResourceDefinition,
        Self::StatusForConfigurationResources,
    ];

    /// The name in the flag and in the metric.
    pub fn name(self) -> &'static str {
        match self {
            Self::PrometheusAgentDaemonSet => "PrometheusAgentDaemonSet",
            Self::PrometheusShardRetentionPolicy => "PrometheusShardRetentionPolicy",
            Self::PrometheusTopologySharding => "PrometheusTopologySharding",
            Self::RemoteWriteCustomResourceDefinition => "RemoteWriteCustomResourceDefinition",
            Self::StatusForConfigurationResources => "StatusForConfigurationResources",
        }
    }

    /// Whether the feature is enabled by default.
    pub(crate) fn is_on_by_default(self) -> bool {
        matches!(self, Self::PrometheusShardRetentionPolicy | Self::PrometheusTopologySharding)
    }

    /// What the feature does.
    pub(crate) fn help(self) -> &'static str {
        match self {
            Self::PrometheusAgentDaemonSet => "A PrometheusAgent can run as a DaemonSet.",
            Self::PrometheusShardRetentionPolicy => {
                "A Prometheus can define what happens to shards that are scaled down."
            }
            Self::PrometheusTopologySharding => "The shards of a Prometheus can be spread over zones.",
            Self::RemoteWriteCustomResourceDefinition => {
                "Accepted without effect: there is no such resource yet."
            }
            Self::StatusForConfigurationResources => {
                "The status of monitors, probes, scrape configurations and rules lists the workloads that select them."
            }
        }
    }
}

/// Which features are enabled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureGates(BTreeSet<Gate>);

impl Default for FeatureGates {
    fn default() -> Self {
        Self(Gate::ALL.into_iter().filter(|gate| gate.is_on_by_default()).collect())
    }
}

impl FeatureGates {
    /// Whether a feature is enabled.
    pub fn enabled(&self, gate: Gate) -> bool {
        self.0.contains(&gate)
    }

    /// Enables or disables a feature.
    pub fn switch(&mut self, gate: Gate, on: bool) {
        if on {
            self.0.insert(gate);
        } else {
            self.0.remove(&gate);
        }
    }

    pub(crate) fn group(&mut self) -> Group<'_> {
        let flag = Flag::new("feature-gates", self).help("Features to enable or disable, as listed below.");
        Group { title: "Features", flags: vec![flag] }
    }

    /// Gates as the flag takes them, such as `A=true,B=false`.
    fn list(&self, is_listed: impl Fn(Gate) -> bool) -> String {
        let gates = Gate::ALL.into_iter().filter(|gate| is_listed(*gate));
        gates.map(|gate| format!("{}={}", gate.name(), self.enabled(gate))).collect::<Vec<_>>().join(",")
    }
}

impl FlagValue for FeatureGates {
    fn form(&self) -> String {
        "NAME=BOOL,…".to_owned()
    }

    fn show(&self) -> String {
        self.list(|gate| self.enabled(gate) != gate.is_on_by_default())
    }

    /// All pairs are parsed before an unknown name is reported.
    fn set(&mut self, text: &str) -> Result<(), RejectedValue> {
        let mut unknown = None;
        for pair in text.split(',').filter(|pair| !pair.is_empty()) {
            let (name, on) = parse(pair)?;
            match Gate::ALL.into_iter().find(|gate| gate.name() == name) {
                Some(gate) => self.switch(gate, on),
                None => unknown = unknown.or(Some(name)),
            }
        }
        let Some(name) = unknown else { return Ok(()) };
        Err(RejectedValue::Start(format!(
            "failed to update feature gates: feature gate {} is unknown (supported feature gates: {})",
            Quoted(name),
            self.list(|_| true)
        )))
    }

    fn adds(&self) -> bool {
        true
    }
}

fn parse(pair: &str) -> Result<(&str, bool), RejectedValue> {
    let (name, value) =
        pair.split_once('=').ok_or_else(|| RejectedValue::parse("malformed pair, expect string=bool"))?;
    let (name, value) = (name.trim(), value.trim());
    let on = boolean(value).ok_or_else(|| {
        let problem = format!("strconv.ParseBool: parsing {}: invalid syntax", Quoted(value));
        RejectedValue::Parse(format!("invalid value of {name}: {value}, err: {problem}"))
    })?;
    Ok((name, on))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_from_the_default_is_shown() {
        let mut gates = FeatureGates::default();
        gates.switch(Gate::PrometheusAgentDaemonSet, true);
        gates.switch(Gate::PrometheusTopologySharding, false);
        let enabled = Gate::ALL.map(|gate| (gate.name(), gates.enabled(gate)));
        let expected = [
            ("PrometheusAgentDaemonSet", true),
            ("PrometheusShardRetentionPolicy", true),
            ("PrometheusTopologySharding", false),
            ("RemoteWriteCustomResourceDefinition", false),
            ("StatusForConfigurationResources", false),
        ];
        assert_eq!(enabled, expected);
        assert_eq!(gates.show(), "PrometheusAgentDaemonSet=true,PrometheusTopologySharding=false");
    }

    #[test]
    fn features_are_in_the_order_of_their_names() {
        assert!(Gate::ALL.map(Gate::name).is_sorted());
        assert!(Gate::ALL.is_sorted());
    }

    #[test]
    fn pairs_are_read_with_blanks_around() {
        let mut gates = FeatureGates::default();
        gates.set(", PrometheusAgentDaemonSet = t ,,PrometheusTopologySharding=0").unwrap();
        assert!(gates.enabled(Gate::PrometheusAgentDaemonSet));
        assert!(!gates.enabled(Gate::PrometheusTopologySharding));
    }

    #[test]
    fn syntax_errors_and_unknown_names_are_different_errors() {
        let all = "PrometheusAgentDaemonSet=false,PrometheusShardRetentionPolicy=true,\
                   PrometheusTopologySharding=true,RemoteWriteCustomResourceDefinition=false,\
                   StatusForConfigurationResources=false";
        for (text, rejection) in [
            ("a", RejectedValue::parse("malformed pair, expect string=bool")),
            (
                "a= yes",
                RejectedValue::parse(
                    "invalid value of a: yes, err: strconv.ParseBool: parsing \"yes\": invalid syntax",
                ),
            ),
            (
                "Turbo=true",
                RejectedValue::Start(format!(
                    "failed to update feature gates: feature gate \"Turbo\" is unknown (supported feature gates: {all})"
                )),
            ),
        ] {
            assert_eq!(FeatureGates::default().set(text), Err(rejection));
        }
    }
}
