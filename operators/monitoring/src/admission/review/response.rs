//! Responses to reviews.

use serde_json::{Value, json};

/// Why a request is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rejection {
    /// The message.
    pub(super) message: &'static str,
    /// The kind of the resource.
    pub(super) resource: &'static str,
    /// The single causes.
    pub(super) causes: Vec<String>,
}

impl Rejection {
    /// A rejection with one cause.
    pub(super) fn new(message: &'static str, resource: &'static str, cause: impl Into<String>) -> Self {
        Self { message, resource, causes: vec![cause.into()] }
    }

    fn response(&self) -> Value {
        let causes: Vec<Value> = self.causes.iter().map(|cause| json!({"message": cause})).collect();
        let mut details = json!({"causes": causes});
        if !self.resource.is_empty() {
            details["name"] = self.resource.into();
        }
        json!({"allowed": false, "status": {
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": "Invalid",
            "details": details,
            "code": 422,
        }})
    }
}

/// The response that allows a request.
pub(super) fn allowed() -> Value {
    json!({"allowed": true})
}

/// The request of a review.
pub(super) fn request(review: &Value) -> Option<&Value> {
    review.get("request").filter(|request| request.is_object())
}

/// Answers an `AdmissionReview` with the response that `admit` gives to its request.
pub(super) fn admission(review: &Value, admit: impl FnOnce(&Value) -> Result<Value, Rejection>) -> Value {
    let missing = || Err(Rejection::new("Unable to deserialize request", "", "the review has no request"));
    let response = request(review).map_or_else(missing, admit);
    answer(review, response.unwrap_or_else(|rejection| rejection.response()))
}

/// The review with a response, and without the request.
pub(super) fn answer(review: &Value, mut response: Value) -> Value {
    response["uid"] = review["request"]["uid"].as_str().unwrap_or_default().into();
    let mut answer = json!({"response": response});
    for name in ["apiVersion", "kind"] {
        if let Some(value) = review.get(name) {
            answer[name] = value.clone();
        }
    }
    answer
}
