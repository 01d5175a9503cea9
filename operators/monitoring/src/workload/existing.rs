//! Fields of an existing object that are kept when it is written again: labels and annotations of other clients, addresses,
//! and restarts that a user requested.

use k8s_openapi::api::apps::v1::{DaemonSet, StatefulSet};
use k8s_openapi::api::core::v1::{PodTemplateSpec, Service};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::workload::labels::{KUBECTL, Labels, RESERVED, merged};

/// Keeps labels and annotations of other clients. Those of the operator have precedence, and those that it no longer sets are
/// removed. The resource version makes a write fail if the object has changed in the meantime.
pub fn keep_metadata(wanted: &mut ObjectMeta, existing: &ObjectMeta) {
    wanted.resource_version.clone_from(&existing.resource_version);
    keep_foreign(&mut wanted.labels, existing.labels.as_ref());
    keep_foreign(&mut wanted.annotations, existing.annotations.as_ref());
}

/// The same for a StatefulSet, with restarts of its pods.
pub fn keep_stateful_set(wanted: &mut StatefulSet, existing: &StatefulSet) {
    keep_metadata(&mut wanted.metadata, &existing.metadata);
    if let (Some(wanted), Some(existing)) = (&mut wanted.spec, &existing.spec) {
        keep_restart(&mut wanted.template, &existing.template);
    }
}

/// The same for a DaemonSet, with restarts of its pods.
pub fn keep_daemon_set(wanted: &mut DaemonSet, existing: &DaemonSet) {
    keep_metadata(&mut wanted.metadata, &existing.metadata);
    if let (Some(wanted), Some(existing)) = (&mut wanted.spec, &existing.spec) {
        keep_restart(&mut wanted.template, &existing.template);
    }
}

/// The same for a Service, with its other owners and its immutable fields.
pub fn keep_service(wanted: &mut Service, existing: &Service) {
    keep_metadata(&mut wanted.metadata, &existing.metadata);
    let mut owners = existing.metadata.owner_references.clone().unwrap_or_default();
    for owner in wanted.metadata.owner_references.take().unwrap_or_default() {
        if !owners.contains(&owner) {
            owners.push(owner);
        }
    }
    wanted.metadata.owner_references = (!owners.is_empty()).then_some(owners);
    if let (Some(wanted), Some(existing)) = (&mut wanted.spec, &existing.spec) {
        wanted.ip_families.clone_from(&existing.ip_families);
        wanted.ip_family_policy.clone_from(&existing.ip_family_policy);
        wanted.cluster_ip.clone_from(&existing.cluster_ip);
        wanted.cluster_ips.clone_from(&existing.cluster_ips);
    }
}

/// `kubectl rollout restart` leaves an annotation on the pods.
pub(crate) fn keep_restart(wanted: &mut PodTemplateSpec, existing: &PodTemplateSpec) {
    let annotations = existing.metadata.as_ref().and_then(|metadata| metadata.annotations.as_ref());
    let mut restart: Labels = annotations.cloned().unwrap_or_default();
    restart.retain(|key, _| key.starts_with(KUBECTL));
    if !restart.is_empty() {
        let metadata = wanted.metadata.get_or_insert_default();
        metadata.annotations.get_or_insert_default().append(&mut restart);
    }
}

fn keep_foreign(wanted: &mut Option<Labels>, existing: Option<&Labels>) {
    let mut foreign = existing.cloned().unwrap_or_default();
    foreign.retain(|key, _| !key.starts_with(RESERVED));
    if !foreign.is_empty() {
        *wanted = Some(merged([&foreign, wanted.get_or_insert_default()]));
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::StatefulSetSpec;
    use k8s_openapi::api::core::v1::ServiceSpec;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

    use super::*;
    use crate::workload::labels::labels;

    #[test]
    fn metadata_of_others_is_kept_and_own_metadata_is_removed() {
        let mut wanted = ObjectMeta { labels: Some(labels([("a", "new")])), ..ObjectMeta::default() };
        let existing = ObjectMeta {
            resource_version: Some("7".into()),
            labels: Some(labels([("a", "old"), ("b", "old"), ("operator.prometheus.io/x", "old")])),
            annotations: Some(labels([("operator.prometheus.io/deletion-deadline", "old")])),
            ..ObjectMeta::default()
        };
        keep_metadata(&mut wanted, &existing);
        let expected = ObjectMeta {
            resource_version: Some("7".into()),
            labels: Some(labels([("a", "new"), ("b", "old")])),
            ..ObjectMeta::default()
        };
        assert_eq!(wanted, expected);
    }

    #[test]
    fn restarts_are_kept() {
        let pods = |annotations| {
            let metadata = ObjectMeta { annotations: Some(annotations), ..ObjectMeta::default() };
            let template = PodTemplateSpec { metadata: Some(metadata), ..PodTemplateSpec::default() };
            let spec = StatefulSetSpec { template, ..StatefulSetSpec::default() };
            StatefulSet { spec: Some(spec), ..StatefulSet::default() }
        };
        let mut wanted = pods(labels([("a", "new"), ("kubectl.kubernetes.io/default-container", "c")]));
        keep_stateful_set(
            &mut wanted,
            &pods(labels([("b", "old"), ("kubectl.kubernetes.io/restartedAt", "now")])),
        );
        let expected = pods(labels([
            ("a", "new"),
            ("kubectl.kubernetes.io/default-container", "c"),
            ("kubectl.kubernetes.io/restartedAt", "now"),
        ]));
        assert_eq!(wanted, expected);
    }

    #[test]
    fn a_service_keeps_its_owners_and_its_address() {
        let owner = |name: &str| OwnerReference { name: name.into(), ..OwnerReference::default() };
        let owned = |owners: &[&str]| ObjectMeta {
            owner_references: Some(owners.iter().map(|name| owner(name)).collect()),
            ..ObjectMeta::default()
        };
        let spec = ServiceSpec { cluster_ip: Some("10.0.0.1".into()), ..ServiceSpec::default() };
        let existing =
            Service { metadata: owned(&["a", "b"]), spec: Some(spec.clone()), ..Service::default() };
        let mut wanted = Service {
            metadata: owned(&["b", "c"]),
            spec: Some(ServiceSpec::default()),
            ..Service::default()
        };
        keep_service(&mut wanted, &existing);
        let expected = Service { metadata: owned(&["a", "b", "c"]), spec: Some(spec), ..Service::default() };
        assert_eq!(wanted, expected);
    }
}
