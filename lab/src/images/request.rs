//! What the path of a request to the registry asks for. Pure: whatever a client sends is parsed to checked names
//! or rejected.

use super::reference::{Digest, Reference};

/// What a path asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asked<'a> {
    /// Whether this is a registry at all.
    Protocol,
    Manifest {
        repository: &'a str,
        reference: &'a str,
    },
    Blob {
        digest: Digest,
    },
}

/// Takes a path apart: `/v2/`, `/v2/<name>/manifests/<tag or digest>` or `/v2/<name>/blobs/<digest>`.
pub(super) fn parse(path: &str) -> Option<Asked<'_>> {
    let rest = path.strip_prefix("/v2")?;
    if rest.is_empty() || rest == "/" {
        return Some(Asked::Protocol);
    }
    let (rest, reference) = rest.strip_prefix('/')?.rsplit_once('/')?;
    let (repository, kind) = rest.rsplit_once('/')?;
    // Any tag does to find out whether the repository has a proper name.
    Reference::new("docker.io", repository, "any")?;
    match kind {
        "manifests" if Digest::parse(reference).is_some() => Some(Asked::Manifest { repository, reference }),
        "manifests" => {
            Reference::new("docker.io", repository, reference)?;
            Some(Asked::Manifest { repository, reference })
        }
        "blobs" => Some(Asked::Blob { digest: Digest::parse(reference)? }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_taken_apart_from_its_end() {
        let digest = Digest::of(b"blob");
        assert_eq!(parse("/v2"), Some(Asked::Protocol));
        assert_eq!(parse("/v2/"), Some(Asked::Protocol));
        assert_eq!(
            parse("/v2/coreos/manifests/etcd/manifests/v3.5"),
            Some(Asked::Manifest { repository: "coreos/manifests/etcd", reference: "v3.5" })
        );
        assert_eq!(
            parse(&format!("/v2/etcd/manifests/{digest}")),
            Some(Asked::Manifest { repository: "etcd", reference: &digest.to_string() })
        );
        assert_eq!(parse(&format!("/v2/a/b/c/blobs/{digest}")), Some(Asked::Blob { digest }));
    }

    #[test]
    fn a_path_that_leads_elsewhere_asks_for_nothing() {
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
