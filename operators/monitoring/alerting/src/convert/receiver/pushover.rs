//! Pushover.

use api_monitoring::alertmanager_config::receiver::pushover::PushoverConfig;
use formats::alertmanager::duration::Duration;
use formats::alertmanager::receiver::pushover::Pushover;
use formats::alertmanager::secret::Secret;
use k8s_openapi::api::core::v1::SecretKeySelector;

use crate::convert::{Convert, Error, duration, or_empty};

impl Convert<'_> {
    pub(super) fn pushover(&self, config: &PushoverConfig) -> Result<Pushover, Error> {
        Ok(Pushover {
            send_resolved: config.send_resolved,
            title: or_empty(config.title.as_ref()),
            message: or_empty(config.message.as_ref()),
            url: config.url.clone(),
            url_title: or_empty(config.url_title.as_ref()),
            priority: or_empty(config.priority.as_ref()),
            html: config.html,
            monospace: config.monospace,
            ttl: or_empty(config.ttl.as_ref().map(|ttl| &ttl.0)),
            device: or_empty(config.device.as_ref()),
            user_key: self.required("userKey", "user key", config.user_key.as_ref())?,
            token: self.required("token", "token", config.token.as_ref())?,
            retry: span("retry", config.retry.as_ref())?,
            expire: span("expire", config.expire.as_ref())?,
            http_config: self.http_if_any(config.http_config.as_ref())?,
            ..Pushover::default()
        })
    }

    /// A Secret that must be named and say something.
    fn required(
        &self,
        field: &str,
        what: &'static str,
        selector: Option<&SecretKeySelector>,
    ) -> Result<Secret, Error> {
        let value = self.secret_if_any(what, selector)?;
        if value.is_empty() {
            Err(Error::rule(format!("mandatory field {field:?} is empty")))
        } else {
            Ok(value)
        }
    }
}

fn span(field: &str, text: Option<&String>) -> Result<Option<Duration>, Error> {
    duration(text.map(String::as_str)).map_err(|error| error.at(format!("parse resolve {field}")))
}
