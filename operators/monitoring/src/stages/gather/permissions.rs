//! What we may do, where we can do without: asked for each namespace, and said once if we may not. A "no" is asked again
//! after some time: roles are often granted after the operator was started.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec,
};
use k8s_openapi::jiff::Timestamp;
use kube::api::PostParams;
use kube::{Api, Client};

/// How long a "no" holds.
const NO: Duration = Duration::from_mins(5);

/// What was asked so far.
#[derive(Debug, Default)]
pub(crate) struct Permissions {
    /// Nothing stands for yes, a time for the last no.
    patch_pods: Mutex<HashMap<String, Option<Timestamp>>>,
}

impl Permissions {
    /// Whether pods of a namespace may be touched; nothing, if the server did not say: then it is asked again.
    pub(crate) async fn may_patch_pods(
        &self,
        client: &Client,
        namespace: &str,
        now: Timestamp,
    ) -> Option<bool> {
        match locked(&self.patch_pods).get(namespace) {
            Some(None) => return Some(true),
            Some(Some(no)) if Duration::try_from(now.duration_since(*no)).is_ok_and(|age| age < NO) => {
                return Some(false);
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
        let may = said(api.create(&PostParams::default(), &review).await)?;
        let mut known = locked(&self.patch_pods);
        if !may && !known.values().any(Option::is_some) {
            tracing::warn!(
                namespace,
                "pods may not be patched: a change takes effect when the kubelet comes by, after up to 90 seconds; \
                 grant patch of pods to have it take effect at once"
            );
        }
        known.insert(namespace.to_owned(), (!may).then_some(now));
        Some(may)
    }
}

/// What the server said to the question; nothing, if it did not get to it.
fn said(answer: kube::Result<SelfSubjectAccessReview>) -> Option<bool> {
    match answer {
        Ok(answer) => Some(answer.status.is_some_and(|status| status.allowed)),
        // Where nobody may ask, or nobody is there who knows, it would never be known: it is not granted.
        Err(kube::Error::Api(status)) if matches!(status.code, 403..=405) => Some(false),
        Err(error) => {
            tracing::debug!("it is not known whether pods may be patched: {error}");
            None
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use kube::client::Body;
    use serde_json::json;

    use super::*;

    /// A server that answers so, one after the other.
    fn server(answers: Vec<(u16, bool)>) -> Client {
        let answers = Mutex::new(answers.into_iter());
        let server = tower::service_fn(move |_: http::Request<Body>| {
            let (code, allowed) = locked(&answers).next().unwrap();
            let answer = if code == 201 {
                json!({"spec": {}, "status": {"allowed": allowed}})
            } else {
                json!({"status": "Failure", "code": code, "message": "", "reason": ""})
            };
            let answer = Body::from(answer.to_string().into_bytes());
            async move { Ok::<_, Infallible>(http::Response::builder().status(code).body(answer).unwrap()) }
        });
        Client::new(server, "n")
    }

    async fn asked(answers: &[(u16, bool)], seconds: &[i64]) -> Vec<Option<bool>> {
        let (rights, client) = (Permissions::default(), server(answers.to_vec()));
        let mut said = Vec::new();
        for second in seconds {
            let now = Timestamp::from_second(*second).unwrap();
            said.push(rights.may_patch_pods(&client, "n", now).await);
        }
        said
    }

    #[tokio::test]
    async fn who_did_not_answer_is_asked_again_and_has_not_said_no() {
        assert_eq!(asked(&[(500, false), (201, true)], &[0, 1, 2]).await, [None, Some(true), Some(true)]);
        assert_eq!(asked(&[(429, false), (503, false)], &[0, 1]).await, [None, None]);
    }

    #[tokio::test]
    async fn a_no_holds_for_a_while() {
        let (no, yes) = (Some(false), Some(true));
        assert_eq!(asked(&[(201, false), (201, true)], &[0, 299, 300, 900]).await, [no, no, yes, yes]);
        assert_eq!(
            asked(&[(403, false), (201, true)], &[0, 299, 300]).await,
            [no, no, yes],
            "nobody may ask"
        );
    }
}
