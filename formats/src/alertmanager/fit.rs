//! Makes a configuration fit for a version: what the version does not have is left out and named, and where leaving out
//! would change what happens to an alert the configuration is refused.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use super::config::Config;
use super::since::{EXTERNAL_ID, MATCHERS};
use crate::version::Version;

/// Whether a version knows conditions of the form `name="value"`; before there were only maps of labels.
pub fn has_matchers(version: &Version) -> bool {
    has(version, MATCHERS)
}

/// Whether a version knows `external_id` of `sigv4`.
pub fn has_external_id(version: &Version) -> bool {
    has(version, EXTERNAL_ID)
}

/// Whether a version is `0.minor` or a later one.
fn has(version: &Version, minor: u64) -> bool {
    *version >= Version::new(0, minor, 0)
}

/// A part of the file that can be made fit for a version.
pub trait Fit {
    /// Leaves out what the version does not have; refuses what cannot be left out.
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), Refusal>;
}

impl<T: Fit> Fit for Option<T> {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), Refusal> {
        self.iter_mut().try_for_each(|part| part.fit(fitting))
    }
}

impl<T: Fit> Fit for Vec<T> {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), Refusal> {
        self.iter_mut().try_for_each(|part| part.fit(fitting))
    }
}

/// Why a configuration cannot be used, in words that users search for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub(super) Cow<'static, str>);

impl Refusal {
    /// A reason.
    pub(super) fn new(words: impl Into<Cow<'static, str>>) -> Self {
        Self(words.into())
    }

    /// The same, with where it is.
    pub(super) fn at(self, place: impl fmt::Display) -> Self {
        Self(format!("{place}: {}", self.0).into())
    }
}

/// Refuses if something is so.
pub(super) fn refuse(is_so: bool, words: &'static str) -> Result<(), Refusal> {
    if is_so { Err(Refusal::new(words)) } else { Ok(()) }
}

/// Something that was asked for and is not in the file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Warning {
    /// The version does not have it.
    TooNew {
        /// The field, as the file names it.
        field: String,
        /// The first version that has it.
        since: Version,
    },
    /// Another field says the same.
    Outdone {
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
            Self::Outdone { field, by } => write!(f, "{field} is left out: {by} says the same"),
        }
    }
}

/// What a configuration is made fit for, and what was left out so far.
#[derive(Debug)]
pub struct Fitting<'v> {
    version: &'v Version,
    warnings: RefCell<BTreeSet<Warning>>,
}

impl<'v> Fitting<'v> {
    /// Fits to this version.
    pub fn new(version: &'v Version) -> Self {
        Self { version, warnings: RefCell::default() }
    }

    /// What was left out.
    pub fn into_warnings(self) -> Vec<Warning> {
        self.warnings.into_inner().into_iter().collect()
    }

    /// Whether the version is `0.minor` or a later one.
    pub(super) fn has(&self, minor: u64) -> bool {
        has(self.version, minor)
    }

    /// Leaves out a field that came with `0.minor`.
    pub(super) fn keep_since<T: Default + PartialEq>(
        &self,
        minor: u64,
        (place, name): (&str, &str),
        value: &mut T,
    ) {
        if !self.has(minor) && *value != T::default() {
            *value = T::default();
            self.warn(Warning::TooNew { field: format!("{place}{name}"), since: Version::new(0, minor, 0) });
        }
    }

    /// Leaves out the second field if the first one is there.
    pub(super) fn prefer(
        &self,
        (wins, has): (&'static str, bool),
        (loses, value): (&'static str, &mut String),
    ) {
        if has && !value.is_empty() {
            value.clear();
            self.warn(Warning::Outdone { field: loses, by: wins });
        }
    }

    fn warn(&self, warning: Warning) {
        self.warnings.borrow_mut().insert(warning);
    }
}

impl Fit for Config {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), Refusal> {
        self.global.fit(fitting)?;
        self.receivers.fit(fitting)?;
        for (at, rule) in self.inhibit_rules.iter_mut().enumerate() {
            rule.fit(fitting).map_err(|refusal| refusal.at(format_args!("inhibit_rules[{at}]")))?;
        }
        self.leave_out_new(fitting);
        self.mute_time_intervals.fit(fitting)?;
        self.time_intervals.fit(fitting)?;
        self.route.fit(fitting)
    }
}
