//! Checks of each receiver by itself, without the global settings.

use std::collections::BTreeSet;

use go_syntax::template::{self, TemplateScope};

use super::http::{check_client, check_secret_url, check_tls, check_url, has_authorization};
use crate::alertmanager::fit::{ConfigError, refuse};
use crate::alertmanager::http::canonical;
use crate::alertmanager::receiver::Receiver;
use crate::alertmanager::receiver::email::Email;
use crate::alertmanager::receiver::incidentio::IncidentIo;
use crate::alertmanager::receiver::jira::Jira;
use crate::alertmanager::receiver::mattermost::{Field, Mattermost};
use crate::alertmanager::receiver::opsgenie::{OpsGenie, Responder};
use crate::alertmanager::receiver::pagerduty::PagerDuty;
use crate::alertmanager::receiver::pushover::Pushover;
use crate::alertmanager::receiver::rocketchat::{self, RocketChat};
use crate::alertmanager::receiver::slack::{self, POST_MESSAGE, Slack};
use crate::alertmanager::receiver::sns::Sns;
use crate::alertmanager::receiver::telegram::Telegram;
use crate::alertmanager::receiver::victorops::{RESERVED, VictorOps};
use crate::alertmanager::receiver::webex::Webex;
use crate::alertmanager::receiver::webhook::Webhook;
use crate::alertmanager::receiver::wechat::WeChat;
use crate::alertmanager::url::{HIDDEN, check_web};

pub(super) fn check(receiver: &Receiver) -> Result<(), ConfigError> {
    for discord in &receiver.discord_configs {
        check_client(discord.http_config.as_ref())?;
        check_webhook(&discord.webhook_url, "")?;
    }
    receiver.email_configs.iter().try_for_each(email)?;
    receiver.incidentio_configs.iter().try_for_each(incidentio)?;
    receiver.pagerduty_configs.iter().try_for_each(pagerduty)?;
    receiver.slack_configs.iter().try_for_each(slack)?;
    receiver.webhook_configs.iter().try_for_each(webhook)?;
    receiver.opsgenie_configs.iter().try_for_each(opsgenie)?;
    receiver.wechat_configs.iter().try_for_each(wechat)?;
    receiver.pushover_configs.iter().try_for_each(pushover)?;
    receiver.victorops_configs.iter().try_for_each(victorops)?;
    receiver.sns_configs.iter().try_for_each(sns)?;
    receiver.telegram_configs.iter().try_for_each(telegram)?;
    receiver.webex_configs.iter().try_for_each(webex)?;
    for teams in &receiver.msteams_configs {
        check_client(teams.http_config.as_ref())?;
        check_webhook(&teams.webhook_url, "")?;
    }
    for teams in &receiver.msteamsv2_configs {
        check_client(teams.http_config.as_ref())?;
        check_webhook(&teams.webhook_url, &teams.webhook_url_file)?;
    }
    receiver.jira_configs.iter().try_for_each(jira)?;
    receiver.rocketchat_configs.iter().try_for_each(rocketchat)?;
    receiver.mattermost_configs.iter().try_for_each(mattermost)?;
    refuse(receiver.name.is_empty(), "missing name in receiver")
}

/// Checks a webhook, whose URL is inline or in a file.
fn check_webhook(url: &str, file: &str) -> Result<(), ConfigError> {
    check_secret_url(url)?;
    refuse(url.is_empty() && file.is_empty(), "one of webhook_url or webhook_url_file must be configured")?;
    refuse(
        !url.is_empty() && !file.is_empty(),
        "at most one of webhook_url & webhook_url_file must be configured",
    )
}

/// Whether a value is set both inline and in a file.
fn both(value: impl AsRef<[u8]>, file: &str) -> bool {
    !value.as_ref().is_empty() && !file.is_empty()
}

/// Whether a value is set neither inline nor in a file.
fn neither(value: impl AsRef<[u8]>, file: &str) -> bool {
    value.as_ref().is_empty() && file.is_empty()
}

