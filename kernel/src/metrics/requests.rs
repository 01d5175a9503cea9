//! Counts every request of a client to the API server, and records from the answers which permissions are missing. A layer
//! around the service of the client.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{Request, Response};
use http_body::Body;
use http_body_util::{BodyExt, Collected, Either, Full};
use tower::{Layer, Service};

use super::permissions::Missing;
use super::{Metrics, Occurrence};
use crate::call::Call;
use crate::clock;

/// The resources that every process requests in addition to the kinds of its operators.
const ALWAYS: [&str; 2] = ["events", "leases"];
/// Any other resource.
const OTHER: &str = "other";

/// Counts requests. Created by [`Metrics::requests`].
#[derive(Debug, Clone)]
pub struct RequestLayer(Arc<Known>);

#[derive(Debug)]
struct Known {
    metrics: Metrics,
    resources: Vec<&'static str>,
}

impl Metrics {
    /// Counts the requests of a client by resource, named in the plural. Those about other resources are counted together.
    pub fn requests(&self, resources: impl IntoIterator<Item = &'static str>) -> RequestLayer {
        let resources = resources.into_iter().chain(ALWAYS).collect();
        RequestLayer(Arc::new(Known { metrics: self.clone(), resources }))
    }
}

impl<S> Layer<S> for RequestLayer {
    type Service = Requests<S>;

    fn layer(&self, server: S) -> Requests<S> {
        Requests { known: Arc::clone(&self.0), server, waiting_since: None, held_back: Duration::ZERO }
    }
}

/// A server whose answers are counted.
#[derive(Debug, Clone)]
pub struct Requests<S> {
    known: Arc<Known>,
    server: S,
    /// When the client was first asked to accept a request.
    waiting_since: Option<Instant>,
    /// How long the next request has waited until the client accepted it.
    held_back: Duration,
}

impl<S, Q, A> Service<Request<Q>> for Requests<S>
where
    S: Service<Request<Q>, Response = Response<A>>,
    S::Future: Send + 'static,
    A: Body<Data = Bytes> + Send + 'static,
{
    /// A body that was read here is passed on unchanged.
    type Response = Response<Either<A, Full<Bytes>>>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Self::Response, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        let since = *self.waiting_since.get_or_insert_with(clock::now);
        let readiness = self.server.poll_ready(context);
        if readiness.is_ready() {
            self.waiting_since = None;
            self.held_back = clock::now().saturating_duration_since(since);
        }
        readiness
    }

    fn call(&mut self, request: Request<Q>) -> Self::Future {
        let (call, resource) = parse(&request, &self.known.resources);
        let (known, held_back) = (Arc::clone(&self.known), self.held_back);
        let mut pending = Pending { known, call, resource, held_back, since: clock::now(), code: None };
        let answer = self.server.call(request);
        async move {
            let answer = answer.await?;
            let code = answer.status().as_u16();
            pending.code = Some(code);
            if !Missing::must_read(&pending.call, code) {
                pending.learn(code, &[]);
                return Ok(answer.map(Either::Left));
            }
            let (head, body) = answer.into_parts();
            // If the body cannot be read, the caller gets the status code.
            let body = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
            pending.learn(code, &body);
            Ok(Response::from_parts(head, Either::Right(Full::new(body))))
        }
        .boxed()
    }
}

/// A pending request. It is counted when it ends, even if the caller no longer waits for the answer.
struct Pending {
    known: Arc<Known>,
    call: Call,
    resource: &'static str,
    held_back: Duration,
    since: Instant,
    code: Option<u16>,
}

impl Pending {
    fn learn(&self, code: u16, body: &[u8]) {
        self.known.metrics.missing.learn(&self.call, code, body);
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        let took = clock::now().saturating_duration_since(self.since);
        let Self { known, call, resource, held_back, code, .. } = self;
        known.metrics.request(call.verb, resource, *code, took);
        known.metrics.observe(&Occurrence::Answered { call, code: *code, took, held_back: *held_back });
    }
}

