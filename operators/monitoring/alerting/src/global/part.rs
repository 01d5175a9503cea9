//! Converts the global settings.

use api_monitoring::alertmanager::global::{AlertmanagerGlobalConfig, GlobalSmtpConfig};
use api_monitoring::alertmanager_config::receiver::HttpConfig;
use api_monitoring::http::HttpConfigWithProxy;
use formats::alertmanager::duration::Duration;
use formats::alertmanager::global::Global;
use formats::alertmanager::host_port::HostPort;
use formats::alertmanager::http::HttpClient;
use formats::alertmanager::secret::Secret;
use formats::alertmanager::url::Url;
use k8s_openapi::api::core::v1::SecretKeySelector;
use monitoring_select::Problem;
use monitoring_select::problem::Within as _;
use monitoring_select::references::References;

use crate::convert::{Convert, check_references, unreadable};

impl Convert<'_> {
    /// The global settings. `references` checks what the HTTP client refers to and collects its certificates and keys.
    pub(super) fn global_part(
        &self,
        global: &AlertmanagerGlobalConfig,
        references: &References<'_>,
    ) -> Result<Global, Problem> {
        let mut part = Global::default();
        if let Some(smtp) = &global.smtp {
            self.smtp(smtp, &mut part).within("invalid global smtpConfig")?;
        }
        part.http_config =
            global.http_config.as_ref().map(|http| self.client(http, references)).transpose()?;
        if !global.resolve_timeout.is_empty() {
            let timeout = Duration::parse(&global.resolve_timeout).map_err(unreadable);
            part.resolve_timeout = Some(timeout.within("parse resolve timeout")?);
        }
        if let Some(selector) = &global.slack_api_url {
            part.slack_api_url =
                self.secret_url_of(selector, "failed to get Slack API URL", "parse slack API URL")?;
        }
        if let Some(selector) = &global.ops_genie_api_url {
            part.opsgenie_api_url =
                self.secret_url_of(selector, "failed to get OpsGenie API URL", "parse OpsGenie API URL")?;
        }
        part.opsgenie_api_key =
            self.key(global.ops_genie_api_key.as_ref(), "failed to get OpsGenie API KEY")?;
        part.pagerduty_url = url(global.pagerduty_url.as_deref(), "parse Pagerduty URL")?;
        self.integrations(global, &mut part)?;
        Ok(part)
    }

    /// The settings with a section for each service.
    fn integrations(&self, global: &AlertmanagerGlobalConfig, part: &mut Global) -> Result<(), Problem> {
        if let Some(telegram) = &global.telegram {
            part.telegram_api_url = url(telegram.api_url.as_deref(), "failed to parse Telegram API URL")
                .within("invalid global telegram config")?;
        }
        if let Some(jira) = &global.jira {
            part.jira_api_url = url(jira.api_url.as_deref(), "failed to parse Jira API URL")
                .within("invalid global jira config")?;
        }
        if let Some(chat) = &global.rocket_chat {
            const CHAT: &str = "invalid global rocket chat config";
            part.rocketchat_api_url =
                url(chat.api_url.as_deref(), "failed to parse Rocket Chat API URL").within(CHAT)?;
            part.rocketchat_token =
                self.key(chat.token.as_ref(), "failed to get Rocket Chat Token").within(CHAT)?;
            part.rocketchat_token_id =
                self.key(chat.token_id.as_ref(), "failed to get Rocket Chat Token ID").within(CHAT)?;
        }
        if let Some(webex) = &global.webex {
            part.webex_api_url =
                url(webex.api_url.as_deref(), "parse Webex API URL").within("invalid global webex config")?;
        }
        if let Some(wechat) = &global.wechat {
            const WECHAT: &str = "invalid global wechat config";
            part.wechat_api_url = url(wechat.api_url.as_deref(), "wechat API URL").within(WECHAT)?;
            part.wechat_api_secret =
                self.key(wechat.api_secret.as_ref(), "failed to get WeChat Secret").within(WECHAT)?;
            part.wechat_api_corp_id = wechat.api_corp_id.clone().unwrap_or_default();
        }
        if let Some(victorops) = &global.victorops {
            const VICTOROPS: &str = "invalid global victorops config";
            part.victorops_api_url =
                url(victorops.api_url.as_deref(), "failed to parse VictorOps API URL").within(VICTOROPS)?;
            part.victorops_api_key =
                self.key(victorops.api_key.as_ref(), "failed to get VictorOps Secret").within(VICTOROPS)?;
        }
        if let Some(selector) = global.mattermost.as_ref().and_then(|chat| chat.webhook_url.as_ref()) {
            let read = "failed to get Mattermost Webhook URL Secret";
            part.mattermost_webhook_url = self
                .secret_url_of(selector, read, "failed to parse Webhook URL")
                .within("invalid global mattermost config")?;
        }
        Ok(())
    }

    fn smtp(&self, smtp: &GlobalSmtpConfig, part: &mut Global) -> Result<(), Problem> {
        part.smtp_from = smtp.from.clone().unwrap_or_default();
        part.smtp_hello = smtp.hello.clone().unwrap_or_default();
        part.smtp_auth_username = smtp.auth_username.clone().unwrap_or_default();
        part.smtp_auth_identity = smtp.auth_identity.clone().unwrap_or_default();
        part.smtp_force_implicit_tls = smtp.force_implicit_tls;
        part.smtp_require_tls = smtp.require_tls;
        part.smtp_tls_config = smtp.tls_config.as_ref().map(|tls| self.tls(tls));
        if let Some(host) = &smtp.smart_host {
            part.smtp_smarthost = HostPort { host: host.host.clone(), port: host.port.clone() };
        }
        if let Some(selector) = &smtp.auth_password {
            part.smtp_auth_password = self.plain_secret(selector)?;
        }
        if let Some(selector) = &smtp.auth_secret {
            part.smtp_auth_secret = self.plain_secret(selector)?;
        }
        Ok(())
    }

    fn client(&self, http: &HttpConfigWithProxy, references: &References<'_>) -> Result<HttpClient, Problem> {
        let client = http.client.clone();
        let config = HttpConfig {
            authorization: client.authorization,
            basic_auth: client.basic_auth,
            oauth2: client.oauth2,
            bearer_token_secret: client.bearer_token_secret,
            tls_config: http.tls_config.clone(),
            proxy_url_original: None,
            proxy: http.proxy.clone(),
            follow_redirects: client.follow_redirects,
            enable_http2: client.enable_http2,
        };
        let written = self.http(&config).within("invalid global httpConfig")?;
        check_references(&config, references)?;
        Ok(written)
    }

    fn key(&self, selector: Option<&SecretKeySelector>, read: &str) -> Result<Secret, Problem> {
        selector.map_or_else(|| Ok(Secret::default()), |selector| self.plain_secret(selector).within(read))
    }

    fn secret_url_of(
        &self,
        selector: &SecretKeySelector,
        read: &str,
        parse: &str,
    ) -> Result<Option<Url>, Problem> {
        url(Some(&self.secret_text(selector).within(read)?), parse)
    }
}

fn url(text: Option<&str>, parse: &str) -> Result<Option<Url>, Problem> {
    text.map(Url::parse).transpose().map_err(unreadable).within(parse)
}
