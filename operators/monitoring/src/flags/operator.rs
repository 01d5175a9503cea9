//! All flags of the operator, and what is checked before it starts.

use crate::kubelet::Settings;
use crate::workload::operator::{OperatorConfig, ReloaderConfig};

use crate::flags::cluster::Cluster;
use crate::flags::command::{Command, OwnFlag, Request, Start, request};
use crate::flags::error::Error;
use crate::flags::flag::Groups;
use crate::flags::gates::{FeatureGates, Gate};
use crate::flags::images::Images;
use crate::flags::kubelet::Kubelet;
use crate::flags::log::Log;
use crate::flags::memory::Memory;
use crate::flags::objects::Objects;
use crate::flags::scope::Scope;
use crate::flags::take::take;
use crate::flags::version::Version;
use crate::flags::web::Web;
use crate::flags::{help, reference, reloader};

/// All flags of the operator.
#[derive(Debug, Clone, PartialEq)]
pub struct Flags {
    /// How the API server is reached.
    pub cluster: Cluster,
    /// Which objects are looked at.
    pub scope: Scope,
    /// What all objects have that are written.
    pub objects: Objects,
    /// Where images come from.
    pub images: Images,
    /// The container that reloads configurations.
    pub reloader: ReloaderConfig,
    /// Kubelets as targets.
    pub kubelet: Kubelet,
    /// Which features are on.
    pub gates: FeatureGates,
    /// The web server.
    pub web: Web,
    /// What is logged.
    pub log: Log,
    /// What the peer tells its garbage collector.
    pub memory: Memory,
}

impl Default for Flags {
    fn default() -> Self {
        Self {
            cluster: Cluster::default(),
            scope: Scope::default(),
            objects: Objects::default(),
            images: Images::default(),
            reloader: reloader::default(),
            kubelet: Kubelet::default(),
            gates: FeatureGates::default(),
            web: Web::new(":8080", false),
            log: Log::default(),
            memory: Memory::default(),
        }
    }
}

const USAGE: &str = "[FLAGS] [COMMAND]

Commands:
  start      Run the operator; the same as no command.
  crds       Print the definitions of all resources.
  full-crds  Print the definitions of all resources, with all fields that they can have.";

impl Flags {
    /// Reads the command line of a program that stands in for the peer's, without its name. `own` are the flags that the
    /// program has besides; a flag of the peer wins over one of these with the same name.
    pub fn parse(arguments: &[impl AsRef<str>], own: &[OwnFlag<'_>]) -> Result<Command, Error> {
        let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        let mut flags = Self::default();
        let rest = match request(flags.groups(), own, &arguments)? {
            Request::Help => return Ok(Command::Help),
            Request::ShortVersion => return Ok(Command::ShortVersion),
            Request::Version => return Ok(Command::Version),
            Request::Words(rest) => rest,
        };
        let mut words = rest.words.into_iter();
        match words.next().as_deref() {
            None | Some("start") => {}
            Some("crds") => return Ok(Command::Crds),
            Some("full-crds") => return Ok(Command::FullCrds),
            Some(other) => return Err(Error::Command(other.to_owned())),
        }
        rest.refused.check()?;
        flags.check()?;
        Ok(Command::Start(Box::new(Start { flags, own: rest.own, ignored: words.collect() })))
    }

    /// Picks the peer's flags out of a command line that has others too, into these, which hold where nothing is said: wherever they stand before a `--`, and returns
    /// all other arguments untouched. `kept` are names that both have and that shall be left to the other reader; the
    /// peer's flags for its version are always left.
    pub fn take(
        mut self,
        arguments: &[impl AsRef<str>],
        kept: &[&str],
    ) -> Result<(Self, Vec<String>), Error> {
        let arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        let others = take(&mut self.groups(), kept, &arguments)?;
        self.check()?;
        Ok((self, others))
    }

    /// Whether one can start with these flags. Those that [`Flags::parse`] and [`Flags::take`] return have been checked;
    /// others are to be checked by whoever changes them.
    pub fn check(&self) -> Result<(), Error> {
        if !self.scope.namespaces.is_empty() && !self.scope.deny_namespaces.is_empty() {
            return Err(Error::Namespaces);
        }
        if self.kubelet.service.is_some() && self.kubelet.sync_period.is_zero() {
            return Err(Error::SyncPeriod);
        }
        self.web.tls()?;
        Ok(())
    }

    /// What the pods that are made must know.
    pub fn workload_operator(&self) -> OperatorConfig {
        OperatorConfig {
            annotations: self.objects.annotations.clone(),
            labels: self.objects.labels.clone(),
            local_host: self.objects.local_host.clone(),
            prometheus_image: self.images.prometheus.clone(),
            alertmanager_image: self.images.alertmanager.clone(),
            thanos_image: self.images.thanos.clone(),
            cluster_domain: self.objects.cluster_domain.clone(),
            reloader: self.reloader.clone(),
            topology_sharding: self.gates.enabled(Gate::PrometheusTopologySharding),
        }
    }

    /// What the objects for kubelets must know; nothing, if there shall be none.
    pub fn kubelet_settings(&self) -> Option<Settings> {
        let service = self.kubelet.service.as_ref()?;
        Some(Settings {
            namespace: service.namespace.clone(),
            name: service.name.clone(),
            labels: self.objects.labels.clone(),
            annotations: self.objects.annotations.clone(),
            priority: self.kubelet.priority,
            plain_http: self.kubelet.plain_http,
            endpoint_slices: self.kubelet.endpoint_slices,
            ..Settings::default()
        })
    }

    /// The help, a line a flag.
    pub fn help(program: &str) -> String {
        let mut flags = Self::default();
        let groups = help::groups(&mut flags.groups(), &mut Version::default());
        help::write(program, USAGE, &groups) + &help::features()
    }

    /// The same without its head, for the help of a program that has other flags too.
    pub fn options() -> String {
        let mut flags = Self::default();
        let groups: Vec<help::Described> =
            flags.groups().iter_mut().map(|group| (group.title(), group.descriptions())).collect();
        help::options(&groups) + &help::features()
    }

    /// All flags as tables in Markdown, with headings of the second level.
    pub fn reference() -> String {
        let mut flags = Self::default();
        let groups = help::groups(&mut flags.groups(), &mut Version::default());
        reference::write(&groups) + &reference::features()
    }

    /// All groups, in the order in which they are shown.
    pub(crate) fn groups(&mut self) -> Groups<'_> {
        vec![
            &mut self.cluster,
            &mut self.scope,
            &mut self.objects,
            &mut self.images,
            &mut self.reloader,
            &mut self.kubelet,
            &mut self.gates,
            &mut self.web,
            &mut self.log,
            &mut self.memory,
        ]
    }
}
