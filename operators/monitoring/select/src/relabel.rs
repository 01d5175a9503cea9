//! Whether Prometheus accepts a relabeling step.

use api_monitoring::relabel::RelabelConfig;
use formats::version::Version;
use go_syntax::quoted::Quoted;
use go_syntax::regexp;

use crate::label_name::Scheme;
use crate::problem::{Problem, Within};

/// What steps of a version of Prometheus can do.
#[derive(Debug, Clone, Copy)]
pub struct RelabelRules {
    scheme: Scheme,
    changes_case: bool,
    compares: bool,
}

/// Why a step is invalid. The action is named as the user wrote it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRelabeling {
    /// The version does not have the action.
    #[error("{action} relabel action is only supported from Prometheus version {since}")]
    Action {
        /// The action.
        action: String,
        /// The first version that has it.
        since: &'static str,
    },
    /// The regular expression is invalid.
    #[error("invalid regex {pattern} for relabel configuration: {problem}")]
    Regex {
        /// The regular expression.
        pattern: String,
        /// What is wrong with it.
        problem: regexp::InvalidRegexp,
    },
    /// The modulus of a hash is 0.
    #[error("relabel configuration for hashmod requires non-zero modulus")]
    Modulus,
    /// The target label is missing.
    #[error("relabel configuration for {0} action needs targetLabel value")]
    NoTarget(String),
    /// The target label is not a valid name.
    #[error("{} is invalid 'target_label' for {action} action", Quoted(.label))]
    Target {
        /// The name.
        label: String,
        /// The action.
        action: String,
    },
    /// The replacement is not a valid name of a label.
    #[error("{} is invalid 'replacement' for {action} action", Quoted(.replacement))]
    Replacement {
        /// The replacement.
        replacement: String,
        /// The action.
        action: String,
    },
    /// The action does not use a replacement.
    #[error("'replacement' can not be set for {0} action")]
    NotReplacing(String),
    /// The action compares two labels and has no other fields.
    #[error("{0} action requires only 'source_labels' and `target_label`, and no other fields")]
    OnlyLabels(String),
    /// The action matches names and has no other fields.
    #[error("{0} action requires only 'regex', and no other fields")]
    OnlyRegex(String),
}

/// Default values, which users can set even where a field is not allowed.
const SEPARATOR: &str = ";";
const REGEX: &str = "(.*)";
const REPLACEMENT: &str = "$1";

impl RelabelRules {
    /// The rules of a version.
    pub fn of(version: &Version) -> Self {
        Self {
            scheme: Scheme::of(version),
            changes_case: *version >= Version::new(2, 36, 0),
            compares: *version >= Version::new(2, 41, 0),
        }
    }

    /// Checks steps.
    pub fn check_all(&self, steps: &[RelabelConfig]) -> Result<(), Problem> {
        steps
            .iter()
            .enumerate()
            .try_for_each(|(index, step)| self.check(step).within(format_args!("[{index}]")))
    }

    /// Checks a step.
    pub fn check(&self, step: &RelabelConfig) -> Result<(), InvalidRelabeling> {
        let written = if step.action.is_empty() { "replace" } else { &step.action };
        let action = written.to_lowercase();
        self.check_version(&action, written)?;
        check_anchored(&step.regex)
            .map_err(|problem| InvalidRelabeling::Regex { pattern: step.regex.clone(), problem })?;
        if step.modulus == 0 && action == "hashmod" {
            return Err(InvalidRelabeling::Modulus);
        }
        let written = || written.to_owned();
        match action.as_str() {
            "replace" | "hashmod" => self.check_target(step, &written),
            "lowercase" | "uppercase" => {
                self.check_target(step, &written)?;
                if is_other(step.replacement.as_deref(), REPLACEMENT) {
                    return Err(InvalidRelabeling::NotReplacing(written()));
                }
                Ok(())
            }
            "keepequal" | "dropequal" => self.check_comparison(step, &written),
            "labelmap" => match &step.replacement {
                Some(replacement) if !self.scheme.allows_template(replacement) => {
                    Err(InvalidRelabeling::Replacement {
                        replacement: replacement.clone(),
                        action: written(),
                    })
                }
                _ => Ok(()),
            },
            "labeldrop" | "labelkeep" => check_names_only(step, &written),
            _ => Ok(()),
        }
    }

    fn check_version(self, action: &str, written: &str) -> Result<(), InvalidRelabeling> {
        let since = match action {
            "lowercase" | "uppercase" if !self.changes_case => "2.36.0",
            "keepequal" | "dropequal" if !self.compares => "2.41.0",
            _ => return Ok(()),
        };
        Err(InvalidRelabeling::Action { action: written.to_owned(), since })
    }

    fn check_target(
        self,
        step: &RelabelConfig,
        written: &impl Fn() -> String,
    ) -> Result<(), InvalidRelabeling> {
        if step.target_label.is_empty() {
            return Err(InvalidRelabeling::NoTarget(written()));
        }
        if !self.scheme.allows(&step.target_label) {
            return Err(InvalidRelabeling::Target { label: step.target_label.clone(), action: written() });
        }
        Ok(())
    }

    fn check_comparison(
        self,
        step: &RelabelConfig,
        written: &impl Fn() -> String,
    ) -> Result<(), InvalidRelabeling> {
        self.check_target(step, written)?;
        if is_other(step.replacement.as_deref(), REPLACEMENT) {
            return Err(InvalidRelabeling::NotReplacing(written()));
        }
        if (!step.regex.is_empty() && step.regex != REGEX)
            || step.modulus != 0
            || is_other(step.separator.as_deref(), SEPARATOR)
        {
            return Err(InvalidRelabeling::OnlyLabels(written()));
        }
        Ok(())
    }
}

/// Checks a regular expression that must match the whole value.
fn check_anchored(pattern: &str) -> Result<(), regexp::InvalidRegexp> {
    // Most patterns are plain names, which are always valid.
    if pattern.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/' | b':')) {
        return Ok(());
    }
    regexp::check(format!("^(?s:{pattern})$"))
}

fn check_names_only(step: &RelabelConfig, written: &impl Fn() -> String) -> Result<(), InvalidRelabeling> {
    if !step.source_labels.is_empty()
        || !step.target_label.is_empty()
        || step.modulus != 0
        || is_other(step.separator.as_deref(), SEPARATOR)
        || is_other(step.replacement.as_deref(), REPLACEMENT)
    {
        return Err(InvalidRelabeling::OnlyRegex(written()));
    }
    Ok(())
}

/// Whether a field is set to another value than the default.
fn is_other(written: Option<&str>, default: &str) -> bool {
    written.is_some_and(|written| written != default)
}

#[cfg(test)]
mod tests;