fn email(email: &Email) -> Result<(), ConfigError> {
    check_tls(email.tls_config.as_ref())?;
    refuse(email.to.is_empty(), "missing to address in email config")?;
    let mut headers = BTreeSet::new();
    if let Some(name) =
        email.headers.keys().map(|name| canonical(name)).find(|name| !headers.insert(name.clone()))
    {
        return Err(ConfigError::new(format!("duplicate header {name:?} in email config")));
    }
    let Some(threading) = email.threading.as_ref().filter(|threading| threading.enabled == Some(true)) else {
        return Ok(());
    };
    refuse(
        headers.contains("References"),
        "conflicting configuration: threading.enabled conflicts with custom References header",
    )?;
    refuse(
        headers.contains("In-Reply-To"),
        "conflicting configuration: threading.enabled conflicts with custom In-Reply-To header",
    )?;
    refuse(
        !["none", "daily"].contains(&threading.thread_by_date.as_str()),
        "threading.thread_by_date must be either 'none' or 'daily'",
    )
}

fn incidentio(incident: &IncidentIo) -> Result<(), ConfigError> {
    check_client(incident.http_config.as_ref())?;
    check_url(&incident.url)?;
    refuse(incident.max_alerts.is_some_and(|most| most < 0), "max_alerts cannot be negative")?;
    refuse(neither(&incident.url, &incident.url_file), "one of url or url_file must be configured")?;
    refuse(both(&incident.url, &incident.url_file), "at most one of url & url_file must be configured")?;
    let (token, file) = (&incident.alert_source_token, &incident.alert_source_token_file);
    refuse(
        both(token, file),
        "at most one of alert_source_token & alert_source_token_file must be configured",
    )?;
    let is_authorized = has_authorization(incident.http_config.as_ref());
    refuse(
        is_authorized && !neither(token, file),
        "cannot specify alert_source_token or alert_source_token_file when using http_config.authorization",
    )?;
    refuse(
        incident.http_config.is_some() && !is_authorized && neither(token, file),
        "at least one of alert_source_token, alert_source_token_file or http_config.authorization must be configured",
    )
}

fn pagerduty(duty: &PagerDuty) -> Result<(), ConfigError> {
    check_client(duty.http_config.as_ref())?;
    check_url(&duty.url)?;
    refuse(
        neither(&duty.routing_key, &duty.routing_key_file)
            && neither(&duty.service_key, &duty.service_key_file),
        "missing service or routing key in PagerDuty config",
    )?;
    refuse(
        both(&duty.routing_key, &duty.routing_key_file),
        "at most one of routing_key & routing_key_file must be configured",
    )?;
    refuse(
        both(&duty.service_key, &duty.service_key_file),
        "at most one of service_key & service_key_file must be configured",
    )
}

fn slack(slack: &Slack) -> Result<(), ConfigError> {
    check_client(slack.http_config.as_ref())?;
    check_secret_url(&slack.api_url)?;
    check_url(&slack.app_url)?;
    for field in &slack.fields {
        refuse(field.title.is_empty(), "missing title in Slack field configuration")?;
        refuse(field.value.is_empty(), "missing value in Slack field configuration")?;
    }
    slack.actions.iter().try_for_each(slack_action)?;
    refuse(
        both(&slack.api_url, &slack.api_url_file),
        "at most one of api_url & api_url_file must be configured",
    )?;
    refuse(
        both(&slack.app_token, &slack.app_token_file),
        "at most one of app_token & app_token_file must be configured",
    )?;
    refuse(
        !neither(&slack.api_url, &slack.api_url_file) && !neither(&slack.app_token, &slack.app_token_file),
        "at most one of api_url/api_url_file & app_token/app_token_file must be configured",
    )?;
    refuse(
        slack.update_message == Some(true) && slack.api_url != POST_MESSAGE,
        "update_message can only be used with bot tokens. api_url must be set to \
         https://slack.com/api/chat.postMessage",
    )
}

fn slack_action(action: &slack::Button) -> Result<(), ConfigError> {
    let has_empty_question = action.confirm.as_ref().is_some_and(|question| question.text.is_empty());
    refuse(has_empty_question, "missing text in Slack confirmation configuration")?;
    refuse(action.type_.is_empty(), "missing type in Slack action configuration")?;
    refuse(action.text.is_empty(), "missing text in Slack action configuration")?;
    refuse(neither(&action.url, &action.name), "missing name or url in Slack action configuration")
}

