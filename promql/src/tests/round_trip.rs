//! A printed query is parsed back to the same query.

use proptest::prelude::*;

use super::{ALL, printed};
use crate::parse;

#[test]
fn queries_are_printed_as_prometheus_prints_them() {
    for (query, expected) in [
        ("SUM(foo)BY(a)", "sum by (a) (foo)"),
        ("sum without() (foo)", "sum without () (foo)"),
        ("foo{b='1',a=`2`}", r#"foo{a="2",b="1"}"#),
        (r#"{"foo bar", "a b"="c"}"#, r#"{"a b"="c",__name__="foo bar"}"#),
        ("a+on(b)group_left c", "a + on (b) group_left () c"),
        ("a == bool 1", "a == bool 1"),
        ("a[90s]@123 offset-1h", "a[1m30s] @ 123.000 offset -1h"),
        ("a @ start()[5m]", "a[5m] @ start()"),
        ("a[1w:]", "a[1w:]"),
        ("-2^2", "-2 ^ 2"),
        ("0x1F + 1e3 + 5m + -Inf", "31 + 1000 + 5m + -Inf"),
        ("a offset (step() + 5m)", "a offset (step() + 5m)"),
        ("a[max_of(5m, step())] smoothed", "a[max_of(5m, step())] smoothed"),
        ("a + fill_left(1) fill_right(1) b", "a + fill (1) b"),
        ("1 + on() 2", "1 + 2"),
    ] {
        assert_eq!(printed(query), expected);
    }
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z_][a-z0-9_]{0,6}x", Just("sum".to_owned()), Just("offset".to_owned())]
}

fn matchers() -> impl Strategy<Value = String> {
    let matcher =
        ("[a-z_]{1,6}", prop_oneof![Just("="), Just("!="), Just("=~"), Just("!~")], "[a-z][a-z.]{0,3}")
            .prop_map(|(label, operator, value)| format!("x{label}{operator}\"{value}\""));
    prop::collection::vec(matcher, 0..3).prop_map(|matchers| format!("{{{}}}", matchers.join(",")))
}

/// An expression that yields a vector.
fn vector() -> impl Strategy<Value = String> {
    let duration = prop_oneof![Just("5m"), Just("1h30m"), Just("1.5"), Just("5m + step()")];
    let selector = (name(), matchers(), prop_oneof![Just(""), Just(" offset 5m"), Just(" @ end()")])
        .prop_map(|(name, matchers, modifiers)| format!("{name}{matchers}{modifiers}"));
    selector.prop_recursive(5, 32, 4, move |inner| {
        let operator = prop_oneof![
            Just("+"),
            Just("^"),
            Just("* on (a, b) group_left (c)"),
            Just("> bool"),
            Just("or"),
            Just("unless ignoring (x)"),
            Just("</")
        ];
        prop_oneof![
            (inner.clone(), operator, inner.clone())
                .prop_map(|(left, operator, right)| format!("{left} {operator} {right}")),
            inner.clone().prop_map(|inner| format!("({inner})")),
            inner.clone().prop_map(|inner| format!("-{inner}")),
            inner.clone().prop_map(|inner| format!("topk by (a) (3, {inner})")),
            inner.clone().prop_map(|inner| format!("round({inner}, 0.5)")),
            (inner, duration.clone(), duration.clone())
                .prop_map(|(inner, range, step)| format!("rate(({inner})[{range}:{step}])")),
        ]
    })
}

proptest! {
    #[test]
    fn printing_is_stable(query in vector()) {
        let once = printed(&query);
        prop_assert_eq!(printed(&once), once);
    }

    #[test]
    fn any_text_is_parsed_or_rejected(query in any::<String>()) {
        if let Ok(tree) = parse(&query, ALL) {
            let once = tree.print();
            prop_assert_eq!(printed(&once), once);
        }
    }

    #[test]
    fn enforcing_twice_is_enforcing_once(query in vector()) {
        let mut tree = parse(&query, ALL).unwrap();
        tree.enforce("namespace", "a");
        let once = tree.print();
        tree.enforce("namespace", "a");
        prop_assert_eq!(tree.print(), once);
    }
}
