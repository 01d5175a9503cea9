//! Properties that must hold for any input of the readers and writers of configurations, one function for each reader.
//! `cargo xtask fuzz` searches for inputs that violate them; the tests try the inputs in `seeds`.
//!
//! | file | owns |
//! |---|---|
//! | `targets` | a file a reader: what must hold |
//! | `main` | the driver of the search; built without it, what tries files |

mod targets;
#[cfg(test)]
mod tests;

use targets::{alertmanager_config, alertmanager_file, rules, templates, yaml_emitter, yaml_reader};

/// Something that must hold for any input.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, also that of the directory of its seeds.
    pub name: &'static str,
    /// Tries an input; panics if it does not hold.
    pub attempt: fn(&[u8]),
}

/// All of them.
pub const TARGETS: [Target; 6] = [
    Target { name: "alertmanager_config", attempt: alertmanager_config::attempt },
    Target { name: "alertmanager_file", attempt: alertmanager_file::attempt },
    Target { name: "rules", attempt: rules::attempt },
    Target { name: "templates", attempt: templates::attempt },
    Target { name: "yaml_emitter", attempt: yaml_emitter::attempt },
    Target { name: "yaml_reader", attempt: yaml_reader::attempt },
];

/// The one with this name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS.into_iter().find(|target| target.name == name)
}
