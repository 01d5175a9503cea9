//! The stand-alone webhook.

use monitoring_rules::Options;
use monitoring_rules::names::Names;

use crate::flags::webhook::WebhookFlags;
use crate::flags::{Command, OwnFlag, Program, Start};
use crate::webhook::RuleSettings;

fn start(flags: WebhookFlags) -> Command<WebhookFlags> {
    Command::Start(Box::new(Start { flags, own: vec![], ignored: vec![] }))
}

#[test]
fn flags_define_how_rules_are_checked() {
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
        let expected = start(WebhookFlags { rules, ..WebhookFlags::default() });
        assert_eq!(WebhookFlags::parse(arguments, &[]), Ok(expected), "{arguments:?}");
    }
}

#[test]
fn help_and_versions_are_recognized_and_words_are_ignored() {
    assert_eq!(WebhookFlags::parse(&["-h"], &[]), Ok(Command::Help));
    assert_eq!(WebhookFlags::parse(&["-version"], &[]), Ok(Command::Version));
    assert_eq!(WebhookFlags::parse(&["-short-version"], &[]), Ok(Command::ShortVersion));
    let own = [OwnFlag { name: "a", takes_value: true }];
    let expected = Start {
        flags: WebhookFlags::default(),
        own: vec!["--a=b".to_owned()],
        ignored: vec!["crds".to_owned()],
    };
    assert_eq!(WebhookFlags::parse(&["-a", "b", "crds"], &own), Ok(Command::Start(Box::new(expected))));
}

#[test]
fn invalid_flags_are_rejected() {
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
        assert_eq!(WebhookFlags::parse(arguments, &[]).unwrap_err().to_string(), words);
    }
}
