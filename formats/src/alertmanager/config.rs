//! The configuration file.

use serde::{Deserialize, Serialize};

use super::global::Global;
use super::inhibit::InhibitRule;
use super::receiver::Receiver;
use super::route::Route;
use super::time::TimeInterval;
use crate::yaml::serde::{Error, always, from_text, to_value};
use crate::yaml::write;

/// The configuration of Alertmanager.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Defaults of receivers.
    pub global: Option<Global>,
    /// The root of the routing tree.
    pub route: Option<Route>,
    /// Which alerts inhibit which.
    pub inhibit_rules: Vec<InhibitRule>,
    /// The destinations of notifications.
    pub receivers: Vec<Receiver>,
    /// Named time intervals, in the field of older versions.
    pub mute_time_intervals: Vec<TimeInterval>,
    /// Named time intervals.
    pub time_intervals: Vec<TimeInterval>,
    /// Paths of template files.
    #[serde(serialize_with = "always")]
    pub templates: Vec<String>,
}

impl Config {
    /// Parses a file. Unknown fields are rejected. Nothing else is checked.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        from_text(text)
    }

    /// The content of the file.
    pub fn to_text(&self) -> Result<String, Error> {
        to_value(self).map(|value| write(&value))
    }
}
