//! Flags taken out of a longer command line.

use super::changed;
use crate::flags::OperatorFlags;

#[test]
fn other_arguments_are_not_changed() {
    let expected = changed(|flags| flags.operator.local_host = "a".into());
    for (arguments, others) in [
        (
            &["--operators=x", "-localhost=a", "--lease-name", "y"][..],
            &["--operators=x", "--lease-name", "y"][..],
        ),
        (&["render", "-f", "-", "--localhost", "a", "-n", "z"], &["render", "-f", "-", "-n", "z"]),
        (&["-localhost=a", "--nonsense=1", "---", "-=", ""], &["--nonsense=1", "---", "-=", ""]),
        (&["--localhost=a", "--version", "-short-version", "-h"], &["--version", "-short-version", "-h"]),
        (&["--localhost=a", "--", "--localhost=b"], &["--", "--localhost=b"]),
        (
            &["--log-level=trace", "--localhost=a", "--log-level", "b"],
            &["--log-level=trace", "--log-level", "b"],
        ),
    ] {
        let others: Vec<String> = others.iter().map(|other| (*other).to_owned()).collect();
        assert_eq!(
            OperatorFlags::default().take(arguments, &["log-level"]),
            Ok((expected.clone(), others)),
            "{arguments:?}"
        );
    }
}

#[test]
fn invalid_flags_are_rejected() {
    for (arguments, words) in [
        (&["--nonsense", "-localhost"][..], "flag needs an argument: -localhost"),
        (&["-tls-insecure=2"], "invalid boolean value \"2\" for -tls-insecure: parse error"),
        (&["--log-format=xml", "render"], "log format xml unknown, [logfmt json] are possible values"),
        (
            &["--namespaces=a", "render", "--deny-namespaces=b"],
            "-namespaces and -deny-namespaces: allow and deny lists are mutually exclusive, only one should be provided",
        ),
    ] {
        assert_eq!(OperatorFlags::default().take(arguments, &[]).unwrap_err().to_string(), words);
    }
}
