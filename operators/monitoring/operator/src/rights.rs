//! What we may do, where we can do without: asked once a namespace, and said once if we may not.

use std::collections::HashMap;
use std::sync::Mutex;

use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec,
};
use kube::api::PostParams;
use kube::{Api, Client};

use crate::shared::held;

/// What was asked so far.
#[derive(Debug, Default)]
pub(crate) struct Rights {
    patch_pods: Mutex<HashMap<String, bool>>,
}

impl Rights {
    /// Whether pods of a namespace may be touched. Who does not answer has not said yes, and is asked again.
    pub(crate) async fn may_patch_pods(&self, client: &Client, namespace: &str) -> bool {
        if let Some(known) = held(&self.patch_pods).get(namespace) {
            return *known;
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
        if !may && !known.values().any(|may| !may) {
            tracing::warn!(
                namespace,
                "pods may not be patched: a change takes effect when the kubelet comes by, after up to 90 seconds; \
                 grant patch of pods to have it take effect at once"
            );
        }
        known.insert(namespace.to_owned(), may);
        may
    }
}
