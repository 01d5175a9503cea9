//! Receivers, a function a kind. The order of the checks is the order in which users see what is wrong.

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
use monitoring_select::duration;
use monitoring_select::references::References;

use super::since;
use crate::admission::address;
use crate::admission::problem::{Problem, Within, broken};

/// The only address of Slack at which messages can be changed.
const SLACK_POST_MESSAGE: &str = "https://slack.com/api/chat.postMessage";

/// Checks all that a receiver has.
pub(super) fn check(
    receiver: &Receiver,
    version: &Version,
    references: &References<'_>,
) -> Result<(), Problem> {
    let on = Checker { version, references };
    receiver.pagerduty_configs.iter().try_for_each(|config| on.pagerduty(config))?;
    receiver.opsgenie_configs.iter().try_for_each(|config| on.opsgenie(config))?;
    receiver.discord_configs.iter().try_for_each(|config| on.discord(config))?;
    receiver.slack_configs.iter().try_for_each(|config| on.slack(config))?;
    receiver.webhook_configs.iter().try_for_each(|config| on.webhook(config))?;
    for config in &receiver.wechat_configs {
        on.keyed(config.http_config.as_ref(), &[&config.api_secret])?;
    }
    for config in &receiver.webex_configs {
        since::check("webexConfigs", true, &since::WEBEX, version)?;
        on.keyed(config.http_config.as_ref(), &[])?;
    }
    receiver.email_configs.iter().try_for_each(|config| on.email(config))?;
    for config in &receiver.victorops_configs {
        on.keyed(config.http_config.as_ref(), &[&config.api_key])?;
    }
    receiver.pushover_configs.iter().try_for_each(|config| on.pushover(config))?;
    receiver.sns_configs.iter().try_for_each(|config| on.sns(config))?;
    receiver.telegram_configs.iter().try_for_each(|config| on.telegram(config))?;
    receiver.msteams_configs.iter().try_for_each(|config| on.msteams(config))?;
    receiver.msteamsv2_configs.iter().try_for_each(|config| on.msteams_v2(config))?;
    receiver.rocketchat_configs.iter().try_for_each(|config| on.rocketchat(config))
}

/// Checks configurations of receivers.
struct Checker<'c, 's> {
    version: &'c Version,
    references: &'c References<'s>,
}

