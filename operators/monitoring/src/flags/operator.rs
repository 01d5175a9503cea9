//! The flags of the operator.

use crate::flags::cluster::ClusterFlags;
use crate::flags::error::FlagError;
use crate::flags::flag::Groups;
use crate::flags::gates::{FeatureGates, Gate};
use crate::flags::help;
use crate::flags::kubelet::KubeletFlags;
use crate::flags::line;
use crate::flags::log::{LogFlags, memory};
use crate::flags::objects::{ObjectFlags, RELOADER_IMAGE};
use crate::flags::program::Program;
use crate::flags::scope::ScopeFlags;
use crate::flags::web::WebFlags;
use crate::kubelet::KubeletSettings;
use crate::workload::operator::{OperatorConfig, ReloaderConfig};

/// The flags of the operator.
#[derive(Debug, Clone, PartialEq)]
pub struct OperatorFlags {
    /// How the operator reaches the API server.
    pub cluster: ClusterFlags,
    /// Which objects the operator watches.
    pub scope: ScopeFlags,
    /// Which objects the operator writes.
    pub objects: ObjectFlags,
    /// What the objects have in common. Whether shards are spread over zones is a feature gate: see
    /// [`OperatorFlags::operator_config`].
    pub operator: OperatorConfig,
    /// Kubelets as scrape targets.
    pub kubelet: KubeletFlags,
    /// Which features are enabled.
    pub gates: FeatureGates,
    /// The web server.
    pub web: WebFlags,
    /// What is logged.
    pub log: LogFlags,
    /// Accepted without effect.
    pub memory_limit_ratio: f64,
}

impl Default for OperatorFlags {
    fn default() -> Self {
        let reloader = ReloaderConfig { image: RELOADER_IMAGE.to_owned(), ..ReloaderConfig::default() };
        Self {
            cluster: ClusterFlags::default(),
            scope: ScopeFlags::default(),
            objects: ObjectFlags::default(),
            operator: OperatorConfig { reloader, ..OperatorConfig::default() },
            kubelet: KubeletFlags::default(),
            gates: FeatureGates::default(),
            web: WebFlags::new(":8080", false),
            log: LogFlags::default(),
            memory_limit_ratio: 0.0,
        }
    }
}

impl Program for OperatorFlags {
    const USAGE: &'static str = "[FLAGS] [COMMAND]

Commands:
  start      Run the operator; the default.
  crds       Print the definitions of all resources.
  full-crds  The same.";
    const HAS_COMMANDS: bool = true;
    const GATES: &'static [Gate] = &Gate::ALL;

    fn groups(&mut self) -> Groups<'_> {
        let [objects, images, reloader] = self.objects.groups(&mut self.operator);
        Groups(vec![
            self.cluster.group(),
            self.scope.group(),
            objects,
            images,
            reloader,
            self.kubelet.group(),
            self.gates.group(),
            self.web.group(),
            self.log.group(),
            memory(&mut self.memory_limit_ratio),
        ])
    }

    fn check(&self) -> Result<(), FlagError> {
        if !self.scope.namespaces.is_empty() && !self.scope.deny_namespaces.is_empty() {
            return Err(FlagError::Namespaces);
        }
        if self.kubelet.service.is_some() && self.kubelet.sync_period.is_zero() {
            return Err(FlagError::SyncPeriod);
        }
        self.web.tls()?;
        Ok(())
    }
}

impl OperatorFlags {
    /// Takes the flags of the peer out of a command line that has others too, wherever they are before a `--`, and returns
    /// all other arguments as they are. These settings are the defaults. `kept` are names that both parsers know and that
    /// are left to the other one; so are the flags for the version.
    pub fn take(
        mut self,
        arguments: &[impl AsRef<str>],
        kept: &[&str],
    ) -> Result<(Self, Vec<String>), FlagError> {
        let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        let others = line::take(&mut self.groups(), kept, &arguments)?;
        self.check()?;
        Ok((self, others))
    }

    /// The help without usage and version, for a program that has other flags too.
    pub fn options() -> String {
        help::flags(&Self::default().groups()) + &help::gates(&Gate::ALL)
    }

    /// The flags that matter to pods.
    pub fn operator_config(&self) -> OperatorConfig {
        let topology_sharding = self.gates.enabled(Gate::PrometheusTopologySharding);
        OperatorConfig { topology_sharding, ..self.operator.clone() }
    }

    /// The objects for kubelets; nothing if the operator writes none.
    pub fn kubelet_settings(&self) -> Option<KubeletSettings> {
        let service = self.kubelet.service.as_ref()?;
        Some(KubeletSettings {
            namespace: service.namespace.to_string(),
            name: service.name.to_string(),
            labels: self.operator.labels.clone(),
            annotations: self.operator.annotations.clone(),
            priority: self.kubelet.priority,
            plain_http: self.kubelet.plain_http,
            endpoint_slices: self.kubelet.endpoint_slices,
            ..KubeletSettings::default()
        })
    }
}
