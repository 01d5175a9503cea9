//! Help and reference.

use super::names;
use crate::flags::{Gate, OperatorFlags, Program, webhook};

#[test]
fn each_flag_has_one_line() {
    for (mut names, help, reference) in [
        (names::<OperatorFlags>(), OperatorFlags::help("operator"), OperatorFlags::reference()),
        (
            names::<webhook::WebhookFlags>(),
            webhook::WebhookFlags::help("webhook"),
            webhook::WebhookFlags::reference(),
        ),
    ] {
        names.extend(["version", "short-version"]);
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
fn help_shows_the_form_the_meaning_and_the_default_of_a_flag() {
    let help = OperatorFlags::help("/bin/operator");
    let lines: Vec<&str> = help.lines().collect();
    assert_eq!(lines[0], "Usage: /bin/operator [FLAGS] [COMMAND]");
    let at = lines.iter().position(|line| *line == "Images:").unwrap();
    assert_eq!(
        lines[at..at + 4],
        [
            "Images:",
            "  -prometheus-default-base-image TEXT    Image of Prometheus, without a version. [default: quay.io/prometheus/prometheus]",
            "  -alertmanager-default-base-image TEXT  Image of Alertmanager, without a version. [default: quay.io/prometheus/alertmanager]",
            "  -thanos-default-base-image TEXT        Image of Thanos, without a version. [default: quay.io/thanos/thanos]",
        ]
    );
    let labels = "  -labels KEY=VALUE,…                                Labels of all generated objects. [can be repeated]";
    assert!(lines.contains(&labels), "{help}");
    assert_eq!(
        lines.len() - lines.iter().position(|line| *line == "Feature gates:").unwrap(),
        1 + Gate::ALL.len()
    );
}

#[test]
fn rows_of_a_table_have_the_same_number_of_columns() {
    let reference = OperatorFlags::reference();
    let row = "| `-repair-policy-for-statefulsets` | `none\\|evict\\|delete` |  | What to do about a pod that \
               blocks a rollout. If it is not set, a pod is deleted only if a restart cannot fix it. |";
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
