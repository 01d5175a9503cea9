//! Telegram.

use api_monitoring::alertmanager_config::receiver::telegram::TelegramConfig;

use super::http;
use crate::admission::address;
use crate::admission::problem::{Problem, Within, broken};

pub(super) fn check(config: &TelegramConfig) -> Result<(), Problem> {
    match (&config.bot_token, &config.bot_token_file) {
        (None, None) => return broken("mandatory field botToken or botTokenfile is empty"),
        (Some(_), Some(_)) => return broken("only one of 'botToken' or 'botTokenfile' must be configured"),
        (Some(_), None) | (None, Some(_)) => {}
    }
    if config.chat_id == 0 {
        return broken("mandatory field 'chatID' is empty");
    }
    address::check(config.api_url.as_deref()).within("invalid 'apiURL'")?;
    http::check(config.http_config.as_ref())
}
