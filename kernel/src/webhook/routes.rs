//! The handlers by path. A handler is a plain function. If it fails, the server continues.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, post};
use bytes::Bytes;
use kube::core::admission::AdmissionResponse;
use tokio::time::timeout;

use super::admission;
use crate::telemetry::with_causes;

/// Limits of webhooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookLimits {
    /// Bytes of a review. An object may have 3 MiB, an update contains two of them, a conversion a whole page of a list.
    pub body: usize,
    /// Timeout of a handler.
    pub answer: Duration,
}

impl Default for WebhookLimits {
    fn default() -> Self {
        Self { body: 64 << 20, answer: Duration::from_secs(10) }
    }
}

/// A request as received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question<'q> {
    /// Its content type.
    pub content_type: Option<&'q str>,
    /// Its body.
    pub body: &'q [u8],
}

/// An answer that is not a review: the failure policy decides how the API server handles it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookError {
    /// The status code.
    pub code: StatusCode,
    /// The message.
    pub message: String,
}

impl WebhookError {
    /// The request is invalid.
    pub fn bad(problem: impl fmt::Display) -> Self {
        Self { code: StatusCode::BAD_REQUEST, message: problem.to_string() }
    }

    /// An internal error.
    pub fn defect(problem: impl fmt::Display) -> Self {
        Self { code: StatusCode::INTERNAL_SERVER_ERROR, message: problem.to_string() }
    }
}

impl IntoResponse for WebhookError {
    fn into_response(self) -> Response {
        (self.code, self.message).into_response()
    }
}

type Answer = dyn Fn(Question<'_>) -> Result<Vec<u8>, WebhookError> + Send + Sync;

#[derive(Clone)]
struct Handler {
    answer: Arc<Answer>,
    /// Whether it serves every method, and not only `POST`.
    is_plain: bool,
}

/// The handlers by path.
#[derive(Clone, Default)]
pub struct Routes(BTreeMap<String, Handler>);

impl fmt::Debug for Routes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

impl Routes {
    /// Adds a validating or mutating webhook.
    #[must_use]
    pub fn admission<F>(mut self, path: &str, admit: F) -> Self
    where
        F: Fn(admission::ReviewRequest) -> admission::Verdict + Send + Sync + 'static,
    {
        let answer = move |question: Question<'_>| {
            let request =
                admission::read(question.body).map_err(|error| WebhookError::bad(with_causes(&error)))?;
            let response = AdmissionResponse::from(&request);
            let review = admission::answer(response, admit(request));
            let review = review.map_err(|error| WebhookError::defect(with_causes(&error)))?;
            serde_json::to_vec(&review).map_err(WebhookError::defect)
        };
        self.0.insert(path.into(), Handler { answer: Arc::new(answer), is_plain: false });
        self
    }

    /// Adds a webhook that parses requests and writes answers itself, in JSON. It serves every method.
    #[must_use]
    pub fn plain<F>(mut self, path: &str, answer: F) -> Self
    where
        F: Fn(Question<'_>) -> Result<Vec<u8>, WebhookError> + Send + Sync + 'static,
    {
        self.0.insert(path.into(), Handler { answer: Arc::new(answer), is_plain: true });
        self
    }

    /// Adds other routes.
    #[must_use]
    pub fn merge(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// All routes, for any server.
    pub fn router(self, limits: &WebhookLimits) -> Router {
        let mut router = Router::new();
        for (path, Handler { answer, is_plain }) in self.0 {
            let limit = limits.answer;
            let respond = move |headers: HeaderMap, body: Bytes| {
                let answer = Arc::clone(&answer);
                let work = move || {
                    let content_type = headers.get(header::CONTENT_TYPE);
                    let content_type = content_type.and_then(|value| value.to_str().ok());
                    answer(Question { content_type, body: &body })
                };
                async move { run(limit, work).await }
            };
            router = router.route(&path, if is_plain { any(respond) } else { post(respond) });
        }
        router.layer(DefaultBodyLimit::max(limits.body))
    }
}

/// Runs a handler on a thread of its own, so that one that blocks or panics does not affect others.
async fn run(
    limit: Duration,
    work: impl FnOnce() -> Result<Vec<u8>, WebhookError> + Send + 'static,
) -> Result<Response, WebhookError> {
    let slow = |_| WebhookError {
        code: StatusCode::GATEWAY_TIMEOUT,
        message: format!("the webhook had no answer after {limit:?}"),
    };
    let done = timeout(limit, tokio::task::spawn_blocking(work)).await.map_err(slow)?;
    let body = done.map_err(|_| {
        WebhookError::defect("the webhook failed on this object: this is a bug in the operator, see its log")
    })??;
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}
