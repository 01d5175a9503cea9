//! The reference page: all flags as tables in Markdown.

use std::fmt::Write as _;

use crate::flags::gates::Gate;
use crate::flags::help::Described;

/// A table a group.
pub(crate) fn write(groups: &[Described]) -> String {
    let mut text = String::new();
    for (title, flags) in groups {
        let _ = writeln!(text, "## {title}\n\n| flag | value | default | meaning |\n|---|---|---|---|");
        for flag in flags {
            let form = if flag.form.is_empty() { "`BOOL`".to_owned() } else { code(flag.form) };
            let more = if flag.adds { " Adds to what was given before." } else { "" };
            let (name, default) = (flag.name, code(&flag.default));
            let _ = writeln!(text, "| `-{name}` | {form} | {default} | {}{more} |", flag.help);
        }
        text.push('\n');
    }
    text
}

/// A table of the features that can be switched.
pub(crate) fn features() -> String {
    let mut text =
        String::from("## Features that can be switched\n\n| name | default | meaning |\n|---|---|---|\n");
    for gate in Gate::ALL {
        let state = if gate.is_on_by_default() { "on" } else { "off" };
        let _ = writeln!(text, "| `{}` | {state} | {} |", gate.name(), gate.description());
    }
    text
}

/// A text as code in a cell, where a bar would end the cell.
fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{}`", text.replace('|', "\\|")) }
}
