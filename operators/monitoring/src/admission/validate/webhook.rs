//! Webhooks.

use api_monitoring::alertmanager_config::receiver::webhook::WebhookConfig;

use super::http;
use crate::admission::address;
use crate::admission::problem::{Problem, Within, broken};

pub(super) fn check(config: &WebhookConfig) -> Result<(), Problem> {
    if config.url.is_none() && config.url_secret.is_none() {
        return broken("one of 'url' or 'urlSecret' must be specified");
    }
    address::check_optional_template(config.url.as_deref()).within("invalid 'url'")?;
    http::check(config.http_config.as_ref())
}
