//! Names, labels, annotations and owners of the objects that the operator makes.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kernel::declare::Kind;

use crate::workload::labels::{self, Labels, labels, merged};
use crate::workload::operator::OperatorConfig;

/// The resource that an object is made for.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'o> {
    /// Its kind.
    pub kind: Kind,
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

    /// A reference to an owner that does not control the object: several owners can share it.
    fn reference(&self) -> OwnerReference {
        OwnerReference {
            api_version: self.kind.api_version(),
            kind: self.kind.kind.into(),
            name: self.name().into(),
            uid: self.metadata.uid.clone().unwrap_or_default(),
            ..OwnerReference::default()
        }
    }

    fn controller_reference(&self) -> OwnerReference {
        OwnerReference { controller: Some(true), block_owner_deletion: Some(true), ..self.reference() }
    }
}

/// The metadata of a StatefulSet or DaemonSet, with its own labels and the selector of its pods. Annotations of `kubectl` are
/// not copied from the owner: `kubectl apply --prune` would delete the object.
pub(crate) fn pod_controller(
    owner: Owner<'_>,
    operator: &OperatorConfig,
    name: String,
    own: &Labels,
    selector: &Labels,
) -> ObjectMeta {
    let of_owner = owner.metadata.annotations.clone().unwrap_or_default();
    let mut annotations = merged([&of_owner, &operator.annotations]);
    annotations.retain(|key, _| !key.starts_with(labels::KUBECTL));
    let of_owner = owner.metadata.labels.clone().unwrap_or_default();
    ObjectMeta {
        labels: Some(merged([&managed(), &of_owner, own, selector, &operator.labels])),
        annotations: some(annotations),
        ..content(owner, operator, name)
    }
}

/// The metadata of a Secret or ConfigMap.
pub fn content(owner: Owner<'_>, operator: &OperatorConfig, name: impl Into<String>) -> ObjectMeta {
    ObjectMeta {
        owner_references: Some(vec![owner.controller_reference()]),
        ..shared(owner, operator, name, &Labels::new())
    }
}

/// The metadata of an object that all workloads of a kind in a namespace share: none of them controls it.
pub fn shared(
    owner: Owner<'_>,
    operator: &OperatorConfig,
    name: impl Into<String>,
    own: &Labels,
) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.into()),
        namespace: owner.metadata.namespace.clone(),
        labels: Some(merged([&managed(), own, &operator.labels])),
        annotations: some(operator.annotations.clone()),
        owner_references: Some(vec![owner.reference()]),
        ..ObjectMeta::default()
    }
}

/// Labels of all objects.
fn managed() -> Labels {
    labels([(labels::MANAGED_BY_OLD, labels::OPERATOR), (labels::MANAGED_BY, labels::OPERATOR)])
}

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
    fn labels_of_the_operator_win_on_a_stateful_set() {
        let metadata = owner();
        let owner = Owner { kind: crate::kinds::PROMETHEUS, metadata: &metadata };
        let own = labels([("b", "own"), ("a", "own")]);
        let selector = labels([("b", "selector"), ("c", "selector")]);
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
            annotations: Some(labels([("x", "owner"), ("y", "operator")])),
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
        assert_eq!(pod_controller(owner, &operator(), "prometheus-main".into(), &own, &selector), expected);
    }

    #[test]
    fn no_owner_controls_a_shared_service() {
        let metadata = owner();
        let owner = Owner { kind: crate::kinds::PROMETHEUS, metadata: &metadata };
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
        assert_eq!(shared(owner, &operator(), "operated", &labels([("operated", "true")])), expected);
    }
}
