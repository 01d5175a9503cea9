//! What the four workloads have of their own. The stages are the same for all: see `stages`.

use std::collections::BTreeMap;
use std::sync::Arc;

use api_monitoring::SelectableKind;
use api_monitoring::pod::StorageSpec;
use k8s_openapi::api::apps::v1::{DaemonSet, StatefulSet};
use k8s_openapi::api::core::v1::{Container, PersistentVolumeClaim, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use k8s_openapi::jiff::Timestamp;
use kernel::apply::Applied;
use kernel::declare::Declaration;
use kernel::object::Object;
use monitoring_rules::config_map;
use monitoring_select::asking::SelectionError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::kinds;
use crate::plan::{Invalid, LeftOut, Planned, Rendered, Selections, Surroundings};
use crate::rollout::Surplus;
use crate::status::Reconciliation;
use crate::status::reconciliation::Selects;

/// What is there of a workload.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Its StatefulSets, by name.
    pub sets: BTreeMap<String, StatefulSet>,
    /// Its DaemonSet, if it runs on every node.
    pub daemon_set: Option<DaemonSet>,
    /// Pods that may be its own.
    pub pods: Vec<Pod>,
    /// The same as they were sent.
    pub known: Vec<Arc<Object>>,
    /// Claims that may be its own; none, if they are not watched.
    pub claims: Vec<PersistentVolumeClaim>,
}

impl Seen {
    /// The same after a pass has written.
    pub(crate) fn with(mut self, applied: &Applied) -> Self {
        for ((kind, key), object) in &applied.objects {
            if *kind == kinds::STATEFUL_SET
                && let Ok(set) = object.read::<StatefulSet>()
            {
                self.sets.insert(key.name.to_string(), set);
            }
            if *kind == kinds::DAEMON_SET
                && let Ok(set) = object.read::<DaemonSet>()
            {
                self.daemon_set = Some(set);
            }
        }
        self
    }
}

/// What the pods of a workload need and others make.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// The class of its volumes.
    pub storage_class: Option<String>,
    /// The size of its volumes.
    pub storage: Option<String>,
    /// A Service that must select its pods.
    pub service: Option<String>,
    /// The labels of its pods.
    pub labels: BTreeMap<String, String>,
}

impl Needs {
    /// Those of a workload with volumes and perhaps a Service that its user brings.
    pub(crate) fn of(
        storage: Option<&StorageSpec>,
        service: Option<&String>,
        labels: Option<BTreeMap<String, String>>,
    ) -> Self {
        let claim = storage.map(|storage| &storage.volume_claim_template.spec);
        let class = claim.and_then(|claim| claim.storage_class_name.clone());
        let requests = claim.and_then(|claim| claim.resources.as_ref()?.requests.as_ref());
        Self {
            storage_class: class.filter(|class| !class.is_empty()),
            storage: requests.and_then(|requests| requests.get("storage")).map(|size| size.0.clone()),
            service: service.cloned(),
            labels: labels.unwrap_or_default(),
        }
    }
}

/// What a workload says that matters to more than its objects.
#[derive(Debug, Clone)]
pub struct Facts<'r> {
    /// Whether the user wants it left alone.
    pub paused: bool,
    /// What its pods run, as users call it, and the version.
    pub operand: (&'static str, &'r str),
    /// The port at which an operand is asked to load its configuration.
    pub port: u16,
    /// What the paths of an operand begin with.
    pub route_prefix: &'r str,
    /// Whether its pods speak TLS.
    pub tls: bool,
    /// Whether it is a server for which no monitor is selected: then its user may write its configuration.
    pub selects_no_monitors: bool,
    /// An AlertmanagerConfig beside it that it names as its base.
    pub base: Option<&'r str>,
    /// Containers of its pods that the user adds or changes, and those that run before them.
    pub containers: [&'r [Container]; 2],
    /// What its pods need and others make.
    pub needs: Needs,
    /// Fields of it that should not be used any longer, in words.
    pub deprecated: Vec<String>,
}

