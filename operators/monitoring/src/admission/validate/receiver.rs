//! Receivers, a function for each kind. The order of the checks is the order of the Prometheus Operator: users see the
//! first problem.

use std::collections::BTreeSet;

use api_monitoring::alertmanager_config::receiver::Receiver;
use api_monitoring::alertmanager_config::receiver::email::EmailConfig;
use api_monitoring::alertmanager_config::receiver::opsgenie::{OpsGenieConfig, OpsGenieConfigResponder};
use api_monitoring::alertmanager_config::receiver::pagerduty::PagerDutyConfig;
use api_monitoring::alertmanager_config::receiver::pushover::PushoverConfig;
use api_monitoring::alertmanager_config::receiver::rocketchat::RocketChatConfig;
use api_monitoring::alertmanager_config::receiver::slack::{SlackAction, SlackConfig, SlackField};
use api_monitoring::alertmanager_config::receiver::sns::SnsConfig;
use api_monitoring::alertmanager_config::receiver::telegram::TelegramConfig;
use api_monitoring::alertmanager_config::receiver::victorops::VictorOpsConfig;
use api_monitoring::alertmanager_config::receiver::webhook::WebhookConfig;
use formats::alertmanager::receiver::victorops::RESERVED;
use go_syntax::quoted::Quoted;
use go_syntax::{host_port, template};
use monitoring_alerting::convert::each;
use monitoring_select::Problem;
use monitoring_select::problem::{Within as _, broken};

use super::http;
use crate::admission::address;

/// Checks all configurations of a receiver.
pub(super) fn check(receiver: &Receiver) -> Result<(), Problem> {
    each("'opsgenieConfigs'", &receiver.opsgenie_configs, opsgenie)?;
    each("'pagerdutyConfigs'", &receiver.pagerduty_configs, pagerduty)?;
    each("'discordConfigs'", &receiver.discord_configs, |config| http::check(config.http_config.as_ref()))?;
    each("'slackConfigs'", &receiver.slack_configs, slack)?;
    each("'webhookConfigs'", &receiver.webhook_configs, webhook)?;
    each("'wechatConfigs'", &receiver.wechat_configs, |config| {
        api_url(config.api_url.as_deref())?;
        http::check(config.http_config.as_ref())
    })?;
    each("'emailConfigs'", &receiver.email_configs, email)?;
    each("'victoropsConfigs'", &receiver.victorops_configs, victorops)?;
    each("'pushoverConfigs'", &receiver.pushover_configs, pushover)?;
    each("'snsConfigs'", &receiver.sns_configs, sns)?;
    each("'telegramConfigs'", &receiver.telegram_configs, telegram)?;
    each("'webexConfigs'", &receiver.webex_configs, |config| {
        api_url(config.api_url.as_deref())?;
        http::check(config.http_config.as_ref())
    })?;
    each("'msteamsConfigs'", &receiver.msteams_configs, |config| http::check(config.http_config.as_ref()))?;
    each("'msteamsv2Configs'", &receiver.msteamsv2_configs, |config| {
        http::check(config.http_config.as_ref())
    })?;
    each("'rocketchatConfigs'", &receiver.rocketchat_configs, rocketchat)?;
    Ok(())
}

