//! Telegram.

use api_monitoring::alertmanager_config::receiver::telegram::TelegramConfig;
use formats::alertmanager::receiver::telegram::Telegram;

use crate::convert::{Convert, Error, or_empty};

impl Convert<'_> {
    pub(super) fn telegram(&self, config: &TelegramConfig) -> Result<Telegram, Error> {
        let http_config = self.http_if_any(config.http_config.as_ref())?;
        let bot_token = self.secret_if_any("bot token", config.bot_token.as_ref())?;
        if config.bot_token.is_some() && bot_token.is_empty() {
            return Err(Error::rule("mandatory field \"botToken\" is empty"));
        }
        Ok(Telegram {
            send_resolved: config.send_resolved,
            chat_id: config.chat_id,
            message: config.message.clone(),
            disable_notifications: config.disable_notifications.unwrap_or_default(),
            parse_mode: config.parse_mode.clone(),
            bot_token,
            bot_token_file: or_empty(config.bot_token_file.as_ref()),
            api_url: or_empty(config.api_url.as_ref().map(|url| &url.0)),
            message_thread_id: config.message_thread_id.unwrap_or_default(),
            http_config,
            ..Telegram::default()
        })
    }
}
