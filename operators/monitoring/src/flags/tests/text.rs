//! Help and reference.

use super::described;
use crate::flags::flag::Groups;
use crate::flags::{Flags, Gate, webhook};

fn names(groups: Groups<'_>) -> Vec<&'static str> {
    described(groups).into_iter().map(|flag| flag.name).chain(["version", "short-version"]).collect()
}

#[test]
fn each_flag_has_one_line() {
    for (names, help, reference) in [
        (names(Flags::default().groups()), Flags::help("operator"), Flags::reference()),
        (
            names(webhook::Flags::default().groups()),
            webhook::Flags::help("webhook"),
            webhook::Flags::reference(),
        ),
    ] {
        let in_help: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  -")).collect();
        let in_help: Vec<&str> = in_help.iter().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(in_help, names);
        let in_reference: Vec<&str> = reference
            .lines()
            .filter_map(|line| line.strip_prefix("| `-"))
            .filter_map(|line| line.split('`').next())
            .collect();
        assert_eq!(in_reference, names);
    }
}

#[test]
fn help_says_what_a_flag_is_how_it_is_written_and_what_holds_without_it() {
    let help = Flags::help("/bin/operator");
    let lines: Vec<&str> = help.lines().collect();
    assert_eq!(lines[0], "Usage: /bin/operator [FLAGS] [COMMAND]");
    let at = lines.iter().position(|line| *line == "Images:").unwrap();
    assert_eq!(
        lines[at..at + 4],
        [
            "Images:",
            "  -prometheus-default-base-image TEXT    The image of Prometheus, without a version. [default: quay.io/prometheus/prometheus]",
            "  -alertmanager-default-base-image TEXT  The image of Alertmanager, without a version. [default: quay.io/prometheus/alertmanager]",
            "  -thanos-default-base-image TEXT        The image of Thanos, without a version. [default: quay.io/thanos/thanos]",
        ]
    );
    let labels = "  -labels KEY=VALUE,…                                Labels of everything that is made. [can be repeated]";
    assert!(lines.contains(&labels), "{help}");
    assert_eq!(
        lines.len() - lines.iter().position(|line| *line == "Features that can be switched:").unwrap(),
        1 + Gate::ALL.len()
    );
}

#[test]
fn tables_are_tables() {
    let reference = Flags::reference();
    let row = "| `-repair-policy-for-statefulsets` | `none\\|evict\\|delete` |  | What is done about a pod that a \
               stuck roll-out waits for. Without it, one goes only if it fails for a reason that a restart cannot mend. |";
    assert!(reference.lines().any(|line| line == row), "{reference}");
    let bars = |line: &str| line.replace("\\|", "").matches('|').count();
    let mut width = 0;
    for line in reference.lines() {
        if line.starts_with("| flag |") || line.starts_with("| name |") {
            width = bars(line);
        } else if line.starts_with('|') {
            assert_eq!(bars(line), width, "{line}");
        }
    }
}
