//! Slack.

use api_monitoring::alertmanager_config::receiver::slack::{
    SlackAction, SlackConfig, SlackConfirmationField, SlackField,
};
use formats::alertmanager::receiver::slack::{Action, Confirmation, Field, Slack};

use crate::convert::{Convert, Error, duration, or_empty};

impl Convert<'_> {
    pub(super) fn slack(&self, config: &SlackConfig) -> Result<Slack, Error> {
        let api_url = config.api_url.as_ref().map(|selector| self.secret_url(selector)).transpose()?;
        Ok(Slack {
            send_resolved: config.send_resolved,
            api_url: api_url.unwrap_or_default(),
            channel: or_empty(config.channel.as_ref()),
            username: or_empty(config.username.as_ref()),
            color: or_empty(config.color.as_ref()),
            title: or_empty(config.title.as_ref()),
            title_link: config.title_link.clone(),
            pretext: or_empty(config.pretext.as_ref()),
            text: or_empty(config.text.as_ref()),
            fields: config.fields.iter().map(field).collect(),
            short_fields: config.short_fields.unwrap_or_default(),
            footer: or_empty(config.footer.as_ref()),
            fallback: or_empty(config.fallback.as_ref()),
            callback_id: or_empty(config.callback_id.as_ref()),
            icon_emoji: or_empty(config.icon_emoji.as_ref()),
            icon_url: config.icon_url.clone(),
            image_url: config.image_url.clone(),
            thumb_url: config.thumb_url.clone(),
            link_names: config.link_names.unwrap_or_default(),
            mrkdwn_in: config.mrkdwn_in.clone(),
            actions: config.actions.iter().map(action).collect(),
            http_config: self.http_if_any(config.http_config.as_ref())?,
            timeout: duration(config.timeout.as_deref())?,
            message_text: or_empty(config.message_text.as_ref()),
            update_message: config.update_message,
            ..Slack::default()
        })
    }
}

fn field(field: &SlackField) -> Field {
    Field { title: field.title.clone(), value: field.value.clone(), short: field.short.unwrap_or_default() }
}

fn action(action: &SlackAction) -> Action {
    Action {
        type_: action.type_.clone(),
        text: action.text.clone(),
        url: action.url.clone(),
        style: or_empty(action.style.as_ref()),
        name: or_empty(action.name.as_ref()),
        value: or_empty(action.value.as_ref()),
        confirm: action.confirm.as_ref().map(confirmation),
    }
}

fn confirmation(field: &SlackConfirmationField) -> Confirmation {
    Confirmation {
        text: field.text.clone(),
        title: or_empty(field.title.as_ref()),
        ok_text: or_empty(field.ok_text.as_ref()),
        dismiss_text: or_empty(field.dismiss_text.as_ref()),
    }
}
