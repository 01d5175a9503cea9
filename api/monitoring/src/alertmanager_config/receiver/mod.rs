//! Receivers, a file for each kind.

pub mod discord;
pub mod email;
pub mod msteams;
pub mod opsgenie;
pub mod pagerduty;
pub mod pushover;
pub mod rocketchat;
pub mod slack;
pub mod sns;
pub mod telegram;
pub mod victorops;
pub mod webex;
pub mod webhook;
pub mod wechat;

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::alertmanager_config::receiver::discord::DiscordConfig;
use crate::alertmanager_config::receiver::email::EmailConfig;
use crate::alertmanager_config::receiver::msteams::{MsTeamsConfig, MsTeamsV2Config};
use crate::alertmanager_config::receiver::opsgenie::OpsGenieConfig;
use crate::alertmanager_config::receiver::pagerduty::PagerDutyConfig;
use crate::alertmanager_config::receiver::pushover::PushoverConfig;
use crate::alertmanager_config::receiver::rocketchat::RocketChatConfig;
use crate::alertmanager_config::receiver::slack::SlackConfig;
use crate::alertmanager_config::receiver::sns::SnsConfig;
use crate::alertmanager_config::receiver::telegram::TelegramConfig;
use crate::alertmanager_config::receiver::victorops::VictorOpsConfig;
use crate::alertmanager_config::receiver::webex::WebexConfig;
use crate::alertmanager_config::receiver::webhook::WebhookConfig;
use crate::alertmanager_config::receiver::wechat::WeChatConfig;
use crate::auth::{BasicAuth, OAuth2, SafeAuthorization};
use crate::http::ProxyConfig;
use crate::tls::SafeTlsConfig;

/// Named set of integrations that notifications are sent to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["name"]))]
pub struct Receiver {
    /// Name that routes use for this receiver; must be unique in the object.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Notifications to send to OpsGenie.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub opsgenie_configs: Vec<OpsGenieConfig>,
    /// Notifications to send to PagerDuty.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub pagerduty_configs: Vec<PagerDutyConfig>,
    /// Notifications to send to Discord.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub discord_configs: Vec<DiscordConfig>,
    /// Notifications to send to Slack.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub slack_configs: Vec<SlackConfig>,
    /// Notifications to send to generic HTTP webhooks.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub webhook_configs: Vec<WebhookConfig>,
    /// Notifications to send to WeChat.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub wechat_configs: Vec<WeChatConfig>,
    /// Notifications to send by email.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub email_configs: Vec<EmailConfig>,
    /// Notifications to send to VictorOps.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub victorops_configs: Vec<VictorOpsConfig>,
    /// Notifications to send to Pushover.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub pushover_configs: Vec<PushoverConfig>,
    /// Notifications to send to Amazon SNS.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub sns_configs: Vec<SnsConfig>,
    /// Notifications to send to Telegram.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub telegram_configs: Vec<TelegramConfig>,
    /// Notifications to send to Webex.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub webex_configs: Vec<WebexConfig>,
    /// Notifications to send to Microsoft Teams through connectors.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub msteams_configs: Vec<MsTeamsConfig>,
    /// Notifications to send to Microsoft Teams through workflows.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub msteamsv2_configs: Vec<MsTeamsV2Config>,
    /// Notifications to send to Rocket.Chat.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub rocketchat_configs: Vec<RocketChatConfig>,
}

/// HTTP client settings for sending notifications.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct HttpConfig {
    /// Credentials for the `Authorization` header.
    pub authorization: Option<SafeAuthorization>,
    /// Credentials for HTTP basic authentication.
    pub basic_auth: Option<BasicAuth>,
    /// OAuth 2.0 client credentials used to get an access token.
    pub oauth2: Option<OAuth2>,
    /// Key of a Secret that holds the bearer token to send.
    pub bearer_token_secret: Option<SecretKeySelector>,
    /// TLS settings of the connection.
    pub tls_config: Option<SafeTlsConfig>,
    /// Deprecated: use `proxyUrl` instead.
    #[serde(rename = "proxyURL")]
    pub proxy_url_original: Option<String>,
    /// Proxy of the connection.
    #[serde(flatten)]
    pub proxy: ProxyConfig,
    /// Whether to follow HTTP redirects.
    pub follow_redirects: Option<bool>,
    /// Whether HTTP/2 may be used.
    pub enable_http2: Option<bool>,
}

/// Key with its value.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["key", "value"]))]
pub struct KeyValue {
    /// Name of the entry.
    #[schemars(length(min = 1))]
    pub key: String,
    /// Value of the entry.
    pub value: String,
}
