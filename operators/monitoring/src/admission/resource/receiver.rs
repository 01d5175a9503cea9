//! Receivers, a function for each kind. The order of the checks is the order of the Prometheus Operator: users see the
//! first problem.

use std::borrow::Cow;

use api_monitoring::alertmanager_config::receiver::discord::DiscordConfig;
use api_monitoring::alertmanager_config::receiver::email::EmailConfig;
use api_monitoring::alertmanager_config::receiver::msteams::{MsTeamsConfig, MsTeamsV2Config};
use api_monitoring::alertmanager_config::receiver::opsgenie::OpsGenieConfig;
use api_monitoring::alertmanager_config::receiver::pagerduty::PagerDutyConfig;
use api_monitoring::alertmanager_config::receiver::pushover::PushoverConfig;
use api_monitoring::alertmanager_config::receiver::rocketchat::RocketChatConfig;
use api_monitoring::alertmanager_config::receiver::slack::SlackConfig;
use api_monitoring::alertmanager_config::receiver::sns::SnsConfig;
use api_monitoring::alertmanager_config::receiver::telegram::TelegramConfig;
use api_monitoring::alertmanager_config::receiver::webhook::WebhookConfig;
use api_monitoring::alertmanager_config::receiver::{HttpConfig, Receiver};
use formats::version::Version;
use k8s_openapi::api::core::v1::SecretKeySelector;
use monitoring_alerting::convert::check_references;
use monitoring_select::problem::{Within as _, broken};
use monitoring_select::references::References;
use monitoring_select::{Problem, duration};

use crate::admission::address;

/// The only URL of Slack that can update messages.
const SLACK_POST_MESSAGE: &str = "https://slack.com/api/chat.postMessage";

/// Checks all configurations of a receiver.
pub(super) fn check(
    receiver: &Receiver,
    version: &Version,
    references: &References<'_>,
) -> Result<(), Problem> {
    let checker = Checker { version, references };
    receiver.pagerduty_configs.iter().try_for_each(|config| checker.pagerduty(config))?;
    receiver.opsgenie_configs.iter().try_for_each(|config| checker.opsgenie(config))?;
    receiver.discord_configs.iter().try_for_each(|config| checker.discord(config))?;
    receiver.slack_configs.iter().try_for_each(|config| checker.slack(config))?;
    receiver.webhook_configs.iter().try_for_each(|config| checker.webhook(config))?;
    for config in &receiver.wechat_configs {
        checker.client(config.http_config.as_ref(), &[&config.api_secret])?;
    }
    for config in &receiver.webex_configs {
        checker.since("webexConfigs", true, 25)?;
        checker.client(config.http_config.as_ref(), &[])?;
    }
    receiver.email_configs.iter().try_for_each(|config| checker.email(config))?;
    for config in &receiver.victorops_configs {
        checker.client(config.http_config.as_ref(), &[&config.api_key])?;
    }
    receiver.pushover_configs.iter().try_for_each(|config| checker.pushover(config))?;
    receiver.sns_configs.iter().try_for_each(|config| checker.sns(config))?;
    receiver.telegram_configs.iter().try_for_each(|config| checker.telegram(config))?;
    receiver.msteams_configs.iter().try_for_each(|config| checker.msteams(config))?;
    receiver.msteamsv2_configs.iter().try_for_each(|config| checker.msteams_v2(config))?;
    receiver.rocketchat_configs.iter().try_for_each(|config| checker.rocketchat(config))
}

/// Checks configurations of receivers.
struct Checker<'c, 's> {
    version: &'c Version,
    references: &'c References<'s>,
}

