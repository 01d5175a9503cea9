//! The global section of an Alertmanager configuration.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::HttpConfigWithProxy;
use crate::text::{Duration, Url};
use crate::tls::SafeTlsConfig;

/// Global settings of Alertmanager, used where a receiver sets none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AlertmanagerGlobalConfig {
    /// Default settings for sending mail.
    pub smtp: Option<GlobalSmtpConfig>,
    /// Time after which an alert without an end time is resolved if not updated.
    pub resolve_timeout: Duration,
    /// Settings of the HTTP client.
    pub http_config: Option<HttpConfigWithProxy>,
    /// Secret key with the default Slack webhook URL.
    pub slack_api_url: Option<SecretKeySelector>,
    /// Secret key with the default Opsgenie API URL.
    pub ops_genie_api_url: Option<SecretKeySelector>,
    /// Secret key with the default Opsgenie API key.
    pub ops_genie_api_key: Option<SecretKeySelector>,
    /// Default URL that PagerDuty events are sent to.
    pub pagerduty_url: Option<Url>,
    /// Default settings for Telegram.
    pub telegram: Option<GlobalTelegramConfig>,
    /// Default settings for Jira.
    pub jira: Option<GlobalJiraConfig>,
    /// Default settings for VictorOps.
    pub victorops: Option<GlobalVictorOpsConfig>,
    /// Default settings for Rocket.Chat.
    pub rocket_chat: Option<GlobalRocketChatConfig>,
    /// Default settings for Webex.
    pub webex: Option<GlobalWebexConfig>,
    /// Default settings for WeChat.
    pub wechat: Option<GlobalWeChatConfig>,
    /// Default settings for Mattermost.
    pub mattermost: Option<GlobalMattermostConfig>,
}

/// Default settings for sending mail.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GlobalSmtpConfig {
    /// Sender address of the mails.
    pub from: Option<String>,
    /// Host and port of the SMTP server.
    pub smart_host: Option<HostPort>,
    /// Host name given to the SMTP server in the greeting.
    pub hello: Option<String>,
    /// User name for SMTP authentication.
    pub auth_username: Option<String>,
    /// Secret key with the password for LOGIN and PLAIN authentication.
    pub auth_password: Option<SecretKeySelector>,
    /// Identity for PLAIN authentication.
    pub auth_identity: Option<String>,
    /// Secret key with the secret for CRAM-MD5 authentication.
    pub auth_secret: Option<SecretKeySelector>,
    /// Whether mail is sent only if the server offers STARTTLS.
    #[serde(rename = "requireTLS")]
    pub require_tls: Option<bool>,
    /// TLS settings of the client.
    pub tls_config: Option<SafeTlsConfig>,
    /// Whether TLS is used from the first byte instead of STARTTLS.
    #[serde(rename = "forceImplicitTLS")]
    pub force_implicit_tls: Option<bool>,
}

/// Default settings for Telegram.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GlobalTelegramConfig {
    /// Default URL of the Telegram API.
    #[serde(rename = "apiURL")]
    pub api_url: Option<Url>,
}

/// Default settings for Jira.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GlobalJiraConfig {
    /// Default URL of the Jira API.
    #[serde(rename = "apiURL")]
    pub api_url: Option<Url>,
}

/// Default settings for Rocket.Chat.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GlobalRocketChatConfig {
    /// Default URL of the Rocket.Chat API.
    #[serde(rename = "apiURL")]
    pub api_url: Option<Url>,
    /// Secret key with the default access token of the sender.
    pub token: Option<SecretKeySelector>,
    /// Secret key with the ID that belongs to the access token.
    #[serde(rename = "tokenID")]
    pub token_id: Option<SecretKeySelector>,
}

/// Default settings for Webex.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GlobalWebexConfig {
    /// Default URL of the Webex API.
    #[serde(rename = "apiURL")]
    pub api_url: Option<Url>,
}

/// Default settings for WeChat.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GlobalWeChatConfig {
    /// Default URL of the WeChat API.
    #[serde(rename = "apiURL")]
    pub api_url: Option<Url>,
    /// Secret key with the default WeChat API secret.
    pub api_secret: Option<SecretKeySelector>,
    /// Default corporate ID for WeChat authentication.
    #[serde(rename = "apiCorpID")]
    #[schemars(length(min = 1))]
    pub api_corp_id: Option<String>,
}

/// Default settings for VictorOps.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GlobalVictorOpsConfig {
    /// Default URL of the VictorOps API.
    #[serde(rename = "apiURL")]
    pub api_url: Option<Url>,
    /// Secret key with the default VictorOps API key.
    pub api_key: Option<SecretKeySelector>,
}

/// Default settings for Mattermost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GlobalMattermostConfig {
    /// Secret key with the default Mattermost webhook URL.
    #[serde(rename = "webhookURL")]
    pub webhook_url: Option<SecretKeySelector>,
}

/// Host and port of a server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["host", "port"]))]
pub struct HostPort {
    /// Host name or IP address.
    #[schemars(length(min = 1))]
    pub host: String,
    /// Port number or port name.
    #[schemars(length(min = 1))]
    pub port: String,
}
