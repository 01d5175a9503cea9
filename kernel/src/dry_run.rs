//! A client whose writes are all server-side dry runs: the server checks and answers them, and persists nothing. Operators
//! that get this client and one pass show what they would do, see `Hub::once`.

use std::sync::Arc;

use http::request::Parts;
use http::{Request, Response, Uri, header};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tower::BoxError;

use crate::call::{Call, Purpose, Verb};

/// A write that the server would accept.
#[derive(Debug, Clone, PartialEq)]
pub struct DryRunWrite {
    /// The request.
    pub call: Call,
    /// The path of the object.
    pub path: String,
    /// The resulting object, or the answer to a deletion.
    pub answer: Value,
}

/// All recorded writes. Cheap to clone; all clones are the same.
#[derive(Debug, Clone, Default)]
pub struct DryRun(Arc<Mutex<Vec<DryRunWrite>>>);

impl DryRun {
    /// A client that reads as this one does, and whose writes are dry runs.
    pub fn around(&self, client: Client) -> Client {
        let (dry_run, namespace) = (self.clone(), client.default_namespace().to_owned());
        let service = tower::service_fn(move |request: Request<Body>| {
            let (dry_run, client) = (dry_run.clone(), client.clone());
            async move { dry_run.send(&client, request).await }
        });
        Client::new(service, namespace)
    }

    /// The writes so far, in their order.
    pub fn take(&self) -> Vec<DryRunWrite> {
        std::mem::take(&mut self.0.lock())
    }

    #[expect(clippy::disallowed_methods, reason = "dry runs: the server persists nothing")]
    async fn send(&self, client: &Client, request: Request<Body>) -> Result<Response<Body>, BoxError> {
        let (mut head, body) = request.into_parts();
        let call = Call::of(&head.method, &head.uri, None);
        if !call.verb.writes() || call.purpose == Purpose::Review {
            return Ok(client.send(Request::from_parts(head, body)).await?);
        }
        let body = body.collect_bytes().await?;
        let sent: Option<Value> = serde_json::from_slice(&body).ok();
        let call = Call::of(&head.method, &head.uri, sent.as_ref());
        let body = as_dry_run(&mut head, &call, sent, &body)?;
        let path = head.uri.path().to_owned();
        let (head, body) = client.send(Request::from_parts(head, Body::from(body))).await?.into_parts();
        let body = body.collect().await?.to_bytes();
        if head.status.is_success() && call.is_write() {
            let answer = serde_json::from_slice(&body).unwrap_or_default();
            self.0.lock().push(DryRunWrite { call, path, answer });
        }
        Ok(Response::from_parts(head, Body::from(body.to_vec())))
    }
}

/// Marks a request as a dry run. Of a deletion the server reads only the options in the body, if there is one; an eviction
/// contains a deletion.
fn as_dry_run(head: &mut Parts, call: &Call, sent: Option<Value>, body: &[u8]) -> Result<Vec<u8>, BoxError> {
    head.uri = with_dry_run(&head.uri)?;
    // Return the whole object also where only its metadata is requested: the rest is reported.
    head.headers.remove(header::ACCEPT);
    let mut sent = sent.unwrap_or_else(|| json!({}));
    if matches!(call.verb, Verb::Delete | Verb::DeleteCollection) {
        sent["dryRun"] = json!(["All"]);
    } else if call.subresource.as_deref() == Some("eviction") {
        sent["deleteOptions"]["dryRun"] = json!(["All"]);
    } else {
        return Ok(body.to_vec());
    }
    head.headers.remove(header::CONTENT_LENGTH);
    Ok(serde_json::to_vec(&sent)?)
}

