//! Rocket.Chat.

use serde::{Deserialize, Serialize};

use crate::alertmanager::fit::{ConfigError, Fit, Fitting, refuse};
use crate::alertmanager::http::HttpClient;
use crate::alertmanager::secret::Secret;
use crate::alertmanager::since::ReceiverKind;
use crate::yaml::serde::always;

/// Messages to Rocket.Chat.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct RocketChat {
    pub send_resolved: Option<bool>,
    pub http_config: Option<HttpClient>,
    pub api_url: String,
    pub token_id: Option<Secret>,
    pub token_id_file: String,
    pub token: Option<Secret>,
    pub token_file: String,
    pub channel: String,
    pub color: String,
    pub title: String,
    pub title_link: String,
    pub text: String,
    pub fields: Vec<Field>,
    #[serde(serialize_with = "always")]
    pub short_fields: bool,
    pub emoji: String,
    pub icon_url: String,
    pub image_url: String,
    pub thumb_url: String,
    #[serde(serialize_with = "always")]
    pub link_names: bool,
    pub actions: Vec<Button>,
}

/// A field with a title and a value.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Field {
    #[serde(serialize_with = "always")]
    pub short: Option<bool>,
    pub title: String,
    pub value: String,
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
    pub image_url: String,
    #[serde(serialize_with = "always")]
    pub is_webview: bool,
    pub webview_height_ratio: String,
    pub msg: String,
    #[serde(serialize_with = "always")]
    pub msg_in_chat_window: bool,
    pub msg_processing_type: String,
}

impl Fit for RocketChat {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        ReceiverKind::RocketChat.check(fitting)?;
        refuse(
            self.token.is_some() && !self.token_file.is_empty(),
            "at most one of token & token_file must be configured",
        )?;
        refuse(
            self.token_id.is_some() && !self.token_id_file.is_empty(),
            "at most one of token_id & token_id_file must be configured",
        )?;
        self.http_config.fit(fitting)
    }
}
