//! Shards that are spread over zones: which shard is in which zone.

use std::collections::BTreeMap;

use api_monitoring::prometheus::shared::SharedSpec;

use crate::workload::operator::OperatorConfig;
use crate::workload::reloader::Values;

/// The label of a node with its zone.
const ZONE: &str = "topology.kubernetes.io/zone";

/// The place of a shard in its zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place<'p> {
    /// The zone.
    zone: &'p str,
    /// The number of the shard among those of the zone.
    number: i32,
}

/// The place of a shard; nothing, if shards are not spread over zones.
pub(crate) fn place<'p>(spec: &'p SharedSpec, operator: &OperatorConfig, shard: i32) -> Option<Place<'p>> {
    let strategy = spec.sharding_strategy.as_ref().filter(|_| operator.topology_sharding)?;
    let by_zone = strategy.mode.as_deref().is_some_and(|mode| mode == "Topology");
    let zones = &strategy.topology.as_ref().filter(|_| by_zone)?.values;
    let count = i32::try_from(zones.len()).ok().filter(|count| *count > 0)?;
    let zone = zones.get(usize::try_from(shard.rem_euclid(count)).ok()?)?;
    Some(Place { zone, number: shard / count })
}

/// What is filled into the configuration of a shard. A zone without a name is none.
pub(crate) fn values(place: Option<Place<'_>>, shard: i32) -> Values<'_> {
    let place = place.filter(|place| !place.zone.is_empty());
    Values {
        node: false,
        shard: Some(shard),
        zone: place.map_or("", |place| place.zone),
        shard_in_zone: place.map(|place| place.number),
    }
}

/// Labels of the nodes that a shard runs on.
pub(crate) fn node_selector(spec: &SharedSpec, place: Option<Place<'_>>) -> BTreeMap<String, String> {
    let mut selector = spec.node_selector.clone();
    if let Some(place) = place.filter(|place| !place.zone.is_empty()) {
        selector.insert(ZONE.into(), place.zone.into());
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
        let places: Vec<_> = (0..5).map(|shard| place(&spec, &operator, shard)).collect();
        let expected = [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("a", 2)];
        assert_eq!(places, expected.map(|(zone, number)| Some(Place { zone, number })));
    }

    #[test]
    fn without_zones_there_is_no_place() {
        let on = OperatorConfig::default();
        let off = OperatorConfig { topology_sharding: false, ..OperatorConfig::default() };
        assert_eq!(place(&SharedSpec::default(), &on, 0), None);
        assert_eq!(place(&spread(Some("Address"), &["a"]), &on, 0), None);
        assert_eq!(place(&spread(None, &["a"]), &on, 0), None);
        assert_eq!(place(&spread(Some("Topology"), &[]), &on, 0), None);
        assert_eq!(place(&spread(Some("Topology"), &["a"]), &off, 0), None);
    }
}
