use super::{Image, ImageError, ReferenceError};

fn with_tag(base: &str) -> Result<String, ImageError> {
    Image { base, tag: "t", version: "v", ..Image::default() }.build()
}

#[test]
fn a_tag_makes_the_registry_explicit() {
    for (base, image) in [
        ("prometheus", "docker.io/library/prometheus:t"),
        ("docker.io/prometheus", "docker.io/library/prometheus:t"),
        ("index.docker.io/prom/prometheus", "docker.io/prom/prometheus:t"),
        ("prom/prometheus", "docker.io/prom/prometheus:t"),
        ("localhost/prometheus", "localhost/prometheus:t"),
        ("registry:5000/a/b__c.d--e", "registry:5000/a/b__c.d--e:t"),
        ("[::1]:5000/a", "[::1]:5000/a:t"),
        ("Host/a", "Host/a:t"),
        ("my_host.io/a", "my_host.io/a:t"),
        ("quay.io/prometheus/prometheus", "quay.io/prometheus/prometheus:t"),
    ] {
        assert_eq!(with_tag(base).as_deref(), Ok(image), "{base}");
    }
}

#[test]
fn a_complete_reference_is_used_unchanged() {
    let digest = "a".repeat(64);
    for base in [
        "prometheus:1".to_owned(),
        format!("registry:5000/a@sha256:{digest}"),
        format!("a:1@sha256:{digest}"),
    ] {
        assert_eq!(with_tag(&base), Ok(base));
    }
}

#[test]
fn a_digest_wins_over_a_tag_and_a_tag_over_a_version() {
    let image = Image { whole: " ", base: "a", version: "v", tag: "t", sha: "s" };
    assert_eq!(image.build().as_deref(), Ok("a@sha256:s"));
    assert_eq!(Image { sha: "", tag: "", ..image }.build().as_deref(), Ok("a:v"));
    assert_eq!(Image { whole: "any thing", ..image }.build().as_deref(), Ok("any thing"));
    assert_eq!(Image { sha: "", tag: "", version: "", ..image }.build(), Err(ImageError::NoVersion));
    assert_eq!(Image { sha: "", tag: "-t", ..image }.build(), Err(ImageError::Tag));
}

#[test]
fn invalid_references_are_rejected_with_a_reason() {
    let (hex, long) = ("a".repeat(64), format!("quay.io/{}", "a".repeat(256)));
    for (base, reason) in [
        ("", ReferenceError::Format),
        (&*hex, ReferenceError::Identifier(hex.clone())),
        ("quay.io/Prometheus", ReferenceError::NotLowercase("Prometheus".into())),
        ("My_host/a", ReferenceError::Uppercase),
        (&*long, ReferenceError::TooLong),
        ("quay.io/a b", ReferenceError::Format),
        ("quay.io/a.", ReferenceError::Format),
        ("quay.io/a___b", ReferenceError::Format),
        ("quay.io/a._b", ReferenceError::Format),
        ("quay.io//a", ReferenceError::Format),
        ("quay.io:x/a", ReferenceError::Format),
        ("-host.io/a", ReferenceError::Format),
        ("a:", ReferenceError::Format),
        ("a@sha256:abc", ReferenceError::Format),
        (&*format!("a@sha256:{}", "a".repeat(32)), ReferenceError::DigestLength),
        (&*format!("a@sha256:{}", "A".repeat(64)), ReferenceError::DigestFormat),
        (&*format!("a@md5:{}", "a".repeat(32)), ReferenceError::DigestKind),
        (&*format!("a:1@MD5:{}", "a".repeat(32)), ReferenceError::DigestFormat),
    ] {
        assert_eq!(with_tag(base), Err(ImageError::Reference { image: base.into(), reason }), "{base}");
    }
}
