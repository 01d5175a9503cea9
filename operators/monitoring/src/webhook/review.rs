//! The webhooks of the Prometheus Operator over HTTP. The responses come from `admission`.

use std::fmt::Display;

use http::StatusCode;
use kernel::clock;
use kernel::webhook::{Question, WebhookError};
use serde_json::Value;

use crate::webhook::metrics::{Answer, PathMetrics};

/// Answers an `AdmissionReview`. A request without a JSON body gets an HTTP error; a body that is not a review gets a
/// rejection.
pub(crate) fn admission(
    metrics: PathMetrics,
    respond: impl Fn(&Value) -> Value,
) -> impl Fn(Question<'_>) -> Result<Vec<u8>, WebhookError> {
    counted(metrics, move |question| {
        check(question)?;
        match serde_json::from_slice::<Value>(question.body) {
            Ok(review) => {
                let response = respond(&review);
                let answer = Answer::of(response["response"]["allowed"] == true);
                Ok(Answered { answer, response, object: name(&review) })
            }
            Err(error) => {
                let mut response = respond(&Value::Null);
                if let Some(cause) = response.pointer_mut("/response/status/details/causes/0/message") {
                    *cause = error.to_string().into();
                }
                Ok(Answered { answer: Answer::Rejected, response, object: String::new() })
            }
        }
    })
}

/// Answers a `ConversionReview`.
pub(crate) fn conversion<E: Display>(
    metrics: PathMetrics,
    convert: impl Fn(&Value) -> Result<Value, E>,
) -> impl Fn(Question<'_>) -> Result<Vec<u8>, WebhookError> {
    counted(metrics, move |question| {
        let review: Value = serde_json::from_slice(question.body).map_err(WebhookError::bad)?;
        let response = convert(&review).map_err(WebhookError::bad)?;
        let answer = Answer::of(response["response"]["result"]["status"] == "Success");
        Ok(Answered { answer, response, object: String::new() })
    })
}

/// A review with its response.
struct Answered {
    answer: Answer,
    response: Value,
    /// The namespace and the name of the object; empty if they are unknown.
    object: String,
}

fn counted(
    metrics: PathMetrics,
    answer: impl Fn(Question<'_>) -> Result<Answered, WebhookError>,
) -> impl Fn(Question<'_>) -> Result<Vec<u8>, WebhookError> {
    move |question| {
        let began = clock::now();
        let answered = answer(question);
        metrics.observe(answered.as_ref().map_or(Answer::Unreadable, |answered| answered.answer), began);
        match &answered {
            Ok(Answered { answer: Answer::Rejected, object, .. }) => {
                tracing::info!(path = metrics.path, object, "rejected");
            }
            Ok(_) => {}
            Err(failure) => tracing::warn!(path = metrics.path, code = %failure.code, "{}", failure.message),
        }
        serde_json::to_vec(&answered?.response).map_err(WebhookError::defect)
    }
}

/// Accepts only JSON, with exactly this content type.
fn check(question: Question<'_>) -> Result<(), WebhookError> {
    if question.body.is_empty() {
        return Err(WebhookError::bad("request has no body"));
    }
    if question.content_type != Some("application/json") {
        let message = "invalid Content-Type, want `application/json`".to_owned();
        return Err(WebhookError { code: StatusCode::UNSUPPORTED_MEDIA_TYPE, message });
    }
    Ok(())
}

/// The namespace and the name of the object of a review.
fn name(review: &Value) -> String {
    let text = |field: &str| review["request"][field].as_str().unwrap_or_default();
    format!("{}/{}", text("namespace"), text("name"))
}