impl Facts<'_> {
    /// The path at which an operand is asked to load its configuration.
    pub(crate) fn reload_path(&self) -> String {
        format!("{}/-/reload", self.route_prefix.trim_end_matches('/'))
    }
}

/// What the objects of a kind of workload are called.
#[derive(Debug, Clone, Copy)]
pub struct Naming {
    /// How pods name their application.
    pub application: &'static str,
    /// The Service that all workloads of a namespace share, unless a user brings one.
    pub governing_service: &'static str,
    /// What the names of all its objects begin with.
    pub prefix: &'static str,
    /// What the name of the Secret with its configuration ends with.
    pub configuration_suffix: &'static str,
    /// The key of the configuration in that Secret.
    pub configuration_key: &'static str,
    /// Its ConfigMaps with rules, if it has any.
    pub rules: Option<fn(&str) -> config_map::Workload<'_>>,
}

impl Naming {
    /// What the names of all objects of a workload begin with.
    pub fn of(&self, workload: &str) -> String {
        format!("{}-{workload}", self.prefix)
    }

    /// The Secret with its configuration.
    pub fn configuration(&self, workload: &str) -> String {
        format!("{}{}", self.of(workload), self.configuration_suffix)
    }
}

/// A kind of workload.
pub trait Workload: Send + Sync + 'static {
    /// What users write.
    type Resource: DeserializeOwned + Serialize + Send + Sync;
    /// A resource that was checked.
    type Valid<'v>: Send + Sync;

    /// What its operator watches and owns.
    const DECLARATION: &'static Declaration;
    /// What it can select.
    const SELECTABLE: &'static [SelectableKind];
    /// What its objects are called.
    const NAMING: Naming;
    /// The fields of its spec that point to Secrets and ConfigMaps which the operator reads.
    const POINTING: &'static [&'static str];
    /// Whether its reloader loads a configuration, and not only files beside it.
    const HAS_CONFIGURATION: bool = true;
    /// What it selects, for its status.
    const SELECTS: Option<Selects>;

    /// Name, namespace, and the rest.
    fn metadata(resource: &Self::Resource) -> &ObjectMeta;

    /// What it says.
    fn facts(resource: &Self::Resource) -> Facts<'_>;

    /// A Secret that it reads though none of its fields points to a key of it.
    fn own_secret(_resource: &Self::Resource) -> Option<String> {
        None
    }

    /// The status that was written last.
    fn status(resource: &Self::Resource) -> Value;

    /// Checks it.
    fn validate<'v>(
        resource: &'v Self::Resource,
        around: &Surroundings<'v>,
    ) -> Result<Self::Valid<'v>, Invalid>;

    /// Makes what each of the selected resources adds.
    fn render(
        valid: &Self::Valid<'_>,
        around: &Surroundings<'_>,
        selections: &Selections,
        rendered: &mut Rendered,
    );

    /// Everything that follows from it and from what was rendered.
    fn build(
        valid: &Self::Valid<'_>,
        around: &Surroundings<'_>,
        left_out: &LeftOut,
        rendered: &mut Rendered,
    ) -> Result<Planned, Invalid>;

    /// What becomes of StatefulSets that it no longer wants: they go, unless it says otherwise.
    fn surplus(
        _resource: &Self::Resource,
        _sets: &BTreeMap<String, StatefulSet>,
        _offered: bool,
        _now: Timestamp,
    ) -> Surplus {
        Surplus::default()
    }

    /// Its status.
    fn report(resource: &Self::Resource, seen: &Seen, last: &Reconciliation, now: &Time) -> Value;
}

/// Why a workload that selects in an impossible way is invalid.
pub(crate) fn unselectable((kind, error): (SelectableKind, &SelectionError)) -> Invalid {
    Invalid::new(&format!("selecting {}s failed: {error}", kind.name()))
}
