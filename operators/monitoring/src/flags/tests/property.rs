//! What holds for every command line.

use proptest::prelude::*;

use super::names;
use crate::flags::{Command, Flags, Program};

/// Names of flags, texts that some of them take, and what neither is.
fn argument() -> impl Strategy<Value = String> {
    let mut names = names::<Flags>();
    names.push("nonsense");
    let value = prop_oneof![
        Just("a"),
        Just("a/b"),
        Just("a=b"),
        Just("true"),
        Just("0"),
        Just("1m"),
        Just(""),
        Just("PrometheusAgentDaemonSet=true"),
    ];
    let named = (prop_oneof![Just("-"), Just("--")], prop::sample::select(names), value.clone());
    prop_oneof![
        6 => named.prop_map(|(dashes, name, value)| format!("{dashes}{name}={value}")),
        2 => value.prop_map(str::to_owned),
        1 => ".{0,8}",
        1 => Just("--".to_owned()),
    ]
}

proptest! {
    #[test]
    fn arguments_are_never_too_strange(arguments in prop::collection::vec(".{0,12}", 0..6)) {
        let _ = Flags::parse(&arguments, &[]);
        let _ = Flags::default().take(&arguments, &[]);
    }

    #[test]
    fn both_ways_in_have_the_same_meaning(arguments in prop::collection::vec(argument(), 0..6)) {
        if let Ok(Command::Start(start)) = Flags::parse(&arguments, &[]) && start.ignored.is_empty() {
            let (taken, others) = Flags::default().take(&arguments, &[]).unwrap();
            prop_assert_eq!(taken, start.flags);
            prop_assert!(others.iter().all(|other| other == "start" || other == "--"));
        }
    }

    #[test]
    fn taking_takes_all_there_is(arguments in prop::collection::vec(argument(), 0..6)) {
        if let Ok((_, others)) = Flags::default().take(&arguments, &[]) {
            let again = Flags::default().take(&others, &[]).unwrap();
            prop_assert_eq!(again, (Flags::default(), others));
        }
    }

    #[test]
    fn what_is_shown_sets_the_same(arguments in prop::collection::vec(argument(), 0..6)) {
        if let Ok((mut flags, _)) = Flags::default().take(&arguments, &[]) {
            let shown: Vec<String> = flags
                .groups()
                .flags()
                // An empty list cannot be written: an empty text is a list of one.
                .filter(|flag| !(flag.value.adds() && flag.value.show().is_empty()))
                .map(|flag| format!("-{}={}", flag.name, flag.value.show()))
                .collect();
            let (again, _) = Flags::default().take(&shown, &[]).unwrap();
            prop_assert_eq!(again.objects, flags.objects);
            prop_assert_eq!(again.kubelet, flags.kubelet);
            prop_assert_eq!(again.gates, flags.gates);
            prop_assert_eq!(again.operator, flags.operator);
        }
    }
}
