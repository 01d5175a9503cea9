//! How a command line is parsed.

use super::{changed, error, flags};
use crate::flags::{Command, FlagError, OperatorFlags, OwnFlag, Program, Start};

#[test]
fn a_value_follows_an_equals_sign_or_is_the_next_argument() {
    let expected = changed(|flags| flags.operator.local_host = "a".into());
    for arguments in [
        &["-localhost=a"][..],
        &["--localhost=a"],
        &["-localhost", "a"],
        &["--localhost", "a"],
        &["-localhost=a", "--"],
        &["-localhost=a", "start"],
        &["-localhost=a", "--", "start"],
    ] {
        assert_eq!(flags(arguments), expected, "{arguments:?}");
    }
    let dashes = changed(|flags| flags.operator.local_host = "--namespaces=b".into());
    assert_eq!(flags(&["-localhost", "--namespaces=b"]), dashes);
    let equals = changed(|flags| flags.operator.local_host = "=".into());
    assert_eq!(flags(&["-localhost=="]), equals);
}

#[test]
fn a_switch_does_not_use_the_next_argument() {
    assert_eq!(flags(&["-tls-insecure"]), changed(|flags| flags.cluster.insecure = true));
    assert_eq!(error(&["-kubelet-endpoints", "false"]), FlagError::Command("false".to_owned()));
}

#[test]
fn flags_end_at_the_first_word() {
    for (arguments, ignored) in [
        (&["start", "-localhost=a", "b"][..], &["-localhost=a", "b"][..]),
        (&["--", "start", "-x"], &["-x"]),
        (&["start", "--"], &["--"]),
    ] {
        let expected = Start {
            flags: OperatorFlags::default(),
            own: vec![],
            ignored: ignored.iter().map(|word| (*word).to_owned()).collect(),
        };
        assert_eq!(
            OperatorFlags::parse(arguments, &[]),
            Ok(Command::Start(Box::new(expected))),
            "{arguments:?}"
        );
    }
    for (arguments, word) in
        [(&["-"][..], "-"), (&[""], ""), (&["--", "-localhost=a"], "-localhost=a"), (&["--", "--"], "--")]
    {
        assert_eq!(error(arguments), FlagError::Command(word.to_owned()), "{arguments:?}");
    }
}

#[test]
fn commands_help_and_versions_are_recognized() {
    for (arguments, expected) in [
        (&["crds"][..], Command::Crds),
        (&["-localhost=a", "full-crds", "more"], Command::Crds),
        (&["-version"], Command::Version),
        (&["--version", "crds"], Command::Version),
        (&["-version", "-short-version"], Command::ShortVersion),
        (&["-version=false", "crds"], Command::Crds),
        (&["-short-version", "nonsense"], Command::ShortVersion),
        (&["-h"], Command::Help),
        (&["--help=me", "-nonsense"], Command::Help),
        // Checks before the start do not apply here.
        (&["-version", "-log-level=loud"], Command::Version),
        (&["-namespaces=a", "-deny-namespaces=b", "crds"], Command::Crds),
    ] {
        assert_eq!(OperatorFlags::parse(arguments, &[]), Ok(expected), "{arguments:?}");
    }
}

