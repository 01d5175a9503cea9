//! Which alerts go where.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::duration::{BadDuration, Duration};
use super::fit::{Fit, Fitting, Refusal};
use super::since::MATCHERS;

/// A node of the routing tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Route {
    /// Who is told.
    pub receiver: String,
    /// Labels by which alerts are put together.
    pub group_by: Vec<String>,
    /// Labels and their values, as older versions write conditions.
    #[serde(rename = "match")]
    pub match_: BTreeMap<String, String>,
    /// Labels and regular expressions, as older versions write conditions.
    pub match_re: BTreeMap<String, String>,
    /// Conditions that an alert must meet.
    pub matchers: Vec<String>,
    /// Whether an alert that was taken goes on to the next route.
    #[serde(rename = "continue")]
    pub continue_: bool,
    /// Routes below this one.
    pub routes: Vec<Route>,
    /// How long a new group waits.
    pub group_wait: String,
    /// How long until a group with new alerts is told again.
    pub group_interval: String,
    /// How long until an unchanged group is told again.
    pub repeat_interval: String,
    /// Times at which nobody is told.
    pub mute_time_intervals: Vec<String>,
    /// Times outside of which nobody is told.
    pub active_time_intervals: Vec<String>,
}

impl Fit for Route {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), Refusal> {
        if !fitting.has(MATCHERS) && !self.matchers.is_empty() {
            return Err(Refusal::new(format!(
                "invalid syntax in route config for 'matchers' comparison based matching is supported in Alertmanager >= \
                 0.22.0 only (matchers=[{}])",
                self.matchers.join(" ")
            )));
        }
        self.leave_out_new(fitting);
        let wrong = |name: &'static str| move |error: BadDuration| Refusal::new(error.to_string()).at(name);
        if !self.group_wait.is_empty() {
            Duration::parse(&self.group_wait).map_err(wrong("group_wait"))?;
        }
        leave_out_zero(&mut self.group_interval).map_err(wrong("group_interval"))?;
        leave_out_zero(&mut self.repeat_interval).map_err(wrong("repeat_interval"))?;
        for (at, child) in self.routes.iter_mut().enumerate() {
            child.fit(fitting).map_err(|refusal| refusal.at(format_args!("route[{at}]")))?;
        }
        Ok(())
    }
}

/// An interval of no time would be refused; without one the default is taken.
fn leave_out_zero(interval: &mut String) -> Result<(), BadDuration> {
    if !interval.is_empty() && Duration::parse(interval)?.is_zero() {
        interval.clear();
    }
    Ok(())
}
