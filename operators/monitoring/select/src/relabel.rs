//! Whether Prometheus would take a relabeling step.

use api_monitoring::relabel::RelabelConfig;
use formats::version::Version;
use go_syntax::quoted::Quoted;

use crate::label_name::Scheme;
use crate::problem::{Problem, Within};
use crate::regex;

/// What steps of a version of Prometheus can do.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    scheme: Scheme,
    changes_case: bool,
    compares: bool,
}

/// Why a step is refused. The action is named as the user wrote it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// The version does not have the action.
    #[error("{action} relabel action is only supported from Prometheus version {since}")]
    Action {
        /// The action.
        action: String,
        /// The first version that has it.
        since: &'static str,
    },
    /// The regular expression cannot be read.
    #[error("invalid regex {pattern} for relabel configuration: {problem}")]
    Regex {
        /// The regular expression.
        pattern: String,
        /// What is wrong with it.
        problem: regex::Invalid,
    },
    /// A hash is to be divided by nothing.
    #[error("relabel configuration for hashmod requires non-zero modulus")]
    Modulus,
    /// Nobody knows which label is meant.
    #[error("relabel configuration for {action} action needs targetLabel value")]
    NoTarget {
        /// The action.
        action: String,
    },
    /// No label can have this name.
    #[error("{} is invalid 'target_label' for {action} action", Quoted(.label))]
    Target {
        /// The name.
        label: String,
        /// The action.
        action: String,
    },
    /// No label can have a name that comes of this.
    #[error("{} is invalid 'replacement' for {action} action", Quoted(.replacement))]
    Replacement {
        /// The replacement.
        replacement: String,
        /// The action.
        action: String,
    },
    /// The action replaces nothing.
    #[error("'replacement' can not be set for {action} action")]
    NotReplacing {
        /// The action.
        action: String,
    },
    /// The action compares two labels and does nothing else.
    #[error("{action} action requires only 'source_labels' and `target_label`, and no other fields")]
    OnlyLabels {
        /// The action.
        action: String,
    },
    /// The action looks at names only.
    #[error("{action} action requires only 'regex', and no other fields")]
    OnlyRegex {
        /// The action.
        action: String,
    },
}

/// What a field says if the user does not, and what therefore may be written anyway.
const SEPARATOR: &str = ";";
const REGEX: &str = "(.*)";
const REPLACEMENT: &str = "$1";

impl Rules {
    /// The rules of a version.
    pub fn of(version: &Version) -> Self {
        Self {
            scheme: Scheme::of(version),
            changes_case: *version >= Version::new(2, 36, 0),
            compares: *version >= Version::new(2, 41, 0),
        }
    }

    /// Whether all steps are good.
    pub fn check_all(&self, steps: &[RelabelConfig]) -> Result<(), Problem> {
        steps
            .iter()
            .enumerate()
            .try_for_each(|(index, step)| self.check(step).within(format_args!("[{index}]")))
    }

    /// Whether a step is good.
    pub fn check(&self, step: &RelabelConfig) -> Result<(), Invalid> {
        let written = if step.action.is_empty() { "replace" } else { &step.action };
        let action = written.to_lowercase();
        self.check_version(&action, written)?;
        regex::check_anchored(&step.regex)
            .map_err(|problem| Invalid::Regex { pattern: step.regex.clone(), problem })?;
        if step.modulus == 0 && action == "hashmod" {
            return Err(Invalid::Modulus);
        }
        let written = || written.to_owned();
        match action.as_str() {
            "replace" | "hashmod" => self.check_target(step, &written),
            "lowercase" | "uppercase" => {
                self.check_target(step, &written)?;
                if is_other(step.replacement.as_deref(), REPLACEMENT) {
                    return Err(Invalid::NotReplacing { action: written() });
                }
                Ok(())
            }
            "keepequal" | "dropequal" => self.check_comparison(step, &written),
            "labelmap" => match &step.replacement {
                Some(replacement) if !self.scheme.allows_template(replacement) => {
                    Err(Invalid::Replacement { replacement: replacement.clone(), action: written() })
                }
                _ => Ok(()),
            },
            "labeldrop" | "labelkeep" => check_names_only(step, &written),
            _ => Ok(()),
        }
    }

    fn check_version(self, action: &str, written: &str) -> Result<(), Invalid> {
        let since = match action {
            "lowercase" | "uppercase" if !self.changes_case => "2.36.0",
            "keepequal" | "dropequal" if !self.compares => "2.41.0",
            _ => return Ok(()),
        };
        Err(Invalid::Action { action: written.to_owned(), since })
    }

    fn check_target(self, step: &RelabelConfig, written: &impl Fn() -> String) -> Result<(), Invalid> {
        if step.target_label.is_empty() {
            return Err(Invalid::NoTarget { action: written() });
        }
        if !self.scheme.allows(&step.target_label) {
            return Err(Invalid::Target { label: step.target_label.clone(), action: written() });
        }
        Ok(())
    }