#[test]
fn errors_have_the_texts_of_go() {
    for (arguments, words) in [
        (&["-nonsense"][..], "flag provided but not defined: -nonsense"),
        (&["--nonsense=1"], "flag provided but not defined: -nonsense"),
        (&["-Localhost=a"], "flag provided but not defined: -Localhost"),
        (&["---localhost=a"], "bad flag syntax: ---localhost=a"),
        (&["-=a"], "bad flag syntax: -=a"),
        (&["--="], "bad flag syntax: --="),
        (&["-localhost"], "flag needs an argument: -localhost"),
        (&["-tls-insecure=yes"], "invalid boolean value \"yes\" for -tls-insecure: parse error"),
        (&["-tls-insecure="], "invalid boolean value \"\" for -tls-insecure: parse error"),
        (&["-version=2"], "invalid boolean value \"2\" for -version: parse error"),
        (&["-kubelet-sync-period=1d"], "invalid value \"1d\" for flag -kubelet-sync-period: parse error"),
        (
            &["--auto-gomemlimit-ratio", "half"],
            "invalid value \"half\" for flag -auto-gomemlimit-ratio: parse error",
        ),
        (
            &["-auto-gomemlimit-ratio=1e999"],
            "invalid value \"1e999\" for flag -auto-gomemlimit-ratio: value out of range",
        ),
        (&["-labels=a=b,c"], "invalid value \"a=b,c\" for flag -labels: invalid key=value pair: \"c\""),
        (
            &["-kubelet-node-address-priority=Internal"],
            "invalid value \"Internal\" for flag -kubelet-node-address-priority: invalid value for node address \
             priority, expected 'internal' or 'external' but got: \"Internal\"",
        ),
        (
            &["-repair-policy-for-statefulsets=Evict"],
            "invalid value \"Evict\" for flag -repair-policy-for-statefulsets: invalid value: Evict",
        ),
        (
            &["-config-reloader-cpu-limit=a lot"],
            "invalid value \"a lot\" for flag -config-reloader-cpu-limit: quantities must match the regular \
             expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        (
            &["-prometheus-instance-selector=a b"],
            "invalid value \"a b\" for flag -prometheus-instance-selector: unable to parse requirement: found 'b', \
             expected: in, notin, =, ==, !=, gt, lt",
        ),
        (
            &["-secret-field-selector=a"],
            "invalid value \"a\" for flag -secret-field-selector: invalid selector: 'a'; can't understand 'a'",
        ),
        (
            &["-feature-gates=a"],
            "invalid value \"a\" for flag -feature-gates: malformed pair, expect string=bool",
        ),
    ] {
        assert_eq!(error(arguments).to_string(), words);
    }
    // The first error is reported, also before a request for help.
    assert_eq!(error(&["-nonsense", "-h"]), FlagError::Undefined("nonsense".to_owned()));
}

#[test]
fn an_unknown_command_is_rejected() {
    let words = "Unknown command: stop\nAvailable commands: crds, full-crds, start";
    assert_eq!(error(&["stop"]).to_string(), words);
}

#[test]
fn own_flags_are_returned_separately() {
    let known = [
        OwnFlag { name: "lease-name", takes_value: true },
        OwnFlag { name: "no-leader-election", takes_value: false },
        OwnFlag { name: "localhost", takes_value: true },
    ];
    for (arguments, own) in [
        (&["-lease-name", "a", "-localhost=b"][..], &["--lease-name=a"][..]),
        (&["-localhost=b", "--lease-name=--a", "-lease-name="], &["--lease-name=--a", "--lease-name="]),
        (&["-no-leader-election", "--localhost", "b"], &["--no-leader-election"]),
        (&["-no-leader-election", "-localhost=b", "-no-leader-election=true"], &["--no-leader-election"]),
        (&["-no-leader-election", "-localhost=b", "-no-leader-election=f"], &[]),
    ] {
        let expected = Start {
            flags: changed(|flags| flags.operator.local_host = "b".into()),
            own: own.iter().map(|flag| (*flag).to_owned()).collect(),
            ignored: vec![],
        };
        assert_eq!(
            OperatorFlags::parse(arguments, &known),
            Ok(Command::Start(Box::new(expected))),
            "{arguments:?}"
        );
    }
    for (arguments, words) in [
        (&["-lease-name"][..], "flag needs an argument: -lease-name"),
        (
            &["-no-leader-election=maybe"],
            "invalid boolean value \"maybe\" for -no-leader-election: parse error",
        ),
        (&["-lease"], "flag provided but not defined: -lease"),
    ] {
        assert_eq!(OperatorFlags::parse(arguments, &known).unwrap_err().to_string(), words);
    }
}
