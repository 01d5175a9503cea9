//! Discord.

use api_monitoring::alertmanager_config::receiver::discord::DiscordConfig;
use formats::alertmanager::receiver::discord::Discord;

use crate::convert::{Convert, Error, or_empty};

impl Convert<'_> {
    pub(super) fn discord(&self, config: &DiscordConfig) -> Result<Discord, Error> {
        Ok(Discord {
            send_resolved: config.send_resolved,
            title: or_empty(config.title.as_ref()),
            message: or_empty(config.message.as_ref()),
            content: or_empty(config.content.as_ref()),
            username: or_empty(config.username.as_ref()),
            avatar_url: or_empty(config.avatar_url.as_ref().map(|url| &url.0)),
            webhook_url: self.secret_url(&config.api_url)?,
            http_config: self.http_if_any(config.http_config.as_ref())?,
        })
    }
}
