//! OpsGenie.

use api_monitoring::alertmanager_config::receiver::opsgenie::{OpsGenieConfig, OpsGenieConfigResponder};

use super::http;
use crate::admission::address;
use crate::admission::problem::{Problem, Within, broken};
use crate::admission::template;

pub(super) fn check(config: &OpsGenieConfig) -> Result<(), Problem> {
    config.responders.iter().try_for_each(check_responder)?;
    address::check(config.api_url.as_deref()).within("invalid 'apiURL'")?;
    http::check(config.http_config.as_ref())
}

fn check_responder(responder: &OpsGenieConfigResponder) -> Result<(), Problem> {
    let OpsGenieConfigResponder { id, name, username, type_ } = responder;
    let [id, name, username] = [id, name, username].map(|text| text.as_deref().unwrap_or_default());
    if id.is_empty() && name.is_empty() && username.is_empty() {
        return broken("responder must have at least an ID, a Name or an Username defined");
    }
    if template::is_template(type_) {
        return template::check(type_).within(format_args!(
            "responder {{{id} {name} {username} {type_}}} type is not a valid template"
        ));
    }
    if matches!(type_.to_lowercase().as_str(), "team" | "teams" | "user" | "escalation" | "schedule") {
        return Ok(());
    }
    broken(format!(
        "opsGenieConfig responder {{{id} {name} {username} {type_}}} type does not match valid options \
         ^(team|teams|user|escalation|schedule)$"
    ))
}
