//! Properties that must hold for any input of the parsers and writers of configurations, one function for each parser.
//! `cargo xtask fuzz` searches for inputs that violate them; the tests run the inputs in `seeds`.
//!
//! | file | owns |
//! |---|---|
//! | `targets` | the properties, one file for each parser |
//! | `main` | the search, or a program that runs given files |

mod targets;
#[cfg(test)]
mod tests;

use targets::{alertmanager_config, alertmanager_file, rules, templates, yaml_emitter, yaml_reader};

/// A property that must hold for any input.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name, which is also that of the directory with its seeds.
    pub name: &'static str,
    /// Runs an input; panics if the property does not hold.
    pub attempt: fn(&[u8]),
}

/// All targets.
pub const TARGETS: [Target; 6] = [
    Target { name: "alertmanager_config", attempt: alertmanager_config::attempt },
    Target { name: "alertmanager_file", attempt: alertmanager_file::attempt },
    Target { name: "rules", attempt: rules::attempt },
    Target { name: "templates", attempt: templates::attempt },
    Target { name: "yaml_emitter", attempt: yaml_emitter::attempt },
    Target { name: "yaml_reader", attempt: yaml_reader::attempt },
];

/// The target with this name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS.into_iter().find(|target| target.name == name)
}
