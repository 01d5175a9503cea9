//! The whole file.

use serde::{Deserialize, Serialize};

use super::global::Global;
use super::inhibit::InhibitRule;
use super::receiver::Receiver;
use super::route::Route;
use super::time::TimeInterval;
use crate::yaml::serde::{Error, always, from_text, to_value};
use crate::yaml::write;

/// The configuration of an Alertmanager.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// What receivers fall back to.
    pub global: Option<Global>,
    /// The root of the routing tree.
    pub route: Option<Route>,
    /// Which alerts silence which.
    pub inhibit_rules: Vec<InhibitRule>,
    /// Who is told.
    pub receivers: Vec<Receiver>,
    /// Named times, as older versions have them.
    pub mute_time_intervals: Vec<TimeInterval>,
    /// Named times.
    pub time_intervals: Vec<TimeInterval>,
    /// Paths of templates.
    #[serde(serialize_with = "always")]
    pub templates: Vec<String>,
}

impl Config {
    /// Reads a file. Fields that are not known are refused; nothing else is checked.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        from_text(text)
    }

    /// The file.
    pub fn to_text(&self) -> Result<String, Error> {
        to_value(self).map(|value| write(&value))
    }
}
