//! What of a workload matters to its configuration.

use std::collections::BTreeMap;

use api_monitoring::prometheus::scrape_class::ScrapeClass;
use api_monitoring::prometheus::sharding::TopologyShardingStrategy;
use api_monitoring::prometheus::shared::SharedSpec;
use api_monitoring::text::ServiceDiscoveryRole;
use formats::prometheus::Writer;
use formats::version::{self, NotAVersion, Version};

/// The version that runs if none is asked for.
pub const DEFAULT_VERSION: &str = "v3.13.1";

/// What runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// A server, with rules and storage.
    #[default]
    Server,
    /// An agent that forwards.
    Agent,
    /// An agent on every node, which scrapes the pods of its node.
    DaemonSet,
}

/// What the cluster and the operator offer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Offers {
    /// The cluster has EndpointSlices.
    pub endpoint_slices: bool,
    /// Pods carry the zone of their node as a label.
    pub pod_topology_labels: bool,
    /// Shards may be spread over zones.
    pub topology_sharding: bool,
    /// Shards that are not needed may be kept for a time.
    pub shard_retention: bool,
    /// Certificates are written into the configuration, in place of files.
    pub inline_tls: bool,
    /// Fields are written whether the version has them or not.
    pub any_version: bool,
}

/// Why no configuration can be written for a workload, whatever it selects.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// The version cannot be read.
    #[error("failed to parse Prometheus version: {0}")]
    Version(#[source] NotAVersion),
    /// Nobody knows what this version understands.
    #[error("unsupported Prometheus version {0:?}")]
    Unsupported(String),
}

/// A Prometheus or an agent.
#[derive(Debug, Clone)]
pub struct Server<'s> {
    /// Its namespace.
    pub namespace: &'s str,
    /// Its name.
    pub name: &'s str,
    /// What servers and agents say alike.
    pub spec: &'s SharedSpec,
    /// The version that runs.
    pub version: Version,
    /// What runs.
    pub mode: Mode,
    /// What there is.
    pub offers: Offers,
    /// Shards that are not needed any more are kept for a time and must scrape nothing.
    pub retains_shards: bool,
    classes: BTreeMap<&'s str, &'s ScrapeClass>,
    default_class: Option<&'s ScrapeClass>,
}

impl<'s> Server<'s> {
    /// A workload at a version. Its scrape classes were checked before.
    pub fn new((namespace, name): (&'s str, &'s str), spec: &'s SharedSpec, version: Version) -> Self {
        let classes: BTreeMap<&str, &ScrapeClass> =
            spec.scrape_classes.iter().map(|class| (&*class.name, class)).collect();
        // Of two classes with one name the last counts, also as the default.
        let default_class = defaults(spec).next().and_then(|class| classes.get(&*class.name).copied());
        Self {
            namespace,
            name,
            spec,
            version,
            mode: Mode::default(),
            offers: Offers::default(),
            retains_shards: false,
            classes,
            default_class,
        }
    }

    /// A workload as its resource describes it. The contents of its scrape classes were checked before.
    pub fn read(place: (&'s str, &'s str), spec: &'s SharedSpec) -> Result<Self, ServerError> {
        let asked = if spec.version.trim().is_empty() { DEFAULT_VERSION } else { &spec.version };
        let version = version::parse(asked).map_err(ServerError::Version)?;
        if !matches!(version.major, 2 | 3) {
            return Err(ServerError::Unsupported(asked.to_owned()));
        }
        Ok(Self::new(place, spec, version))
    }

    /// Writes what this version understands.
    pub fn writer(&self) -> Writer<'_> {
        if self.offers.any_version { Writer::unchecked(&self.version) } else { Writer::new(&self.version) }
    }

    /// The scrape class of a job: the named one, else the default one, else none.
    pub fn class(&self, name: Option<&str>) -> Option<&'s ScrapeClass> {
        name.and_then(|name| self.classes.get(name).copied()).or(self.default_class)
    }

    /// Number of shards, at least one.
    pub fn shards(&self) -> i32 {
        self.spec.shards.filter(|shards| *shards > 1).unwrap_or(1)
    }

    /// Whether the addresses behind Services are read from EndpointSlices, if a resource asks so or else the workload.
    pub(crate) fn uses_endpoint_slices(&self, asked: Option<&ServiceDiscoveryRole>) -> bool {
        let asked = asked.or(self.spec.service_discovery_role.as_ref());
        self.offers.endpoint_slices
            && self.version >= Version::new(2, 21, 0)
            && asked.is_some_and(|role| &**role == "EndpointSlice")
    }

    /// How shards are spread over zones, if they are.
    pub(crate) fn topology(&self) -> Option<&'s TopologyShardingStrategy> {
        let strategy = self.spec.sharding_strategy.as_ref().filter(|_| self.offers.topology_sharding)?;
        let by_zone = strategy.mode.as_ref().is_some_and(|mode| &**mode == "Topology");
        strategy.topology.as_ref().filter(|_| by_zone)
    }

    /// The zones that shards are spread over; none, if they are not.
    pub(crate) fn zones(&self) -> &'s [String] {
        self.topology().map_or(&[], |topology| &topology.values)
    }
}

/// The classes that call themselves the default; without a name the first ones are none.
fn defaults(spec: &SharedSpec) -> impl Iterator<Item = &ScrapeClass> {
    let defaults = spec.scrape_classes.iter().filter(|class| class.default == Some(true));
    defaults.skip_while(|class| class.name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(name: &str, default: bool) -> ScrapeClass {
        ScrapeClass { name: name.into(), default: Some(default), ..ScrapeClass::default() }
    }

    #[test]
    fn a_class_is_the_named_one_else_the_default_one() {
        let classes = vec![class("a", false), class("b", true)];
        let spec = SharedSpec { scrape_classes: classes, ..SharedSpec::default() };
        let server = Server::read(("ns", "name"), &spec).unwrap();
        let name = |asked| server.class(asked).map(|class| class.name.as_str());
        assert_eq!([name(Some("a")), name(Some("unknown")), name(None)], [Some("a"), Some("b"), Some("b")]);
    }

    #[test]
    fn what_cannot_run_is_refused() {
        for (version, problem) in [
            (
                "latest",
                "failed to parse Prometheus version: Invalid character(s) found in major number \"0latest\"",
            ),
            ("v1.8.2", "unsupported Prometheus version \"v1.8.2\""),
        ] {
            let spec = SharedSpec { version: version.into(), ..SharedSpec::default() };
            assert_eq!(Server::read(("ns", "name"), &spec).unwrap_err().to_string(), problem);
        }
    }
}
