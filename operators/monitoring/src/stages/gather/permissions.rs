//! Whether the operator is permitted to patch the pods of a workload. The permission is optional. A denial is checked again
//! after some time, because permissions are often granted after the operator was started.

use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use kernel::access::is_allowed;
use kernel::object::Key;
use kube::Client;

use crate::kinds;

/// How long a denial holds.
const DENIED_FOR: Duration = Duration::from_mins(5);

/// Whether the operator is permitted to patch the pods of a workload.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Patching {
    /// It is not known yet.
    #[default]
    Unknown,
    /// It is permitted.
    Allowed,
    /// It was denied at this time.
    Denied(Timestamp),
}

impl Patching {
    /// Whether pods of a workload may be patched; none, if the API server did not answer: then it is asked again.
    pub(crate) async fn ask(&mut self, client: &Client, workload: &Key, now: Timestamp) -> Option<bool> {
        match *self {
            Self::Allowed => return Some(true),
            Self::Denied(at)
                if Duration::try_from(now.duration_since(at)).is_ok_and(|age| age < DENIED_FOR) =>
            {
                return Some(false);
            }
            Self::Denied(_) | Self::Unknown => {}
        }
        let is_allowed = match is_allowed(client, "patch", kinds::POD, Some(&workload.namespace)).await {
            Ok(is_allowed) => is_allowed,
            // The review itself is forbidden, or the API server does not support it: that counts as a denial.
            Err(kube::Error::Api(status)) if matches!(status.code, 403..=405) => false,
            Err(error) => {
                tracing::debug!("it is not known whether pods of {workload} may be patched: {error}");
                return None;
            }
        };
        if !is_allowed && *self == Self::Unknown {
            tracing::warn!(
                "the operator is not permitted to patch pods of {workload}: a change takes effect at the next sync of \
                 the kubelet, after up to 90 seconds; grant patch of pods to have it take effect at once"
            );
        }
        *self = if is_allowed { Self::Allowed } else { Self::Denied(now) };
        Some(is_allowed)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Mutex;

    use kube::client::Body;
    use serde_json::json;

    use super::*;

    /// An API server with these answers, in order.
    fn server(answers: Vec<(u16, bool)>) -> Client {
        let answers = Mutex::new(answers.into_iter());
        let server = tower::service_fn(move |_: http::Request<Body>| {
            let (code, allowed) = answers.lock().unwrap().next().unwrap();
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
        let (mut patching, client) = (Patching::default(), server(answers.to_vec()));
        let mut results = Vec::new();
        for second in seconds {
            let now = Timestamp::from_second(*second).unwrap();
            results.push(patching.ask(&client, &Key::new("n", "a"), now).await);
        }
        results
    }

    #[tokio::test]
    async fn an_error_is_no_denial_and_is_retried() {
        assert_eq!(asked(&[(500, false), (201, true)], &[0, 1, 2]).await, [None, Some(true), Some(true)]);
        assert_eq!(asked(&[(429, false), (503, false)], &[0, 1]).await, [None, None]);
    }

    #[tokio::test]
    async fn a_denial_holds_for_a_while() {
        let (no, yes) = (Some(false), Some(true));
        assert_eq!(asked(&[(201, false), (201, true)], &[0, 299, 300, 900]).await, [no, no, yes, yes]);
        assert_eq!(
            asked(&[(403, false), (201, true)], &[0, 299, 300]).await,
            [no, no, yes],
            "the review is forbidden"
        );
    }
}
