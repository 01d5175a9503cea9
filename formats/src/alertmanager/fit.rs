//! Adapts a configuration to a version of Alertmanager. Fields that the version does not support are left out and
//! reported. If that would change what happens to an alert, the configuration is rejected.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use super::config::Config;
use super::since::{EXTERNAL_ID, MATCHERS};
use crate::version::Version;

/// Whether a version supports matchers of the form `name="value"`. Older versions have only maps of labels.
pub fn has_matchers(version: &Version) -> bool {
    has(version, MATCHERS)
}

/// Whether a version supports `external_id` of `sigv4`.
pub fn has_external_id(version: &Version) -> bool {
    has(version, EXTERNAL_ID)
}

/// Whether a version is at least `0.minor`.
fn has(version: &Version, minor: u64) -> bool {
    *version >= Version::new(0, minor, 0)
}

/// A part of the configuration that can be adapted to a version.
pub trait Fit {
    /// Leaves out what the version does not support, and rejects what cannot be left out.
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError>;
}

impl<T: Fit> Fit for Option<T> {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        self.iter_mut().try_for_each(|part| part.fit(fitting))
    }
}

impl<T: Fit> Fit for Vec<T> {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        self.iter_mut().try_for_each(|part| part.fit(fitting))
    }
}

/// Why a configuration is rejected. The message is that of the Prometheus Operator or of Alertmanager.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub(super) Cow<'static, str>);

impl ConfigError {
    pub(super) fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self(message.into())
    }

    /// The same error, prefixed with its location.
    pub(super) fn at(self, location: impl fmt::Display) -> Self {
        Self(format!("{location}: {}", self.0).into())
    }
}

/// Rejects the configuration under a condition.
pub(super) fn refuse(condition: bool, message: &'static str) -> Result<(), ConfigError> {
    if condition { Err(ConfigError::new(message)) } else { Ok(()) }
}

/// A field of the configuration that is not in the file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Warning {
    /// The version does not support it.
    TooNew {
        /// The name of the field in the file.
        field: String,
        /// The first version that supports it.
        since: Version,
    },
    /// Another field takes precedence.
    Overridden {
        /// The field that is left out.
        field: &'static str,
        /// The field that is kept.
        by: &'static str,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooNew { field, since } => {
                write!(f, "{field} is left out: it needs Alertmanager {since} or later")
            }
            Self::Overridden { field, by } => write!(f, "{field} is left out: {by} takes precedence"),
        }
    }
}

/// The version to adapt to, and the warnings so far.
#[derive(Debug)]
pub struct Fitting<'v> {
    version: &'v Version,
    warnings: RefCell<BTreeSet<Warning>>,
}

impl<'v> Fitting<'v> {
    /// Adapts to this version.
    pub fn new(version: &'v Version) -> Self {
        Self { version, warnings: RefCell::default() }
    }

    /// The fields that were left out.
    pub fn into_warnings(self) -> Vec<Warning> {
        self.warnings.into_inner().into_iter().collect()
    }

    /// Whether the version is at least `0.minor`.
    pub(super) fn has(&self, minor: u64) -> bool {
        has(self.version, minor)
    }

    /// Leaves out a field that was added in `0.minor`, if the version is older.
    pub(super) fn keep_since<T: Default + PartialEq>(
        &self,
        minor: u64,
        prefix: &str,
        name: &str,
        value: &mut T,
    ) {
        if !self.has(minor) && *value != T::default() {
            *value = T::default();
            self.warn(Warning::TooNew { field: format!("{prefix}{name}"), since: Version::new(0, minor, 0) });
        }
    }

    /// Leaves out the other field if the preferred one is set.
    pub(super) fn prefer(
        &self,
        preferred: &'static str,
        is_set: bool,
        other: &'static str,
        value: &mut String,
    ) {
        if is_set && !value.is_empty() {
            value.clear();
            self.warn(Warning::Overridden { field: other, by: preferred });
        }
    }

    fn warn(&self, warning: Warning) {
        self.warnings.borrow_mut().insert(warning);
    }
}

impl Fit for Config {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        self.global.fit(fitting)?;
        self.receivers.fit(fitting)?;
        for (at, rule) in self.inhibit_rules.iter_mut().enumerate() {
            rule.fit(fitting).map_err(|error| error.at(format_args!("inhibit_rules[{at}]")))?;
        }
        self.leave_out_new(fitting);
        self.mute_time_intervals.fit(fitting)?;
        self.time_intervals.fit(fitting)?;
        self.route.fit(fitting)
    }
}
