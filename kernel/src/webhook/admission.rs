//! Admission reviews: bytes in, an answer out. Pure.

use json_patch::Patch;
use kube::api::DynamicObject;
use kube::core::admission::{AdmissionRequest, AdmissionResponse, AdmissionReview};

/// Whether a change is admitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdmissionDecision {
    /// It is admitted.
    Allow,
    /// It is rejected, with a reason for the user.
    Deny(String),
}

/// The answer of a handler.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Whether the change is admitted.
    pub decision: AdmissionDecision,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// Changes of the object; for mutating webhooks only.
    pub patch: Patch,
}

impl Verdict {
    /// Admits the object unchanged.
    pub fn allow() -> Self {
        Self { decision: AdmissionDecision::Allow, warnings: Vec::new(), patch: Patch(Vec::new()) }
    }

    /// Rejects the change.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self { decision: AdmissionDecision::Deny(reason.into()), ..Self::allow() }
    }
}

/// A request as handlers get it.
pub type ReviewRequest = AdmissionRequest<DynamicObject>;

/// Why a review cannot be answered.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReviewError {
    #[error("the request is not an admission review")]
    Read(#[from] serde_json::Error),
    #[error("the review has no request")]
    Empty,
    #[error("the patch cannot be written")]
    Patch(#[from] kube::core::admission::SerializePatchError),
}

/// The request of a review.
pub(super) fn read(body: &[u8]) -> Result<ReviewRequest, ReviewError> {
    let review: AdmissionReview<DynamicObject> = serde_json::from_slice(body)?;
    review.try_into().map_err(|_| ReviewError::Empty)
}

/// The review with the response, without the request.
pub(super) fn answer(
    response: AdmissionResponse,
    verdict: Verdict,
) -> Result<AdmissionReview<DynamicObject>, ReviewError> {
    let Verdict { decision, warnings, patch } = verdict;
    let mut response = match decision {
        AdmissionDecision::Allow if patch.0.is_empty() => response,
        AdmissionDecision::Allow => response.with_patch(patch)?,
        AdmissionDecision::Deny(reason) => {
            let mut denied = response.deny(reason);
            denied.result.code = 403;
            denied
        }
    };
    response.warnings = Some(warnings).filter(|warnings| !warnings.is_empty());
    Ok(response.into_review())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::tests::review;
    use super::*;

    fn reviewed(verdict: Verdict) -> Value {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
        let request = read(review(&object).to_string().as_bytes()).unwrap();
        serde_json::to_value(answer(AdmissionResponse::from(&request), verdict).unwrap()).unwrap()
    }

    #[test]
    fn every_verdict_has_the_format_that_the_server_expects() {
        let allowed = reviewed(Verdict::allow());
        assert_eq!(allowed["apiVersion"], "admission.k8s.io/v1");
        assert_eq!(allowed["kind"], "AdmissionReview");
        assert_eq!(allowed["response"], json!({"uid": "u-1", "allowed": true, "status": {}}));

        let denied = reviewed(Verdict { warnings: vec!["careful".into()], ..Verdict::deny("no such thing") });
        let expected = json!({
            "uid": "u-1",
            "allowed": false,
            "status": {"message": "no such thing", "code": 403},
            "warnings": ["careful"],
        });
        assert_eq!(denied["response"], expected);

        let steps = json!([{"op": "add", "path": "/metadata/labels", "value": {}}]);
        let patch: Patch = serde_json::from_value(steps.clone()).unwrap();
        let patched = reviewed(Verdict { patch, ..Verdict::allow() });
        assert_eq!(patched["response"]["patchType"], "JSONPatch");
        let AdmissionReview { response, .. } =
            serde_json::from_value::<AdmissionReview<DynamicObject>>(patched).unwrap();
        let bytes = response.unwrap().patch.unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), steps);
    }

    #[test]
    fn an_invalid_review_is_rejected() {
        assert!(read(b"{").unwrap_err().to_string().starts_with("the request is not an admission review"));
        let empty = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"});
        assert_eq!(read(empty.to_string().as_bytes()).unwrap_err().to_string(), "the review has no request");
    }
}
