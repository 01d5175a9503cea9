//! The checks of Alertmanager when it loads a file. If they fail, a running Alertmanager keeps its old configuration,
//! so the operator needs the result before it writes the file.
//!
//! | file | contents |
//! |---|---|
//! | `http` | HTTP clients, TLS, URLs |
//! | `route` | routes, inhibition rules, matchers |
//! | `receiver` | each receiver by itself |
//! | `fallback` | receivers together with the global settings |
//! | `raw` | fields whose notation matters |

mod fallback;
mod http;
mod raw;
mod receiver;
mod route;

use std::collections::BTreeSet;

use super::config::Config;
pub use super::fit::ConfigError;
use super::fit::refuse;
use super::global::Global;
use super::route::Route;
use super::time::TimeInterval;

/// Rejects what Alertmanager rejects. The text is the one from which the configuration was parsed.
pub fn check(config: &Config, text: &str) -> Result<(), ConfigError> {
    if let Some(global) = &config.global {
        http::check_global(global)?;
    }
    if let Some(root) = &config.route {
        route::check(root)?;
    }
    config.inhibit_rules.iter().try_for_each(route::check_rule)?;
    config.receivers.iter().try_for_each(receiver::check)?;
    raw::check(text)?;
    named(&config.mute_time_intervals, "missing name in mute time interval")?;
    named(&config.time_intervals, "missing name in time interval")?;
    let none = Global::default();
    let global = config.global.as_ref().unwrap_or(&none);
    fallback::check_global(global)?;
    let receivers = receivers(config, global)?;
    let root = root(config.route.as_ref())?;
    check_receivers(root, &receivers)?;
    check_times(root, &times(config)?)
}

fn named(intervals: &[TimeInterval], message: &'static str) -> Result<(), ConfigError> {
    refuse(intervals.iter().any(|interval| interval.name.is_empty()), message)
}

/// The names of receivers, which must be unique.
fn receivers<'c>(config: &'c Config, global: &Global) -> Result<BTreeSet<&'c str>, ConfigError> {
    let mut names = BTreeSet::new();
    for receiver in &config.receivers {
        if !names.insert(receiver.name.as_str()) {
            return Err(ConfigError::new(format!(
                "notification config name {:?} is not unique",
                receiver.name
            )));
        }
        fallback::check(receiver, global)?;
    }
    Ok(names)
}

fn root(route: Option<&Route>) -> Result<&Route, ConfigError> {
    let Some(root) = route else { return Err(ConfigError::new("no routes provided")) };
    refuse(root.receiver.is_empty(), "root route must specify a default receiver")?;
    let has_matchers = !root.match_.is_empty() || !root.match_re.is_empty() || !root.matchers.is_empty();
    refuse(has_matchers, "root route must not have any matchers")?;
    refuse(!root.mute_time_intervals.is_empty(), "root route must not have any mute time intervals")?;
    refuse(!root.active_time_intervals.is_empty(), "root route must not have any active time intervals")?;
    refuse(root.continue_, "cannot have continue in root route")?;
    Ok(root)
}

fn check_receivers(route: &Route, known: &BTreeSet<&str>) -> Result<(), ConfigError> {
    route.routes.iter().try_for_each(|child| check_receivers(child, known))?;
    if !route.receiver.is_empty() && !known.contains(route.receiver.as_str()) {
        return Err(ConfigError::new(format!("undefined receiver {:?} used in route", route.receiver)));
    }
    Ok(())
}

/// The names of time intervals, which must be unique across both lists.
fn times(config: &Config) -> Result<BTreeSet<&str>, ConfigError> {
    let mut names = BTreeSet::new();
    let lists =
        [("mute time interval", &config.mute_time_intervals), ("time interval", &config.time_intervals)];
    for (what, intervals) in lists {
        for interval in intervals {
            if !names.insert(interval.name.as_str()) {
                return Err(ConfigError::new(format!("{what} {:?} is not unique", interval.name)));
            }
        }
    }
    Ok(names)
}

fn check_times(route: &Route, known: &BTreeSet<&str>) -> Result<(), ConfigError> {
    route.routes.iter().try_for_each(|child| check_times(child, known))?;
    let mut used = route.active_time_intervals.iter().chain(&route.mute_time_intervals);
    match used.find(|name| !known.contains(name.as_str())) {
        Some(name) => Err(ConfigError::new(format!("undefined time interval {name:?} used in route"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
