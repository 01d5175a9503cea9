//! Which handler answers under which path. A handler is a plain function; whatever it does, the server lives on.

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
use serde::Serialize;
use serde_json::Value;
use tokio::time::timeout;

use super::{admission, conversion};
use crate::web;

/// How much and how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a review. An object may have 3 MiB, an update carries two of them, a conversion a whole page of a list.
    pub body: usize,
    /// For a handler.
    pub answer: Duration,
    /// For connections.
    pub connection: web::Limits,
}

impl Default for Limits {
    fn default() -> Self {
        Self { body: 64 << 20, answer: Duration::from_secs(10), connection: web::Limits::default() }
    }
}

/// A question as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question<'q> {
    /// What its sender says that it is.
    pub content_type: Option<&'q str>,
    /// The question itself.
    pub body: &'q [u8],
}

/// An answer that is no review: how the API server takes it is for the failure policy to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The code of the answer.
    pub code: StatusCode,
    /// Why, for whoever asked.
    pub words: String,
}

impl Failure {
    /// The question cannot be answered.
    pub fn bad(problem: impl fmt::Display) -> Self {
        Self { code: StatusCode::BAD_REQUEST, words: problem.to_string() }
    }

    /// The question may be good; we are not.
    pub fn defect(problem: impl fmt::Display) -> Self {
        Self { code: StatusCode::INTERNAL_SERVER_ERROR, words: problem.to_string() }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (self.code, self.words).into_response()
    }
}

type Admit = dyn Fn(admission::Request) -> admission::Verdict + Send + Sync;
type Answer = dyn Fn(Question<'_>) -> Result<Vec<u8>, Failure> + Send + Sync;

#[derive(Clone)]
enum Handler {
    Admission(Arc<Admit>),
    Conversion(Arc<conversion::Convert>),
    Plain(Arc<Answer>),
}

/// Which handler answers under which path.
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
        F: Fn(admission::Request) -> admission::Verdict + Send + Sync + 'static,
    {
        self.0.insert(path.into(), Handler::Admission(Arc::new(admit)));
        self
    }

    /// Adds a conversion webhook: given the wanted `group/version` and an object, that object in that version.
    #[must_use]
    pub fn conversion<F>(mut self, path: &str, convert: F) -> Self
    where
        F: Fn(&str, Value) -> Result<Value, String> + Send + Sync + 'static,
    {
        self.0.insert(path.into(), Handler::Conversion(Arc::new(convert)));
        self
    }

    /// Adds a webhook that reads questions and writes answers, in JSON, itself. It is asked whatever the method is.
    #[must_use]
    pub fn plain<F>(mut self, path: &str, answer: F) -> Self
    where
        F: Fn(Question<'_>) -> Result<Vec<u8>, Failure> + Send + Sync + 'static,
    {
        self.0.insert(path.into(), Handler::Plain(Arc::new(answer)));
        self
    }

    /// These and others.
    #[must_use]
    pub fn merge(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// All of them, for a server of ours or of others.
    pub fn router(self, limits: &Limits) -> Router {
        let mut router = Router::new();
        for (path, handler) in self.0 {
            let (limit, is_plain) = (limits.answer, matches!(handler, Handler::Plain(_)));
            let answer = move |headers: HeaderMap, body: Bytes| {
                let handler = handler.clone();
                async move { run(limit, move || handler.answer(&headers, &body)).await }
            };
            router = router.route(&path, if is_plain { any(answer) } else { post(answer) });
        }
        router.layer(DefaultBodyLimit::max(limits.body))
    }
}

impl Handler {
    fn answer(&self, headers: &HeaderMap, body: &[u8]) -> Result<Vec<u8>, Failure> {
        match self {
            Self::Admission(admit) => {
                let request = admission::read(body).map_err(Failure::bad)?;
                let response = AdmissionResponse::from(&request);
                write(&admission::answer(response, admit(request)).map_err(Failure::defect)?)
            }
            Self::Conversion(convert) => {
                let mut request = conversion::read(body).map_err(Failure::bad)?;
                let objects = std::mem::take(&mut request.objects);
                let converted =
                    conversion::convert_all(&request.desired_api_version, objects, convert.as_ref());
                write(&conversion::answer(request, converted))
            }
            Self::Plain(answer) => {
                let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
                answer(Question { content_type, body })
            }
        }
    }
}

fn write(review: &impl Serialize) -> Result<Vec<u8>, Failure> {
    serde_json::to_vec(review).map_err(Failure::defect)
}

/// Runs a handler on a thread of its own, so that one that computes for long or panics disturbs nobody.
async fn run(
    limit: Duration,
    work: impl FnOnce() -> Result<Vec<u8>, Failure> + Send + 'static,
) -> Result<Response, Failure> {
    let slow = |_| Failure {
        code: StatusCode::GATEWAY_TIMEOUT,
        words: format!("the webhook had no answer after {limit:?}"),
    };
    let done = timeout(limit, tokio::task::spawn_blocking(work)).await.map_err(slow)?;
    let body = done.map_err(|_| {
        Failure::defect("the webhook failed on this object: a defect of the operator, see its log")
    })??;
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}
