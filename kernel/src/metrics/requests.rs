//! Counts every request of a client to the API server. A layer around the client's service: whoever makes the client
//! puts it there.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use futures::FutureExt;
use futures::future::BoxFuture;
use http::{Request, Response};
use tower::{Layer, Service};

use super::Metrics;
use crate::call::{Call, Verb};
use crate::clock;
use crate::declare::Kind;

/// What every process asks for beside the kinds of its operators.
const ALWAYS: [&str; 2] = ["events", "leases"];
/// Whatever else.
const OTHER: &str = "other";

/// Counts what passes through. Made by [`Metrics::requests`].
#[derive(Debug, Clone)]
pub struct RequestLayer(Arc<Known>);

#[derive(Debug)]
struct Known {
    metrics: Metrics,
    resources: Vec<&'static str>,
}

impl Metrics {
    /// Counts the requests of a client. Those about other kinds than these are counted together.
    pub fn requests(&self, kinds: impl IntoIterator<Item = Kind>) -> RequestLayer {
        let resources = kinds.into_iter().map(|kind| kind.plural).chain(ALWAYS).collect();
        RequestLayer(Arc::new(Known { metrics: self.clone(), resources }))
    }
}

impl<S> Layer<S> for RequestLayer {
    type Service = Requests<S>;

    fn layer(&self, server: S) -> Requests<S> {
        Requests { known: Arc::clone(&self.0), server }
    }
}

/// A server whose answers are counted.
#[derive(Debug, Clone)]
pub struct Requests<S> {
    known: Arc<Known>,
    server: S,
}

impl<S, Q, A> Service<Request<Q>> for Requests<S>
where
    S: Service<Request<Q>, Response = Response<A>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.server.poll_ready(context)
    }

    fn call(&mut self, request: Request<Q>) -> Self::Future {
        let (verb, resource) = understand(&request, &self.known.resources);
        let known = Arc::clone(&self.known);
        let mut asked = Asked { known, verb, resource, since: clock::now(), code: None };
        let answer = self.server.call(request);
        async move {
            let answer = answer.await;
            asked.answered(answer.as_ref().ok().map(|answer| answer.status().as_u16()));
            answer
        }
        .boxed()
    }
}

/// A request under way. It counts when it ends, also when nobody waits for the answer any more.
struct Asked {
    known: Arc<Known>,
    verb: Verb,
    resource: &'static str,
    since: Instant,
    code: Option<u16>,
}

impl Asked {
    fn answered(&mut self, code: Option<u16>) {
        self.code = code;
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let took = clock::now().saturating_duration_since(self.since);
        self.known.metrics.request(self.verb, self.resource, self.code, took);
    }
}

/// What is asked, about what. A kind is known by its plural: no two of ours share one.
fn understand<Q>(request: &Request<Q>, resources: &[&'static str]) -> (Verb, &'static str) {
    let call = Call::of(request.method(), request.uri(), None);
    let known = resources.iter().copied().find(|known| *known == call.resource);
    (call.verb, known.unwrap_or(OTHER))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use tower::{ServiceExt, service_fn};

    use super::*;
    use crate::metrics::Catalogue;

    fn asked(method: &str, uri: &str) -> String {
        let request = Request::builder().method(method).uri(uri).body(()).unwrap();
        let (verb, resource) = understand(&request, &["pods", "statefulsets", "leases"]);
        format!("{} {resource}", verb.as_str())
    }

    #[test]
    fn kinds_that_nobody_declared_are_counted_together() {
        for (method, uri, expected) in [
            ("GET", "/api/v1/pods?watch=true&resourceVersion=5", "watch pods"),
            ("POST", "/apis/coordination.k8s.io/v1/namespaces/d/leases?", "create leases"),
            ("PATCH", "/apis/apps/v1/namespaces/d/statefulsets/a/status", "patch statefulsets"),
            ("GET", "/apis/apps/v1/namespaces/d/secrets/a", "get other"),
            ("GET", "/api/v1/namespaces/pods", "get other"),
            ("GET", "/version", "get other"),
        ] {
            assert_eq!(asked(method, uri), expected, "{method} {uri}");
        }
    }

    #[tokio::test]
    async fn answers_and_their_absence_are_counted() {
        let mut catalogue = Catalogue::default();
        let layer = Metrics::register(&mut catalogue, "", "").requests([]);
        let silent = service_fn(|_: Request<()>| std::future::pending::<Result<Response<()>, Infallible>>());
        let answers = service_fn(|_: Request<()>| async { Ok::<_, Infallible>(Response::new(())) });
        let request = || Request::builder().uri("/api/v1/events").body(()).unwrap();
        assert!(layer.layer(silent).oneshot(request()).now_or_never().is_none());
        layer.layer(answers).oneshot(request()).await.unwrap();
        let page = catalogue.expose().unwrap();
        let counted = |code: &str| {
            let line = format!("api_requests_total{{verb=\"list\",resource=\"events\",code=\"{code}\"}} 1\n");
            page.contains(&line)
        };
        assert!(counted("2xx") && counted("none"), "{page}");
    }
}
