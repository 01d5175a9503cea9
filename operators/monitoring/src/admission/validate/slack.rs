//! Slack.

use api_monitoring::alertmanager_config::receiver::slack::{SlackAction, SlackConfig, SlackField};

use super::http;
use crate::admission::problem::{Problem, broken};

pub(super) fn check(config: &SlackConfig) -> Result<(), Problem> {
    config.actions.iter().try_for_each(check_action)?;
    config.fields.iter().try_for_each(check_field)?;
    http::check(config.http_config.as_ref())
}

fn check_action(action: &SlackAction) -> Result<(), Problem> {
    if action.type_.is_empty() {
        return broken("missing 'type' in Slack action configuration");
    }
    if action.text.is_empty() {
        return broken("missing 'text' in Slack action configuration");
    }
    if action.url.is_empty() && action.name.as_deref().unwrap_or_default().is_empty() {
        return broken("missing 'name' or 'url' in Slack action configuration");
    }
    if action.confirm.as_ref().is_some_and(|confirm| confirm.text.is_empty()) {
        return broken("missing 'text' in Slack confirmation configuration");
    }
    Ok(())
}

fn check_field(field: &SlackField) -> Result<(), Problem> {
    if field.title.is_empty() {
        return broken("missing 'title' in Slack field configuration");
    }
    if field.value.is_empty() {
        return broken("missing 'value' in Slack field configuration");
    }
    Ok(())
}
