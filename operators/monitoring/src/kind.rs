//! A kind of workload: what differs between Prometheus, PrometheusAgent, Alertmanager and ThanosRuler. The stages of a pass
//! are the same for all of them: see `stages`.

use std::collections::BTreeMap;
use std::sync::Arc;

use api_monitoring::SelectableKind;
use api_monitoring::web::WebConfigFileFields;
use api_monitoring::workload::{WorkloadResource, WorkloadSpec};
use formats::version::{self, Version};
use k8s_openapi::api::apps::v1::{DaemonSet, StatefulSet};
use k8s_openapi::api::core::v1::{Container, PersistentVolumeClaim, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::jiff::Timestamp;
use kernel::apply::Applied;
use kernel::declare::Declaration;
use kernel::object::Object;
use kube::Resource as _;
use kube::core::object::HasStatus as _;
use monitoring_rules::config_map;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::kinds;
use crate::plan::{Excluded, PlanContext, PlanError, Planned, Rendered, Selections};
use crate::rollout::Surplus;
use crate::status::reconciliation::Selects;
use crate::status::{PodSummary, summary};
use crate::workload::defaults::or_default;
use crate::workload::labels::{self, Labels, labels};

/// The objects of a workload that are in the cluster.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Its StatefulSets, by name.
    pub sets: BTreeMap<String, StatefulSet>,
    /// Its DaemonSet.
    pub daemon_set: Option<DaemonSet>,
    /// Pods with its labels.
    pub pods: Vec<Pod>,
    /// The same pods, as the API server sent them.
    pub known: Vec<Arc<Object>>,
    /// Claims with its labels; none, if claims are not watched.
    pub claims: Vec<PersistentVolumeClaim>,
}

impl Seen {
    /// The same after a pass has written some of them.
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

/// What the pods of a workload need and users provide.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// The storage class of its volumes.
    pub storage_class: Option<String>,
    /// The size of its volumes.
    pub storage: Option<String>,
    /// A Service that must select its pods.
    pub service: Option<String>,
    /// The labels of its pods.
    pub labels: BTreeMap<String, String>,
}

impl Needs {
    fn of(workload: &WorkloadSpec, labels: Labels) -> Self {
        let claim = workload.storage.as_ref().map(|storage| &storage.volume_claim_template.spec);
        let class = claim.and_then(|claim| claim.storage_class_name.clone());
        let requests = claim.and_then(|claim| claim.resources.as_ref()?.requests.as_ref());
        Self {
            storage_class: class.filter(|class| !class.is_empty()),
            storage: requests.and_then(|requests| requests.get("storage")).map(|size| size.0.clone()),
            service: workload.service_name.clone(),
            labels,
        }
    }
}

/// The fields of a workload that matter to more than its objects.
#[derive(Debug, Clone)]
pub struct Facts<'r> {
    /// Whether the user paused it.
    pub paused: bool,
    /// The name of its application and the version that its spec sets.
    pub operand: (&'static str, &'r str),
    /// The port of the web server.
    pub port: u16,
    /// The prefix of the paths of the web server.
    pub route_prefix: &'r str,
    /// Whether its pods serve TLS.
    pub tls: bool,
    /// Whether it is a server that selects no monitors: then the user can write its configuration.
    pub selects_no_monitors: bool,
    /// The AlertmanagerConfig in its namespace that it names as its base.
    pub base: Option<&'r str>,
    /// Containers of its pods that the user adds or changes, and init containers.
    pub containers: [&'r [Container]; 2],
    /// What its pods need and users provide.
    pub needs: Needs,
    /// A message for each deprecated field that it sets.
    pub deprecated: Vec<String>,
}

impl Facts<'_> {
    /// The path of the endpoint that reloads the configuration.
    pub(crate) fn reload_path(&self) -> String {
        format!("{}/-/reload", self.route_prefix.trim_end_matches('/'))
    }
}

/// The version that the spec sets, or the default.
pub(crate) fn version_text<W: Workload>(resource: &W::Resource) -> &str {
    or_default(resource.version(), W::APPLICATION.default_version)
}

