//! Mattermost.

use serde::{Deserialize, Serialize};

use crate::alertmanager::fit::{ConfigError, Fit, Fitting, refuse};
use crate::alertmanager::http::HttpClient;
use crate::alertmanager::since::{GLOBAL_WEBHOOK, ReceiverKind};

/// Messages to Mattermost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Mattermost {
    pub send_resolved: Option<bool>,
    pub webhook_url: String,
    pub webhook_url_file: String,
    pub channel: String,
    pub username: String,
    pub text: String,
    pub icon_url: String,
    pub icon_emoji: String,
    pub attachments: Vec<Attachment>,
    pub props: Option<Props>,
    pub priority: Option<Priority>,
    pub fallback: String,
    pub color: String,
    pub pretext: String,
    pub author_name: String,
    pub author_link: String,
    pub author_icon: String,
    pub title: String,
    pub title_link: String,
    pub fields: Vec<Field>,
    pub thumb_url: String,
    pub footer: String,
    pub footer_icon: String,
    pub image_url: String,
    pub http_config: Option<HttpClient>,
}

/// An attachment of a message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Attachment {
    pub fallback: String,
    pub color: String,
    pub pretext: String,
    pub text: String,
    pub author_name: String,
    pub author_link: String,
    pub author_icon: String,
    pub title: String,
    pub title_link: String,
    pub fields: Vec<Field>,
    pub thumb_url: String,
    pub footer: String,
    pub footer_icon: String,
    pub image_url: String,
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

/// Properties of a message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Props {
    pub card: Option<String>,
}

/// The priority of a message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Priority {
    pub priority: String,
    pub requested_ack: Option<bool>,
    pub persistent_notifications: Option<bool>,
}

impl Fit for Mattermost {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        ReceiverKind::Mattermost.check(fitting)?;
        let has_url = !self.webhook_url.is_empty();
        refuse(
            !has_url && self.webhook_url_file.is_empty() && !fitting.has(GLOBAL_WEBHOOK),
            "one of 'webhook_url' or 'webhook_url_file' must be configured",
        )?;
        fitting.prefer("webhook_url", has_url, "webhook_url_file", &mut self.webhook_url_file);
        self.leave_out_new(fitting);
        self.http_config.fit(fitting)
    }
}
