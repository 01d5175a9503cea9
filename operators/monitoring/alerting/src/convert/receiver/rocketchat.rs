//! Rocket.Chat.

use api_monitoring::alertmanager_config::receiver::rocketchat::{
    RocketChatActionConfig, RocketChatConfig, RocketChatFieldConfig,
};
use formats::alertmanager::receiver::rocketchat::{Action, Field, RocketChat};

use crate::convert::{Convert, Error, or_empty};

impl Convert<'_> {
    pub(super) fn rocketchat(&self, config: &RocketChatConfig) -> Result<RocketChat, Error> {
        Ok(RocketChat {
            send_resolved: config.send_resolved,
            api_url: or_empty(config.api_url.as_ref().map(|url| &url.0)),
            token: Some(self.secret("RocketChat token", &config.token)?),
            token_id: Some(self.secret("RocketChat token ID", &config.token_id)?),
            channel: or_empty(config.channel.as_ref()),
            color: or_empty(config.color.as_ref()),
            title: or_empty(config.title.as_ref()),
            title_link: or_empty(config.title_link.as_ref()),
            text: or_empty(config.text.as_ref()),
            short_fields: config.short_fields.unwrap_or_default(),
            emoji: or_empty(config.emoji.as_ref()),
            icon_url: or_empty(config.icon_url.as_ref()),
            image_url: or_empty(config.image_url.as_ref()),
            thumb_url: or_empty(config.thumb_url.as_ref()),
            link_names: config.link_names.unwrap_or_default(),
            fields: config.fields.iter().map(field).collect(),
            actions: config.actions.iter().map(action).collect(),
            http_config: self.http_if_any(config.http_config.as_ref())?,
            ..RocketChat::default()
        })
    }
}

fn field(field: &RocketChatFieldConfig) -> Field {
    Field { short: field.short, title: or_empty(field.title.as_ref()), value: or_empty(field.value.as_ref()) }
}

fn action(action: &RocketChatActionConfig) -> Action {
    Action {
        text: or_empty(action.text.as_ref()),
        url: or_empty(action.url.as_ref()),
        msg: or_empty(action.msg.as_ref()),
        ..Action::default()
    }
}
