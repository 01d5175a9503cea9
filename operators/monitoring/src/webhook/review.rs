//! The webhooks of the Prometheus Operator over HTTP. The responses come from `admission`.

use std::fmt::Display;

use http::StatusCode;
use kernel::clock;
use kernel::webhook::{Failure, Question};
use serde_json::Value;

use crate::webhook::metrics::{Answer, PathMetrics};

/// Answers an `AdmissionReview`. A request without a JSON body gets an HTTP error; a body that is not a review gets a
/// rejection.
pub(crate) fn admission(
    metrics: PathMetrics,
    respond: impl Fn(&Value) -> Value,
) -> impl Fn(Question<'_>) -> Result<Vec<u8>, Failure> {
    counted(metrics, move |question| {
        check(question)?;
        match serde_json::from_slice::<Value>(question.body) {
            Ok(review) => {
                let response = respond(&review);
                let answer = Answer::of(response["response"]["allowed"] == true);
                Ok((answer, response, name(&review)))
            }
            Err(error) => {
                let mut response = respond(&Value::Null);
                if let Some(cause) = response.pointer_mut("/response/status/details/causes/0/message") {
                    *cause = error.to_string().into();
                }
                Ok((Answer::Rejected, response, String::new()))
            }
        }
    })
}

/// Answers a `ConversionReview`.
pub(crate) fn conversion<E: Display>(
    metrics: PathMetrics,
    convert: impl Fn(&Value) -> Result<Value, E>,
) -> impl Fn(Question<'_>) -> Result<Vec<u8>, Failure> {
    counted(metrics, move |question| {
        let review: Value = serde_json::from_slice(question.body).map_err(Failure::bad)?;
        let response = convert(&review).map_err(Failure::bad)?;
        let answer = Answer::of(response["response"]["result"]["status"] == "Success");
        Ok((answer, response, String::new()))
    })
}

/// The answer, the response, and the object.
type Answered = (Answer, Value, String);

fn counted(
    metrics: PathMetrics,
    answer: impl Fn(Question<'_>) -> Result<Answered, Failure>,
) -> impl Fn(Question<'_>) -> Result<Vec<u8>, Failure> {
    move |question| {
        let began = clock::now();
        let answered = answer(question);
        metrics.observe(answered.as_ref().map_or(Answer::Unreadable, |(answer, ..)| *answer), began);
        match &answered {
            Ok((Answer::Rejected, _, object)) => tracing::info!(path = metrics.path, object, "rejected"),
            Ok(_) => {}
            Err(failure) => tracing::warn!(path = metrics.path, code = %failure.code, "{}", failure.words),
        }
        let (_, response, _) = answered?;
        serde_json::to_vec(&response).map_err(Failure::defect)
    }
}

/// Accepts only JSON, with exactly this content type.
fn check(question: Question<'_>) -> Result<(), Failure> {
    if question.body.is_empty() {
        return Err(Failure::bad("request has no body"));
    }
    if question.content_type != Some("application/json") {
        let words = "invalid Content-Type, want `application/json`".to_owned();
        return Err(Failure { code: StatusCode::UNSUPPORTED_MEDIA_TYPE, words });
    }
    Ok(())
}

/// The namespace and the name of the object of a review.
fn name(review: &Value) -> String {
    let text = |field: &str| review["request"][field].as_str().unwrap_or_default();
    format!("{}/{}", text("namespace"), text("name"))
}