fn webhook(webhook: &Webhook) -> Result<(), ConfigError> {
    check_client(webhook.http_config.as_ref())?;
    refuse(webhook.max_alerts < 0, "max_alerts cannot be negative")?;
    let url = webhook.url.as_str();
    if template::is_template(url) {
        template::check(url, &TemplateScope::default())
            .map_err(|error| ConfigError::new(format!("invalid template syntax: {error}")))?;
    } else if !url.is_empty() && url != HIDDEN {
        check_web(url).map_err(|problem| ConfigError::new(format!("invalid URL: {problem}")))?;
    }
    refuse(neither(url, &webhook.url_file), "one of url or url_file must be configured")?;
    refuse(both(url, &webhook.url_file), "at most one of url & url_file must be configured")
}

fn opsgenie(opsgenie: &OpsGenie) -> Result<(), ConfigError> {
    check_client(opsgenie.http_config.as_ref())?;
    check_url(&opsgenie.api_url)?;
    refuse(
        both(&opsgenie.api_key, &opsgenie.api_key_file),
        "at most one of api_key & api_key_file must be configured",
    )?;
    opsgenie.responders.iter().try_for_each(responder)
}

fn responder(responder: &Responder) -> Result<(), ConfigError> {
    const KINDS: [&str; 5] = ["team", "teams", "user", "escalation", "schedule"];
    let Responder { id, name, username, type_ } = responder;
    let shown = format!("opsGenieConfig responder {{{id} {name} {username} {type_}}}");
    if id.is_empty() && name.is_empty() && username.is_empty() {
        return Err(ConfigError::new(format!(
            "{shown} has to have at least one of id, username or name specified"
        )));
    }
    if template::is_template(type_) {
        let invalid =
            |error| ConfigError::new(format!("{shown} type contains invalid template syntax: {error}"));
        return template::check(type_, &TemplateScope::default()).map_err(invalid);
    }
    if KINDS.contains(&type_.to_lowercase().as_str()) {
        return Ok(());
    }
    Err(ConfigError::new(format!(
        "{shown} type does not match valid options ^(team|teams|user|escalation|schedule)$"
    )))
}

fn wechat(wechat: &WeChat) -> Result<(), ConfigError> {
    check_client(wechat.http_config.as_ref())?;
    check_url(&wechat.api_url)?;
    if !["", "text", "markdown"].contains(&wechat.message_type.as_str()) {
        return Err(ConfigError::new(format!(
            "weChat message type {:?} does not match valid options ^(text|markdown)$",
            wechat.message_type
        )));
    }
    refuse(
        both(&wechat.api_secret, &wechat.api_secret_file),
        "at most one of api_secret & api_secret_file must be configured",
    )
}

fn pushover(pushover: &Pushover) -> Result<(), ConfigError> {
    check_client(pushover.http_config.as_ref())?;
    let (key, key_file) = (&pushover.user_key, &pushover.user_key_file);
    refuse(neither(key, key_file), "one of user_key or user_key_file must be configured")?;
    refuse(both(key, key_file), "at most one of user_key & user_key_file must be configured")?;
    let (token, token_file) = (&pushover.token, &pushover.token_file);
    refuse(neither(token, token_file), "one of token or token_file must be configured")?;
    refuse(both(token, token_file), "at most one of token & token_file must be configured")?;
    refuse(
        pushover.html == Some(true) && pushover.monospace == Some(true),
        "at most one of monospace & html must be configured",
    )
}

fn victorops(victorops: &VictorOps) -> Result<(), ConfigError> {
    check_client(victorops.http_config.as_ref())?;
    check_url(&victorops.api_url)?;
    refuse(victorops.routing_key.is_empty(), "missing Routing key in VictorOps config")?;
    refuse(
        both(&victorops.api_key, &victorops.api_key_file),
        "at most one of api_key & api_key_file must be configured",
    )?;
    match RESERVED.into_iter().find(|name| victorops.custom_fields.contains_key(*name)) {
        Some(name) => Err(ConfigError::new(format!(
            "victorOps config contains custom field {name} which cannot be used as it conflicts with the fixed/static \
             fields"
        ))),
        None => Ok(()),
    }
}