/// The facts that all kinds of workloads have in the same fields.
pub(crate) fn facts<W: Workload>(resource: &W::Resource) -> Facts<'_> {
    let (workload, application) = (resource.workload(), W::APPLICATION);
    let version = version_text::<W>(resource);
    let serves_tls = |version| application.serves_tls(&version, resource.web());
    let name = resource.meta().name.as_deref().unwrap_or_default();
    Facts {
        paused: workload.paused,
        operand: (application.name, version),
        port: application.port,
        route_prefix: &workload.route_prefix,
        tls: version::parse(version).is_ok_and(serves_tls),
        selects_no_monitors: false,
        base: None,
        containers: [&workload.containers, &workload.init_containers],
        needs: Needs::of(workload, W::NAMING.labels(name)),
        deprecated: Vec::new(),
    }
}

/// The application that the pods of a kind of workload run.
#[derive(Debug, Clone, Copy)]
pub struct Application {
    /// Its name, as users know it.
    pub name: &'static str,
    /// The version that runs if the spec sets none.
    pub default_version: &'static str,
    /// The container that it runs in.
    pub container: &'static str,
    /// The port of its web server.
    pub port: u16,
    /// Major and minor number of the first version that reads a web configuration file.
    pub web_config_since: (u64, u64),
}

impl Application {
    /// Whether a version reads a web configuration file: only then is it passed.
    pub(crate) fn takes_web_config(&self, version: &Version) -> bool {
        let (major, minor) = self.web_config_since;
        *version >= Version::new(major, minor, 0)
    }

    /// Whether the web server of a version serves TLS.
    pub(crate) fn serves_tls(&self, version: &Version, web: Option<&WebConfigFileFields>) -> bool {
        self.takes_web_config(version) && web.is_some_and(|web| web.tls_config.is_some())
    }
}

/// The names and labels of the objects of a kind of workload.
#[derive(Debug, Clone, Copy)]
pub struct Naming {
    /// The name of the application in the labels of pods.
    pub application: &'static str,
    /// The Service that governs the StatefulSets of a namespace, unless a user provides one.
    pub governing_service: &'static str,
    /// The prefix of the names of all objects.
    pub prefix: &'static str,
    /// The suffix of the name of the Secret with the configuration.
    pub configuration_suffix: &'static str,
    /// The key of the configuration in that Secret.
    pub configuration_key: &'static str,
    /// The suffix of the name of the volume with the data.
    pub volume_suffix: &'static str,
    /// Labels of pods that hold the name of the workload.
    pub name_labels: &'static [&'static str],
    /// Labels of a StatefulSet or DaemonSet that its pods do not have.
    pub controller_labels: &'static [(&'static str, &'static str)],
    /// Its ConfigMaps with rules, if it has any.
    pub rules: Option<fn(&str) -> config_map::RuleConfigMaps<'_>>,
}

impl Naming {
    /// The prefix of the names of all objects of a workload.
    pub fn of(&self, workload: &str) -> String {
        format!("{}-{workload}", self.prefix)
    }

    /// The name of the StatefulSet of a shard.
    pub fn shard(&self, workload: &str, shard: i32) -> String {
        let name = self.of(workload);
        if shard == 0 { name } else { format!("{name}-shard-{shard}") }
    }

    /// The name of the Secret with the configuration.
    pub fn configuration(&self, workload: &str) -> String {
        format!("{}{}", self.of(workload), self.configuration_suffix)
    }

    /// Labels that all pods of a workload have.
    pub fn labels(&self, workload: &str) -> Labels {
        let mut all = labels([
            (labels::MANAGED_BY, labels::OPERATOR),
            (labels::APPLICATION, self.application),
            (labels::INSTANCE, workload),
        ]);
        all.extend(labels(self.name_labels.iter().map(|label| (*label, workload))));
        all
    }
}

