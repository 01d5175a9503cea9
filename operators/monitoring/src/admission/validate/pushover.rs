//! Pushover.

use api_monitoring::alertmanager_config::receiver::pushover::PushoverConfig;

use super::http;
use crate::admission::address;
use crate::admission::problem::{Problem, Within, broken};

pub(super) fn check(config: &PushoverConfig) -> Result<(), Problem> {
    if config.user_key.is_none() && config.user_key_file.is_none() {
        return broken("one of 'userKey' or 'userKeyFile' must be configured");
    }
    if config.token.is_none() && config.token_file.is_none() {
        return broken("one of 'token' or 'tokenFile' must be configured");
    }
    if config.html == Some(true) && config.monospace == Some(true) {
        return broken("'html' and 'monospace' options are mutually exclusive");
    }
    address::check_optional_template(Some(&config.url)).within("invalid 'url'")?;
    http::check(config.http_config.as_ref())
}
