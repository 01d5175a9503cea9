//! What we may do, where we can do without: asked for each namespace, and said once if we may not. A "no" is asked again
//! after some time: roles are often granted after the operator was started.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec,
};
use k8s_openapi::jiff::Timestamp;
use kube::api::PostParams;
use kube::{Api, Client};

use crate::shared::held;

/// How long a "no" holds.
const NO: Duration = Duration::from_mins(5);

/// What was asked so far.
#[derive(Debug, Default)]
pub(crate) struct Rights {
    /// Nothing stands for yes, a time for the last no.
    patch_pods: Mutex<HashMap<String, Option<Timestamp>>>,
}

impl Rights {
    /// Whether pods of a namespace may be touched. Who does not answer has not said yes, and is asked again.
    pub(crate) async fn may_patch_pods(&self, client: &Client, namespace: &str, now: Timestamp) -> bool {
        match held(&self.patch_pods).get(namespace) {
            Some(None) => return true,
            Some(Some(no)) if Duration::try_from(now.duration_since(*no)).is_ok_and(|age| age < NO) => {
                return false;
            }
            Some(Some(_)) | None => {}
        }
        let review = SelfSubjectAccessReview {
            spec: SelfSubjectAccessReviewSpec {
                resource_attributes: Some(ResourceAttributes {
                    namespace: Some(namespace.to_owned()),
                    resource: Some("pods".into()),
                    verb: Some("patch".into()),
                    ..ResourceAttributes::default()
                }),
                ..SelfSubjectAccessReviewSpec::default()
            },
            ..SelfSubjectAccessReview::default()
        };
        let api: Api<SelfSubjectAccessReview> = Api::all(client.clone());
        let Ok(answer) = api.create(&PostParams::default(), &review).await else { return false };
        let may = answer.status.is_some_and(|status| status.allowed);
        let mut known = held(&self.patch_pods);
        if !may && !known.values().any(Option::is_some) {
            tracing::warn!(
                namespace,
                "pods may not be patched: a change takes effect when the kubelet comes by, after up to 90 seconds; \
                 grant patch of pods to have it take effect at once"
            );
        }
        known.insert(namespace.to_owned(), (!may).then_some(now));
        may
    }
}