/// A workload that was checked: the input of its plan.
pub trait ValidWorkload: Send + Sync {
    /// Renders what each of the selected resources adds.
    fn render(&self, context: &PlanContext<'_>, selections: &Selections, rendered: &mut Rendered);

    /// Plans all objects, with what was rendered.
    fn build(
        &self,
        context: &PlanContext<'_>,
        left_out: &Excluded,
        rendered: &mut Rendered,
    ) -> Result<Planned, PlanError>;

    /// Which surplus StatefulSets are kept. The others are deleted.
    fn surplus(&self, _sets: &BTreeMap<String, StatefulSet>, _offered: bool, _now: Timestamp) -> Surplus {
        Surplus::default()
    }
}

/// A kind of workload.
pub trait Workload: Sized + Send + Sync + 'static {
    /// The resource that users write.
    type Resource: WorkloadResource + DeserializeOwned + Serialize + Send + Sync;
    /// A resource that was checked.
    type Valid<'v>: ValidWorkload;

    /// What its operator watches and owns.
    const DECLARATION: &'static Declaration;
    /// The kinds that it selects.
    const SELECTABLE: &'static [SelectableKind];
    /// The names and labels of its objects.
    const NAMING: Naming;
    /// The application that its pods run.
    const APPLICATION: Application;
    /// The fields of its spec that refer to Secrets and ConfigMaps which the operator reads.
    const REFERENCE_FIELDS: &'static [&'static str];
    /// Whether its reloader loads a configuration, and not only other files.
    const HAS_CONFIGURATION: bool = true;
    /// The kinds that its status names if it selects nothing.
    const SELECTS: Option<Selects>;

    /// Name, namespace, and the rest.
    fn metadata(resource: &Self::Resource) -> &ObjectMeta {
        resource.meta()
    }

    /// The fields that matter to more than its objects.
    fn facts(resource: &Self::Resource) -> Facts<'_> {
        facts::<Self>(resource)
    }

    /// A Secret that the operator reads although no field of the spec refers to a key of it.
    fn own_secret(_resource: &Self::Resource) -> Option<String> {
        None
    }

    /// The status that was written last.
    fn status(resource: &Self::Resource) -> Value {
        serde_json::to_value(resource.status()).unwrap_or_default()
    }

    /// Checks a resource.
    fn validate<'v>(
        resource: &'v Self::Resource,
        context: &PlanContext<'v>,
    ) -> Result<Self::Valid<'v>, PlanError>;

    /// The state of its pods: those of its only StatefulSet, unless the kind says otherwise.
    fn observe(resource: &Self::Resource, seen: &Seen) -> PodSummary {
        summary::of_one_set(resource, seen)
    }

    /// Its status. Of the conditions it has only those that other kinds do not have, without times and generations.
    fn report(resource: &Self::Resource, pods: &PodSummary) -> Value;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{OfAgent, OfAlertmanager, OfPrometheus, OfThanosRuler};

    /// Whether pods of a version serve TLS, if the user enables it.
    fn serves_tls<W: Workload>(version: &str) -> bool {
        let web = json!({"tlsConfig": {"keyFile": "key", "certFile": "certificate"}});
        let spec = json!({"version": version, "web": web});
        let resource = json!({"metadata": {"name": "a", "namespace": "n"}, "spec": spec});
        W::facts(&serde_json::from_value(resource).unwrap()).tls
    }

    #[test]
    fn only_versions_that_read_the_web_configuration_serve_tls() {
        assert_eq!(["v0.21.0", "v0.22.0"].map(serves_tls::<OfAlertmanager>), [false, true]);
        assert_eq!(["v0.20.2", "v0.21.0"].map(serves_tls::<OfThanosRuler>), [false, true]);
        assert_eq!(["v2.23.0", "v2.24.0"].map(serves_tls::<OfPrometheus>), [false, true]);
        assert_eq!(["v2.23.0", "v2.24.0"].map(serves_tls::<OfAgent>), [false, true]);
        assert_eq!(["", "latest"].map(serves_tls::<OfAlertmanager>), [true, false]);
    }
}
