//! Sharding by topology: which shard runs in which zone.

use std::collections::BTreeMap;

use api_monitoring::prometheus::shared::SharedSpec;

use crate::workload::operator::OperatorConfig;
use crate::workload::reloader::Values;

/// The label of a node with its zone.
const ZONE: &str = "topology.kubernetes.io/zone";

/// The zone of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Zone<'z> {
    /// Its name.
    name: &'z str,
    /// The number of the shard among those of the zone.
    shard: i32,
}

/// The zone of a shard; none, if shards are not distributed over zones.
pub(crate) fn zone<'z>(spec: &'z SharedSpec, operator: &OperatorConfig, shard: i32) -> Option<Zone<'z>> {
    let strategy = spec.sharding_strategy.as_ref().filter(|_| operator.topology_sharding)?;
    let by_topology = strategy.mode.as_deref().is_some_and(|mode| mode == "Topology");
    let zones = &strategy.topology.as_ref().filter(|_| by_topology)?.values;
    let count = i32::try_from(zones.len()).ok().filter(|count| *count > 0)?;
    let name = zones.get(usize::try_from(shard.rem_euclid(count)).ok()?)?;
    Some(Zone { name, shard: shard / count })
}

/// The variables of the configuration of a shard. A zone without a name is ignored.
pub(crate) fn values(zone: Option<Zone<'_>>, shard: i32) -> Values<'_> {
    let zone = zone.filter(|zone| !zone.name.is_empty());
    Values {
        node: false,
        shard: Some(shard),
        zone: zone.map_or("", |zone| zone.name),
        shard_in_zone: zone.map(|zone| zone.shard),
    }
}

/// The labels of the nodes that a shard runs on.
pub(crate) fn node_selector(
    own: &BTreeMap<String, String>,
    zone: Option<Zone<'_>>,
) -> BTreeMap<String, String> {
    let mut selector = own.clone();
    if let Some(zone) = zone.filter(|zone| !zone.name.is_empty()) {
        selector.insert(ZONE.into(), zone.name.into());
    }
    selector
}

#[cfg(test)]
mod tests {
    use api_monitoring::prometheus::sharding::{ShardingStrategy, TopologyShardingStrategy};

    use super::*;

    fn spread(mode: Option<&str>, zones: &[&str]) -> SharedSpec {
        let values = zones.iter().map(|zone| (*zone).to_owned()).collect();
        let topology = TopologyShardingStrategy { values, ..TopologyShardingStrategy::default() };
        let strategy = ShardingStrategy { mode: mode.map(Into::into), topology: Some(topology) };
        SharedSpec { sharding_strategy: Some(strategy), ..SharedSpec::default() }
    }

    #[test]
    fn shards_take_the_zones_in_turn() {
        let (spec, operator) = (spread(Some("Topology"), &["a", "b"]), OperatorConfig::default());
        let zones: Vec<_> = (0..5).map(|shard| zone(&spec, &operator, shard)).collect();
        let expected = [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("a", 2)];
        assert_eq!(zones, expected.map(|(name, shard)| Some(Zone { name, shard })));
    }

    #[test]
    fn without_zones_a_shard_has_none() {
        let on = OperatorConfig::default();
        let off = OperatorConfig { topology_sharding: false, ..OperatorConfig::default() };
        assert_eq!(zone(&SharedSpec::default(), &on, 0), None);
        assert_eq!(zone(&spread(Some("Address"), &["a"]), &on, 0), None);
        assert_eq!(zone(&spread(None, &["a"]), &on, 0), None);
        assert_eq!(zone(&spread(Some("Topology"), &[]), &on, 0), None);
        assert_eq!(zone(&spread(Some("Topology"), &["a"]), &off, 0), None);
    }
}
