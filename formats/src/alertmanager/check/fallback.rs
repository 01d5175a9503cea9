//! Checks of receivers together with the global settings: a value must be set in one of the two.

use super::http::has_authorization;
use crate::alertmanager::fit::{ConfigError, refuse};
use crate::alertmanager::global::Global;
use crate::alertmanager::receiver::Receiver;
use crate::alertmanager::receiver::email::Email;
use crate::alertmanager::receiver::rocketchat::RocketChat;
use crate::alertmanager::receiver::slack::{POST_MESSAGE, Slack};
use crate::alertmanager::receiver::wechat::WeChat;
use crate::alertmanager::secret::Secret;

/// Checks the global settings that exclude each other.
pub(super) fn check_global(global: &Global) -> Result<(), ConfigError> {
    let both = |value: &Secret, file: &str| !value.is_empty() && !file.is_empty();
    refuse(
        both(&global.slack_app_token, &global.slack_app_token_file),
        "at most one of slack_app_token & slack_app_token_file must be configured",
    )?;
    refuse(
        global.slack_api_url.is_some() && !global.slack_api_url_file.is_empty(),
        "at most one of slack_api_url & slack_api_url_file must be configured",
    )?;
    check_global_slack(global)?;
    for (value, file, message) in [
        (
            &global.opsgenie_api_key,
            &global.opsgenie_api_key_file,
            "at most one of opsgenie_api_key & opsgenie_api_key_file must be configured",
        ),
        (
            &global.victorops_api_key,
            &global.victorops_api_key_file,
            "at most one of victorops_api_key & victorops_api_key_file must be configured",
        ),
        (
            &global.telegram_bot_token,
            &global.telegram_bot_token_file,
            "at most one of telegram_bot_token & telegram_bot_token_file must be configured",
        ),
        (
            &global.smtp_auth_password,
            &global.smtp_auth_password_file,
            "at most one of smtp_auth_password & smtp_auth_password_file must be configured",
        ),
        (
            &global.rocketchat_token,
            &global.rocketchat_token_file,
            "at most one of rocketchat_token & rocketchat_token_file must be configured",
        ),
        (
            &global.rocketchat_token_id,
            &global.rocketchat_token_id_file,
            "at most one of rocketchat_token_id & rocketchat_token_id_file must be configured",
        ),
        (
            &global.smtp_auth_secret,
            &global.smtp_auth_secret_file,
            "at most one of smtp_auth_secret & smtp_auth_secret_file must be configured",
        ),
        (
            &global.wechat_api_secret,
            &global.wechat_api_secret_file,
            "at most one of wechat_api_secret & wechat_api_secret_file must be configured",
        ),
    ] {
        refuse(both(value, file), message)?;
    }
    refuse(
        global.mattermost_webhook_url.is_some() && !global.mattermost_webhook_url_file.is_empty(),
        "at most one of mattermost_webhook_url & mattermost_webhook_url_file must be configured",
    )
}

/// A token and an API URL exclude each other, unless the URL is the one for tokens.
fn check_global_slack(global: &Global) -> Result<(), ConfigError> {
    let has_token = !global.slack_app_token.is_empty() || !global.slack_app_token_file.is_empty();
    let has_url = global.slack_api_url.is_some() || !global.slack_api_url_file.is_empty();
    let api = global.slack_api_url.as_ref().map(ToString::to_string);
    let app = global.slack_app_url.as_ref().map_or_else(|| POST_MESSAGE.to_owned(), ToString::to_string);
    refuse(
        has_token && has_url && api.as_ref() != Some(&app),
        "at most one of slack_app_token/slack_app_token_file & slack_api_url/slack_api_url_file must be configured",
    )
}

