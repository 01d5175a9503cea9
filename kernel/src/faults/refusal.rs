//! Errors as a real API server words them, so that a client cannot tell ours from its.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Value, json};

use crate::call::Call;

/// A refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Refusal {
    /// 403: a right was taken away.
    Forbidden,
    /// 409: somebody else was faster.
    Conflict,
    /// 410: that much history is not kept.
    Gone,
    /// 429, with the time to wait, in whole seconds.
    TooManyRequests(Duration),
    /// 500.
    InternalError,
    /// 503.
    Unavailable,
    /// 504: it took too long, and nobody knows what became of it.
    Timeout,
}

impl Refusal {
    /// All that the API server is known for, to be tried one after the other.
    pub const ALL: [Self; 7] = [
        Self::Forbidden,
        Self::Conflict,
        Self::Gone,
        Self::TooManyRequests(Duration::from_secs(1)),
        Self::InternalError,
        Self::Unavailable,
        Self::Timeout,
    ];

    /// The status code.
    pub fn code(self) -> StatusCode {
        match self {
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::Conflict => StatusCode::CONFLICT,
            Self::Gone => StatusCode::GONE,
            Self::TooManyRequests(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Timeout => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    fn reason(self) -> &'static str {
        match self {
            Self::Forbidden => "Forbidden",
            Self::Conflict => "Conflict",
            Self::Gone => "Expired",
            Self::TooManyRequests(_) => "TooManyRequests",
            Self::InternalError => "InternalError",
            Self::Unavailable => "ServiceUnavailable",
            Self::Timeout => "Timeout",
        }
    }

    fn message(self, call: &Call) -> String {
        let (kind, name) = (call.kind(), call.name.as_deref().unwrap_or_default());
        match self {
            Self::Forbidden => {
                let verb = call.verb.as_str();
                format!("{kind} \"{name}\" is forbidden: User \"faults\" cannot {verb} resource \"{kind}\"")
            }
            Self::Conflict => format!(
                "Operation cannot be fulfilled on {kind} \"{name}\": the object has been modified; please apply \
                 your changes to the latest version and try again"
            ),
            Self::Gone => "too old resource version: 1 (2)".into(),
            Self::TooManyRequests(_) => "too many requests, please try again later".into(),
            Self::InternalError => "Internal error occurred: injected by a test".into(),
            Self::Unavailable => "the server is currently unable to handle the request".into(),
            Self::Timeout => "the server was unable to return a response in the time allotted".into(),
        }
    }

    /// The `Status` object that tells of it.
    pub fn status(self, call: &Call) -> Value {
        let mut details = json!({"group": call.group, "kind": call.resource});
        if let Some(name) = &call.name {
            details["name"] = name.as_str().into();
        }
        if let Self::TooManyRequests(wait) = self {
            details["retryAfterSeconds"] = wait.as_secs().into();
        }
        json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message(call),
            "reason": self.reason(),
            "details": details,
            "code": self.code().as_u16(),
        })
    }

    /// The whole answer.
    pub(super) fn answer(self, call: &Call) -> Response<Bytes> {
        let mut answer = json_answer(self.code(), &self.status(call));
        if let Self::TooManyRequests(wait) = self {
            answer.headers_mut().insert(header::RETRY_AFTER, wait.as_secs().into());
        }
        answer
    }
}

/// An answer that carries an object.
pub(super) fn json_answer(code: StatusCode, object: &Value) -> Response<Bytes> {
    let mut answer = Response::new(Bytes::from(object.to_string()));
    *answer.status_mut() = code;
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

/// One line of a watch.
pub(super) fn event_line(kind: &str, object: &Value) -> Bytes {
    let mut line = json!({"type": kind, "object": object}).to_string();
    line.push('\n');
    Bytes::from(line)
}

#[cfg(test)]
mod tests {
    use http::{Method, Uri};
    use kube::core::Status;

    use super::*;

    #[test]
    fn a_client_reads_them_as_the_servers_own() {
        let uri = Uri::from_static("/apis/apps/v1/namespaces/d/statefulsets/a");
        let call = Call::of(&Method::PUT, &uri, None);
        for refusal in Refusal::ALL {
            let answer = refusal.answer(&call);
            let status: Status = serde_json::from_slice(answer.body()).unwrap();
            assert_eq!(status.code, answer.status().as_u16());
            assert_eq!(status.reason, refusal.reason());
            assert!(!status.message.is_empty());
            let waits = matches!(refusal, Refusal::TooManyRequests(_));
            assert_eq!(answer.headers().contains_key(header::RETRY_AFTER), waits);
        }
        let conflict: Status = serde_json::from_value(Refusal::Conflict.status(&call)).unwrap();
        assert!(conflict.is_conflict());
        assert!(conflict.message.starts_with("Operation cannot be fulfilled on statefulsets.apps \"a\""));
    }
}
