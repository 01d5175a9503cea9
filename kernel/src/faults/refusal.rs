//! Errors like those of a real API server, so that a client cannot tell them apart.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Value, json};

use crate::call::Call;

/// An error response that is injected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Refusal {
    /// 403: a permission was revoked.
    Forbidden,
    /// 409: another writer was faster.
    Conflict,
    /// 410: the version is expired.
    Gone,
    /// 429, with the time to wait, in whole seconds.
    TooManyRequests(Duration),
    /// 500.
    InternalError,
    /// 503.
    Unavailable,
    /// 504: a timeout, and the outcome is unknown.
    Timeout,
}

impl Refusal {
    /// All of them, for tests that use each.
    pub const ALL: [Self; 7] = [
        Self::Forbidden,
        Self::Conflict,
        Self::Gone,
        Self::TooManyRequests(Duration::from_secs(1)),
        Self::InternalError,
        Self::Unavailable,
        Self::Timeout,
    ];

    /// The status code, one word for the trace, and the reason and the message of the server.
    fn parts(self) -> (u16, &'static str, &'static str, &'static str) {
        let modified =
            "the object has been modified; please apply your changes to the latest version and try again";
        let slow = "the server was unable to return a response in the time allotted";
        let unable = "the server is currently unable to handle the request";
        let injected = "Internal error occurred: injected by a test";
        let busy = "too many requests, please try again later";
        match self {
            Self::Forbidden => (403, "refused-403", "Forbidden", "is forbidden"),
            Self::Conflict => (409, "refused-409", "Conflict", modified),
            Self::Gone => (410, "refused-410", "Expired", "too old resource version: 1 (2)"),
            Self::TooManyRequests(_) => (429, "refused-429", "TooManyRequests", busy),
            Self::InternalError => (500, "refused-500", "InternalError", injected),
            Self::Unavailable => (503, "refused-503", "ServiceUnavailable", unable),
            Self::Timeout => (504, "refused-504", "Timeout", slow),
        }
    }

    /// The status code.
    pub fn code(self) -> u16 {
        self.parts().0
    }

    /// One word for the trace and for the name of a plan.
    pub(super) fn name(self) -> &'static str {
        self.parts().1
    }

    /// The `Status` object that the server answers.
    pub fn status(self, call: &Call) -> Value {
        let (kind, name) = (call.kind(), call.name.as_deref().unwrap_or_default());
        let (code, _, reason, message) = self.parts();
        let message = if self == Self::Forbidden {
            let verb = call.verb.as_str();
            format!("{kind} \"{name}\" {message}: User \"faults\" cannot {verb} resource \"{kind}\"")
        } else if self == Self::Conflict {
            format!("Operation cannot be fulfilled on {kind} \"{name}\": {message}")
        } else {
            message.to_owned()
        };
        let mut status = failure(code, reason, &message);
        status["details"] = json!({"group": call.group, "kind": call.resource});
        if let Some(name) = &call.name {
            status["details"]["name"] = name.as_str().into();
        }
        if let Self::TooManyRequests(wait) = self {
            status["details"]["retryAfterSeconds"] = wait.as_secs().into();
        }
        status
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

/// A `Status` object of a failure.
pub(super) fn failure(code: u16, reason: &str, message: &str) -> Value {
    json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code,
    })
}

/// An answer that carries an object.
pub(super) fn json_answer(code: u16, object: &Value) -> Response<Bytes> {
    let mut answer = Response::new(Bytes::from(object.to_string()));
    *answer.status_mut() = StatusCode::from_u16(code).unwrap_or_default();
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
    fn a_client_decodes_them_as_errors_of_the_server() {
        let uri = Uri::from_static("/apis/apps/v1/namespaces/d/statefulsets/a");
        let call = Call::of(&Method::PUT, &uri, None);
        for refusal in Refusal::ALL {
            let answer = refusal.answer(&call);
            let status: Status = serde_json::from_slice(answer.body()).unwrap();
            assert_eq!(status.code, answer.status().as_u16());
            assert_eq!(status.reason, refusal.parts().2);
            assert_eq!(refusal.name(), format!("refused-{}", status.code));
            assert!(!status.message.is_empty());
            let waits = matches!(refusal, Refusal::TooManyRequests(_));
            assert_eq!(answer.headers().contains_key(header::RETRY_AFTER), waits);
        }
        let conflict: Status = serde_json::from_value(Refusal::Conflict.status(&call)).unwrap();
        assert!(conflict.is_conflict());
        assert!(conflict.message.starts_with("Operation cannot be fulfilled on statefulsets.apps \"a\""));
    }
}
