//! WeChat.

use api_monitoring::alertmanager_config::receiver::wechat::WeChatConfig;
use formats::alertmanager::receiver::wechat::WeChat;

use crate::convert::{Convert, Error, or_empty};

impl Convert<'_> {
    pub(super) fn wechat(&self, config: &WeChatConfig) -> Result<WeChat, Error> {
        Ok(WeChat {
            send_resolved: config.send_resolved,
            corp_id: or_empty(config.corp_id.as_ref()),
            agent_id: or_empty(config.agent_id.as_ref()),
            to_user: or_empty(config.to_user.as_ref()),
            to_party: or_empty(config.to_party.as_ref()),
            to_tag: or_empty(config.to_tag.as_ref()),
            message: or_empty(config.message.as_ref()),
            message_type: or_empty(config.message_type.as_ref()),
            api_url: or_empty(config.api_url.as_ref().map(|url| &url.0)),
            api_secret: self.secret_if_any("API secret", config.api_secret.as_ref())?,
            http_config: self.http_if_any(config.http_config.as_ref())?,
            ..WeChat::default()
        })
    }
}