/// The parsed request, and the name of its resource. Kinds are distinguished by their plurals, which are unique.
fn parse<Q>(request: &Request<Q>, resources: &[&'static str]) -> (Call, &'static str) {
    let call = Call::of(request.method(), request.uri(), None);
    let known = resources.iter().copied().find(|known| *known == call.resource);
    (call, known.unwrap_or(OTHER))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use tower::{ServiceExt, service_fn};

    use super::*;
    use crate::metrics::{Catalogue, Observer};

    fn empty() -> Full<Bytes> {
        Full::default()
    }

    fn counted_as(method: &str, uri: &str) -> String {
        let request = Request::builder().method(method).uri(uri).body(()).unwrap();
        let (call, resource) = parse(&request, &["pods", "statefulsets", "leases"]);
        format!("{} {resource}", call.verb.as_str())
    }

    #[test]
    fn undeclared_kinds_are_counted_together() {
        for (method, uri, expected) in [
            ("GET", "/api/v1/pods?watch=true&resourceVersion=5", "watch pods"),
            ("POST", "/apis/coordination.k8s.io/v1/namespaces/d/leases?", "create leases"),
            ("PATCH", "/apis/apps/v1/namespaces/d/statefulsets/a/status", "patch statefulsets"),
            ("GET", "/apis/apps/v1/namespaces/d/secrets/a", "get other"),
            ("GET", "/api/v1/namespaces/pods", "get other"),
            ("GET", "/version", "get other"),
        ] {
            assert_eq!(counted_as(method, uri), expected, "{method} {uri}");
        }
    }

    #[tokio::test]
    async fn answers_and_their_absence_are_counted() {
        let mut catalogue = Catalogue::default();
        let layer = Metrics::register(&mut catalogue, "", "").requests([]);
        let silent =
            service_fn(|_: Request<()>| std::future::pending::<Result<Response<Full<Bytes>>, Infallible>>());
        let answers = service_fn(|_: Request<()>| async { Ok::<_, Infallible>(Response::new(empty())) });
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

    #[tokio::test]
    async fn a_missing_permission_is_reported_until_it_is_granted_and_the_answer_is_passed_on() {
        let mut catalogue = Catalogue::default();
        let layer = Metrics::register(&mut catalogue, "", "").requests([]);
        let denial = r#"{"status":"Failure","code":403,"message":"pods is forbidden: User \"u\" cannot watch resource \"pods\" in API group \"\" at the cluster scope"}"#;
        let series = "mainstay_missing_permissions{resource=\"pods\",verb=\"watch\"} 1.0\n";
        for (code, body, is_missing) in [(403, denial, true), (200, "{}", false)] {
            let server = service_fn(move |_: Request<()>| async move {
                let body = Full::from(Bytes::from_static(body.as_bytes()));
                Ok::<_, Infallible>(Response::builder().status(code).body(body).unwrap())
            });
            let request = Request::builder().uri("/api/v1/pods?watch=true").body(()).unwrap();
            let answer = layer.layer(server).oneshot(request).await.unwrap();
            assert_eq!(answer.into_body().collect().await.unwrap().to_bytes(), body);
            let page = catalogue.expose().unwrap();
            assert_eq!(page.contains(series), is_missing, "{page}");
        }
    }

    #[derive(Debug, Default)]
    struct Log(std::sync::Mutex<Vec<String>>);

    impl Observer for Log {
        fn sees(&self, occurrence: &Occurrence<'_>) {
            if let Occurrence::Answered { call, code, took, held_back } = occurrence {
                let line = format!("{} {code:?} {took:?} after {held_back:?}", call.describe());
                self.0.lock().unwrap().push(line);
            }
        }
    }

    /// Accepts a request after a second.
    struct Slow(Option<BoxFuture<'static, ()>>);

    impl Service<Request<()>> for Slow {
        type Response = Response<Full<Bytes>>;
        type Error = Infallible;
        type Future = std::future::Ready<Result<Self::Response, Infallible>>;

        fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
            let moment = || clock::until(Some(clock::now() + Duration::from_secs(1))).boxed();
            self.0.get_or_insert_with(moment).poll_unpin(context).map(Ok)
        }

        fn call(&mut self, _: Request<()>) -> Self::Future {
            std::future::ready(Ok(Response::new(empty())))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_observer_gets_the_answer_and_the_time_before_the_request_was_sent() {
        let log = Arc::new(Log::default());
        let metrics = Metrics::register(&mut Catalogue::default(), "", "");
        let layer = metrics.observed_by(Arc::<Log>::clone(&log)).requests([]);
        let request = Request::builder().uri("/api/v1/namespaces/n/secrets/a").body(()).unwrap();
        layer.layer(Slow(None)).oneshot(request).await.unwrap();
        assert_eq!(*log.0.lock().unwrap(), ["get secrets n/a Some(200) 0ns after 1s"]);
    }
}
