//! The security context of every pod of an application (the restricted Pod Security Standard, one user for instances and
//! Jobs because they share a volume), and the default resources.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    Capabilities, PodSecurityContext, ResourceRequirements, SeccompProfile, SecurityContext,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

/// The user that the application runs as.
const USER: i64 = 65532;

/// The security context of a pod.
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

/// The resources of an application whose spec has none.
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

/// The security context of a container.
pub(super) fn container() -> SecurityContext {
    SecurityContext {
        allow_privilege_escalation: Some(false),
        read_only_root_filesystem: Some(true),
        capabilities: Some(Capabilities { drop: Some(vec!["ALL".into()]), ..Capabilities::default() }),
        ..SecurityContext::default()
    }
}
