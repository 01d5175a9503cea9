//! Steps that give each shard its part of the targets. All shards have the same configuration; the reloader replaces the
//! number of the shard and its zone in it.

use formats::yaml::{Map, Value};
use monitoring_select::{Mode, Server};

/// The hash that assigns a target to a shard, unless a step of the user set it.
const HASH: &str = "__tmp_hash";
/// Steps of users set it to assign a target to every shard.
const DISABLED: &str = "__tmp_disable_sharding";
/// The zone of a target.
const ZONE: &str = "__tmp_topology";

/// The steps of a job, by the hash of a label.
pub(crate) fn steps(server: &Server<'_>, label: &'static str) -> Vec<Map> {
    let mut steps = retention(server);
    let zones = i32::try_from(server.zones().len()).unwrap_or(i32::MAX);
    let (modulus, own) = if zones == 0 {
        (server.shards(), "$(SHARD);|.+;.+")
    } else {
        steps.extend(zone(server));
        ((server.shards() / zones).max(1), "$(INZONE_SHARD);|.+;.+")
    };
    steps.push(replace(vec![label, HASH], HASH, "(.+);"));
    steps.push(
        Map::new()
            .with("source_labels", vec![HASH])
            .with("target_label", HASH)
            .with("modulus", modulus)
            .with("action", "hashmod"),
    );
    steps.push(keep(vec![HASH, DISABLED], own));
    steps
}

/// Whether ScrapeConfigs and additional jobs get steps. With one shard they do not need any, unless surplus shards are
/// kept, which must not scrape anything.
pub(crate) fn concerns_users(server: &Server<'_>) -> bool {
    let kept = server.retains_shards && server.offers.shard_retention;
    server.mode != Mode::DaemonSet && (server.shards() > 1 || kept)
}

/// The steps of a ScrapeConfig or an additional job, unless it has sharding of its own.
pub(crate) fn missing_steps(server: &Server<'_>, own: &[Map]) -> Vec<Map> {
    let hashes = |step: &Map| step.0.iter().any(|(key, value)| is(key, "action") && is(value, "hashmod"));
    if !concerns_users(server) || own.iter().any(hashes) {
        Vec::new()
    } else if server.shards() > 1 {
        steps(server, "__address__")
    } else {
        retention(server)
    }
}

fn is(value: &Value, text: &str) -> bool {
    matches!(value, Value::Text(found) if found == text)
}

/// Surplus shards that are kept scrape nothing.
fn retention(server: &Server<'_>) -> Vec<Map> {
    if !server.offers.shard_retention {
        return Vec::new();
    }
    let needed: Vec<String> = (0..server.shards()).map(|shard| shard.to_string()).collect();
    vec![
        Map::new()
            .with("target_label", "__tmp_current_shard")
            .with("replacement", "$(SHARD)")
            .with("action", "replace"),
        keep(vec!["__tmp_current_shard"], needed.join("|")),
    ]
}

/// Targets of other zones are not scraped.
fn zone(server: &Server<'_>) -> [Map; 3] {
    let known = if server.offers.pod_topology_labels {
        [
            "__meta_kubernetes_pod_label_topology_kubernetes_io_zone",
            "__meta_kubernetes_pod_labelpresent_topology_kubernetes_io_zone",
        ]
    } else {
        [
            "__meta_kubernetes_node_label_topology_kubernetes_io_zone",
            "__meta_kubernetes_node_labelpresent_topology_kubernetes_io_zone",
        ]
    };
    [
        replace(vec!["__meta_kubernetes_endpointslice_endpoint_zone", ZONE], ZONE, "(.+);"),
        replace(vec![known[0], known[1], ZONE], ZONE, "(.+);true;"),
        keep(vec![ZONE, DISABLED], "$(TOPOLOGY_ZONE);|.+;.+"),
    ]
}

fn replace(sources: Vec<&'static str>, target: &'static str, regex: &'static str) -> Map {
    Map::new()
        .with("source_labels", sources)
        .with("target_label", target)
        .with("regex", regex)
        .with("replacement", "$1")
        .with("action", "replace")
}

fn keep(sources: Vec<&'static str>, regex: impl Into<Value>) -> Map {
    Map::new().with("source_labels", sources).with("regex", regex).with("action", "keep")
}

#[cfg(test)]
mod tests {
    use api_monitoring::prometheus::shared::SharedSpec;
    use formats::version::Version;

    use super::*;

    #[test]
    fn jobs_of_users_are_sharded_only_if_necessary() {
        let spec = |shards| SharedSpec { shards: Some(shards), ..SharedSpec::default() };
        let (one, two) = (spec(1), spec(2));
        let server = |spec, retains_shards, mode| {
            let mut server = Server::new(("ns", "name"), spec, Version::new(3, 0, 0));
            server.offers.shard_retention = true;
            (server.retains_shards, server.mode) = (retains_shards, mode);
            server
        };
        let own = [Map::new().with("action", "hashmod")];
        assert_eq!(missing_steps(&server(&one, false, Mode::Server), &[]), []);
        let keeps_none = [
            Map::new()
                .with("target_label", "__tmp_current_shard")
                .with("replacement", "$(SHARD)")
                .with("action", "replace"),
            keep(vec!["__tmp_current_shard"], "0"),
        ];
        assert_eq!(missing_steps(&server(&one, true, Mode::Server), &[]), keeps_none);
        assert_eq!(missing_steps(&server(&two, true, Mode::Server), &own), []);
        assert_eq!(missing_steps(&server(&two, true, Mode::DaemonSet), &[]), []);
        let whole = server(&two, true, Mode::Server);
        assert_eq!(missing_steps(&whole, &[]), steps(&whole, "__address__"));
    }
}