/// Rejects with the message of the first rule that is broken.
fn rules<const N: usize>(rules: [(bool, &'static str); N]) -> Result<(), Problem> {
    let first = rules.into_iter().find(|(is_broken, _)| *is_broken);
    first.map_or(Ok(()), |(_, message)| broken(message))
}

fn api_url(url: Option<&str>) -> Result<(), Problem> {
    address::check(url).within("invalid 'apiURL'")
}

/// Checks a field with a URL or a template.
fn url_or_template(field: &str, url: Option<&str>) -> Result<(), Problem> {
    address::check_optional_template(url).within(format_args!("invalid '{field}'"))
}

fn is_empty(text: Option<&str>) -> bool {
    text.is_none_or(str::is_empty)
}

fn opsgenie(config: &OpsGenieConfig) -> Result<(), Problem> {
    config.responders.iter().try_for_each(opsgenie_responder)?;
    api_url(config.api_url.as_deref())?;
    http::check(config.http_config.as_ref())
}

fn opsgenie_responder(responder: &OpsGenieConfigResponder) -> Result<(), Problem> {
    let OpsGenieConfigResponder { id, name, username, type_ } = responder;
    let [id, name, username] = [id, name, username].map(|text| text.as_deref().unwrap_or_default());
    if id.is_empty() && name.is_empty() && username.is_empty() {
        return broken("responder must have at least an ID, a Name or an Username defined");
    }
    let shown = format!("responder {{{id} {name} {username} {type_}}} type");
    if template::is_template(type_) {
        return address::check_template(type_).within(format_args!("{shown} is not a valid template"));
    }
    if matches!(type_.to_lowercase().as_str(), "team" | "teams" | "user" | "escalation" | "schedule") {
        return Ok(());
    }
    broken(format!(
        "opsGenieConfig {shown} does not match valid options ^(team|teams|user|escalation|schedule)$"
    ))
}

fn pagerduty(config: &PagerDutyConfig) -> Result<(), Problem> {
    address::check(config.url.as_deref()).within("invalid 'url'")?;
    url_or_template("clientURL", config.client_url.as_deref())?;
    if config.routing_key.is_none() && config.service_key.is_none() {
        return broken("one of 'routingKey' or 'serviceKey' is required");
    }
    each("'pagerDutyLinkConfigs'", &config.pager_duty_link_configs, |link| {
        url_or_template("href", link.href.as_deref())
    })?;
    each("'pagerDutyImageConfigs'", &config.pager_duty_image_configs, |image| {
        url_or_template("href", image.href.as_deref())
    })?;
    http::check(config.http_config.as_ref())
}

fn slack(config: &SlackConfig) -> Result<(), Problem> {
    config.actions.iter().try_for_each(slack_action)?;
    config.fields.iter().try_for_each(slack_field)?;
    http::check(config.http_config.as_ref())
}

fn slack_action(action: &SlackAction) -> Result<(), Problem> {
    let has_no_target = action.url.is_empty() && is_empty(action.name.as_deref());
    let has_no_question = action.confirm.as_ref().is_some_and(|confirm| confirm.text.is_empty());
    rules([
        (action.type_.is_empty(), "missing 'type' in Slack action configuration"),
        (action.text.is_empty(), "missing 'text' in Slack action configuration"),
        (has_no_target, "missing 'name' or 'url' in Slack action configuration"),
        (has_no_question, "missing 'text' in Slack confirmation configuration"),
    ])
}

fn slack_field(field: &SlackField) -> Result<(), Problem> {
    rules([
        (field.title.is_empty(), "missing 'title' in Slack field configuration"),
        (field.value.is_empty(), "missing 'value' in Slack field configuration"),
    ])
}

fn webhook(config: &WebhookConfig) -> Result<(), Problem> {
    if config.url.is_none() && config.url_secret.is_none() {
        return broken("one of 'url' or 'urlSecret' must be specified");
    }
    url_or_template("url", config.url.as_deref())?;
    http::check(config.http_config.as_ref())
}

fn email(config: &EmailConfig) -> Result<(), Problem> {
    if is_empty(config.to.as_deref()) {
        return broken("missing 'to' address");
    }
    if let Some(smarthost) = config.smarthost.as_deref().filter(|smarthost| !smarthost.is_empty())
        && let Err(invalid) = host_port::split(smarthost)
    {
        return broken(format!("invalid 'smarthost' {}: {invalid}", Quoted(smarthost)));
    }
    // Names of headers are not case-sensitive.
    let mut names = BTreeSet::new();
    let mut lower = config.headers.iter().map(|header| header.key.to_lowercase());
    lower.try_for_each(|name| match names.replace(name) {
        Some(name) => broken(format!("duplicate header {}", Quoted(&name))),
        None => Ok(()),
    })
}

fn victorops(config: &VictorOpsConfig) -> Result<(), Problem> {
    if let Some(field) = config.custom_fields.iter().find(|field| RESERVED.contains(&field.key.as_str())) {
        let word = Quoted(&field.key);
        return broken(format!("usage of reserved word {word} is not allowed in custom fields"));
    }
    if config.routing_key.is_empty() {
        return broken("missing 'routingKey' key");
    }
    api_url(config.api_url.as_deref())?;
    http::check(config.http_config.as_ref())
}

fn pushover(config: &PushoverConfig) -> Result<(), Problem> {
    let has_user_key = config.user_key.is_some() || config.user_key_file.is_some();
    let has_token = config.token.is_some() || config.token_file.is_some();
    let has_two_formats = config.html == Some(true) && config.monospace == Some(true);
    rules([
        (!has_user_key, "one of 'userKey' or 'userKeyFile' must be configured"),
        (!has_token, "one of 'token' or 'tokenFile' must be configured"),
        (has_two_formats, "'html' and 'monospace' options are mutually exclusive"),
    ])?;
    url_or_template("url", Some(&config.url))?;
    http::check(config.http_config.as_ref())
}

fn sns(config: &SnsConfig) -> Result<(), Problem> {
    let targets = [&config.target_arn, &config.topic_arn, &config.phone_number];
    // One, or all three: the Prometheus Operator accepts both, so stored objects may have both.
    if targets.into_iter().filter(|target| is_empty(target.as_deref())).count() % 2 == 1 {
        return broken("must provide one of 'targetARN', 'topicARN', or 'phoneNumber'");
    }
    if let Some(url) = &config.api_url {
        address::check_template(url).within("invalid 'apiURL'")?;
    }
    http::check(config.http_config.as_ref())
}

fn telegram(config: &TelegramConfig) -> Result<(), Problem> {
    let (token, file) = (config.bot_token.is_some(), config.bot_token_file.is_some());
    rules([
        (!token && !file, "mandatory field botToken or botTokenfile is empty"),
        (token && file, "only one of 'botToken' or 'botTokenfile' must be configured"),
        (config.chat_id == 0, "mandatory field 'chatID' is empty"),
    ])?;
    api_url(config.api_url.as_deref())?;
    http::check(config.http_config.as_ref())
}

fn rocketchat(config: &RocketChatConfig) -> Result<(), Problem> {
    api_url(config.api_url.as_deref())?;
    url_or_template("iconURL", config.icon_url.as_deref())?;
    url_or_template("imageURL", config.image_url.as_deref())?;
    url_or_template("thumbURL", config.thumb_url.as_deref())?;
    each("'actions'", &config.actions, |action| url_or_template("url", action.url.as_deref()))?;
    http::check(config.http_config.as_ref())
}
