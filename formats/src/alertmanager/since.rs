//! The first version of each field of Alertmanager. This is the only place with that information. Versions are `0.`
//! and the number in the table. Every version supports the fields that are not in the table.

use super::config::Config;
use super::fit::{ConfigError, Fitting};
use super::global::Global;
use super::http::{HttpClient, OAuth2, Tls};
use super::receiver::discord::Discord;
use super::receiver::email::Email;
use super::receiver::jira::Jira;
use super::receiver::mattermost::Mattermost;
use super::receiver::msteams::MsTeams;
use super::receiver::opsgenie::OpsGenie;
use super::receiver::pagerduty::PagerDuty;
use super::receiver::pushover::Pushover;
use super::receiver::slack::Slack;
use super::receiver::sns::{Sigv4, Sns};
use super::receiver::telegram::Telegram;
use super::receiver::victorops::VictorOps;
use super::receiver::webhook::Webhook;
use super::receiver::wechat::WeChat;
use super::route::Route;
use super::time::Span;

/// Implements for each type how fields are left out for versions that do not support them.
macro_rules! since {
    ($($part:ident as $prefix:literal { $($field:ident: $minor:expr,)* })*) => {
        $(impl $part {
            /// Leaves out the fields that the version does not support.
            pub(super) fn leave_out_new(&mut self, fitting: &Fitting<'_>) {
                $(fitting.keep_since($minor, $prefix, stringify!($field), &mut self.$field);)*
            }
        })*
    };
}

since! {
    Config as "" {
        mute_time_intervals: 22,
        time_intervals: 24,
    }
    Global as "global." {
        smtp_tls_config: 28,
        slack_api_url_file: 22,
        slack_app_token: 30,
        slack_app_token_file: 30,
        slack_app_url: 30,
        opsgenie_api_key_file: 24,
        smtp_auth_password_file: 25,
        victorops_api_key_file: 25,
        wechat_api_secret_file: 31,
        telegram_bot_token: 31,
        telegram_bot_token_file: 31,
        smtp_auth_secret_file: 31,
        smtp_force_implicit_tls: 31,
        mattermost_webhook_url: 32,
        mattermost_webhook_url_file: 32,
    }
    HttpClient as "http_config." {
        follow_redirects: 22,
        enable_http2: 25,
        http_headers: 28,
        proxy_from_environment: PROXY,
        no_proxy: PROXY,
        proxy_connect_header: PROXY,
    }
    OAuth2 as "oauth2." {
        proxy_url: 25,
        no_proxy: 25,
        proxy_from_environment: 25,
        proxy_connect_header: 25,
    }
    Tls as "tls_config." {
        min_version: 25,
        max_version: 25,
    }
    Route as "route." {
        mute_time_intervals: 22,
        active_time_intervals: 24,
    }
    Span as "time_intervals." {
        location: 25,
    }
    Discord as "discord_configs." {
        content: 28,
        username: 28,
        avatar_url: 28,
    }
    Email as "email_configs." {
        auth_password_file: 25,
        force_implicit_tls: 31,
        auth_secret_file: 31,
        threading: 30,
    }
    Jira as "jira_configs." {
        api_type: 29,
    }
    Mattermost as "mattermost_configs." {
        fallback: 32,
        color: 32,
        pretext: 32,
        author_name: 32,
        author_link: 32,
        author_icon: 32,
        title: 32,
        title_link: 32,
        thumb_url: 32,
        footer: 32,
        footer_icon: 32,
        image_url: 32,
        fields: 32,
    }
    MsTeams as "msteams_configs." {
        summary: 27,
    }
    OpsGenie as "opsgenie_configs." {
        actions: 24,
        entity: 24,
        update_alerts: 24,
        api_key_file: 24,
    }
    PagerDuty as "pagerduty_configs." {
        source: 25,
        routing_key_file: 25,
        service_key_file: 25,
        timeout: 30,
    }
    Pushover as "pushover_configs." {
        user_key_file: 26,
        token_file: 26,
        ttl: 27,
        device: 26,
    }
    Slack as "slack_configs." {
        timeout: 30,
        app_token: 30,
        app_token_file: 30,
        app_url: 30,
        message_text: 31,
        update_message: 32,
        api_url_file: 22,
    }
    Sigv4 as "sns_configs.sigv4." {
        external_id: EXTERNAL_ID,
    }
    Sns as "sns_configs." {
        use_aws_http_client: 33,
    }
    Telegram as "telegram_configs." {
        chat_id_file: 31,
        bot_token_file: 26,
        message_thread_id: 26,
    }
    VictorOps as "victorops_configs." {
        api_key_file: 25,
    }
    Webhook as "webhook_configs." {
        url_file: 26,
        timeout: 28,
        payload: 32,
    }
    WeChat as "wechat_configs." {
        api_secret_file: 31,
    }
}

/// Matchers of the form `name="value"`, in routes and inhibition rules.
pub(super) const MATCHERS: u64 = 22;
/// `authorization` and `oauth2`. Without them, a server would reject the requests.
pub(super) const AUTHORIZATION: u64 = 22;
/// `teams` as a responder of OpsGenie.
pub(super) const TEAMS_RESPONDER: u64 = 24;
/// Values other than strings in `details` of PagerDuty.
pub(super) const NESTED_DETAILS: u64 = 30;
/// `monospace` of Pushover.
pub(super) const MONOSPACE: u64 = 29;
/// A global token of a Telegram bot.
pub(super) const GLOBAL_BOT_TOKEN: u64 = 31;
/// A global URL of a Mattermost webhook.
pub(super) const GLOBAL_WEBHOOK: u64 = 32;
/// `external_id` of `sigv4`.
pub(super) const EXTERNAL_ID: u64 = 33;
/// All proxy fields except `proxy_url`.
pub(super) const PROXY: u64 = 26;

/// Receivers that not every version supports. Without them, alerts would be lost, so they are never left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReceiverKind {
    Telegram,
    Discord,
    Webex,
    MsTeams,
    MsTeamsV2,
    Jira,
    RocketChat,
    IncidentIo,
    Mattermost,
}

impl ReceiverKind {
    /// Rejects the receiver if the version does not support it.
    pub(super) fn check(self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        let (since, name) = match self {
            Self::Telegram => (24, "telegram integration is"),
            Self::Discord => (25, "discord integration is"),
            Self::Webex => (25, "webex integration is"),
            Self::MsTeams => (26, "msteams integration is only"),
            Self::MsTeamsV2 => (28, "msteams v2 integration is"),
            Self::Jira => (28, "jira integration is"),
            Self::RocketChat => (28, "rocketchat integration is"),
            Self::IncidentIo => (29, "incident.io integration is"),
            Self::Mattermost => (30, "mattermost integration is"),
        };
        if fitting.has(since) {
            return Ok(());
        }
        let message =
            format!("invalid syntax in receivers config; {name} available in Alertmanager >= 0.{since}.0");
        Err(ConfigError::new(message))
    }
}