/// Rejects a receiver for which a required value is set neither here nor globally.
pub(super) fn check(receiver: &Receiver, global: &Global) -> Result<(), ConfigError> {
    receiver.email_configs.iter().try_for_each(|email| check_email(email, global))?;
    receiver.slack_configs.iter().try_for_each(|slack| check_slack(slack, global))?;
    for opsgenie in &receiver.opsgenie_configs {
        let (key, file) = (&global.opsgenie_api_key, &global.opsgenie_api_key_file);
        refuse(
            lacks((&opsgenie.api_key, &opsgenie.api_key_file), (key, file)),
            "no global OpsGenie API Key set either inline or in a file",
        )?;
    }
    receiver.wechat_configs.iter().try_for_each(|wechat| check_wechat(wechat, global))?;
    for victorops in &receiver.victorops_configs {
        let (key, file) = (&global.victorops_api_key, &global.victorops_api_key_file);
        refuse(
            lacks((&victorops.api_key, &victorops.api_key_file), (key, file)),
            "no global VictorOps API Key set",
        )?;
    }
    for telegram in &receiver.telegram_configs {
        let (token, file) = (&global.telegram_bot_token, &global.telegram_bot_token_file);
        refuse(
            lacks((&telegram.bot_token, &telegram.bot_token_file), (token, file)),
            "missing bot_token or bot_token_file on telegram_config",
        )?;
    }
    refuse(
        global.jira_api_url.is_none() && receiver.jira_configs.iter().any(|jira| jira.api_url.is_empty()),
        "no global Jira Cloud URL set",
    )?;
    receiver.rocketchat_configs.iter().try_for_each(|chat| check_rocketchat(chat, global))?;
    let has_webhook =
        global.mattermost_webhook_url.is_some() || !global.mattermost_webhook_url_file.is_empty();
    let mut mattermost = receiver.mattermost_configs.iter();
    refuse(
        !has_webhook
            && mattermost.any(|chat| chat.webhook_url.is_empty() && chat.webhook_url_file.is_empty()),
        "missing webhook_url or webhook_url_file on mattermost_config",
    )
}

fn check_email(email: &Email, global: &Global) -> Result<(), ConfigError> {
    refuse(email.smarthost.is_empty() && global.smtp_smarthost.is_empty(), "no global SMTP smarthost set")?;
    refuse(email.from.is_empty() && global.smtp_from.is_empty(), "no global SMTP from set")
}

fn check_slack(slack: &Slack, global: &Global) -> Result<(), ConfigError> {
    let own_token = !slack.app_token.is_empty() || !slack.app_token_file.is_empty();
    let global_token = !global.slack_app_token.is_empty() || !global.slack_app_token_file.is_empty();
    let own_authorization = has_authorization(slack.http_config.as_ref());
    // A receiver with its own authorization does not use the global token.
    let falls_back = !own_token && !own_authorization && slack.api_url.is_empty();
    let has_token = own_token || (falls_back && global_token);
    let has_url = !slack.api_url.is_empty()
        || !slack.api_url_file.is_empty()
        || global.slack_api_url.is_some()
        || !global.slack_api_url_file.is_empty();
    refuse(!has_url && !has_token, "no Slack API URL nor App token set either inline or in a file")?;
    let client = slack.http_config.as_ref().or(global.http_config.as_ref());
    refuse(
        has_token && has_authorization(client),
        "http authorization can't be set when using Slack App tokens",
    )
}

fn check_wechat(wechat: &WeChat, global: &Global) -> Result<(), ConfigError> {
    let global_secret = (&global.wechat_api_secret, global.wechat_api_secret_file.as_str());
    refuse(
        lacks((&wechat.api_secret, &wechat.api_secret_file), global_secret),
        "no global Wechat Api Secret set either inline or in a file",
    )?;
    refuse(wechat.corp_id.is_empty() && global.wechat_api_corp_id.is_empty(), "no global Wechat CorpID set")
}

fn check_rocketchat(chat: &RocketChat, global: &Global) -> Result<(), ConfigError> {
    let own = |value: &Option<Secret>, file: &str| value.is_some() || !file.is_empty();
    let there = |value: &Secret, file: &str| !value.is_empty() || !file.is_empty();
    refuse(
        !own(&chat.token_id, &chat.token_id_file)
            && !there(&global.rocketchat_token_id, &global.rocketchat_token_id_file),
        "no global Rocketchat TokenID set either inline or in a file",
    )?;
    refuse(
        !own(&chat.token, &chat.token_file)
            && !there(&global.rocketchat_token, &global.rocketchat_token_file),
        "no global Rocketchat Token set either inline or in a file",
    )
}

/// Whether a secret is set neither here nor globally, and neither inline nor in a file.
fn lacks(here: (&Secret, &str), there: (&Secret, &str)) -> bool {
    [here, there].iter().all(|(value, file)| value.is_empty() && file.is_empty())
}
