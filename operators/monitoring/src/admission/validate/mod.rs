//! Checks of an AlertmanagerConfig by itself that the schema cannot express. They depend on no other object and on no
//! version of Alertmanager.
//!
//! | file | owns |
//! |---|---|
//! | `receiver` | receivers, a function for each kind |
//! | `http` | HTTP clients of receivers |
//! | `route` | routes and matchers |
//! | `time` | time intervals |

mod http;
mod receiver;
mod route;
mod time;

use std::collections::BTreeSet;

use api_monitoring::alertmanager_config::receiver::Receiver;
use api_monitoring::alertmanager_config::{AlertmanagerConfigSpec, ApiVersion};
use go_syntax::quoted::Quoted;
use monitoring_select::Problem;
use monitoring_select::problem::{Within as _, broken};

pub(super) use self::route::check_matcher;

/// Checks a spec. Messages name the fields of the version in which it was written.
pub fn check(spec: &AlertmanagerConfigSpec, version: ApiVersion) -> Result<(), Problem> {
    let receivers = check_receivers(&spec.receivers)?;
    let intervals = time::check(&spec.mute_time_intervals, version)?;
    match &spec.route {
        Some(route) => route::check(route, &route::Names { receivers, intervals, version }),
        None => Ok(()),
    }
}

/// Checks receivers and returns their names.
fn check_receivers(receivers: &[Receiver]) -> Result<BTreeSet<&str>, Problem> {
    let mut names = BTreeSet::new();
    for receiver in receivers {
        let name = Quoted(&receiver.name);
        if !names.insert(receiver.name.as_str()) {
            return broken(format!("{name} receiver is not unique"));
        }
        receiver::check(receiver).within(format_args!("failed to validate receiver {name}"))?;
    }
    Ok(names)
}

#[cfg(test)]
mod tests;