    fn check_comparison(self, step: &RelabelConfig, written: &impl Fn() -> String) -> Result<(), Invalid> {
        self.check_target(step, written)?;
        if is_other(step.replacement.as_deref(), REPLACEMENT) {
            return Err(Invalid::NotReplacing { action: written() });
        }
        if (!step.regex.is_empty() && step.regex != REGEX)
            || step.modulus != 0
            || is_other(step.separator.as_deref(), SEPARATOR)
        {
            return Err(Invalid::OnlyLabels { action: written() });
        }
        Ok(())
    }
}

fn check_names_only(step: &RelabelConfig, written: &impl Fn() -> String) -> Result<(), Invalid> {
    if !step.source_labels.is_empty()
        || !step.target_label.is_empty()
        || step.modulus != 0
        || is_other(step.separator.as_deref(), SEPARATOR)
        || is_other(step.replacement.as_deref(), REPLACEMENT)
    {
        return Err(Invalid::OnlyRegex { action: written() });
    }
    Ok(())
}

/// Whether something is written that says other than nothing would.
fn is_other(written: Option<&str>, default: &str) -> bool {
    written.is_some_and(|written| written != default)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(action: &str) -> RelabelConfig {
        RelabelConfig { action: action.into(), target_label: "target".into(), ..RelabelConfig::default() }
    }

    fn verdict(version: (u64, u64), step: &RelabelConfig) -> Result<(), String> {
        let version = Version::new(version.0, version.1, 0);
        Rules::of(&version).check(step).map_err(|problem| problem.to_string())
    }

    #[test]
    fn actions_have_versions() {
        assert_eq!(verdict((2, 36), &step("Uppercase")), Ok(()));
        assert_eq!(verdict((2, 41), &step("DropEqual")), Ok(()));
        for (version, action, words) in [
            (
                (2, 35),
                "Uppercase",
                "Uppercase relabel action is only supported from Prometheus version 2.36.0",
            ),
            (
                (2, 40),
                "DropEqual",
                "DropEqual relabel action is only supported from Prometheus version 2.41.0",
            ),
        ] {
            assert_eq!(verdict(version, &step(action)), Err(words.into()));
        }
    }

    #[test]
    fn a_target_is_needed_and_has_a_name() {
        for action in ["", "hashmod", "lowercase", "uppercase", "keepequal", "dropequal"] {
            let named = if action.is_empty() { "replace" } else { action };
            let mut step = step(action);
            step.modulus = i64::from(action == "hashmod");
            step.target_label = String::new();
            let words = format!("relabel configuration for {named} action needs targetLabel value");
            assert_eq!(verdict((2, 55), &step), Err(words));
            step.target_label = "a-${b}".into();
            let words = format!("\"a-${{b}}\" is invalid 'target_label' for {named} action");
            assert_eq!(verdict((2, 55), &step), Err(words));
            assert_eq!(verdict((3, 0), &step), Ok(()));
        }
    }

    #[test]
    fn defaults_may_be_written() {
        let mut compare = RelabelConfig {
            regex: REGEX.into(),
            separator: Some(SEPARATOR.into()),
            replacement: Some(REPLACEMENT.into()),
            ..step("keepequal")
        };
        assert_eq!(verdict((3, 0), &compare), Ok(()));
        compare.action = "labeldrop".into();
        assert_eq!(
            verdict((3, 0), &compare),
            Err("labeldrop action requires only 'regex', and no other fields".into())
        );
        compare.target_label = String::new();
        assert_eq!(verdict((3, 0), &compare), Ok(()));
    }

    #[test]
    fn comparing_takes_nothing_else() {
        let words = "keepequal action requires only 'source_labels' and `target_label`, and no other fields"
            .to_owned();
        for change in [
            RelabelConfig { regex: "a".into(), ..step("keepequal") },
            RelabelConfig { modulus: 1, ..step("keepequal") },
            RelabelConfig { separator: Some(String::new()), ..step("keepequal") },
        ] {
            assert_eq!(verdict((3, 0), &change), Err(words.clone()));
        }
        let replacing = RelabelConfig { replacement: Some("x".into()), ..step("uppercase") };
        assert_eq!(
            verdict((3, 0), &replacing),
            Err("'replacement' can not be set for uppercase action".into())
        );
    }

    #[test]
    fn a_map_of_labels_makes_names() {
        let mut map = RelabelConfig { replacement: Some("k8s-$1".into()), ..step("labelmap") };
        assert_eq!(
            verdict((2, 55), &map),
            Err("\"k8s-$1\" is invalid 'replacement' for labelmap action".into())
        );
        assert_eq!(verdict((3, 0), &map), Ok(()));
        map.replacement = None;
        assert_eq!(verdict((2, 55), &map), Ok(()));
    }
}
