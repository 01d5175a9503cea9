//! The first error of a query, and its position.

use crate::{Options, parse};

fn mistake(query: &str) -> String {
    parse(query, Options::default()).unwrap_err().to_string()
}

#[test]
fn errors_have_a_position() {
    for (query, error) in [
        ("", "unknown position: parse error: no expression found in input"),
        (" # nothing", "1:1: parse error: no expression found in input"),
        ("foo bar", "1:5: parse error: unexpected identifier \"bar\""),
        ("foo\n  + )", "2:6: parse error: unexpected right parenthesis ')'"),
        ("sum(foo bar)", "1:9: parse error: unexpected identifier \"bar\" in aggregation"),
        (
            "sum by foo (bar)",
            "1:8: parse error: unexpected identifier \"foo\" in grouping opts, expected \"(\"",
        ),
        (
            "foo{bar}",
            "1:8: parse error: unexpected \"}\" in label matching, expected label matching operator",
        ),
        ("foo{bar=1}", "1:9: parse error: unexpected character inside braces: '1'"),
        ("foo[5m", "1:7: parse error: unclosed left bracket"),
        ("foo[0s]", "1:5: parse error: duration must be greater than 0"),
        (
            "foo[5m] offset",
            "1:15: parse error: unexpected end of input in offset, expected number, duration, step(), or range()",
        ),
        ("nothing(1)", "1:1: parse error: unknown function with name \"nothing\""),
        (
            "rate(foo)",
            "1:6: parse error: expected type range vector in call to function \"rate\", got instant vector",
        ),
        ("round(foo, 1, 2)", "1:1: parse error: expected at most 2 argument(s) in call to \"round\", got 3"),
        ("1 == 1", "1:3: parse error: comparisons between scalars must use BOOL modifier"),
        ("foo and 1", "1:1: parse error: set operator \"and\" not allowed in binary scalar expression"),
        (r#"foo{x=~"("}"#, "1:5: parse error: error parsing regexp: missing closing ): `(`"),
        (r#"{x=~".*"}"#, "1:1: parse error: vector selector must contain at least one non-empty matcher"),
        (
            "limitk(1, foo)",
            "1:1: parse error: limitk() is experimental and must be enabled with --enable-feature=promql-experimental-functions",
        ),
        ("foo[5m + 1m]", "1:5: parse error: experimental duration expression is not enabled"),
        ("foo anchored", "1:1: parse error: anchored modifier is experimental and not enabled"),
        ("a + fill(0) b", "1:1: parse error: binop fill modifiers are experimental and not enabled"),
    ] {
        assert_eq!(mistake(query), error, "{query}");
    }
}

/// Signs and powers nest without parentheses, and brackets nest to the left.
#[test]
fn excessive_nesting_is_rejected() {
    let many = 100_000;
    for query in [
        "(".repeat(many),
        "-".repeat(many),
        "1^".repeat(many),
        "abs(".repeat(many),
        format!("a{}", "[1m:]".repeat(many)),
        format!("a offset {}", "(".repeat(many)),
    ] {
        let error = parse(&query, super::ALL).unwrap_err().to_string();
        assert!(error.ends_with(": parse error: expression nests too deeply"), "{error}");
    }
}

#[test]
fn a_long_chain_of_operators_is_accepted() {
    let query = vec!["a"; 100_000].join(" + ");
    assert_eq!(super::printed(&query), query);
}