impl<'s> Checker<'_, 's> {
    /// Checks an HTTP client and the Secrets that it sends.
    fn client(&self, http: Option<&HttpConfig>, keys: &[&Option<SecretKeySelector>]) -> Result<(), Problem> {
        self.http_version(http)?;
        keys.iter().try_for_each(|key| self.references.optional_secret(key.as_ref()))?;
        self.http(http)
    }

    /// Checks that everything that an HTTP client refers to exists.
    fn http(&self, http: Option<&HttpConfig>) -> Result<(), Problem> {
        http.map_or(Ok(()), |http| check_references(http, self.references))
    }

    /// The value of a key of a Secret as text.
    fn text(&self, selector: &SecretKeySelector) -> Result<Cow<'s, str>, Problem> {
        self.references.secret(selector).map(String::from_utf8_lossy)
    }

    /// Checks that the version supports the fields of an HTTP client.
    fn http_version(&self, http: Option<&HttpConfig>) -> Result<(), Problem> {
        let Some(http) = http else { return Ok(()) };
        let proxy = &http.proxy;
        let has_proxy = proxy.no_proxy.is_some()
            || proxy.proxy_from_environment.is_some()
            || proxy.proxy_connect_header.is_some();
        for (field, is_used, minor) in [
            ("authorization", http.authorization.is_some(), 22),
            ("oauth2", http.oauth2.is_some(), 22),
            ("ProxyConfig", has_proxy, 25),
        ] {
            if is_used && !self.has(minor) {
                return broken(format!(
                    "'{field}' config set in 'httpConfig' but supported in Alertmanager >= 0.{minor}.0 only - current {}",
                    self.version
                ));
            }
        }
        Ok(())
    }

    /// Whether the version is `0.minor.0` or later.
    fn has(&self, minor: u64) -> bool {
        *self.version >= Version::new(0, minor, 0)
    }

    /// Rejects a field that the version does not support. The unpaired quote is that of the Prometheus Operator.
    fn since(&self, field: &str, is_used: bool, minor: u64) -> Result<(), Problem> {
        if is_used && !self.has(minor) {
            let current = self.version;
            return broken(format!(
                "{field}' is available in Alertmanager >= 0.{minor}.0 only - current {current}"
            ));
        }
        Ok(())
    }

    fn pagerduty(&self, config: &PagerDutyConfig) -> Result<(), Problem> {
        self.client(config.http_config.as_ref(), &[&config.routing_key, &config.service_key])
    }

    fn opsgenie(&self, config: &OpsGenieConfig) -> Result<(), Problem> {
        self.http_version(config.http_config.as_ref())?;
        let has_teams = config.responders.iter().any(|responder| responder.type_ == "teams");
        if has_teams && !self.has(24) {
            return broken("'teams' set in 'opsgenieResponder' but supported in Alertmanager >= 0.24.0 only");
        }
        self.client(config.http_config.as_ref(), &[&config.api_key])
    }

    fn discord(&self, config: &DiscordConfig) -> Result<(), Problem> {
        self.since("discordConfigs", true, 25)?;
        self.client(config.http_config.as_ref(), &[])?;
        let url = self.text(&config.api_url).within("failed to retrieve API URL")?;
        address::check_secret(url.trim()).within("failed to validate API URL")
    }

    fn slack(&self, config: &SlackConfig) -> Result<(), Problem> {
        self.http_version(config.http_config.as_ref())?;
        let mut url = Cow::default();
        if let Some(selector) = &config.api_url {
            url = self.text(selector)?;
            address::check_secret(url.trim()).within("failed to validate API URL")?;
        }
        self.since("messageText", config.message_text.is_some(), 31)?;
        self.since("updateMessage", config.update_message.is_some(), 32)?;
        if config.update_message == Some(true) && !url.is_empty() && url != SLACK_POST_MESSAGE {
            return broken(format!(
                "updateMessage' can only be used with bot tokens. API URL must be set to {SLACK_POST_MESSAGE}"
            ));
        }
        self.http(config.http_config.as_ref())
    }

    fn webhook(&self, config: &WebhookConfig) -> Result<(), Problem> {
        self.http_version(config.http_config.as_ref())?;
        if let Some(selector) = &config.url_secret {
            let url = self.text(selector)?;
            address::check_template(url.trim()).within("failed to validate URL")?;
        }
        self.since("payload", config.payload.is_some(), 32)?;
        self.http(config.http_config.as_ref())
    }

    fn email(&self, config: &EmailConfig) -> Result<(), Problem> {
        self.references.optional_secret(config.auth_password.as_ref())?;
        self.references.optional_secret(config.auth_secret.as_ref())?;
        self.references.safe_tls(config.tls_config.as_ref())?;
        self.since("forceImplicitTLS", config.force_implicit_tls.is_some(), 31)?;
        self.since("threading", config.threading.is_some(), 30)
    }

    /// Rejects keys from files, although they are valid by themselves: the Prometheus Operator does so too.
    fn pushover(&self, config: &PushoverConfig) -> Result<(), Problem> {
        self.http_version(config.http_config.as_ref())?;
        for (name, key) in [("userKey", &config.user_key), ("token", &config.token)] {
            let Some(key) = key else { return broken(format!("mandatory field {name} is empty")) };
            if self.references.secret(key)?.is_empty() {
                return broken("mandatory field userKey is empty");
            }
        }
        for text in [&config.expire, &config.retry].into_iter().flatten().filter(|text| !text.is_empty()) {
            duration::parse(text)?;
        }
        self.http(config.http_config.as_ref())
    }

    fn sns(&self, config: &SnsConfig) -> Result<(), Problem> {
        self.since("useAWSHTTPClient", config.use_awshttp_client.is_some(), 33)?;
        self.http_version(config.http_config.as_ref())?;
        self.references.sigv4(config.sigv4.as_ref())?;
        self.http(config.http_config.as_ref())
    }

    fn telegram(&self, config: &TelegramConfig) -> Result<(), Problem> {
        self.since("telegramConfigs", true, 24)?;
        self.since("botTokenFile", config.bot_token_file.is_some(), 26)?;
        self.client(config.http_config.as_ref(), &[&config.bot_token])
    }

    fn msteams(&self, config: &MsTeamsConfig) -> Result<(), Problem> {
        self.integration("msteams", 26)?;
        self.http_version(config.http_config.as_ref())?;
        self.references.secret(&config.webhook_url)?;
        self.http(config.http_config.as_ref())
    }

    fn msteams_v2(&self, config: &MsTeamsV2Config) -> Result<(), Problem> {
        self.integration("msteamsv2", 28)?;
        self.references.optional_secret(config.webhook_url.as_ref())?;
        self.client(config.http_config.as_ref(), &[])
    }

    fn integration(&self, name: &str, minor: u64) -> Result<(), Problem> {
        if self.has(minor) {
            return Ok(());
        }
        broken(format!(
            "invalid syntax in receivers config; {name} integration is only available in Alertmanager >= 0.{minor}.0"
        ))
    }

    fn rocketchat(&self, config: &RocketChatConfig) -> Result<(), Problem> {
        self.since("rocketChatConfigs", true, 28)?;
        self.client(config.http_config.as_ref(), &[])?;
        self.references.secret(&config.token).within("failed to retrieve RocketChat token")?;
        self.references.secret(&config.token_id).within("failed to retrieve RocketChat token ID")?;
        Ok(())
    }
}
