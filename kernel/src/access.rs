//! Access reviews: asks the API server for the permissions of this process.

use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec,
};
use kube::api::PostParams;
use kube::{Api, Client};

use crate::declare::Kind;

/// Whether this process has the permission for a verb on objects of a kind, in one namespace or in all of them.
#[expect(clippy::disallowed_methods, reason = "an access review is not persisted")]
pub async fn is_allowed(
    client: &Client,
    verb: &str,
    kind: Kind,
    namespace: Option<&str>,
) -> kube::Result<bool> {
    let review = SelfSubjectAccessReview {
        spec: SelfSubjectAccessReviewSpec {
            resource_attributes: Some(ResourceAttributes {
                namespace: namespace.map(Into::into),
                group: Some(kind.group.into()),
                resource: Some(kind.plural.into()),
                verb: Some(verb.into()),
                ..ResourceAttributes::default()
            }),
            ..SelfSubjectAccessReviewSpec::default()
        },
        ..SelfSubjectAccessReview::default()
    };
    let api: Api<SelfSubjectAccessReview> = Api::all(client.clone());
    let answer = api.create(&PostParams::default(), &review).await?;
    Ok(answer.status.is_some_and(|status| status.allowed))
}
