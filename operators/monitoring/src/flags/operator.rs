//! The flags of the operator.

use crate::flags::cluster::Cluster;
use crate::flags::error::Error;
use crate::flags::flag::Groups;
use crate::flags::gates::{FeatureGates, Gate};
use crate::flags::help;
use crate::flags::kubelet::Kubelet;
use crate::flags::line;
use crate::flags::log::{Log, memory};
use crate::flags::objects::{Objects, RELOADER_IMAGE};
use crate::flags::program::Program;
use crate::flags::scope::Scope;
use crate::flags::web::Web;
use crate::kubelet::Settings;
use crate::workload::operator::{OperatorConfig, ReloaderConfig};

/// The flags of the operator.
#[derive(Debug, Clone, PartialEq)]
pub struct Flags {
    /// How the operator reaches the API server.
    pub cluster: Cluster,
    /// Which objects the operator watches.
    pub scope: Scope,
    /// Which objects the operator writes.
    pub objects: Objects,
    /// What the objects have in common. Whether shards are spread over zones is a feature gate: see
    /// [`Flags::operator_config`].
    pub operator: OperatorConfig,
    /// Kubelets as scrape targets.
    pub kubelet: Kubelet,
    /// Which features are enabled.
    pub gates: FeatureGates,
    /// The web server.
    pub web: Web,
    /// What is logged.
    pub log: Log,
    /// Accepted without effect.
    pub memory_limit_ratio: f64,
}

impl Default for Flags {
    fn default() -> Self {
        let reloader = ReloaderConfig { image: RELOADER_IMAGE.to_owned(), ..ReloaderConfig::default() };
        Self {
            cluster: Cluster::default(),
            scope: Scope::default(),
            objects: Objects::default(),
            operator: OperatorConfig { reloader, ..OperatorConfig::default() },
            kubelet: Kubelet::default(),
            gates: FeatureGates::default(),
            web: Web::new(":8080", false),
            log: Log::default(),
            memory_limit_ratio: 0.0,
        }
    }
}

impl Program for Flags {
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

    fn check(&self) -> Result<(), Error> {
        if !self.scope.namespaces.is_empty() && !self.scope.deny_namespaces.is_empty() {
            return Err(Error::Namespaces);
        }
        if self.kubelet.service.is_some() && self.kubelet.sync_period.is_zero() {
            return Err(Error::SyncPeriod);
        }
        self.web.tls()?;
        Ok(())
    }
}

impl Flags {
    /// Takes the flags of the peer out of a command line that has others too, wherever they are before a `--`, and returns
    /// all other arguments as they are. These settings are the defaults. `kept` are names that both parsers know and that
    /// are left to the other one; so are the flags for the version.
    pub fn take(
        mut self,
        arguments: &[impl AsRef<str>],
        kept: &[&str],
    ) -> Result<(Self, Vec<String>), Error> {
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
    pub fn kubelet_settings(&self) -> Option<Settings> {
        let service = self.kubelet.service.as_ref()?;
        Some(Settings {
            namespace: service.namespace.to_string(),
            name: service.name.to_string(),
            labels: self.operator.labels.clone(),
            annotations: self.operator.annotations.clone(),
            priority: self.kubelet.priority,
            plain_http: self.kubelet.plain_http,
            endpoint_slices: self.kubelet.endpoint_slices,
            ..Settings::default()
        })
    }
}
