//! The stand-alone webhook.

use monitoring_rules::Options;
use monitoring_rules::names::Names;

use crate::flags::webhook::Flags;
use crate::flags::{Command, OwnFlag, Program, Start};
use crate::webhook::RuleSettings;

fn start(flags: Flags) -> Command<Flags> {
    Command::Start(Box::new(Start { flags, own: vec![], ignored: vec![] }))
}

#[test]
fn rules_are_checked_as_asked() {
    for (arguments, rules) in [
        (&[][..], RuleSettings::default()),
        (&["-name-validation-scheme=utf8"], RuleSettings { names: Names::Utf8, ..RuleSettings::default() }),
        (
            &["-promql-options=experimental-functions, binop-fill-modifiers,"],
            RuleSettings {
                queries: Options { experimental_functions: true, fill_modifiers: true, ..Options::default() },
                ..RuleSettings::default()
            },
        ),
        (
            &["-promql-options=experimental-functions", "--promql-options", "extended-range-selectors"],
            RuleSettings {
                queries: Options { extended_ranges: true, ..Options::default() },
                ..RuleSettings::default()
            },
        ),
        (
            &["-promql-options=nonsense", "-promql-options=duration-expression-parsing"],
            RuleSettings {
                queries: Options { duration_expressions: true, ..Options::default() },
                ..RuleSettings::default()
            },
        ),
    ] {
        let expected = start(Flags { rules, ..Flags::default() });
        assert_eq!(Flags::parse(arguments, &[]), Ok(expected), "{arguments:?}");
    }
}

#[test]
fn questions_are_answered_and_words_ignored() {
    assert_eq!(Flags::parse(&["-h"], &[]), Ok(Command::Help));
    assert_eq!(Flags::parse(&["-version"], &[]), Ok(Command::Version));
    assert_eq!(Flags::parse(&["-short-version"], &[]), Ok(Command::ShortVersion));
    let own = [OwnFlag { name: "a", takes_value: true }];
    let expected =
        Start { flags: Flags::default(), own: vec!["--a=b".to_owned()], ignored: vec!["crds".to_owned()] };
    assert_eq!(Flags::parse(&["-a", "b", "crds"], &own), Ok(Command::Start(Box::new(expected))));
}

#[test]
fn what_is_wrong_is_named() {
    for (arguments, words) in [
        (&["-namespaces=a"][..], "flag provided but not defined: -namespaces"),
        (
            &["-name-validation-scheme=UTF8"],
            "invalid name validation scheme \"UTF8\", supported: utf8, legacy",
        ),
        (
            &["-promql-options= all "],
            "invalid -promql-options value \" all \", supported: experimental-functions, \
             duration-expression-parsing, extended-range-selectors, binop-fill-modifiers",
        ),
        (
            &["-web.cert-file=", "-web.key-file="],
            "failed to create TLS configuration: server key and certificate must be provided when a client CA is configured",
        ),
    ] {
        assert_eq!(Flags::parse(arguments, &[]).unwrap_err().to_string(), words);
    }
}
