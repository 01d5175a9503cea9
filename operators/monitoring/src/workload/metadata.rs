//! Names, labels, annotations and owners of the objects that the operator makes.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use crate::workload::labels::{self, Labels, labels, merged};
use crate::workload::operator::OperatorConfig;

/// The resource that an object is made for.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'o> {
    /// The version of its kind, with the group.
    pub api_version: &'static str,
    /// Its kind.
    pub kind: &'static str,
    /// Its metadata.
    pub metadata: &'o ObjectMeta,
}

impl<'o> Owner<'o> {
    /// Its name; empty, if it has none.
    pub fn name(&self) -> &'o str {
        self.metadata.name.as_deref().unwrap_or_default()
    }

    /// Its namespace; empty, if it has none.
    pub fn namespace(&self) -> &'o str {
        self.metadata.namespace.as_deref().unwrap_or_default()
    }

    /// An object goes with its owner.
    fn reference(&self) -> OwnerReference {
        OwnerReference {
            api_version: self.api_version.into(),
            kind: self.kind.into(),
            name: self.name().into(),
            uid: self.metadata.uid.clone().unwrap_or_default(),
            ..OwnerReference::default()
        }
    }

    /// An object goes with its owner and has no other that manages it.
    fn managing_reference(&self) -> OwnerReference {
        OwnerReference { controller: Some(true), block_owner_deletion: Some(true), ..self.reference() }
    }
}

/// What every StatefulSet and DaemonSet has beside their owner's labels and annotations.
#[derive(Debug, Clone, Copy)]
pub struct Workload<'w> {
    /// Its name.
    pub name: &'w str,
    /// Labels that are not those of its pods.
    pub labels: &'w Labels,
    /// Labels by which it knows its pods.
    pub selector: &'w Labels,
    /// Hash of all that it is made from.
    pub input_hash: Option<&'w str>,
}

/// The metadata of a StatefulSet or DaemonSet. Annotations of `kubectl` stay with the owner: with them, `kubectl apply
/// --prune` would delete the object.
pub fn workload(owner: Owner<'_>, operator: &OperatorConfig, workload: Workload<'_>) -> ObjectMeta {
    let none = Labels::new();
    let hash: Labels = workload
        .input_hash
        .map(|hash| (labels::INPUT_HASH.to_owned(), hash.to_owned()))
        .into_iter()
        .collect();
    let of_owner = owner.metadata.annotations.as_ref().unwrap_or(&none);
    let mut annotations = merged([of_owner, &operator.annotations, &hash]);
    annotations.retain(|key, _| !key.starts_with(labels::KUBECTL));
    let of_owner = owner.metadata.labels.as_ref().unwrap_or(&none);
    ObjectMeta {
        name: Some(workload.name.to_owned()),
        namespace: owner.metadata.namespace.clone(),
        labels: Some(merged([&managed(), of_owner, workload.labels, workload.selector, &operator.labels])),
        annotations: some(annotations),
        owner_references: Some(vec![owner.managing_reference()]),
        ..ObjectMeta::default()
    }
}

/// The metadata of a Secret or ConfigMap.
pub fn content(owner: Owner<'_>, operator: &OperatorConfig, name: impl Into<String>) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.into()),
        namespace: owner.metadata.namespace.clone(),
        labels: Some(merged([&managed(), &operator.labels])),
        annotations: some(operator.annotations.clone()),
        owner_references: Some(vec![owner.managing_reference()]),
        ..ObjectMeta::default()
    }
}

/// The metadata of a Service that all resources of a kind in a namespace share: none of them manages it.
pub fn service(owner: Owner<'_>, operator: &OperatorConfig, name: &str, own: &Labels) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.to_owned()),
        namespace: owner.metadata.namespace.clone(),
        labels: Some(merged([&managed(), own, &operator.labels])),
        annotations: some(operator.annotations.clone()),
        owner_references: Some(vec![owner.reference()]),
        ..ObjectMeta::default()
    }
}

/// Labels of everything.
fn managed() -> Labels {
    labels([(labels::MANAGED_BY_OLD, labels::OPERATOR), (labels::MANAGED_BY, labels::OPERATOR)])
}

/// Nothing, if there are none.
fn some(labels: Labels) -> Option<Labels> {
    (!labels.is_empty()).then_some(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner() -> ObjectMeta {
        ObjectMeta {
            name: Some("main".into()),
            namespace: Some("monitoring".into()),
            uid: Some("1-2".into()),
            labels: Some(labels([("a", "owner"), ("b", "owner"), ("c", "owner"), ("managed-by", "owner")])),
            annotations: Some(labels([("x", "owner"), ("y", "owner"), ("kubectl.kubernetes.io/z", "owner")])),
            ..ObjectMeta::default()
        }
    }

    fn operator() -> OperatorConfig {
        OperatorConfig {
            labels: labels([("c", "operator")]),
            annotations: labels([("y", "operator"), ("kubectl.kubernetes.io/q", "operator")]),
            ..OperatorConfig::default()
        }
    }

    #[test]
    fn the_operator_has_the_last_word_about_a_workload() {
        let metadata = owner();
        let owner =
            Owner { api_version: "monitoring.coreos.com/v1", kind: "Prometheus", metadata: &metadata };
        let parts = Workload {
            name: "prometheus-main",
            labels: &labels([("b", "own"), ("a", "own")]),
            selector: &labels([("b", "selector"), ("c", "selector")]),
            input_hash: Some("1"),
        };
        let expected = ObjectMeta {
            name: Some("prometheus-main".into()),
            namespace: Some("monitoring".into()),
            labels: Some(labels([
                ("a", "own"),
                ("b", "selector"),
                ("c", "operator"),
                ("managed-by", "owner"),
                (labels::MANAGED_BY, labels::OPERATOR),
            ])),
            annotations: Some(labels([("x", "owner"), ("y", "operator"), (labels::INPUT_HASH, "1")])),
            owner_references: Some(vec![OwnerReference {
                api_version: "monitoring.coreos.com/v1".into(),
                kind: "Prometheus".into(),
                name: "main".into(),
                uid: "1-2".into(),
                controller: Some(true),
                block_owner_deletion: Some(true),
            }]),
            ..ObjectMeta::default()
        };
        assert_eq!(workload(owner, &operator(), parts), expected);
    }

    #[test]
    fn nobody_manages_a_service() {
        let metadata = owner();
        let owner =
            Owner { api_version: "monitoring.coreos.com/v1", kind: "Prometheus", metadata: &metadata };
        let expected = ObjectMeta {
            name: Some("operated".into()),
            namespace: Some("monitoring".into()),
            labels: Some(labels([
                ("c", "operator"),
                ("operated", "true"),
                (labels::MANAGED_BY_OLD, labels::OPERATOR),
                (labels::MANAGED_BY, labels::OPERATOR),
            ])),
            annotations: Some(labels([("y", "operator"), ("kubectl.kubernetes.io/q", "operator")])),
            owner_references: Some(vec![OwnerReference {
                api_version: "monitoring.coreos.com/v1".into(),
                kind: "Prometheus".into(),
                name: "main".into(),
                uid: "1-2".into(),
                ..OwnerReference::default()
            }]),
            ..ObjectMeta::default()
        };
        assert_eq!(service(owner, &operator(), "operated", &labels([("operated", "true")])), expected);
    }
}
