//! A Prometheus or a PrometheusAgent, as far as their pods are alike: names, labels, addresses.

use api_monitoring::prometheus::shared::SharedSpec;
use api_monitoring::{Prometheus, PrometheusAgent};
use formats::version::{self, NotAVersion, Version};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::workload::defaults;
use crate::workload::labels::{self, Labels, labels, merged};
use crate::workload::metadata::Owner;
use crate::workload::operator::OperatorConfig;

/// A resource whose version cannot run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    /// It is no version.
    #[error("failed to parse Prometheus version: {0}")]
    Unreadable(NotAVersion),
    /// It is a version that nobody knows how to run.
    #[error("unsupported Prometheus version {0:?}")]
    Unsupported(String),
}

/// What runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A server, with rules and storage.
    Server,
    /// An agent that forwards.
    Agent,
}

impl Kind {
    /// What names of objects begin with.
    fn prefix(self) -> &'static str {
        match self {
            Self::Server => "prometheus",
            Self::Agent => "prom-agent",
        }
    }

    /// What it is called in labels of objects.
    fn mode(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Agent => "agent",
        }
    }

    /// What it is called in labels of pods.
    pub(crate) fn application(self) -> &'static str {
        match self {
            Self::Server => "prometheus",
            Self::Agent => "prometheus-agent",
        }
    }

    /// The Service that all of a namespace share.
    pub(crate) fn governing_service(self) -> &'static str {
        match self {
            Self::Server => "prometheus-operated",
            Self::Agent => "prometheus-agent-operated",
        }
    }

    /// The version and the name of the resource.
    fn resource(self) -> (&'static str, &'static str) {
        match self {
            Self::Server => ("monitoring.coreos.com/v1", "Prometheus"),
            Self::Agent => ("monitoring.coreos.com/v1alpha1", "PrometheusAgent"),
        }
    }
}

/// A Prometheus or a PrometheusAgent.
#[derive(Debug, Clone)]
pub struct Instance<'i> {
    /// What runs.
    pub kind: Kind,
    /// The metadata of the resource.
    pub metadata: &'i ObjectMeta,
    /// What servers and agents say alike.
    pub spec: &'i SharedSpec,
    /// The version that runs.
    pub version: Version,
}

impl<'i> Instance<'i> {
    /// A server.
    pub fn server(prometheus: &'i Prometheus) -> Result<Self, VersionError> {
        Self::new(Kind::Server, &prometheus.metadata, &prometheus.spec.shared)
    }

    /// An agent.
    pub fn agent(agent: &'i PrometheusAgent) -> Result<Self, VersionError> {
        Self::new(Kind::Agent, &agent.metadata, &agent.spec.shared)
    }

    fn new(kind: Kind, metadata: &'i ObjectMeta, spec: &'i SharedSpec) -> Result<Self, VersionError> {
        let text = defaults::or_default(&spec.version, defaults::PROMETHEUS_VERSION);
        let version = version::parse(text).map_err(VersionError::Unreadable)?;
        if !matches!(version.major, 2 | 3) {
            return Err(VersionError::Unsupported(text.to_owned()));
        }
        Ok(Self { kind, metadata, spec, version })
    }

