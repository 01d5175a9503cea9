//! Help for terminals and reference pages in Markdown, written from the lists of flags and feature gates.

use std::fmt::Write as _;

use crate::flags::flag::{Flag, Groups};
use crate::flags::gates::Gate;

/// How flags are written.
pub(crate) const SYNTAX: &str =
    "Flags have one dash or two: -NAME=VALUE or -NAME VALUE. A switch is -NAME or -NAME=false.";

/// All flags, a line each.
pub(crate) fn flags(groups: &Groups<'_>) -> String {
    let mut text = String::new();
    for group in &groups.0 {
        let heads: Vec<String> = group.flags.iter().map(head).collect();
        let width = heads.iter().map(|head| head.chars().count()).max().unwrap_or_default();
        let _ = writeln!(text, "\n{}:", group.title);
        for (head, flag) in heads.iter().zip(&group.flags) {
            let _ = writeln!(text, "  {head:width$}  {}{}", flag.help, remarks(flag));
        }
    }
    text
}

/// The feature gates, a line each.
pub(crate) fn gates(gates: &[Gate]) -> String {
    let width = gates.iter().map(|gate| gate.name().len()).max().unwrap_or_default();
    let mut text = String::from(if gates.is_empty() { "" } else { "\nFeature gates:\n" });
    for gate in gates {
        let _ = writeln!(text, "  {:width$}  {} [default: {}]", gate.name(), gate.help(), default(*gate));
    }
    text
}

/// All flags, a table for each group.
pub(crate) fn flag_tables(groups: &Groups<'_>) -> String {
    let mut text = String::new();
    for group in &groups.0 {
        let _ =
            writeln!(text, "## {}\n\n| flag | value | default | meaning |\n|---|---|---|---|", group.title);
        for Flag { name, help, value } in &group.flags {
            let form = Some(value.form()).filter(|form| !form.is_empty());
            let (form, default) = (code(&form.unwrap_or_else(|| "BOOL".to_owned())), code(&value.show()));
            let more = if value.adds() { " Can be repeated." } else { "" };
            let _ = writeln!(text, "| `-{name}` | {form} | {default} | {help}{more} |");
        }
        text.push('\n');
    }
    text
}

/// The feature gates as a table.
pub(crate) fn gate_table(gates: &[Gate]) -> String {
    let heading = "## Feature gates\n\n| name | default | meaning |\n|---|---|---|\n";
    let mut text = String::from(if gates.is_empty() { "" } else { heading });
    for gate in gates {
        let _ = writeln!(text, "| `{}` | {} | {} |", gate.name(), default(*gate), gate.help());
    }
    text
}

fn default(gate: Gate) -> &'static str {
    if gate.is_on_by_default() { "on" } else { "off" }
}

fn head(flag: &Flag<'_>) -> String {
    format!("-{} {}", flag.name, flag.value.form()).trim_end().to_owned()
}

fn remarks(flag: &Flag<'_>) -> String {
    let mut text = match flag.value.show().as_str() {
        "" | "false" => String::new(),
        default => format!(" [default: {default}]"),
    };
    if flag.value.adds() {
        text.push_str(" [can be repeated]");
    }
    text
}

/// A text as code in a cell, where a bar would end the cell.
fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{}`", text.replace('|', "\\|")) }
}
