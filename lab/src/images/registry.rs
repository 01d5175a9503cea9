//! The read-only part of the OCI distribution protocol over the store: what containerd needs to pull images. All
//! registries are redirected here, so the requested one arrives as the query parameter `ns`.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderName, Method, StatusCode, Uri, header};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio_util::io::ReaderStream;

use super::manifest::{MANIFEST, to_bytes};
use super::reference::{Digest, Reference};
use super::request::{Request, parse};
use super::store::Store;
use crate::console::line;

const JSON: &str = "application/json";
/// A layer of 150 MB is sent in a few hundred reads.
const CHUNK: usize = 1 << 18;

/// The registry that the client requested.
#[derive(Debug, Deserialize)]
struct Origin {
    #[serde(default = "docker_hub")]
    ns: String,
}

fn docker_hub() -> String {
    "docker.io".into()
}

/// An error of the protocol.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Problem {
    code: &'static str,
    message: String,
}

#[derive(Serialize)]
struct Problems {
    errors: [Problem; 1],
}

/// Serves the store until the process ends.
pub async fn serve(store: Store, listen: SocketAddr) -> Result<()> {
    let listener = TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}"))?;
    line(format!("serving images on {listen}"));
    serve_on(listener, store).await
}

async fn serve_on(listener: TcpListener, store: Store) -> Result<()> {
    // Repository names contain slashes, so paths are parsed here and not by the router.
    let router = Router::new().fallback(answer).with_state(store);
    axum::serve(listener, router).await.context("the registry stopped")
}

