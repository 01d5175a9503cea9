//! A Prometheus or a PrometheusAgent at the version that its spec sets.

use api_monitoring::prometheus::shared::SharedSpec;
use api_monitoring::{Prometheus, PrometheusAgent};
use monitoring_select::server::{VersionError, parse_version};

use crate::agent::OfAgent;
use crate::kind::version_text;
use crate::prometheus::OfPrometheus;
use crate::workload::instance::Instance as WorkloadInstance;
use crate::workload::labels::{self, Labels, merged};
use crate::workload::operator::OperatorConfig;

/// A Prometheus or a PrometheusAgent, with the fields that they share.
pub type Instance<'i> = WorkloadInstance<'i, SharedSpec>;

impl<'i> Instance<'i> {
    /// A server.
    pub fn server(prometheus: &'i Prometheus) -> Result<Self, VersionError> {
        let version = parse_version(version_text::<OfPrometheus>(prometheus))?;
        Ok(Self::of::<OfPrometheus>(prometheus, &prometheus.spec.shared, version))
    }

    /// An agent.
    pub fn agent(agent: &'i PrometheusAgent) -> Result<Self, VersionError> {
        let version = parse_version(version_text::<OfAgent>(agent))?;
        Ok(Self::of::<OfAgent>(agent, &agent.spec.shared, version))
    }

    /// The name of the StatefulSet of a shard.
    pub fn shard_name(&self, shard: i32) -> String {
        self.naming.shard(self.owner.name(), shard)
    }

    /// The number of shards.
    pub fn shards(&self) -> i32 {
        self.spec.shards.filter(|shards| *shards > 1).unwrap_or(1)
    }

    /// The number of pods of each shard.
    pub fn replicas(&self) -> i32 {
        self.workload.replicas.filter(|replicas| *replicas >= 0).unwrap_or(1)
    }

    /// Whether TLS is set for the web server. Probes and URLs of the pods then use HTTPS, for any version, as with the
    /// Prometheus Operator.
    pub(crate) fn has_tls(&self) -> bool {
        self.web.is_some_and(|web| web.tls_config.is_some())
    }

    /// Whether the configuration is reloaded by a request.
    pub(crate) fn reloads_by_request(&self) -> bool {
        self.spec.reload_strategy.as_ref().is_none_or(|strategy| &**strategy == "HTTP")
    }

    /// Whether the configuration is reloaded by a signal.
    pub(crate) fn reloads_by_signal(&self) -> bool {
        self.spec.reload_strategy.as_ref().is_some_and(|strategy| &**strategy == "ProcessSignal")
    }

    /// The selector of the pods of a StatefulSet or DaemonSet. It cannot be changed later.
    pub(crate) fn selector(&self, operator: &OperatorConfig, shard: Option<i32>) -> Labels {
        let shard = shard.map(|shard| (labels::SHARD.to_owned(), shard.to_string()));
        merged([&self.common_labels(), &shard.into_iter().collect(), &operator.labels])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versioned(version: &str) -> Prometheus {
        let mut prometheus = Prometheus::default();
        prometheus.spec.shared.version = version.into();
        prometheus
    }

    #[test]
    fn only_two_major_versions_run() {
        for (version, runs) in
            [("", "3.13.1"), (" ", "3.13.1"), ("v2.4", "2.4.0"), ("3.0.0-rc.1", "3.0.0-rc.1")]
        {
            let prometheus = versioned(version);
            assert_eq!(Instance::server(&prometheus).unwrap().version.to_string(), runs, "{version}");
        }
        assert_eq!(
            Instance::server(&versioned("v1.8.2")).unwrap_err().to_string(),
            "unsupported Prometheus version \"v1.8.2\""
        );
        assert!(matches!(Instance::server(&versioned("latest")), Err(VersionError::Unreadable(_))));
    }

    #[test]
    fn numbers_below_the_minimum_are_raised() {
        let mut prometheus = Prometheus::default();
        for (given, shards, replicas) in
            [(None, 1, 1), (Some(-1), 1, 1), (Some(0), 1, 0), (Some(1), 1, 1), (Some(3), 3, 3)]
        {
            prometheus.spec.shared.shards = given;
            prometheus.spec.shared.workload.replicas = given;
            let instance = Instance::server(&prometheus).unwrap();
            assert_eq!((instance.shards(), instance.replicas()), (shards, replicas), "{given:?}");
        }
    }

    #[test]
    fn the_name_of_the_first_shard_has_no_suffix() {
        let mut agent = PrometheusAgent::default();
        agent.metadata.name = Some("main".into());
        let instance = Instance::agent(&agent).unwrap();
        assert_eq!(
            [instance.shard_name(0), instance.shard_name(2)],
            ["prom-agent-main", "prom-agent-main-shard-2"]
        );
    }
}
