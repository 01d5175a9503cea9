//! The peer's paths: what is asked and answered over HTTP. The answers themselves are made in `admission`.

use std::fmt::Display;

use http::StatusCode;
use kernel::clock;
use kernel::webhook::{Failure, Question};
use serde_json::Value;

use crate::webhook::metrics::{PathMetrics, Said};

/// Answers an `AdmissionReview`. Who sends nothing or no JSON is told by the code of the answer; who sends what is no
/// review, by a refusal.
pub(crate) fn admission(
    metrics: PathMetrics,
    answer: impl Fn(&Value) -> Value,
) -> impl Fn(Question<'_>) -> Result<Vec<u8>, Failure> {
    counted(metrics, move |question| {
        check(question)?;
        match serde_json::from_slice::<Value>(question.body) {
            Ok(review) => {
                let answer = answer(&review);
                let said = Said::of(answer["response"]["allowed"] == true);
                Ok((said, answer, name(&review)))
            }
            Err(error) => {
                let mut answer = answer(&Value::Null);
                if let Some(cause) = answer.pointer_mut("/response/status/details/causes/0/message") {
                    *cause = error.to_string().into();
                }
                Ok((Said::Refused, answer, String::new()))
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
        let answer = convert(&review).map_err(Failure::bad)?;
        let said = Said::of(answer["response"]["result"]["status"] == "Success");
        Ok((said, answer, String::new()))
    })
}

/// What was said, the answer, and which object it is about.
type Answered = (Said, Value, String);

fn counted(
    metrics: PathMetrics,
    answer: impl Fn(Question<'_>) -> Result<Answered, Failure>,
) -> impl Fn(Question<'_>) -> Result<Vec<u8>, Failure> {
    move |question| {
        let began = clock::now();
        let answered = answer(question);
        let said = answered.as_ref().map_or(Said::Unreadable, |(said, ..)| *said);
        metrics.answered(said, began);
        match &answered {
            Ok((Said::Refused, _, object)) => tracing::info!(path = metrics.path, object, "refused"),
            Ok(_) => {}
            Err(failure) => tracing::warn!(path = metrics.path, code = %failure.code, "{}", failure.words),
        }
        let (_, answer, _) = answered?;
        serde_json::to_vec(&answer).map_err(Failure::defect)
    }
}

/// Nothing but JSON is taken, and only under its exact name.
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

/// Which object a review is about.
fn name(review: &Value) -> String {
    let text = |field: &str| review["request"][field].as_str().unwrap_or_default();
    format!("{}/{}", text("namespace"), text("name"))
}
