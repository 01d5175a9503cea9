//! The form of an answer.

use serde_json::{Value, json};

/// Why something is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal<'r> {
    /// What happened.
    pub(super) message: &'r str,
    /// The kind of the resource.
    pub(super) resource: &'r str,
    /// The single reasons.
    pub(super) causes: Vec<String>,
}

impl<'r> Refusal<'r> {
    /// A refusal for one reason.
    pub(super) fn new(message: &'r str, resource: &'r str, cause: impl Into<String>) -> Self {
        Self { message, resource, causes: vec![cause.into()] }
    }
}

/// What is said when nothing is wrong.
pub(super) fn allowed() -> Value {
    json!({"allowed": true})
}

/// Answers an `AdmissionReview` by what `admit` makes of its request.
pub(super) fn answer(review: &Value, admit: impl FnOnce(&Value) -> Result<Value, Refusal<'static>>) -> Value {
    let request = review.get("request").filter(|request| request.is_object());
    let verdict = match request {
        Some(request) => admit(request),
        None => Err(Refusal::new("Unable to deserialize request", "", "the review has no request")),
    };
    let mut response = verdict.unwrap_or_else(|refusal| refused(&refusal));
    let uid = request.and_then(|request| request.get("uid")).and_then(Value::as_str);
    response["uid"] = uid.unwrap_or_default().into();
    let mut answer = json!({"response": response});
    for name in ["apiVersion", "kind"] {
        if let Some(value) = review.get(name) {
            answer[name] = value.clone();
        }
    }
    answer
}

fn refused(refusal: &Refusal<'_>) -> Value {
    let causes: Vec<Value> = refusal.causes.iter().map(|cause| json!({"message": cause})).collect();
    let mut details = json!({"causes": causes});
    if !refusal.resource.is_empty() {
        details["name"] = refusal.resource.into();
    }
    json!({"allowed": false, "status": {
        "metadata": {},
        "status": "Failure",
        "message": refusal.message,
        "reason": "Invalid",
        "details": details,
        "code": 422,
    }})
}
