//! A label is enforced on every selector.

use super::ALL;
use crate::parse;

fn enforced(query: &str) -> String {
    let mut tree = parse(query, ALL).unwrap();
    tree.enforce("namespace", "shop");
    tree.print()
}

#[test]
fn every_selector_gets_the_matcher() {
    for (query, bound) in [
        ("up", r#"up{namespace="shop"}"#),
        (r#"{job="a"}"#, r#"{job="a",namespace="shop"}"#),
        (r#"up{namespace="other",x="1"}"#, r#"up{namespace="shop",x="1"}"#),
        (r#"up{namespace=~".+",namespace!="a"}"#, r#"up{namespace="shop"}"#),
        (
            "rate(a[5m] offset 1m) > on () b",
            r#"rate(a{namespace="shop"}[5m] offset 1m) > on () b{namespace="shop"}"#,
        ),
        ("max_over_time(a[1h:5m])", r#"max_over_time(a{namespace="shop"}[1h:5m])"#),
        ("-(a)", r#"-(a{namespace="shop"})"#),
        (
            "topk(scalar(a), sum by (x) (b))",
            r#"topk(scalar(a{namespace="shop"}), sum by (x) (b{namespace="shop"}))"#,
        ),
        ("vector(1)", "vector(1)"),
    ] {
        assert_eq!(enforced(query), bound);
    }
}

#[test]
fn the_value_is_quoted() {
    let mut tree = parse("up", ALL).unwrap();
    tree.enforce("my label", "a\"b");
    assert_eq!(tree.print(), r#"up{"my label"="a\"b"}"#);
}
