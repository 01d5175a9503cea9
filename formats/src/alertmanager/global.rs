//! Global settings.

use serde::{Deserialize, Serialize};

use super::duration::Duration;
use super::fit::{ConfigError, Fit, Fitting, refuse};
use super::host_port::HostPort;
use super::http::{HttpClient, Tls};
use super::secret::Secret;
use super::url::Url;

/// Defaults for receivers that do not have their own settings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Global {
    pub resolve_timeout: Option<Duration>,
    pub http_config: Option<HttpClient>,
    pub smtp_from: String,
    pub smtp_hello: String,
    pub smtp_smarthost: HostPort,
    pub smtp_auth_username: String,
    pub smtp_auth_password: Secret,
    pub smtp_auth_password_file: String,
    pub smtp_auth_secret: Secret,
    pub smtp_auth_secret_file: String,
    pub smtp_auth_identity: String,
    pub smtp_require_tls: Option<bool>,
    pub smtp_tls_config: Option<Tls>,
    pub smtp_force_implicit_tls: Option<bool>,
    pub slack_api_url: Option<Url>,
    pub slack_api_url_file: String,
    pub pagerduty_url: Option<Url>,
    pub hipchat_api_url: Option<Url>,
    pub hipchat_auth_token: String,
    pub opsgenie_api_url: Option<Url>,
    pub opsgenie_api_key: Secret,
    pub opsgenie_api_key_file: String,
    pub wechat_api_url: Option<Url>,
    pub wechat_api_secret: Secret,
    pub wechat_api_corp_id: String,
    pub victorops_api_url: Option<Url>,
    pub victorops_api_key: Secret,
    pub victorops_api_key_file: String,
    pub telegram_api_url: Option<Url>,
    pub telegram_bot_token: Secret,
    pub telegram_bot_token_file: String,
    pub webex_api_url: Option<Url>,
    pub jira_api_url: Option<Url>,
    pub rocketchat_api_url: Option<Url>,
    pub rocketchat_token: Secret,
    pub rocketchat_token_file: String,
    pub rocketchat_token_id: Secret,
    pub rocketchat_token_id_file: String,
    pub slack_app_token: Secret,
    pub slack_app_token_file: String,
    pub slack_app_url: Option<Url>,
    pub wechat_api_secret_file: String,
    pub mattermost_webhook_url: Option<Url>,
    pub mattermost_webhook_url_file: String,
}

impl Fit for Global {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        self.http_config.fit(fitting)?;
        self.leave_out_new(fitting);
        let has_app_token = !self.slack_app_token.is_empty() || !self.slack_app_token_file.is_empty();
        for (preferred, is_set, other, value) in [
            (
                "slack_api_url",
                self.slack_api_url.is_some(),
                "slack_api_url_file",
                &mut self.slack_api_url_file,
            ),
            (
                "slack_app_token",
                !self.slack_app_token.is_empty(),
                "slack_app_token_file",
                &mut self.slack_app_token_file,
            ),
            (
                "smtp_auth_password",
                !self.smtp_auth_password.is_empty(),
                "smtp_auth_password_file",
                &mut self.smtp_auth_password_file,
            ),
            (
                "victorops_api_key",
                !self.victorops_api_key.is_empty(),
                "victorops_api_key_file",
                &mut self.victorops_api_key_file,
            ),
            (
                "wechat_api_secret",
                !self.wechat_api_secret.is_empty(),
                "wechat_api_secret_file",
                &mut self.wechat_api_secret_file,
            ),
            (
                "telegram_bot_token",
                !self.telegram_bot_token.is_empty(),
                "telegram_bot_token_file",
                &mut self.telegram_bot_token_file,
            ),
            (
                "smtp_auth_secret",
                !self.smtp_auth_secret.is_empty(),
                "smtp_auth_secret_file",
                &mut self.smtp_auth_secret_file,
            ),
            (
                "mattermost_webhook_url",
                self.mattermost_webhook_url.is_some(),
                "mattermost_webhook_url_file",
                &mut self.mattermost_webhook_url_file,
            ),
        ] {
            fitting.prefer(preferred, is_set, other, value);
        }
        let differ = match (&self.slack_api_url, &self.slack_app_url) {
            (Some(api), Some(app)) => api.to_string() != app.to_string(),
            (Some(_), None) | (None, _) => false,
        };
        refuse(
            has_app_token && differ,
            "at most one of slack_app_token/slack_app_token_file & slack_api_url/slack_api_url_file must be configured \
             (unless slack_api_url matches slack_app_url)",
        )
    }
}
