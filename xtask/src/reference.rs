//! The reference pages, from the definitions of command lines, the table of versions and the list of metrics. Pure.
//! Help printed by clap cannot be used, because it is formatted for the width of the terminal.

use std::fmt::Write;

use ::mainstay::products;
use clap::{Arg, ArgAction, Command, CommandFactory};
use lab::versions::{Program, Recipe, Versions};
use operator_monitoring::flags::{OperatorFlags, Program as _, webhook};
use product::MetricsPage;

/// The page about `cargo lab`.
pub(crate) fn lab() -> String {
    let mut command = ::lab::args::Arguments::command();
    command.build();
    let mut page = String::from("<!-- Written by `make gen`; do not edit. -->\n\n# `cargo lab`\n");
    if let Some(about) = command.get_long_about().or(command.get_about()) {
        let _ = write!(page, "\n{about}\n");
    }
    page.push_str("\n## Commands\n");
    for sub in shown(&command) {
        describe(&mut page, "cargo lab", sub);
    }
    let versions = Versions::built_in();
    page.push_str(&programs(&versions));
    page.push_str(&images(&versions));
    page
}

/// The page about the command line of `mainstay`.
pub(crate) fn mainstay() -> String {
    let mut command = ::mainstay::args::Arguments::command();
    command.build();
    let mut page = String::from("<!-- Written by `make gen`; do not edit. -->\n\n# `mainstay`\n");
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = write!(page, "\n{about}. Without a command it runs the operators.\n");
    let shown_arguments = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let own: Vec<&Arg> = shown_arguments.filter(|argument| argument.get_id() != "help").collect();
    let rows = own.iter().map(|argument| vec![format!("`{}`", spelling(argument)), explanation(argument)]);
    let _ = write!(page, "\n{}", markdown_table(&["argument", "meaning"], rows));
    page.push_str("\n## Commands\n");
    for sub in shown(&command) {
        describe(&mut page, "mainstay", sub);
    }
    page.push_str(
        "\n# Flags of the Prometheus Operator\n\nThe flags of the Prometheus Operator are accepted too, with one dash or two, \
         and have the same meaning. If the program is started as `operator` or `prometheus-operator`, it parses them exactly \
         as the Prometheus Operator does; namespaces, log settings and addresses are then taken only from these flags. If it \
         is started as `mainstay`, the default reloader image is that of Mainstay, `--log-level` has the values above, and \
         `--version` prints the version.\n\n",
    );
    page.push_str(OperatorFlags::reference().trim_start());
    page
}

/// The page about the command line of the admission webhook.
pub(crate) fn admission_webhook() -> String {
    let mut page = String::from(
        "<!-- Written by `make gen`; do not edit. -->\n\n# `admission-webhook`\n\nIf the program is started \
         under this name, it only answers admission and conversion reviews. It accepts the flags of the Prometheus \
         Operator's admission webhook, with one dash or two, and they have the same meaning.\n\n",
    );
    page.push_str(webhook::WebhookFlags::reference().trim_start());
    page
}

/// The page about metrics: every family, grouped by the component that exposes it.
pub(crate) fn metrics() -> String {
    let mut page = String::from(
        "<!-- Written by `make gen`; do not edit. -->\n\n# Metrics\n\nThe metrics that `mainstay` exposes on `/metrics`.\n",
    );
    let of_process = ("Every process", "Metrics of all operators and of the process itself.");
    let _ = write!(page, "\n## {}\n\n{}\n\n{}", of_process.0, of_process.1, kernel::metrics::reference());
    for MetricsPage { heading, introduction, table } in products::ALL.iter().flat_map(|one| one.metrics) {
        let table = table();
        let _ = write!(page, "\n## {heading}\n\n{introduction}\n\n{table}");
    }
    page
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
}

fn describe(page: &mut String, before: &str, command: &Command) {
    let path = format!("{before} {}", command.get_name());
    if shown(command).next().is_some() {
        shown(command).for_each(|sub| describe(page, &path, sub));
        return;
    }
    let arguments: Vec<&Arg> = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set() && argument.get_id() != "help")
        .collect();
    let positional = arguments.iter().filter(|argument| argument.is_positional());
    let path = positional.fold(path, |path, argument| format!("{path} {argument}"));
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = write!(page, "\n### `{path}`\n\n{about}.\n");
    if !arguments.is_empty() {
        let rows =
            arguments.iter().map(|argument| vec![format!("`{}`", spelling(argument)), explanation(argument)]);
        let _ = write!(page, "\n{}", markdown_table(&["argument", "meaning"], rows));
    }
}

