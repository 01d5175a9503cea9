//! Regular expressions of relabeling steps, as Prometheus has them.

pub use go_syntax::regexp::Invalid;

/// Checks an expression that must match the whole of a text.
pub fn check_anchored(pattern: &str) -> Result<(), Invalid> {
    // Most are as plain as a name: there is nothing that could be wrong with them.
    if pattern.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/' | b':')) {
        return Ok(());
    }
    go_syntax::regexp::check(format!("^(?s:{pattern})$"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchored_expression_is_named_with_its_anchors() {
        assert_eq!(check_anchored("plain-text_1"), Ok(()));
        assert_eq!(
            check_anchored("a)").unwrap_err().to_string(),
            "error parsing regexp: unexpected ): `^(?s:a))$`"
        );
    }
}
