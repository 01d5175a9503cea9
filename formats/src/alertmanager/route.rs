//! Routes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::duration::{Duration, InvalidPrometheusDuration};
use super::fit::{ConfigError, Fit, Fitting};
use super::since::MATCHERS;

/// A node of the routing tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Route {
    /// The receiver of the alerts.
    pub receiver: String,
    /// Labels by which alerts are grouped.
    pub group_by: Vec<String>,
    /// Labels and values, in the notation of older versions.
    #[serde(rename = "match")]
    pub match_: BTreeMap<String, String>,
    /// Labels and regular expressions, in the notation of older versions.
    pub match_re: BTreeMap<String, String>,
    /// Matchers.
    pub matchers: Vec<String>,
    /// Whether matching continues with the next route.
    #[serde(rename = "continue")]
    pub continue_: bool,
    /// Child routes.
    pub routes: Vec<Route>,
    /// The time before the first notification of a new group.
    pub group_wait: String,
    /// The time before a notification about new alerts of a group.
    pub group_interval: String,
    /// The time before a notification is repeated.
    pub repeat_interval: String,
    /// Time intervals without notifications.
    pub mute_time_intervals: Vec<String>,
    /// Time intervals outside of which there are no notifications.
    pub active_time_intervals: Vec<String>,
}

impl Fit for Route {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        if !fitting.has(MATCHERS) && !self.matchers.is_empty() {
            return Err(ConfigError::new(format!(
                "invalid syntax in route config for 'matchers' comparison based matching is supported in Alertmanager >= \
                 0.22.0 only (matchers=[{}])",
                self.matchers.join(" ")
            )));
        }
        self.leave_out_new(fitting);
        let wrong = |name: &'static str| {
            move |error: InvalidPrometheusDuration| ConfigError::new(error.to_string()).at(name)
        };
        if !self.group_wait.is_empty() {
            Duration::parse(&self.group_wait).map_err(wrong("group_wait"))?;
        }
        leave_out_zero(&mut self.group_interval).map_err(wrong("group_interval"))?;
        leave_out_zero(&mut self.repeat_interval).map_err(wrong("repeat_interval"))?;
        for (at, child) in self.routes.iter_mut().enumerate() {
            child.fit(fitting).map_err(|error| error.at(format_args!("route[{at}]")))?;
        }
        Ok(())
    }
}

/// Alertmanager rejects an interval of zero. Without a value it uses the default.
fn leave_out_zero(interval: &mut String) -> Result<(), InvalidPrometheusDuration> {
    if !interval.is_empty() && Duration::parse(interval)?.is_zero() {
        interval.clear();
    }
    Ok(())
}
