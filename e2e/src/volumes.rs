//! Claims and the volumes that pods mount.

use k8s_openapi::api::core::v1::{
    ConfigMapVolumeSource, EmptyDirVolumeSource, PersistentVolumeClaim, PersistentVolumeClaimSpec,
    PersistentVolumeClaimVolumeSource, SecretVolumeSource, Volume, VolumeResourceRequirements,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::api::ObjectMeta;

use crate::pods::words;

/// The storage class with volumes of exactly the requested size.
pub const SIZED: &str = "sized";
/// The same, with volumes that are retained when the claim is deleted.
pub const SIZED_RETAIN: &str = "sized-retain";

/// A claim of a storage class.
pub fn claim(name: &str, class: &str, size: &str) -> PersistentVolumeClaim {
    PersistentVolumeClaim {
        metadata: ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() },
        spec: Some(PersistentVolumeClaimSpec {
            access_modes: Some(words(&["ReadWriteOnce"])),
            storage_class_name: Some(class.into()),
            resources: Some(VolumeResourceRequirements {
                requests: Some([("storage".to_owned(), Quantity(size.into()))].into()),
                ..VolumeResourceRequirements::default()
            }),
            ..PersistentVolumeClaimSpec::default()
        }),
        ..PersistentVolumeClaim::default()
    }
}

/// The volume of a claim.
pub fn from_claim(name: &str) -> Volume {
    Volume {
        name: "data".into(),
        persistent_volume_claim: Some(PersistentVolumeClaimVolumeSource {
            claim_name: name.into(),
            ..PersistentVolumeClaimVolumeSource::default()
        }),
        ..Volume::default()
    }
}

/// A Secret as files.
pub fn from_secret(name: &str) -> Volume {
    Volume {
        name: "secret".into(),
        secret: Some(SecretVolumeSource { secret_name: Some(name.into()), ..SecretVolumeSource::default() }),
        ..Volume::default()
    }
}

/// A `ConfigMap` as files.
pub fn from_config(name: &str) -> Volume {
    Volume {
        name: "config".into(),
        config_map: Some(ConfigMapVolumeSource { name: name.into(), ..ConfigMapVolumeSource::default() }),
        ..Volume::default()
    }
}

/// An empty directory that is deleted with the pod.
pub fn scratch() -> Volume {
    Volume { name: "scratch".into(), empty_dir: Some(EmptyDirVolumeSource::default()), ..Volume::default() }
}
