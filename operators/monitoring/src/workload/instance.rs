//! A workload at the version that its spec sets: the names, labels and addresses of its objects and pods, and what the version
//! supports.

use api_monitoring::web::WebConfigFileFields;
use api_monitoring::workload::{WorkloadResource as _, WorkloadSpec};
use formats::version::Version;
use k8s_openapi::api::core::v1::VolumeMount;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource as _;

use crate::kind::{Application, Naming, Workload, version_text};
use crate::workload::labels::{self, Labels};
use crate::workload::metadata::Owner;
use crate::workload::operator::OperatorConfig;
use crate::workload::{path, storage, volume};

/// A workload with a spec of a kind.
#[derive(Debug, Clone)]
pub struct Instance<'i, S> {
    /// The names and labels of the objects of the kind.
    pub naming: Naming,
    /// The application that the pods run.
    pub application: Application,
    /// The resource, as owner of objects.
    pub owner: Owner<'i>,
    /// The fields that all workloads share.
    pub workload: &'i WorkloadSpec,
    /// The settings of the web configuration file.
    pub web: Option<&'i WebConfigFileFields>,
    /// The fields of the kind.
    pub spec: &'i S,
    /// The version that runs.
    pub version: Version,
    /// The same as the user writes it.
    pub version_text: &'i str,
}

impl<'i, S> Instance<'i, S> {
    /// A resource with its spec, at a version.
    pub(crate) fn of<W: Workload>(resource: &'i W::Resource, spec: &'i S, version: Version) -> Self {
        Self {
            naming: W::NAMING,
            application: W::APPLICATION,
            owner: Owner { kind: W::DECLARATION.primary, metadata: resource.meta() },
            workload: resource.workload(),
            web: resource.web(),
            spec,
            version,
            version_text: version_text::<W>(resource),
        }
    }

    /// The prefix of the names of all objects; also the name of the first StatefulSet, and of the DaemonSet.
    pub fn object_name(&self) -> String {
        self.naming.of(self.owner.name())
    }

    /// The name of the Secret with the configuration.
    pub fn configuration_name(&self) -> String {
        self.naming.configuration(self.owner.name())
    }

    /// The name of the Secret with the web configuration file.
    pub fn web_config_name(&self) -> String {
        format!("{}-web-config", self.object_name())
    }

    /// The name of the volume with the data.
    pub(crate) fn volume_name(&self) -> String {
        format!("{}{}", self.object_name(), self.naming.volume_suffix)
    }

    /// The Service that governs the StatefulSets.
    pub(crate) fn service_name(&self) -> &'i str {
        self.workload.service_name.as_deref().unwrap_or(self.naming.governing_service)
    }

    /// The name of the port of the web server.
    pub(crate) fn port_name(&self) -> &'i str {
        if self.workload.port_name.is_empty() { "web" } else { &self.workload.port_name }
    }

    /// The prefix of the paths of the web server.
    pub(crate) fn route_prefix(&self) -> &'i str {
        if self.workload.route_prefix.is_empty() { "/" } else { &self.workload.route_prefix }
    }

    /// A path of the web server.
    pub(crate) fn path(&self, path: &str) -> String {
        path::clean(&format!("{}{path}", self.route_prefix()))
    }

    /// The URL of a path of the web server for the other containers of the pod.
    pub(crate) fn local_url(&self, operator: &OperatorConfig, tls: bool, path: &str) -> String {
        let host = format!("{}:{}", operator.local_host, self.application.port);
        path::url(if tls { "https" } else { "http" }, &host, &self.path(path))
    }

    /// Whether the version is this one or a later one.
    pub(crate) fn at_least(&self, major: u64, minor: u64) -> bool {
        self.version >= Version::new(major, minor, 0)
    }

    /// Whether the web configuration file is passed to the main container.
    pub(crate) fn takes_web_config(&self) -> bool {
        self.application.takes_web_config(&self.version)
    }

    /// Whether the web server serves TLS.
    pub(crate) fn serves_tls(&self) -> bool {
        self.application.serves_tls(&self.version, self.web)
    }

    /// The mount of the data.
    pub(crate) fn data_mount(&self, path: &str, sub_path: Option<&str>) -> VolumeMount {
        let storage = self.workload.storage.as_ref();
        VolumeMount {
            sub_path: sub_path.and_then(|directory| storage::sub_path(storage, directory)),
            ..volume::mount(storage::mounted_name(storage, &self.volume_name()), path)
        }
    }

    /// Labels that all pods have, of all shards.
    pub fn common_labels(&self) -> Labels {
        self.naming.labels(self.owner.name())
    }

    /// The label of the pods with the version.
    pub(crate) fn version_label(&self) -> Labels {
        Labels::from([(labels::VERSION.to_owned(), self.version.to_string())])
    }

    /// Labels that the user adds to the pods.
    pub(crate) fn user_labels(&self) -> Labels {
        self.workload.pod_metadata.as_ref().map(|users| users.labels.clone()).unwrap_or_default()
    }

    /// Metadata of the pods: these labels, the annotations that the user adds and the default container of `kubectl`.
    pub(crate) fn pod_metadata(&self, labels: Labels) -> ObjectMeta {
        let users = self.workload.pod_metadata.as_ref();
        let mut annotations = users.map(|users| users.annotations.clone()).unwrap_or_default();
        let container = labels::DEFAULT_CONTAINER.to_owned();
        annotations.insert(container, self.application.container.to_owned());
        ObjectMeta { labels: Some(labels), annotations: Some(annotations), ..ObjectMeta::default() }
    }
}
