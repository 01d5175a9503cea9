//! What every pod of an application may do and use: the restricted Pod Security Standard, one user for instances and Jobs
//! because they share a volume, and modest resources.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    Capabilities, PodSecurityContext, ResourceRequirements, SeccompProfile, SecurityContext,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

/// The user that the application runs as.
const USER: i64 = 65532;

/// A pod without rights.
pub(super) fn pod() -> PodSecurityContext {
    PodSecurityContext {
        run_as_non_root: Some(true),
        run_as_user: Some(USER),
        run_as_group: Some(USER),
        fs_group: Some(USER),
        fs_group_change_policy: Some("OnRootMismatch".into()),
        seccomp_profile: Some(SeccompProfile { type_: "RuntimeDefault".into(), ..SeccompProfile::default() }),
        ..PodSecurityContext::default()
    }
}

/// What a user who says nothing gets.
pub(super) fn modest() -> ResourceRequirements {
    let amounts = |all: [(&str, &str); 2]| {
        all.map(|(name, amount)| (name.into(), Quantity(amount.into())))
            .into_iter()
            .collect::<BTreeMap<_, _>>()
    };
    ResourceRequirements {
        requests: Some(amounts([("cpu", "10m"), ("memory", "32Mi")])),
        limits: Some(amounts([("cpu", "1"), ("memory", "256Mi")])),
        ..ResourceRequirements::default()
    }
}

/// A container without rights.
pub(super) fn container() -> SecurityContext {
    SecurityContext {
        allow_privilege_escalation: Some(false),
        read_only_root_filesystem: Some(true),
        capabilities: Some(Capabilities { drop: Some(vec!["ALL".into()]), ..Capabilities::default() }),
        ..SecurityContext::default()
    }
}
