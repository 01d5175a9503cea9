//! The stand-alone webhook.

use monitoring_rules::Options;
use monitoring_rules::names::Names;

use crate::flags::webhook::{Command, Flags, Rules};
use crate::flags::{OwnFlag, Start};

fn start(flags: Flags) -> Command {
    Command::Start(Box::new(Start { flags, own: vec![], ignored: vec![] }))
}

#[test]
fn rules_are_checked_as_asked() {
    for (arguments, rules) in [
        (&[][..], Rules::default()),
        (&["-name-validation-scheme=utf8"], Rules { names: Names::Utf8, ..Rules::default() }),
        (
            &["-promql-options=experimental-functions, binop-fill-modifiers,"],
            Rules {
                queries: Options { experimental_functions: true, fill_modifiers: true, ..Options::default() },
                ..Rules::default()
            },
        ),
        (
            &["-promql-options=experimental-functions", "--promql-options", "extended-range-selectors"],
            Rules { queries: Options { extended_ranges: true, ..Options::default() }, ..Rules::default() },
        ),
        (
            &["-promql-options=nonsense", "-promql-options=duration-expression-parsing"],
            Rules {
                queries: Options { duration_expressions: true, ..Options::default() },
                ..Rules::default()
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
    for (arguments, words, code) in [
        (&["-namespaces=a"][..], "flag provided but not defined: -namespaces", 2),
        (
            &["-name-validation-scheme=UTF8"],
            "invalid name validation scheme \"UTF8\", supported: utf8, legacy",
            1,
        ),
        (
            &["-promql-options= all "],
            "invalid -promql-options value \" all \", supported: experimental-functions, \
             duration-expression-parsing, extended-range-selectors, binop-fill-modifiers",
            1,
        ),
        (
            &["-web.cert-file=", "-web.key-file="],
            "failed to create TLS configuration: server key and certificate must be provided when a client CA is configured",
            1,
        ),
    ] {
        let error = Flags::parse(arguments, &[]).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.exit_code()), (words, code));
    }
}