fn sns(sns: &Sns) -> Result<(), ConfigError> {
    check_client(sns.http_config.as_ref())?;
    refuse(
        sns.sigv4.access_key.is_empty() != sns.sigv4.secret_key.is_empty(),
        "must provide a AWS SigV4 Access key and Secret Key if credentials are specified in the SigV4 config",
    )?;
    refuse(
        !sns.sigv4.external_id.is_empty() && sns.sigv4.role_arn.is_empty(),
        "external_id can only be used with role_arn",
    )?;
    // Alertmanager accepts one of them, and also all three.
    let targets = [&sns.target_arn, &sns.topic_arn, &sns.phone_number];
    refuse(
        targets.into_iter().filter(|target| !target.is_empty()).count() % 2 == 0,
        "must provide either a Target ARN, Topic ARN, or Phone Number for SNS config",
    )
}

fn telegram(telegram: &Telegram) -> Result<(), ConfigError> {
    check_client(telegram.http_config.as_ref())?;
    check_url(&telegram.api_url)?;
    refuse(
        both(&telegram.bot_token, &telegram.bot_token_file),
        "at most one of bot_token & bot_token_file must be configured",
    )?;
    let (has_chat, has_file) = (telegram.chat_id != 0, !telegram.chat_id_file.is_empty());
    refuse(!has_chat && !has_file, "missing chat_id or chat_id_file on telegram_config")?;
    refuse(has_chat && has_file, "at most one of chat_id & chat_id_file must be configured")?;
    refuse(
        !["", "Markdown", "MarkdownV2", "HTML"].contains(&telegram.parse_mode.as_str()),
        "unknown parse_mode on telegram_config, must be Markdown, MarkdownV2, HTML or empty string",
    )
}

fn webex(webex: &Webex) -> Result<(), ConfigError> {
    check_client(webex.http_config.as_ref())?;
    check_url(&webex.api_url)?;
    refuse(webex.room_id.is_empty(), "missing room_id on webex_config")?;
    refuse(!has_authorization(webex.http_config.as_ref()), "missing webex_configs.http_config.authorization")
}

fn jira(jira: &Jira) -> Result<(), ConfigError> {
    check_client(jira.http_config.as_ref())?;
    check_url(&jira.api_url)?;
    refuse(jira.project.is_empty(), "missing project in jira_config")?;
    refuse(jira.issue_type.is_empty(), "missing issue_type in jira_config")?;
    refuse(
        !["", "auto", "cloud", "datacenter"].contains(&jira.api_type.as_str()),
        "unknown api_type on jira_config, must be auto, cloud or datacenter",
    )
}

fn rocketchat(chat: &RocketChat) -> Result<(), ConfigError> {
    check_client(chat.http_config.as_ref())?;
    check_url(&chat.api_url)?;
    chat.actions.iter().try_for_each(chat_action)?;
    refuse(
        chat.token.is_some() && !chat.token_file.is_empty(),
        "at most one of token & token_file must be configured",
    )?;
    refuse(
        chat.token_id.is_some() && !chat.token_id_file.is_empty(),
        "at most one of token_id & token_id_file must be configured",
    )
}

/// Alertmanager's names for these fields differ from its documentation.
fn chat_action(action: &rocketchat::Button) -> Result<(), ConfigError> {
    let unknown = [
        ("image_url", !action.image_url.is_empty()),
        ("is_webview", action.is_webview),
        ("webview_height_ratio", !action.webview_height_ratio.is_empty()),
        ("msg_in_chat_window", action.msg_in_chat_window),
        ("msg_processing_type", !action.msg_processing_type.is_empty()),
    ];
    match unknown.iter().find(|(_, is_there)| *is_there) {
        Some((name, _)) => {
            Err(ConfigError::new(format!("field {name} not found in type config.RocketchatAttachmentAction")))
        }
        None => Ok(()),
    }
}

fn mattermost(chat: &Mattermost) -> Result<(), ConfigError> {
    check_client(chat.http_config.as_ref())?;
    check_secret_url(&chat.webhook_url)?;
    let attached = chat.attachments.iter().flat_map(|attachment| &attachment.fields);
    chat.fields.iter().chain(attached).try_for_each(chat_field)?;
    refuse(
        both(&chat.webhook_url, &chat.webhook_url_file),
        "at most one of webhook_url & webhook_url_file must be configured",
    )
}

fn chat_field(field: &Field) -> Result<(), ConfigError> {
    refuse(field.title.is_empty(), "missing title in Mattermost field configuration")?;
    refuse(field.value.is_empty(), "missing value in Mattermost field configuration")
}
