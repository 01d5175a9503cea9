//! The layer: injects the faults that the script decides for each request.

use std::future::{Ready, pending, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::stream::{self, StreamExt};
use http::{HeaderMap, Request, Response, header, request};
use http_body_util::{BodyExt, Full};
use kube::client::Body;
use serde_json::Value;
use tokio::sync::Mutex;
use tower::{BoxError, Layer, Service, ServiceExt};

use super::refusal::Refusal;
use super::rule::Fault;
use super::script::{Script, Treatment, expired};
use super::stream::{Answer, Control, End, broken, follow};
use super::view::View;
use crate::call::{Call, Verb};

/// A layer between a client and its server. Made by [`Script::layer`].
#[derive(Debug, Clone)]
pub struct FaultLayer {
    pub(super) script: Script,
    pub(super) life: u64,
}

impl<S> Layer<S> for FaultLayer {
    type Service = FaultService<S>;

    fn layer(&self, server: S) -> FaultService<S> {
        FaultService { layer: self.clone(), server: Arc::new(Mutex::new(server)) }
    }
}

/// A server behind a script.
#[derive(Debug)]
pub struct FaultService<S> {
    layer: FaultLayer,
    /// Shared by all requests.
    server: Arc<Mutex<S>>,
}

impl<S> Clone for FaultService<S> {
    fn clone(&self) -> Self {
        Self { layer: self.layer.clone(), server: Arc::clone(&self.server) }
    }
}

type Answering = Pin<Box<dyn Future<Output = Result<Response<Answer>, BoxError>> + Send>>;

impl<S, B> Service<Request<Body>> for FaultService<S>
where
    S: Service<Request<Body>, Response = Response<B>> + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<Answer>;
    type Error = BoxError;
    type Future = Answering;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Answering {
        let service = self.clone();
        Box::pin(service.handle(request))
    }
}

impl<S, B> FaultService<S>
where
    S: Service<Request<Body>, Response = Response<B>> + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    async fn handle(self, request: Request<Body>) -> Result<Response<Answer>, BoxError> {
        let (parts, body) = request.into_parts();
        let bytes = body.collect_bytes().await?;
        let body: Option<Value> = serde_json::from_slice(&bytes).ok();
        let call = Call::of(&parts.method, &parts.uri, body.as_ref());
        let FaultLayer { script, life } = self.layer.clone();
        let Some((number, treatment)) = script.admit(life, &call, body) else { return pending().await };
        let passage = Passage { script, life, number, call };
        let fault = match treatment {
            Treatment::Pass => None,
            Treatment::Replay(view) => return Ok(passage.replay(&view, &parts.headers)),
            Treatment::Fault(fault) => Some(fault),
        };
        if let Some(answer) = passage.before(fault.as_ref()).await {
            return Ok(answer);
        }
        match self.send(&passage, parts, bytes).await {
            Ok(answer) => passage.after(fault, answer).await,
            // A crashed process does not see connection errors either.
            Err(_) if passage.script.has_ended(passage.life) => pending().await,
            Err(error) => Err(error),
        }
    }

    async fn send(
        &self,
        passage: &Passage,
        parts: request::Parts,
        bytes: Bytes,
    ) -> Result<Response<Answer>, BoxError> {
        let answering = {
            let mut server = self.server.lock().await;
            let server = server.ready().await.map_err(Into::into)?;
            passage.script.sent(passage.number);
            server.call(Request::from_parts(parts, Body::from(bytes.to_vec())))
        };
        let answer = answering.await.map_err(Into::into)?;
        passage.script.answered(passage.number, answer.status().as_u16());
        Ok(answer.map(|body| body.map_err(Into::into).boxed_unsync()))
    }
}

/// One request.
struct Passage {
    script: Script,
    life: u64,
    number: u64,
    call: Call,
}

impl Passage {
    /// Faults before a request is sent. An answer, if it is not sent at all.
    async fn before(&self, fault: Option<&Fault>) -> Option<Response<Answer>> {
        match fault {
            Some(Fault::CrashBefore) => {
                self.script.end(self.life);
                return pending().await;
            }
            Some(Fault::Refused(refusal)) => return Some(self.refuse(*refusal)),
            Some(Fault::Expired) if self.call.verb != Verb::Watch => return Some(self.refuse(Refusal::Gone)),
            Some(Fault::Expired) => {
                let control = self.open(true);
                self.script.answered(self.number, 200);
                let End::Event(line) = expired(&self.call) else { return None };
                let only: Ready<Result<Bytes, BoxError>> = ready(Ok(line));
                return Some(Response::new(follow(stream::once(only), control)));
            }
            Some(Fault::CrashAfter | Fault::AnswerLost | Fault::Truncated) | None => {}
        }
        if self.script.has_ended(self.life) {
            return pending().await;
        }
        None
    }

    /// Faults of the answer.
    async fn after(
        self,
        fault: Option<Fault>,
        answer: Response<Answer>,
    ) -> Result<Response<Answer>, BoxError> {
        let watches = self.call.verb == Verb::Watch && answer.status().is_success();
        let truncated = matches!(fault, Some(Fault::Truncated));
        let answer = match fault {
            Some(Fault::CrashAfter | Fault::AnswerLost | Fault::Truncated) if !watches => {
                // The whole answer, so that the server has certainly finished.
                let (mut parts, body) = answer.into_parts();
                let bytes = body.collect().await?.to_bytes();
                parts.headers.remove(header::CONTENT_LENGTH);
                let rest = if truncated { bytes.slice(..bytes.len() / 2) } else { bytes };
                Response::from_parts(parts, whole(rest))
            }
            _ => answer,
        };
        if matches!(fault, Some(Fault::CrashAfter)) {
            self.script.end(self.life);
        }
        if self.script.has_ended(self.life) {
            return pending().await;
        }
        if matches!(fault, Some(Fault::AnswerLost)) {
            return Err(broken());
        }
        if !watches {
            return Ok(answer);
        }
        let control = self.script.open(self.life, &self.call, false, truncated);
        Ok(answer.map(|body| follow(body.into_data_stream(), control)))
    }

    fn refuse(&self, refusal: Refusal) -> Response<Answer> {
        self.script.answered(self.number, refusal.code());
        refusal.answer(&self.call).map(whole)
    }

    /// Answers from a view. A watch delivers it and then waits for the thaw.
    fn replay(&self, view: &View, headers: &HeaderMap) -> Response<Answer> {
        let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
        let metadata_only = accepted.is_some_and(|accepted| accepted.contains("as=PartialObjectMetadata"));
        if self.call.verb == Verb::Watch
            && let Ok(lines) = view.events(&self.call, metadata_only)
        {
            self.script.answered(self.number, 200);
            let events = stream::iter(lines.into_iter().map(Ok)).chain(stream::pending());
            return Response::new(follow(events, self.open(true)));
        }
        let answer = view.answer(&self.call, metadata_only);
        self.script.answered(self.number, answer.status().as_u16());
        answer.map(whole)
    }

    fn open(&self, replayed: bool) -> tokio::sync::watch::Receiver<Control> {
        self.script.open(self.life, &self.call, replayed, false)
    }
}

fn whole(bytes: Bytes) -> Answer {
    Full::new(bytes).map_err(|never| match never {}).boxed_unsync()
}