impl<'s> Checker<'_, 's> {
    /// A client and the keys that are sent by it.
    fn keyed(&self, http: Option<&HttpConfig>, keys: &[&Option<SecretKeySelector>]) -> Result<(), Problem> {
        self.http_version(http)?;
        keys.iter().try_for_each(|key| self.references.optional_secret(key.as_ref()))?;
        self.http(http)
    }

    /// All that a client is told to read.
    fn http(&self, http: Option<&HttpConfig>) -> Result<(), Problem> {
        let Some(http) = http else { return Ok(()) };
        self.references.optional_secret(http.bearer_token_secret.as_ref())?;
        self.references.safe_authorization(http.authorization.as_ref())?;
        self.references.basic_auth(http.basic_auth.as_ref())?;
        self.references.safe_tls(http.tls_config.as_ref())?;
        self.references.proxy_headers(&http.proxy)?;
        self.references.oauth2(http.oauth2.as_ref())
    }

    /// The value of a key of a Secret, as text.
    fn text(&self, selector: &SecretKeySelector) -> Result<Cow<'s, str>, Problem> {
        self.references.secret(selector).map(String::from_utf8_lossy)
    }

    /// Whether the version has what a client is told to do.
    fn http_version(&self, http: Option<&HttpConfig>) -> Result<(), Problem> {
        let Some(http) = http else { return Ok(()) };
        let proxy = &http.proxy;
        let has_proxy = proxy.no_proxy.is_some()
            || proxy.proxy_from_environment.is_some()
            || proxy.proxy_connect_header.is_some();
        for (field, used, since) in [
            ("authorization", http.authorization.is_some(), since::AUTHORIZATION),
            ("oauth2", http.oauth2.is_some(), since::AUTHORIZATION),
            ("ProxyConfig", has_proxy, since::PROXY),
        ] {
            if used && *self.version < since {
                return broken(format!(
                    "'{field}' config set in 'httpConfig' but supported in Alertmanager >= {since} only - current {}",
                    self.version
                ));
            }
        }
        Ok(())
    }

    fn since(&self, field: &str, used: bool, since: &Version) -> Result<(), Problem> {
        since::check(field, used, since, self.version)
    }

    fn pagerduty(&self, config: &PagerDutyConfig) -> Result<(), Problem> {
        self.keyed(config.http_config.as_ref(), &[&config.routing_key, &config.service_key])
    }

    fn opsgenie(&self, config: &OpsGenieConfig) -> Result<(), Problem> {
        self.http_version(config.http_config.as_ref())?;
        let has_teams = config.responders.iter().any(|responder| responder.type_ == "teams");
        if has_teams && *self.version < since::TEAMS_RESPONDER {
            return broken("'teams' set in 'opsgenieResponder' but supported in Alertmanager >= 0.24.0 only");
        }
        self.keyed(config.http_config.as_ref(), &[&config.api_key])
    }

    fn discord(&self, config: &DiscordConfig) -> Result<(), Problem> {
        self.since("discordConfigs", true, &since::DISCORD)?;
        self.keyed(config.http_config.as_ref(), &[])?;
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
        self.since("messageText", config.message_text.is_some(), &since::MESSAGE_TEXT)?;
        self.since("updateMessage", config.update_message.is_some(), &since::UPDATE_MESSAGE)?;
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
        self.since("payload", config.payload.is_some(), &since::PAYLOAD)?;
        self.http(config.http_config.as_ref())
    }

    fn email(&self, config: &EmailConfig) -> Result<(), Problem> {
        self.references.optional_secret(config.auth_password.as_ref())?;
        self.references.optional_secret(config.auth_secret.as_ref())?;
        self.references.safe_tls(config.tls_config.as_ref())?;
        self.since("forceImplicitTLS", config.force_implicit_tls.is_some(), &since::IMPLICIT_TLS)?;
        self.since("threading", config.threading.is_some(), &since::THREADING)
    }

    /// Keys from files are refused here, although they make sense by themselves: the peer does so.
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
        self.since("useAWSHTTPClient", config.use_awshttp_client.is_some(), &since::AWS_CLIENT)?;
        self.http_version(config.http_config.as_ref())?;
        self.references.sigv4(config.sigv4.as_ref())?;
        self.http(config.http_config.as_ref())
    }

    fn telegram(&self, config: &TelegramConfig) -> Result<(), Problem> {
        self.since("telegramConfigs", true, &since::TELEGRAM)?;
        self.since("botTokenFile", config.bot_token_file.is_some(), &since::BOT_TOKEN_FILE)?;
        self.keyed(config.http_config.as_ref(), &[&config.bot_token])
    }

    fn msteams(&self, config: &MsTeamsConfig) -> Result<(), Problem> {
        self.integration("msteams", &since::MSTEAMS)?;
        self.http_version(config.http_config.as_ref())?;
        self.references.secret(&config.webhook_url)?;
        self.http(config.http_config.as_ref())
    }

    fn msteams_v2(&self, config: &MsTeamsV2Config) -> Result<(), Problem> {
        self.integration("msteamsv2", &since::MSTEAMS_V2)?;
        self.references.optional_secret(config.webhook_url.as_ref())?;
        self.keyed(config.http_config.as_ref(), &[])
    }

    fn integration(&self, name: &str, since: &Version) -> Result<(), Problem> {
        if self.version < since {
            return broken(format!(
                "invalid syntax in receivers config; {name} integration is only available in Alertmanager >= {since}"
            ));
        }
        Ok(())
    }

    fn rocketchat(&self, config: &RocketChatConfig) -> Result<(), Problem> {
        self.since("rocketChatConfigs", true, &since::ROCKETCHAT)?;
        self.keyed(config.http_config.as_ref(), &[])?;
        self.references.secret(&config.token).within("failed to retrieve RocketChat token")?;
        self.references.secret(&config.token_id).within("failed to retrieve RocketChat token ID")?;
        Ok(())
    }
}
