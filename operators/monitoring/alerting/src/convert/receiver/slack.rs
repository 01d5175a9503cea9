//! Slack.

use api_monitoring::alertmanager_config::receiver::slack::{
    SlackAction, SlackConfig, SlackConfirmationField, SlackField,
};
use formats::alertmanager::receiver::slack::{Button, Confirmation, Field, Slack};
use monitoring_select::Problem;

use crate::convert::{Convert, duration};

impl Convert<'_> {
    pub(super) fn slack(&self, config: &SlackConfig) -> Result<Slack, Problem> {
        let api_url = config.api_url.as_ref().map(|selector| self.secret_url(selector)).transpose()?;
        Ok(Slack {
            send_resolved: config.send_resolved,
            api_url: api_url.unwrap_or_default(),
            channel: config.channel.clone().unwrap_or_default(),
            username: config.username.clone().unwrap_or_default(),
            color: config.color.clone().unwrap_or_default(),
            title: config.title.clone().unwrap_or_default(),
            title_link: config.title_link.clone(),
            pretext: config.pretext.clone().unwrap_or_default(),
            text: config.text.clone().unwrap_or_default(),
            fields: config.fields.iter().map(field).collect(),
            short_fields: config.short_fields.unwrap_or_default(),
            footer: config.footer.clone().unwrap_or_default(),
            fallback: config.fallback.clone().unwrap_or_default(),
            callback_id: config.callback_id.clone().unwrap_or_default(),
            icon_emoji: config.icon_emoji.clone().unwrap_or_default(),
            icon_url: config.icon_url.clone(),
            image_url: config.image_url.clone(),
            thumb_url: config.thumb_url.clone(),
            link_names: config.link_names.unwrap_or_default(),
            mrkdwn_in: config.mrkdwn_in.clone(),
            actions: config.actions.iter().map(action).collect(),
            http_config: self.http_if_any(config.http_config.as_ref())?,
            timeout: duration(config.timeout.as_deref())?,
            message_text: config.message_text.clone().unwrap_or_default(),
            update_message: config.update_message,
            ..Slack::default()
        })
    }
}

fn field(field: &SlackField) -> Field {
    Field { title: field.title.clone(), value: field.value.clone(), short: field.short.unwrap_or_default() }
}

fn action(action: &SlackAction) -> Button {
    Button {
        type_: action.type_.clone(),
        text: action.text.clone(),
        url: action.url.clone(),
        style: action.style.clone().unwrap_or_default(),
        name: action.name.clone().unwrap_or_default(),
        value: action.value.clone().unwrap_or_default(),
        confirm: action.confirm.as_ref().map(confirmation),
    }
}

fn confirmation(field: &SlackConfirmationField) -> Confirmation {
    Confirmation {
        text: field.text.clone(),
        title: field.title.clone().unwrap_or_default(),
        ok_text: field.ok_text.clone().unwrap_or_default(),
        dismiss_text: field.dismiss_text.clone().unwrap_or_default(),
    }
}