async fn answer(
    State(store): State<Store>,
    method: Method,
    uri: Uri,
    Query(origin): Query<Origin>,
) -> Response {
    if method != Method::GET && method != Method::HEAD {
        let problem = Problem { code: "UNSUPPORTED", message: "the lab's registry is read-only".into() };
        let mut response = error_response(StatusCode::METHOD_NOT_ALLOWED, problem);
        response.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    let sent = match parse(uri.path()) {
        Some(Request::Protocol) => Ok(whole(JSON, None, b"{}".to_vec())),
        Some(Request::Manifest { repository, reference }) => {
            manifest(&store, &origin.ns, repository, reference)
        }
        Some(Request::Blob { digest }) => blob(&store, &digest).await,
        None => Err(Problem {
            code: "NAME_UNKNOWN",
            message: format!("{} is not a path of a registry", uri.path()),
        }),
    };
    sent.unwrap_or_else(|problem| {
        line(&problem.message);
        error_response(StatusCode::NOT_FOUND, problem)
    })
}

/// A manifest has a few hundred bytes, so it is read on this thread.
fn manifest(store: &Store, host: &str, repository: &str, reference: &str) -> Result<Response, Problem> {
    let (name, digest) = match Digest::parse(reference) {
        Some(digest) => (format!("{host}/{repository}@{digest}"), Some(digest)),
        None => (
            format!("{host}/{repository}:{reference}"),
            Reference::new(host, repository, reference).and_then(|reference| store.resolve(&reference)),
        ),
    };
    let found = digest.and_then(|digest| store.manifest_bytes(&digest).map(|(bytes, _)| (digest, bytes)));
    let (digest, bytes) = found.ok_or_else(|| Problem {
        code: "MANIFEST_UNKNOWN",
        message: format!(
            "{name} is not in the lab's registry; `cargo lab image list` shows what can be built"
        ),
    })?;
    Ok(whole(MANIFEST, Some(&digest), bytes))
}

async fn blob(store: &Store, digest: &Digest) -> Result<Response, Problem> {
    let open = async {
        let file = tokio::fs::File::open(store.blob(digest)).await.ok()?;
        let size = file.metadata().await.ok()?.len();
        Some((file, size))
    };
    let (file, size) = open.await.ok_or_else(|| Problem {
        code: "BLOB_UNKNOWN",
        message: format!("there is no blob {digest} in the lab's registry"),
    })?;
    let body = Body::from_stream(ReaderStream::with_capacity(file, CHUNK));
    Ok(response(StatusCode::OK, "application/octet-stream", Some(digest), size, body))
}

fn whole(media_type: &'static str, digest: Option<&Digest>, bytes: Vec<u8>) -> Response {
    response(StatusCode::OK, media_type, digest, bytes.len() as u64, bytes.into())
}

fn error_response(status: StatusCode, problem: Problem) -> Response {
    let bytes = to_bytes(&Problems { errors: [problem] });
    response(status, JSON, None, bytes.len() as u64, bytes.into())
}

/// For a HEAD request the server omits the body.
fn response(
    status: StatusCode,
    media_type: &str,
    digest: Option<&Digest>,
    size: u64,
    body: Body,
) -> Response {
    let mut response = Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, media_type)
        .header(header::CONTENT_LENGTH, size)
        .header(HeaderName::from_static("docker-distribution-api-version"), "registry/2.0");
    if let Some(digest) = digest {
        response = response.header(HeaderName::from_static("docker-content-digest"), digest.to_string());
    }
    response.body(body).expect("a digest, a number and a media type are valid header values")
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;
    use crate::images::manifest::Manifest;
    use crate::images::store::tests::with_busybox;

    /// Sends one request to a registry with busybox in it: the head without its date, and the body.
    async fn request(start: &str) -> (Vec<String>, Vec<u8>) {
        let directory = tempfile::tempdir().unwrap();
        let (store, _) = with_busybox(directory.path(), "certificate");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let exchange = async {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let text = format!("{start} HTTP/1.1\r\nHost: registry\r\nConnection: close\r\n\r\n");
            stream.write_all(text.as_bytes()).await.unwrap();
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).await.unwrap();
            answer
        };
        let answer = tokio::select! {
            stopped = serve_on(listener, store) => panic!("{stopped:?}"),
            answer = exchange => answer,
        };
        let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(answer[..end].to_vec()).unwrap();
        let head = head.lines().filter(|line| !line.starts_with("date") && !line.starts_with("connection"));
        (head.map(String::from).collect(), answer[end + 4..].to_vec())
    }

    fn head(status: &str, media_type: &str, size: usize, digest: Option<&Digest>) -> Vec<String> {
        let mut head = vec![
            format!("HTTP/1.1 {status}"),
            format!("content-type: {media_type}"),
            format!("content-length: {size}"),
            "docker-distribution-api-version: registry/2.0".into(),
        ];
        head.extend(digest.map(|digest| format!("docker-content-digest: {digest}")));
        head
    }

    #[tokio::test]
    async fn an_image_can_be_pulled() {
        let (found, bytes) = request("GET /v2/library/busybox/manifests/latest?ns=docker.io").await;
        let digest = Digest::of(&bytes);
        assert_eq!(found, head("200 OK", MANIFEST, bytes.len(), Some(&digest)));
        let by_digest = request(&format!("GET /v2/library/busybox/manifests/{digest}")).await;
        assert_eq!(by_digest, (found, bytes.clone()));

        let manifest: Manifest = serde_json::from_slice(&bytes).unwrap();
        for blob in manifest.blobs() {
            let (found, bytes) = request(&format!("GET /v2/library/busybox/blobs/{}", blob.digest)).await;
            assert_eq!(found, head("200 OK", "application/octet-stream", bytes.len(), Some(&blob.digest)));
            assert_eq!(Digest::of(&bytes), blob.digest);
        }
    }

    #[tokio::test]
    async fn a_head_request_gets_no_body() {
        let (_, manifest) = request("GET /v2/library/busybox/manifests/latest").await;
        let digest = Digest::of(&manifest);
        let answer = request("HEAD /v2/library/busybox/manifests/latest").await;
        assert_eq!(answer, (head("200 OK", MANIFEST, manifest.len(), Some(&digest)), Vec::new()));
        let answer = request(&format!("HEAD /v2/library/busybox/blobs/{digest}")).await;
        let expected = head("200 OK", "application/octet-stream", manifest.len(), Some(&digest));
        assert_eq!(answer, (expected, Vec::new()));
    }

    #[tokio::test]
    async fn an_image_is_found_only_in_its_registry() {
        let (found, body) = request("GET /v2/library/busybox/manifests/latest?ns=quay.io").await;
        let expected = "{\"errors\":[{\"code\":\"MANIFEST_UNKNOWN\",\"message\":\"quay.io/library/busybox:latest is \
                        not in the lab's registry; `cargo lab image list` shows what can be built\"}]}";
        assert_eq!(String::from_utf8(body).unwrap(), expected);
        assert_eq!(found, head("404 Not Found", JSON, expected.len(), None));
    }

    #[tokio::test]
    async fn other_requests_are_rejected() {
        for (start, status) in [
            ("GET /v2/", "HTTP/1.1 200 OK"),
            ("GET /v2/library/busybox/manifests/latest?ns=../docker.io", "HTTP/1.1 404 Not Found"),
            ("GET /v2/library/busybox/blobs/sha256:../../refs", "HTTP/1.1 404 Not Found"),
            ("GET /../../etc/passwd", "HTTP/1.1 404 Not Found"),
            ("PUT /v2/library/busybox/manifests/latest", "HTTP/1.1 405 Method Not Allowed"),
            ("POST /v2/library/busybox/blobs/uploads/", "HTTP/1.1 405 Method Not Allowed"),
        ] {
            assert_eq!(request(start).await.0[0], status, "{start}");
        }
    }
}