/// `-n, --name <NAME>`, with brackets around an optional value.
fn spelling(argument: &Arg) -> String {
    if argument.is_positional() {
        return argument.to_string();
    }
    let short = argument.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
    let long = argument.get_long().map(|long| format!("--{long}")).unwrap_or_default();
    let value = match (argument.get_action(), argument.get_value_names()) {
        (ArgAction::Set | ArgAction::Append, Some([name, ..])) => {
            let optional = argument.get_num_args().is_some_and(|count| count.min_values() == 0);
            if optional { format!("[=<{name}>]") } else { format!(" <{name}>") }
        }
        _ => String::new(),
    };
    format!("{short}{long}{value}")
}

fn explanation(argument: &Arg) -> String {
    let mut text = argument.get_help().map(ToString::to_string).unwrap_or_default();
    if !argument.get_action().takes_values() {
        return text;
    }
    let choices: Vec<String> =
        argument.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    if !choices.is_empty() {
        let _ = write!(text, "; one of {}", choices.join(", "));
    }
    if let [default, ..] = argument.get_default_values() {
        let _ = write!(text, "; `{}` if not given", default.to_string_lossy());
    }
    if let Some(variable) = argument.get_env() {
        let _ = write!(text, "; also from `{}`", variable.to_string_lossy());
    }
    text
}

fn programs(versions: &Versions) -> String {
    let rows = versions.programs().into_iter().map(|program| {
        let origin = origin(&program);
        vec![program.name, program.version, origin]
    });
    format!("\n## Programs\n\n{}", markdown_table(&["program", "version", "built from"], rows))
}

fn origin(program: &Program) -> String {
    match &program.recipe {
        Recipe::Go(go) => {
            let modules: Vec<String> =
                go.modules.iter().map(|module| format!("`{}@{}`", module.path, module.version)).collect();
            format!("Go: {}", modules.join(", "))
        }
        Recipe::Assembly(assembly) if assembly.requires.is_empty() => "Go: our own source".into(),
        Recipe::Assembly(assembly) => {
            let required: Vec<String> =
                assembly.requires.iter().map(|module| format!("`{module}`")).collect();
            format!("Go, assembled: {}", required.join(", "))
        }
        Recipe::Debian(debian) => {
            let packages: Vec<String> = std::iter::once(&debian.package)
                .chain(&debian.also)
                .map(|name| format!("`{name}`"))
                .collect();
            format!("Debian: {}", packages.join(", "))
        }
        Recipe::Cargo(cargo) => format!("this workspace: `{}`", cargo.package),
    }
}

fn images(versions: &Versions) -> String {
    let rows = versions.images().into_iter().map(|image| {
        let names: Vec<String> = image.content.names.iter().map(|name| format!("`{name}`")).collect();
        let shell = if image.content.shell { "yes" } else { "no" };
        vec![
            format!("`{}`", image.id()),
            names.join(", "),
            shell.into(),
            image.content.user.unwrap_or("root".into()),
            image.content.group.unwrap_or("-".into()),
        ]
    });
    let introduction =
        "An image with a group is not part of `all`: it is built if its group or its name is requested.";
    let heading = ["image", "names", "shell", "user", "group"];
    format!("\n## Images\n\n{introduction}\n\n{}", markdown_table(&heading, rows))
}

fn markdown_table(heading: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = format!("| {} |\n|{}\n", heading.join(" | "), "---|".repeat(heading.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_arguments_programs_and_images_are_in_it() {
        let page = lab();
        for part in [
            "\n### `cargo lab up`\n",
            "| `--control-plane-only[=<EXTENT>]` | ",
            "| `-n, --name <NAME>` | Name of the lab; several labs can run at the same time; `default` if not given; also from `MAINSTAY_LAB` |\n",
            "\n### `cargo lab image build <IMAGES>...`\n",
            "| runc | 1.1.5 | Debian: `runc` |\n",
            "`quay.io/prometheus/prometheus:v3.13.1`",
        ] {
            assert!(page.contains(part), "no {part:?} in\n{page}");
        }
        assert!(!page.contains("provisioner"), "a hidden command is in it");
    }

    #[test]
    fn every_metric_is_in_it_once() {
        let page = metrics();
        for name in [
            "mainstay_missing_permissions",
            "process_cpu_seconds_total",
            "prometheus_operator_reconcile_operations_total",
            "prometheus_operator_build_info",
            "prometheus_operator_feature_gate",
            "prometheus_operator_node_syncs_total",
            "mainstay_webhook_reviews_total",
        ] {
            assert_eq!(page.matches(&format!("| `{name}` |")).count(), 1, "{name} in\n{page}");
        }
    }
}
