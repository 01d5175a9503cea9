//! The help: what a terminal shows, a line a flag.

use std::fmt::Write as _;

use crate::flags::flag::{Description, Group as _, Groups};
use crate::flags::gates::Gate;
use crate::flags::version::Version;

/// A group as users read about it.
pub(crate) type Described = (&'static str, Vec<Description>);

/// The groups of a program, and the flags for its version.
pub(crate) fn groups(groups: &mut Groups<'_>, version: &mut Version) -> Vec<Described> {
    let mut described: Vec<Described> =
        groups.iter_mut().map(|group| (group.title(), group.descriptions())).collect();
    described.push((version.title(), version.descriptions()));
    described
}

/// The help of a program.
pub(crate) fn write(program: &str, usage: &str, groups: &[Described]) -> String {
    let rule = "Flags have one dash or two: -NAME=VALUE or -NAME VALUE. A switch is -NAME or -NAME=false.";
    format!("Usage: {program} {usage}\n\n{rule}\n{}", options(groups))
}

/// All flags, a line each.
pub(crate) fn options(groups: &[Described]) -> String {
    let mut text = String::new();
    for (title, flags) in groups {
        let heads: Vec<String> = flags.iter().map(head).collect();
        let width = heads.iter().map(|head| head.chars().count()).max().unwrap_or_default();
        let _ = writeln!(text, "\n{title}:");
        for (head, flag) in heads.iter().zip(flags) {
            let _ = writeln!(text, "  {head:width$}  {}{}", flag.help, remarks(flag));
        }
    }
    text
}

/// The features that can be switched.
pub(crate) fn features() -> String {
    let width = Gate::ALL.map(|gate| gate.name().len()).into_iter().max().unwrap_or_default();
    let mut text = String::from("\nFeatures that can be switched:\n");
    for gate in Gate::ALL {
        let state = if gate.is_on_by_default() { "on" } else { "off" };
        let _ = writeln!(text, "  {:width$}  {} [default: {state}]", gate.name(), gate.description());
    }
    text
}

fn head(flag: &Description) -> String {
    if flag.form.is_empty() { format!("-{}", flag.name) } else { format!("-{} {}", flag.name, flag.form) }
}

fn remarks(flag: &Description) -> String {
    let mut text = String::new();
    if !flag.default.is_empty() && flag.default != "false" {
        let _ = write!(text, " [default: {}]", flag.default);
    }
    if flag.adds {
        text.push_str(" [can be repeated]");
    }
    text
}
