//! Telegram.

use serde::{Deserialize, Serialize};

use crate::alertmanager::fit::{ConfigError, Fit, Fitting, refuse};
use crate::alertmanager::http::HttpClient;
use crate::alertmanager::receiver::check_url;
use crate::alertmanager::secret::Secret;
use crate::alertmanager::since::{GLOBAL_BOT_TOKEN, ReceiverKind};

/// Messages through Telegram.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Telegram {
    pub send_resolved: Option<bool>,
    pub api_url: String,
    pub bot_token: Secret,
    pub bot_token_file: String,
    pub chat_id: i64,
    pub chat_id_file: String,
    pub message_thread_id: i64,
    pub message: String,
    pub disable_notifications: bool,
    pub parse_mode: String,
    pub http_config: Option<HttpClient>,
}

impl Fit for Telegram {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        ReceiverKind::Telegram.check(fitting)?;
        self.leave_out_new(fitting);
        let has_chat = self.chat_id != 0;
        refuse(!has_chat && self.chat_id_file.is_empty(), "missing mandatory field chat_id or chat_id_file")?;
        fitting.prefer("chat_id", has_chat, "chat_id_file", &mut self.chat_id_file);
        let has_token = !self.bot_token.is_empty();
        fitting.prefer("bot_token", has_token, "bot_token_file", &mut self.bot_token_file);
        refuse(
            !has_token && self.bot_token_file.is_empty() && !fitting.has(GLOBAL_BOT_TOKEN),
            "missing mandatory field botToken or botTokenFile",
        )?;
        check_url("invalid 'api_url'", &self.api_url)?;
        self.http_config.fit(fitting)
    }
}
