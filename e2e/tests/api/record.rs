//! A client that records its requests and can impersonate a user.

use std::sync::{Arc, Mutex};

use anyhow::Result;
use http::header::{HeaderName, HeaderValue};
use kube::Client;
use kube::client::Body;
use serde_json::Value;

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Request {
    method: String,
    path: String,
    /// The body, or null.
    pub(crate) body: Value,
}

impl Request {
    /// As text: `PATCH configmaps/one`.
    pub(crate) fn line(&self) -> String {
        let parts: Vec<&str> = self.path.rsplitn(3, '/').take(2).collect();
        format!("{} {}/{}", self.method, parts[1], parts[0])
    }

    /// Whether it is a write.
    pub(crate) fn is_write(&self) -> bool {
        self.method != "GET"
    }

    /// Whether the API server rejects it if the object is another one than expected: it creates an object, or names the
    /// resource version or the UID.
    pub(crate) fn is_conditional(&self) -> bool {
        match self.method.as_str() {
            "POST" => true,
            "DELETE" => self.body["preconditions"]["uid"].is_string(),
            _ => ["resourceVersion", "uid"].iter().any(|field| self.body["metadata"][field].is_string()),
        }
    }
}

/// All requests except watches.
#[derive(Clone, Default)]
pub(crate) struct Record(Arc<Mutex<Vec<Request>>>);

impl Record {
    /// A client whose requests are recorded.
    pub(crate) fn around(&self, client: Client) -> Client {
        self.client(client, None)
    }

    /// A client with the permissions of a user.
    pub(crate) fn impersonate(&self, client: Client, user: &str) -> Result<Client> {
        Ok(self.client(client, Some(HeaderValue::from_str(user)?)))
    }

    /// The requests since the last call.
    pub(crate) fn take(&self) -> Vec<Request> {
        std::mem::take(&mut self.0.lock().expect("no writer panics"))
    }

    fn client(&self, client: Client, user: Option<HeaderValue>) -> Client {
        let (record, namespace) = (self.clone(), client.default_namespace().to_owned());
        let service = tower::service_fn(move |request: http::Request<Body>| {
            let (record, client, user) = (record.clone(), client.clone(), user.clone());
            async move {
                let (mut head, body) = request.into_parts();
                let body = body.collect_bytes().await?;
                record.note(&head, &body);
                if let Some(user) = user {
                    head.headers.insert(HeaderName::from_static("impersonate-user"), user);
                }
                client.send(http::Request::from_parts(head, Body::from(body.to_vec()))).await
            }
        });
        Client::new(service, namespace)
    }

    fn note(&self, head: &http::request::Parts, body: &[u8]) {
        if head.uri.query().is_some_and(|query| query.contains("watch=")) {
            return;
        }
        let request = Request {
            method: head.method.to_string(),
            path: head.uri.path().to_owned(),
            body: serde_json::from_slice(body).unwrap_or_default(),
        };
        self.0.lock().expect("no writer panics").push(request);
    }
}
