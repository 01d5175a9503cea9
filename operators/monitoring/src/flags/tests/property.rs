//! Properties of every command line.

use proptest::prelude::*;

use super::names;
use crate::flags::{Command, OperatorFlags, Program};

/// Names of flags, values for some of them, and other texts.
fn argument() -> impl Strategy<Value = String> {
    let mut names = names::<OperatorFlags>();
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
    fn no_argument_causes_a_panic(arguments in prop::collection::vec(".{0,12}", 0..6)) {
        let _ = OperatorFlags::parse(&arguments, &[]);
        let _ = OperatorFlags::default().take(&arguments, &[]);
    }

    #[test]
    fn both_functions_have_the_same_result(arguments in prop::collection::vec(argument(), 0..6)) {
        if let Ok(Command::Start(start)) = OperatorFlags::parse(&arguments, &[]) && start.ignored.is_empty() {
            let (taken, others) = OperatorFlags::default().take(&arguments, &[]).unwrap();
            prop_assert_eq!(taken, start.flags);
            prop_assert!(others.iter().all(|other| other == "start" || other == "--"));
        }
    }

    #[test]
    fn take_leaves_no_flag(arguments in prop::collection::vec(argument(), 0..6)) {
        if let Ok((_, others)) = OperatorFlags::default().take(&arguments, &[]) {
            let again = OperatorFlags::default().take(&others, &[]).unwrap();
            prop_assert_eq!(again, (OperatorFlags::default(), others));
        }
    }

    #[test]
    fn shown_values_can_be_parsed(arguments in prop::collection::vec(argument(), 0..6)) {
        if let Ok((mut flags, _)) = OperatorFlags::default().take(&arguments, &[]) {
            let shown: Vec<String> = flags
                .groups()
                .flags()
                // An empty list cannot be written: an empty text is a list of one.
                .filter(|flag| !(flag.value.adds() && flag.value.show().is_empty()))
                .map(|flag| format!("-{}={}", flag.name, flag.value.show()))
                .collect();
            let (again, _) = OperatorFlags::default().take(&shown, &[]).unwrap();
            prop_assert_eq!(again.objects, flags.objects);
            prop_assert_eq!(again.kubelet, flags.kubelet);
            prop_assert_eq!(again.gates, flags.gates);
            prop_assert_eq!(again.operator, flags.operator);
        }
    }
}
