//! Webhooks.

use api_monitoring::alertmanager_config::receiver::webhook::WebhookConfig;
use formats::alertmanager::receiver::webhook::Webhook;

use crate::convert::{Convert, Error, duration, or_empty};

impl Convert<'_> {
    pub(super) fn webhook(&self, config: &WebhookConfig) -> Result<Webhook, Error> {
        let url = match &config.url_secret {
            Some(selector) => self.secret_text(selector)?,
            None => or_empty(config.url.as_ref()),
        };
        Ok(Webhook {
            send_resolved: config.send_resolved,
            url,
            http_config: self.http_if_any(config.http_config.as_ref())?,
            max_alerts: config.max_alerts.max(0),
            timeout: duration(config.timeout.as_deref())?,
            payload: config.payload.clone().map(Into::into),
            ..Webhook::default()
        })
    }
}