    /// The resource, as owner of objects.
    pub fn owner(&self) -> Owner<'i> {
        let (api_version, kind) = self.kind.resource();
        Owner { api_version, kind, metadata: self.metadata }
    }

    /// What all names of objects begin with; also the name of the Secret with the configuration, and of the DaemonSet.
    pub fn object_name(&self) -> String {
        format!("{}-{}", self.kind.prefix(), self.owner().name())
    }

    /// The name of the StatefulSet of a shard.
    pub fn shard_name(&self, shard: i32) -> String {
        let name = self.object_name();
        if shard == 0 { name } else { format!("{name}-shard-{shard}") }
    }

    /// The name of the Secret with the file that protects the web server.
    pub fn web_config_name(&self) -> String {
        format!("{}-web-config", self.object_name())
    }

    /// The name of the volume with the data.
    pub(crate) fn volume_name(&self) -> String {
        format!("{}-db", self.object_name())
    }

    /// How many shards there are.
    pub fn shards(&self) -> i32 {
        self.spec.shards.filter(|shards| *shards > 1).unwrap_or(1)
    }

    /// How many pods each shard has.
    pub fn replicas(&self) -> i32 {
        self.spec.replicas.filter(|replicas| *replicas >= 0).unwrap_or(1)
    }

    /// The name of the port of the web server.
    pub(crate) fn port_name(&self) -> &'i str {
        if self.spec.port_name.is_empty() { "web" } else { &self.spec.port_name }
    }

    /// What paths of the web server begin with.
    pub(crate) fn route_prefix(&self) -> &'i str {
        if self.spec.route_prefix.is_empty() { "/" } else { &self.spec.route_prefix }
    }

    /// Whether the web server speaks TLS.
    pub(crate) fn has_tls(&self) -> bool {
        self.spec.web.as_ref().is_some_and(|web| web.file.tls_config.is_some())
    }

    /// How the web server is spoken to.
    pub(crate) fn scheme(&self) -> &'static str {
        if self.has_tls() { "https" } else { "http" }
    }

    /// Whether it is told by a request to read its configuration again.
    pub(crate) fn reloads_by_request(&self) -> bool {
        self.spec.reload_strategy.as_ref().is_none_or(|strategy| &**strategy == "HTTP")
    }

    /// Whether it is told by a signal to read its configuration again.
    pub(crate) fn reloads_by_signal(&self) -> bool {
        self.spec.reload_strategy.as_ref().is_some_and(|strategy| &**strategy == "ProcessSignal")
    }

    /// Whether the version is that one or a later one.
    pub(crate) fn at_least(&self, major: u64, minor: u64) -> bool {
        self.version >= Version::new(major, minor, 0)
    }

    /// Labels that all pods have, of all shards.
    pub fn common_labels(&self) -> Labels {
        let name = self.owner().name();
        let mut labels = labels([
            (labels::MANAGED_BY, labels::OPERATOR),
            (labels::APPLICATION, self.kind.application()),
            (labels::INSTANCE, name),
            (labels::NAME, name),
        ]);
        if self.kind == Kind::Server {
            labels.insert("prometheus".into(), name.into());
        }
        labels
    }

    /// Labels by which a StatefulSet or DaemonSet knows its pods. They cannot be changed later.
    pub(crate) fn selector(&self, operator: &OperatorConfig, shard: Option<i32>) -> Labels {
        let mut labels = self.common_labels();
        if let Some(shard) = shard {
            labels.insert(labels::SHARD.into(), shard.to_string());
        }
        labels.extend(operator.labels.clone());
        labels
    }

    /// Labels of a StatefulSet or DaemonSet that its pods do not have.
    pub(crate) fn mode_labels(&self) -> Labels {
        labels([(labels::MODE, self.kind.mode())])
    }

    /// Labels and annotations of the pods.
    pub(crate) fn pod_metadata(&self, selector: &Labels, operator: &OperatorConfig) -> ObjectMeta {
        let version = Labels::from([(labels::VERSION.to_owned(), self.version.to_string())]);
        let container = labels([(labels::DEFAULT_CONTAINER, "prometheus")]);
        let none = Labels::new();
        let users = self.spec.pod_metadata.as_ref();
        let (user_labels, user_annotations) =
            users.map_or((&none, &none), |users| (&users.labels, &users.annotations));
        ObjectMeta {
            labels: Some(merged([&version, user_labels, selector, &operator.labels])),
            annotations: Some(merged([&container, user_annotations])),
            ..ObjectMeta::default()
        }
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
    fn numbers_below_the_least_are_the_least() {
        let mut prometheus = Prometheus::default();
        for (given, shards, replicas) in
            [(None, 1, 1), (Some(-1), 1, 1), (Some(0), 1, 0), (Some(1), 1, 1), (Some(3), 3, 3)]
        {
            prometheus.spec.shared.shards = given;
            prometheus.spec.shared.replicas = given;
            let instance = Instance::server(&prometheus).unwrap();
            assert_eq!((instance.shards(), instance.replicas()), (shards, replicas), "{given:?}");
        }
    }

    #[test]
    fn the_first_shard_has_the_name_of_the_whole() {
        let mut agent = PrometheusAgent::default();
        agent.metadata.name = Some("main".into());
        let instance = Instance::agent(&agent).unwrap();
        assert_eq!(
            [instance.shard_name(0), instance.shard_name(2)],
            ["prom-agent-main", "prom-agent-main-shard-2"]
        );
    }
}
