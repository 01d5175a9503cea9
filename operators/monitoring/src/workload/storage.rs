//! Where a pod stores its data: in a volume that is deleted with the pod, or in a claim that outlives it.

use api_monitoring::pod::{EmbeddedClaim, StorageSpec};
use k8s_openapi::api::apps::v1::StatefulSetSpec;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, PersistentVolumeClaimStatus, Volume};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::workload::defaults::given;
use crate::workload::volume;

/// Adds the volume or the claim with the data to a StatefulSet, under a name; a claim may have its own name.
pub(crate) fn put(storage: Option<&StorageSpec>, name: &str, spec: &mut StatefulSetSpec) {
    let volume = match storage {
        None => volume::empty(name),
        Some(StorageSpec { empty_dir: None, ephemeral: None, volume_claim_template, .. }) => {
            spec.volume_claim_templates = Some(vec![claim(volume_claim_template, name)]);
            return;
        }
        Some(StorageSpec { empty_dir, ephemeral, .. }) => Volume {
            name: name.to_owned(),
            empty_dir: empty_dir.clone(),
            ephemeral: ephemeral.clone().filter(|_| empty_dir.is_none()),
            ..Volume::default()
        },
    };
    spec.template.spec.get_or_insert_default().volumes.get_or_insert_default().push(volume);
}

/// The name under which containers mount the data.
pub(crate) fn mounted_name<'n>(storage: Option<&'n StorageSpec>, name: &'n str) -> &'n str {
    let own = storage.map(|storage| storage.volume_claim_template.metadata.name.as_str()).unwrap_or_default();
    if own.is_empty() { name } else { own }
}

/// The directory of the data in its volume; none for the root of the volume.
pub(crate) fn sub_path(storage: Option<&StorageSpec>, directory: &str) -> Option<String> {
    storage.filter(|storage| !storage.disable_mount_sub_path).map(|_| directory.to_owned())
}

fn claim(template: &EmbeddedClaim, name: &str) -> PersistentVolumeClaim {
    let metadata = &template.metadata;
    let mut spec = template.spec.clone();
    spec.access_modes.get_or_insert_with(|| vec!["ReadWriteOnce".into()]);
    PersistentVolumeClaim {
        metadata: ObjectMeta {
            name: given(&metadata.name).or_else(|| Some(name.to_owned())),
            labels: (!metadata.labels.is_empty()).then(|| metadata.labels.clone()),
            annotations: (!metadata.annotations.is_empty()).then(|| metadata.annotations.clone()),
            ..ObjectMeta::default()
        },
        spec: Some(spec),
        status: Some(template.status.clone())
            .filter(|status| *status != PersistentVolumeClaimStatus::default()),
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{EmptyDirVolumeSource, PersistentVolumeClaimSpec};

    use super::*;

    /// The volumes and the claims of a StatefulSet.
    fn built(storage: &StorageSpec) -> (Option<Vec<Volume>>, Option<Vec<PersistentVolumeClaim>>) {
        let mut spec = StatefulSetSpec::default();
        put(Some(storage), "db", &mut spec);
        (spec.template.spec.and_then(|pod| pod.volumes), spec.volume_claim_templates)
    }

    #[test]
    fn a_volume_of_the_pod_wins_over_a_claim() {
        let mut storage =
            StorageSpec { empty_dir: Some(EmptyDirVolumeSource::default()), ..StorageSpec::default() };
        storage.volume_claim_template.metadata.name = "own".into();
        assert_eq!(built(&storage), (Some(vec![volume::empty("db")]), None));
        // The containers still mount the name of the claim, as with the Prometheus Operator.
        assert_eq!(mounted_name(Some(&storage), "db"), "own");
    }

    #[test]
    fn a_claim_has_its_own_name_and_access_modes() {
        let mut storage = StorageSpec::default();
        let claim = |name: &str, modes: &[&str]| PersistentVolumeClaim {
            metadata: ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() },
            spec: Some(PersistentVolumeClaimSpec {
                access_modes: Some(modes.iter().map(|mode| (*mode).to_owned()).collect()),
                ..PersistentVolumeClaimSpec::default()
            }),
            status: None,
        };
        assert_eq!(built(&storage), (None, Some(vec![claim("db", &["ReadWriteOnce"])])));
        storage.volume_claim_template.metadata.name = "own".into();
        storage.volume_claim_template.spec.access_modes = Some(vec!["ReadWriteMany".into()]);
        assert_eq!(built(&storage), (None, Some(vec![claim("own", &["ReadWriteMany"])])));
    }

    #[test]
    fn data_is_in_a_directory_unless_the_user_disables_it() {
        let mut storage = StorageSpec::default();
        assert_eq!(sub_path(None, "db"), None);
        assert_eq!(sub_path(Some(&storage), "db"), Some("db".into()));
        storage.disable_mount_sub_path = true;
        assert_eq!(sub_path(Some(&storage), "db"), None);
    }
}
