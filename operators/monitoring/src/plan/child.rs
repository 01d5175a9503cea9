//! The objects that a plan writes.

use k8s_openapi::api::apps::v1::{DaemonSet, StatefulSet};
use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Serialize;
use serde_json::Value;

/// An object.
#[derive(Debug, Clone, PartialEq)]
pub enum Child {
    /// Rules.
    ConfigMap(ConfigMap),
    /// A configuration, or certificates.
    Secret(Secret),
    /// A governing Service.
    Service(Box<Service>),
    /// The pods of a workload, or of a shard of it.
    StatefulSet(Box<StatefulSet>),
    /// An agent on every node.
    DaemonSet(Box<DaemonSet>),
}

impl Child {
    /// Name, namespace, labels and owners.
    pub fn metadata(&self) -> &ObjectMeta {
        match self {
            Self::ConfigMap(object) => &object.metadata,
            Self::Secret(object) => &object.metadata,
            Self::Service(object) => &object.metadata,
            Self::StatefulSet(object) => &object.metadata,
            Self::DaemonSet(object) => &object.metadata,
        }
    }

    /// The object as JSON.
    pub fn value(&self) -> Value {
        fn written(object: &impl Serialize) -> Value {
            serde_json::to_value(object).expect("objects of Kubernetes are JSON")
        }
        match self {
            Self::ConfigMap(object) => written(object),
            Self::Secret(object) => written(object),
            Self::Service(object) => written(object),
            Self::StatefulSet(object) => written(object),
            Self::DaemonSet(object) => written(object),
        }
    }
}
