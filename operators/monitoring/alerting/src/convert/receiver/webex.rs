//! Webex.

use api_monitoring::alertmanager_config::receiver::webex::WebexConfig;
use formats::alertmanager::receiver::webex::Webex;

use crate::convert::{Convert, Error, or_empty};

impl Convert<'_> {
    pub(super) fn webex(&self, config: &WebexConfig) -> Result<Webex, Error> {
        Ok(Webex {
            send_resolved: config.send_resolved,
            room_id: config.room_id.clone(),
            api_url: or_empty(config.api_url.as_ref().map(|url| &url.0)),
            message: or_empty(config.message.as_ref()),
            http_config: self.http_if_any(config.http_config.as_ref())?,
        })
    }
}
