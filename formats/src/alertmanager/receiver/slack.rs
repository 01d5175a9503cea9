//! Slack.

use serde::{Deserialize, Serialize};

use crate::alertmanager::duration::Duration;
use crate::alertmanager::fit::{ConfigError, Fit, Fitting, refuse};
use crate::alertmanager::http::HttpClient;
use crate::alertmanager::secret::Secret;

/// Messages to Slack.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Slack {
    pub send_resolved: Option<bool>,
    pub http_config: Option<HttpClient>,
    pub api_url: String,
    pub api_url_file: String,
    pub app_token: Secret,
    pub app_token_file: String,
    pub app_url: String,
    pub channel: String,
    pub username: String,
    pub color: String,
    pub title: String,
    pub title_link: String,
    pub pretext: String,
    pub text: String,
    pub fields: Vec<Field>,
    pub short_fields: bool,
    pub footer: String,
    pub fallback: String,
    pub callback_id: String,
    pub icon_emoji: String,
    pub icon_url: String,
    pub image_url: String,
    pub thumb_url: String,
    pub link_names: bool,
    pub mrkdwn_in: Vec<String>,
    pub actions: Vec<Button>,
    pub timeout: Option<Duration>,
    pub message_text: String,
    pub update_message: Option<bool>,
}

/// A field with a title and a value.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Field {
    pub title: String,
    pub value: String,
    pub short: bool,
}

/// A button.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Button {
    #[serde(rename = "type")]
    pub type_: String,
    pub text: String,
    pub url: String,
    pub style: String,
    pub name: String,
    pub value: String,
    pub confirm: Option<Confirmation>,
}

/// The confirmation dialog of a button.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Confirmation {
    pub text: String,
    pub title: String,
    pub ok_text: String,
    pub dismiss_text: String,
}

/// The API URL of bots.
pub(in crate::alertmanager) const POST_MESSAGE: &str = "https://slack.com/api/chat.postMessage";

impl Fit for Slack {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        self.http_config.fit(fitting)?;
        let had_file = !self.api_url_file.is_empty();
        self.leave_out_new(fitting);
        let has_url = !self.api_url.is_empty();
        refuse(
            self.update_message == Some(true) && has_url && self.api_url != POST_MESSAGE,
            "update_message' can only be used with bot tokens. api_url must be set to \
             https://slack.com/api/chat.postMessage",
        )?;
        let has_token = !self.app_token.is_empty();
        fitting.prefer("app_token", has_token, "app_token_file", &mut self.app_token_file);
        refuse(
            (has_token || !self.app_token_file.is_empty()) && (has_url || had_file),
            "at most one of app_token/app_token_file & api_url/api_url_file must be configured",
        )?;
        fitting.prefer("api_url", has_url, "api_url_file", &mut self.api_url_file);
        Ok(())
    }
}
