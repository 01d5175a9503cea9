//! A Prometheus or a PrometheusAgent, as the checks and the configuration of what it scrapes see it.

use api_monitoring::prometheus::scrape_class::ScrapeClass;
use api_monitoring::prometheus::sharding::TopologyShardingStrategy;
use api_monitoring::prometheus::shared::SharedSpec;
use api_monitoring::text::ServiceDiscoveryRole;
use formats::prometheus::SectionWriter;
use formats::version::{self, NotAVersion, Version};
use go_syntax::quoted::Quoted;

use crate::duration;
use crate::label_name::Scheme;
use crate::problem::{Problem, broken};
use crate::relabel::RelabelRules;

/// How a Prometheus runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// A server, with rules and storage.
    #[default]
    Server,
    /// An agent, which forwards samples.
    Agent,
    /// An agent on every node, which scrapes the pods of its node.
    DaemonSet,
}

/// What the cluster and the operator support.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Offers {
    /// The cluster has EndpointSlices.
    pub endpoint_slices: bool,
    /// Pods carry the zone of their node as a label.
    pub pod_topology_labels: bool,
    /// Shards can be spread over zones.
    pub topology_sharding: bool,
    /// Surplus shards can be kept for a time.
    pub shard_retention: bool,
    /// Certificates are written into the configuration, in place of files.
    pub inline_tls: bool,
    /// Fields are written even if the version does not have them.
    pub any_version: bool,
}

/// A version that the operator cannot run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    /// The version cannot be parsed.
    #[error("failed to parse Prometheus version: {0}")]
    Unreadable(#[source] NotAVersion),
    /// The major version is not supported.
    #[error("unsupported Prometheus version {0:?}")]
    Unsupported(String),
}

/// Parses a version and checks that it is supported.
pub fn parse_version(text: &str) -> Result<Version, VersionError> {
    let version = version::parse(text).map_err(VersionError::Unreadable)?;
    if matches!(version.major, 2 | 3) { Ok(version) } else { Err(VersionError::Unsupported(text.to_owned())) }
}

/// A Prometheus or an agent.
#[derive(Debug, Clone)]
pub struct Server<'s> {
    /// Its namespace.
    pub namespace: &'s str,
    /// Its name.
    pub name: &'s str,
    /// The fields that servers and agents have.
    pub spec: &'s SharedSpec,
    /// The version that runs.
    pub version: Version,
    /// How it runs.
    pub mode: Mode,
    /// What the cluster and the operator support.
    pub offers: Offers,
    /// Surplus shards are kept for a time and must scrape nothing.
    pub retains_shards: bool,
    /// What relabeling steps of the version can do.
    pub(crate) relabeling: RelabelRules,
}

impl<'s> Server<'s> {
    /// A Prometheus at a version.
    pub fn new((namespace, name): (&'s str, &'s str), spec: &'s SharedSpec, version: Version) -> Self {
        let relabeling = RelabelRules::of(&version);
        let (mode, offers) = (Mode::default(), Offers::default());
        Self { namespace, name, spec, version, mode, offers, retains_shards: false, relabeling }
    }

    /// A writer for this version.
    pub fn writer(&self) -> SectionWriter<'_> {
        if self.offers.any_version {
            SectionWriter::unchecked(&self.version)
        } else {
            SectionWriter::new(&self.version)
        }
    }

    /// The scrape class of a job: the named one, else the default one, if there is one.
    pub fn class(&self, name: Option<&str>) -> Option<&'s ScrapeClass> {
        let spec = self.spec;
        // Of two classes with the same name the last one is used, also as the default.
        let named = |name: &str| spec.scrape_classes.iter().rfind(|class| class.name == name);
        name.and_then(named).or_else(|| named(&defaults(spec).next()?.name))
    }

    /// Number of shards, at least one.
    pub fn shards(&self) -> i32 {
        self.spec.shards.filter(|shards| *shards > 1).unwrap_or(1)
    }

    /// Whether EndpointSlices are used for discovery. The role of a resource takes precedence over that of the workload.
    pub fn uses_endpoint_slices(&self, role: Option<&ServiceDiscoveryRole>) -> bool {
        let role = role.or(self.spec.service_discovery_role.as_ref());
        self.offers.endpoint_slices
            && self.version >= Version::new(2, 21, 0)
            && role.is_some_and(|role| &**role == "EndpointSlice")
    }

    /// How shards are spread over zones, if they are spread.
    pub fn topology(&self) -> Option<&'s TopologyShardingStrategy> {
        let strategy = self.spec.sharding_strategy.as_ref().filter(|_| self.offers.topology_sharding)?;
        let by_zone = strategy.mode.as_ref().is_some_and(|mode| &**mode == "Topology");
        strategy.topology.as_ref().filter(|_| by_zone)
    }

    /// The zones that shards are spread over.
    pub fn zones(&self) -> &'s [String] {
        self.topology().map_or(&[], |topology| &topology.values)
    }

    /// Whether the version is older than that one.
    pub(crate) fn is_before(&self, major: u64, minor: u64, patch: u64) -> bool {
        self.version < Version::new(major, minor, patch)
    }

    /// Rejects a feature that the version does not have yet.
    pub(crate) fn check_feature(
        &self,
        is_used: bool,
        (major, minor, patch): (u64, u64, u64),
        feature: &str,
    ) -> Result<(), Problem> {
        if is_used && self.is_before(major, minor, patch) {
            return broken(format!(
                "{feature} is only supported for Prometheus version >= {major}.{minor}.{patch}"
            ));
        }
        Ok(())
    }

    /// Checks that a scrape ends before the next one begins, and that both durations are valid.
    pub(crate) fn check_timeout(&self, timeout: &str, interval: &str) -> Result<(), Problem> {
        duration::check_timeout(timeout, interval, &self.spec.scrape_interval)?;
        Ok(duration::check_interval(interval)?)
    }

    /// Checks names of labels. The error is about the first invalid one.
    pub(crate) fn check_label_names<'n>(
        &self,
        names: impl IntoIterator<Item = &'n String>,
    ) -> Result<(), Problem> {
        let scheme = Scheme::of(&self.version);
        match names.into_iter().find(|name| !scheme.allows(name)) {
            Some(name) => broken(format!("invalid label {}", Quoted(name))),
            None => Ok(()),
        }
    }
}

/// The classes that are marked as the default. Unnamed ones before the first named one do not count.
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
        let server = Server::new(("ns", "name"), &spec, Version::new(3, 0, 0));
        let name = |class| server.class(class).map(|class| class.name.as_str());
        assert_eq!([name(Some("a")), name(Some("unknown")), name(None)], [Some("a"), Some("b"), Some("b")]);
    }

    #[test]
    fn an_unsupported_version_is_rejected() {
        for (version, problem) in [
            (
                "latest",
                "failed to parse Prometheus version: Invalid character(s) found in major number \"0latest\"",
            ),
            ("v1.8.2", "unsupported Prometheus version \"v1.8.2\""),
        ] {
            assert_eq!(parse_version(version).unwrap_err().to_string(), problem);
        }
    }
}
