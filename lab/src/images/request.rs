//! Parses the path of a request to the registry into checked names, or rejects it. Pure.

use super::reference::{Digest, Reference};

/// A request to the registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Request<'a> {
    /// The version check of the protocol.
    Protocol,
    Manifest {
        repository: &'a str,
        reference: &'a str,
    },
    Blob {
        digest: Digest,
    },
}

/// Parses a path: `/v2/`, `/v2/<name>/manifests/<tag or digest>` or `/v2/<name>/blobs/<digest>`.
pub(super) fn parse(path: &str) -> Option<Request<'_>> {
    let rest = path.strip_prefix("/v2")?;
    if rest.is_empty() || rest == "/" {
        return Some(Request::Protocol);
    }
    let (rest, reference) = rest.strip_prefix('/')?.rsplit_once('/')?;
    let (repository, kind) = rest.rsplit_once('/')?;
    // Only the repository is checked here, so any tag will do.
    Reference::new("docker.io", repository, "any")?;
    match kind {
        "manifests" if Digest::parse(reference).is_some() => {
            Some(Request::Manifest { repository, reference })
        }
        "manifests" => {
            Reference::new("docker.io", repository, reference)?;
            Some(Request::Manifest { repository, reference })
        }
        "blobs" => Some(Request::Blob { digest: Digest::parse(reference)? }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_parsed_from_its_end() {
        let digest = Digest::of(b"blob");
        assert_eq!(parse("/v2"), Some(Request::Protocol));
        assert_eq!(parse("/v2/"), Some(Request::Protocol));
        assert_eq!(
            parse("/v2/coreos/manifests/etcd/manifests/v3.5"),
            Some(Request::Manifest { repository: "coreos/manifests/etcd", reference: "v3.5" })
        );
        assert_eq!(
            parse(&format!("/v2/etcd/manifests/{digest}")),
            Some(Request::Manifest { repository: "etcd", reference: &digest.to_string() })
        );
        assert_eq!(parse(&format!("/v2/a/b/c/blobs/{digest}")), Some(Request::Blob { digest }));
    }

    #[test]
    fn other_paths_are_rejected() {
        let digits = "a".repeat(64);
        for path in
            ["", "/", "/v1/", "/v2x", "/v2/manifests/latest", "/v2/app/tags/list", "/v2//manifests/latest"]
        {
            assert_eq!(parse(path), None, "{path}");
        }
        for path in ["/v2/../app/manifests/latest", "/v2/app/manifests/..", "/v2/%2e%2e/manifests/latest"] {
            assert_eq!(parse(path), None, "{path}");
        }
        for reference in ["..", "latest", &digits, "sha256:../../etc/passwd", &format!("sha512:{digits}")] {
            assert_eq!(parse(&format!("/v2/app/blobs/{reference}")), None, "{reference}");
        }
    }
}
