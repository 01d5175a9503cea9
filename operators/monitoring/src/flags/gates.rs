//! Features that can be switched.

use std::collections::BTreeSet;
use std::fmt;

use go_syntax::quoted::Quoted;

use crate::flags::flag::{Fields, Flag};
use crate::flags::go::number;
use crate::flags::value::{Refusal, Value};

/// The metric that tells which features are on; its only label is `name`.
pub const METRIC: &str = "prometheus_operator_feature_gate";

/// A feature that can be switched. Their order is that of their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Gate {
    /// Agents in a DaemonSet.
    PrometheusAgentDaemonSet,
    /// What happens with the data of a shard that is not wanted any more.
    PrometheusShardRetentionPolicy,
    /// Shards spread over zones.
    PrometheusTopologySharding,
    /// Remote writes as resources.
    RemoteWriteCustomResourceDefinition,
    /// Monitors and rules tell in their status who took them in.
    StatusForConfigurationResources,
}

impl Gate {
    /// All of them, by name.
    pub const ALL: [Self; 5] = [
        Self::PrometheusAgentDaemonSet,
        Self::PrometheusShardRetentionPolicy,
        Self::PrometheusTopologySharding,
        Self::RemoteWriteCustomResourceDefinition,
        Self::StatusForConfigurationResources,
    ];

    /// As the flag and the metric name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::PrometheusAgentDaemonSet => "PrometheusAgentDaemonSet",
            Self::PrometheusShardRetentionPolicy => "PrometheusShardRetentionPolicy",
            Self::PrometheusTopologySharding => "PrometheusTopologySharding",
            Self::RemoteWriteCustomResourceDefinition => "RemoteWriteCustomResourceDefinition",
            Self::StatusForConfigurationResources => "StatusForConfigurationResources",
        }
    }

    /// Whether it is on when nobody switches it.
    pub fn is_on_by_default(self) -> bool {
        match self {
            Self::PrometheusShardRetentionPolicy | Self::PrometheusTopologySharding => true,
            Self::PrometheusAgentDaemonSet
            | Self::RemoteWriteCustomResourceDefinition
            | Self::StatusForConfigurationResources => false,
        }
    }

    /// What it does.
    pub fn description(self) -> &'static str {
        match self {
            Self::PrometheusAgentDaemonSet => "PrometheusAgents can run as DaemonSets.",
            Self::PrometheusShardRetentionPolicy => {
                "A Prometheus can say what happens with shards that it no longer wants."
            }
            Self::PrometheusTopologySharding => "The shards of a Prometheus can be spread over zones.",
            Self::RemoteWriteCustomResourceDefinition => {
                "Accepted, and without effect: there is no such resource yet."
            }
            Self::StatusForConfigurationResources => {
                "Monitors, probes, scrape configurations and rules tell who took them in."
            }
        }
    }
}

/// Which features are on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureGates(BTreeSet<Gate>);

impl Default for FeatureGates {
    fn default() -> Self {
        Self(Gate::ALL.into_iter().filter(|gate| gate.is_on_by_default()).collect())
    }
}

impl FeatureGates {
    /// Whether a feature is on.
    pub fn enabled(&self, gate: Gate) -> bool {
        self.0.contains(&gate)
    }

    /// Switches a feature.
    pub fn switch(&mut self, gate: Gate, on: bool) {
        if on {
            self.0.insert(gate);
        } else {
            self.0.remove(&gate);
        }
    }

    /// The values of [`METRIC`] by its label: 1 for a feature that is on, 0 for others.
    pub fn metric(&self) -> impl Iterator<Item = (&'static str, u8)> {
        Gate::ALL.into_iter().map(|gate| (gate.name(), u8::from(self.enabled(gate))))
    }
}

/// All of them, such as `A=true,B=false`.
impl fmt::Display for FeatureGates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, gate) in Gate::ALL.into_iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{}={}", gate.name(), self.enabled(gate))?;
        }
        Ok(())
    }
}

impl Fields for FeatureGates {
    const TITLE: &'static str = "Features";
    const FLAGS: &'static [Flag<Self>] = &[Flag {
        name: "feature-gates",
        help: "Features to switch; the list of them is below.",
        field: |gates| gates,
    }];
}

impl Value for FeatureGates {
    fn form(&self) -> &'static str {
        "NAME=BOOL,…"
    }

    fn show(&self) -> String {
        let switched = Gate::ALL.into_iter().filter(|gate| self.enabled(*gate) != gate.is_on_by_default());
        switched.map(|gate| format!("{}={}", gate.name(), self.enabled(gate))).collect::<Vec<_>>().join(",")
    }

    /// What can be read is taken, so that another unknown name does not hide what is wrong with the rest.
    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        let mut unknown = None;
        for pair in text.split(',').filter(|pair| !pair.is_empty()) {
            let (name, on) = read(pair)?;
            match Gate::ALL.into_iter().find(|gate| gate.name() == name) {
                Some(gate) => self.switch(gate, on),
                None => unknown = unknown.or(Some(name)),
            }
        }
        let Some(name) = unknown else { return Ok(()) };
        Err(Refusal::AtStart(format!(
            "failed to update feature gates: feature gate {} is unknown (supported feature gates: {self})",
            Quoted(name)
        )))
    }

    fn adds(&self) -> bool {
        true
    }
}

fn read(pair: &str) -> Result<(&str, bool), Refusal> {
    let (name, value) =
        pair.split_once('=').ok_or_else(|| Refusal::now("malformed pair, expect string=bool"))?;
    let (name, value) = (name.trim(), value.trim());
    let on = number::boolean(value).ok_or_else(|| {
        let problem = format!("strconv.ParseBool: parsing {}: invalid syntax", Quoted(value));
        Refusal::Now(format!("invalid value of {name}: {value}, err: {problem}"))
    })?;
    Ok((name, on))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metric_tells_of_every_feature() {
        let mut gates = FeatureGates::default();
        gates.switch(Gate::PrometheusAgentDaemonSet, true);
        gates.switch(Gate::PrometheusTopologySharding, false);
        let expected = [
            ("PrometheusAgentDaemonSet", 1),
            ("PrometheusShardRetentionPolicy", 1),
            ("PrometheusTopologySharding", 0),
            ("RemoteWriteCustomResourceDefinition", 0),
            ("StatusForConfigurationResources", 0),
        ];
        assert_eq!(gates.metric().collect::<Vec<_>>(), expected);
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
    fn what_cannot_be_read_or_is_not_known_is_told_apart() {
        let all = "PrometheusAgentDaemonSet=false,PrometheusShardRetentionPolicy=true,\
                   PrometheusTopologySharding=true,RemoteWriteCustomResourceDefinition=false,\
                   StatusForConfigurationResources=false";
        for (text, refusal) in [
            ("a", Refusal::now("malformed pair, expect string=bool")),
            (
                "a= yes",
                Refusal::now(
                    "invalid value of a: yes, err: strconv.ParseBool: parsing \"yes\": invalid syntax",
                ),
            ),
            (
                "Turbo=true",
                Refusal::AtStart(format!(
                    "failed to update feature gates: feature gate \"Turbo\" is unknown (supported feature gates: {all})"
                )),
            ),
        ] {
            assert_eq!(FeatureGates::default().set(text), Err(refusal));
        }
    }
}