fn with_dry_run(uri: &Uri) -> Result<Uri, BoxError> {
    let query = match uri.query() {
        Some(query) if !query.is_empty() => format!("{query}&dryRun=All"),
        _ => "dryRun=All".to_owned(),
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(format!("{}?{query}", uri.path()).parse()?);
    Ok(Uri::from_parts(parts)?)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test plays the caller")]
mod tests {
    use super::*;

    /// A server that answers with the request.
    fn echo() -> Client {
        let service = tower::service_fn(|request: Request<Body>| async move {
            let (head, body) = request.into_parts();
            let body: Value = serde_json::from_slice(&body.collect_bytes().await?).unwrap_or_default();
            let request = format!("{} {}", head.method, head.uri);
            let accepts = head.headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
            let answer = json!({"request": request, "body": body, "accepts": accepts}).to_string();
            Ok::<_, BoxError>(Response::new(Body::from(answer.into_bytes())))
        });
        Client::new(service, "default")
    }

    /// The request that the server got, its body, and the number of recorded writes.
    async fn sent(method: &str, uri: &str, body: Value) -> (String, Value, usize) {
        let dry_run = DryRun::default();
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let request = Request::builder().method(method).uri(uri).body(body).unwrap();
        let mut answer: Value = dry_run.around(echo()).request(request).await.unwrap();
        let request = answer["request"].as_str().unwrap_or_default().to_owned();
        (request, answer["body"].take(), dry_run.take().len())
    }

    #[tokio::test]
    async fn every_write_is_a_dry_run_and_recorded() {
        let secrets = "/api/v1/namespaces/n/secrets";
        let object = json!({"metadata": {"name": "a"}});
        for (method, uri) in [
            ("POST", secrets.to_owned()),
            ("PUT", format!("{secrets}/a?fieldManager=m")),
            ("PATCH", format!("{secrets}/a/status?")),
        ] {
            let (request, body, recorded) = sent(method, &uri, object.clone()).await;
            assert!(request.ends_with("dryRun=All"), "{request}");
            assert_eq!((body, recorded), (object.clone(), 1), "{uri}");
        }
        let delete = json!({"preconditions": {"uid": "u"}});
        let (_, body, recorded) = sent("DELETE", &format!("{secrets}/a"), delete).await;
        assert_eq!(body, json!({"preconditions": {"uid": "u"}, "dryRun": ["All"]}));
        assert_eq!(recorded, 1);
        let (_, body, _) = sent("DELETE", secrets, Value::Null).await;
        assert_eq!(body, json!({"dryRun": ["All"]}));
        let eviction = json!({"metadata": {"name": "a"}});
        let (_, body, _) = sent("POST", "/api/v1/namespaces/n/pods/a/eviction", eviction).await;
        assert_eq!(body, json!({"metadata": {"name": "a"}, "deleteOptions": {"dryRun": ["All"]}}));
    }

    #[tokio::test]
    async fn a_write_is_answered_with_the_whole_object() {
        let metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
        for (method, expected) in [("PUT", Value::Null), ("GET", metadata.into())] {
            let request = Request::builder().method(method).uri("/api/v1/namespaces/n/secrets/a");
            let request = request.header(header::ACCEPT, metadata).body(b"{}".to_vec()).unwrap();
            let answer: Value = DryRun::default().around(echo()).request(request).await.unwrap();
            assert_eq!(answer["accepts"], expected, "{method}");
        }
    }

    #[tokio::test]
    async fn reads_are_not_changed_and_only_work_is_recorded() {
        let (request, _, recorded) = sent("GET", "/api/v1/namespaces/n/secrets/a", Value::Null).await;
        assert_eq!((request.as_str(), recorded), ("GET /api/v1/namespaces/n/secrets/a", 0));
        let (request, _, recorded) = sent("POST", "/api/v1/namespaces/n/events", json!({})).await;
        assert_eq!((request.as_str(), recorded), ("POST /api/v1/namespaces/n/events?dryRun=All", 0));
        let review = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
        let (request, _, recorded) = sent("POST", review, json!({})).await;
        assert_eq!((request, recorded), (format!("POST {review}"), 0));
    }
}
