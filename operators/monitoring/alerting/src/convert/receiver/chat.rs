//! Discord, Microsoft Teams, Rocket.Chat, Telegram, Webex and WeChat.

use api_monitoring::alertmanager_config::receiver::discord::DiscordConfig;
use api_monitoring::alertmanager_config::receiver::msteams::{MsTeamsConfig, MsTeamsV2Config};
use api_monitoring::alertmanager_config::receiver::rocketchat::{
    RocketChatActionConfig, RocketChatConfig, RocketChatFieldConfig,
};
use api_monitoring::alertmanager_config::receiver::telegram::TelegramConfig;
use api_monitoring::alertmanager_config::receiver::webex::WebexConfig;
use api_monitoring::alertmanager_config::receiver::wechat::WeChatConfig;
use formats::alertmanager::receiver::discord::Discord;
use formats::alertmanager::receiver::msteams::{MsTeams, MsTeamsV2};
use formats::alertmanager::receiver::rocketchat::{Button, Field, RocketChat};
use formats::alertmanager::receiver::telegram::Telegram;
use formats::alertmanager::receiver::webex::Webex;
use formats::alertmanager::receiver::wechat::WeChat;
use monitoring_select::Problem;
use monitoring_select::problem::broken;

use crate::convert::Convert;

impl Convert<'_> {
    pub(super) fn discord(&self, config: &DiscordConfig) -> Result<Discord, Problem> {
        Ok(Discord {
            send_resolved: config.send_resolved,
            title: config.title.clone().unwrap_or_default(),
            message: config.message.clone().unwrap_or_default(),
            content: config.content.clone().unwrap_or_default(),
            username: config.username.clone().unwrap_or_default(),
            avatar_url: config.avatar_url.clone().unwrap_or_default().0,
            webhook_url: self.secret_url(&config.api_url)?,
            http_config: self.http_if_any(config.http_config.as_ref())?,
        })
    }

    pub(super) fn msteams(&self, config: &MsTeamsConfig) -> Result<MsTeams, Problem> {
        Ok(MsTeams {
            send_resolved: config.send_resolved,
            title: config.title.clone().unwrap_or_default(),
            text: config.text.clone().unwrap_or_default(),
            summary: config.summary.clone().unwrap_or_default(),
            webhook_url: self.secret_text(&config.webhook_url)?,
            http_config: self.http_if_any(config.http_config.as_ref())?,
        })
    }

    pub(super) fn msteams_v2(&self, config: &MsTeamsV2Config) -> Result<MsTeamsV2, Problem> {
        let webhook_url =
            config.webhook_url.as_ref().map(|selector| self.secret_text(selector)).transpose()?;
        Ok(MsTeamsV2 {
            send_resolved: config.send_resolved,
            title: config.title.clone().unwrap_or_default(),
            text: config.text.clone().unwrap_or_default(),
            webhook_url: webhook_url.unwrap_or_default(),
            http_config: self.http_if_any(config.http_config.as_ref())?,
            ..MsTeamsV2::default()
        })
    }

    pub(super) fn rocketchat(&self, config: &RocketChatConfig) -> Result<RocketChat, Problem> {
        Ok(RocketChat {
            send_resolved: config.send_resolved,
            api_url: config.api_url.clone().unwrap_or_default().0,
            token: Some(self.secret("RocketChat token", &config.token)?),
            token_id: Some(self.secret("RocketChat token ID", &config.token_id)?),
            channel: config.channel.clone().unwrap_or_default(),
            color: config.color.clone().unwrap_or_default(),
            title: config.title.clone().unwrap_or_default(),
            title_link: config.title_link.clone().unwrap_or_default(),
            text: config.text.clone().unwrap_or_default(),
            short_fields: config.short_fields.unwrap_or_default(),
            emoji: config.emoji.clone().unwrap_or_default(),
            icon_url: config.icon_url.clone().unwrap_or_default(),
            image_url: config.image_url.clone().unwrap_or_default(),
            thumb_url: config.thumb_url.clone().unwrap_or_default(),
            link_names: config.link_names.unwrap_or_default(),
            fields: config.fields.iter().map(field).collect(),
            actions: config.actions.iter().map(action).collect(),
            http_config: self.http_if_any(config.http_config.as_ref())?,
            ..RocketChat::default()
        })
    }

    pub(super) fn telegram(&self, config: &TelegramConfig) -> Result<Telegram, Problem> {
        let http_config = self.http_if_any(config.http_config.as_ref())?;
        let bot_token = self.secret_if_any("bot token", config.bot_token.as_ref())?;
        if config.bot_token.is_some() && bot_token.is_empty() {
            return broken("mandatory field \"botToken\" is empty");
        }
        Ok(Telegram {
            send_resolved: config.send_resolved,
            chat_id: config.chat_id,
            message: config.message.clone(),
            disable_notifications: config.disable_notifications.unwrap_or_default(),
            parse_mode: config.parse_mode.clone(),
            bot_token,
            bot_token_file: config.bot_token_file.clone().unwrap_or_default(),
            api_url: config.api_url.clone().unwrap_or_default().0,
            message_thread_id: config.message_thread_id.unwrap_or_default(),
            http_config,
            ..Telegram::default()
        })
    }

    pub(super) fn webex(&self, config: &WebexConfig) -> Result<Webex, Problem> {
        Ok(Webex {
            send_resolved: config.send_resolved,
            room_id: config.room_id.clone(),
            api_url: config.api_url.clone().unwrap_or_default().0,
            message: config.message.clone().unwrap_or_default(),
            http_config: self.http_if_any(config.http_config.as_ref())?,
        })
    }

    pub(super) fn wechat(&self, config: &WeChatConfig) -> Result<WeChat, Problem> {
        Ok(WeChat {
            send_resolved: config.send_resolved,
            corp_id: config.corp_id.clone().unwrap_or_default(),
            agent_id: config.agent_id.clone().unwrap_or_default(),
            to_user: config.to_user.clone().unwrap_or_default(),
            to_party: config.to_party.clone().unwrap_or_default(),
            to_tag: config.to_tag.clone().unwrap_or_default(),
            message: config.message.clone().unwrap_or_default(),
            message_type: config.message_type.clone().unwrap_or_default(),
            api_url: config.api_url.clone().unwrap_or_default().0,
            api_secret: self.secret_if_any("API secret", config.api_secret.as_ref())?,
            http_config: self.http_if_any(config.http_config.as_ref())?,
            ..WeChat::default()
        })
    }
}

fn field(field: &RocketChatFieldConfig) -> Field {
    Field {
        short: field.short,
        title: field.title.clone().unwrap_or_default(),
        value: field.value.clone().unwrap_or_default(),
    }
}

fn action(action: &RocketChatActionConfig) -> Button {
    Button {
        text: action.text.clone().unwrap_or_default(),
        url: action.url.clone().unwrap_or_default(),
        msg: action.msg.clone().unwrap_or_default(),
        ..Button::default()
    }
}
