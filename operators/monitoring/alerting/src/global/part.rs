//! The global part in the words of Alertmanager.

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
use monitoring_select::references::References;

use crate::convert::{Convert, Error};

impl Convert<'_> {
    /// The global part. What its client points to is read, checked and collected by `references`.
    pub(super) fn global_part(
        &self,
        global: &AlertmanagerGlobalConfig,
        references: &References<'_>,
    ) -> Result<Global, Error> {
        let mut part = Global::default();
        if let Some(smtp) = &global.smtp {
            self.mail(smtp, &mut part).map_err(|error| error.at("invalid global smtpConfig"))?;
        }
        part.http_config =
            global.http_config.as_ref().map(|http| self.client(http, references)).transpose()?;
        if !global.resolve_timeout.is_empty() {
            let timeout = Duration::parse(&global.resolve_timeout);
            part.resolve_timeout =
                Some(timeout.map_err(|error| Error::from(error).at("parse resolve timeout"))?);
        }
        part.slack_api_url =
            self.url_of(global.slack_api_url.as_ref(), "failed to get Slack API URL", "parse slack API URL")?;
        part.opsgenie_api_url = self.url_of(
            global.ops_genie_api_url.as_ref(),
            "failed to get OpsGenie API URL",
            "parse OpsGenie API URL",
        )?;
        part.opsgenie_api_key =
            self.key_of(global.ops_genie_api_key.as_ref(), "failed to get OpsGenie API KEY")?;
        part.pagerduty_url = url(global.pagerduty_url.as_deref(), "parse Pagerduty URL")?;
        self.chats(global, &mut part)?;
        Ok(part)
    }

    /// What kinds of receivers have that came later.
    fn chats(&self, global: &AlertmanagerGlobalConfig, part: &mut Global) -> Result<(), Error> {
        if let Some(telegram) = &global.telegram {
            part.telegram_api_url = url(telegram.api_url.as_deref(), "failed to parse Telegram API URL")
                .map_err(|error| error.at("invalid global telegram config"))?;
        }
        if let Some(jira) = &global.jira {
            part.jira_api_url = url(jira.api_url.as_deref(), "failed to parse Jira API URL")
                .map_err(|error| error.at("invalid global jira config"))?;
        }
        if let Some(chat) = &global.rocket_chat {
            let within = |error: Error| error.at("invalid global rocket chat config");
            part.rocketchat_api_url =
                url(chat.api_url.as_deref(), "failed to parse Rocket Chat API URL").map_err(within)?;
            part.rocketchat_token =
                self.key_of(chat.token.as_ref(), "failed to get Rocket Chat Token").map_err(within)?;
            part.rocketchat_token_id =
                self.key_of(chat.token_id.as_ref(), "failed to get Rocket Chat Token ID").map_err(within)?;
        }
        if let Some(webex) = &global.webex {
            part.webex_api_url = url(webex.api_url.as_deref(), "parse Webex API URL")
                .map_err(|error| error.at("invalid global webex config"))?;
        }
        if let Some(wechat) = &global.wechat {
            let within = |error: Error| error.at("invalid global wechat config");
            part.wechat_api_url = url(wechat.api_url.as_deref(), "wechat API URL").map_err(within)?;
            part.wechat_api_secret =
                self.key_of(wechat.api_secret.as_ref(), "failed to get WeChat Secret").map_err(within)?;
            part.wechat_api_corp_id = wechat.api_corp_id.clone().unwrap_or_default();
        }
        if let Some(victorops) = &global.victorops {
            let within = |error: Error| error.at("invalid global victorops config");
            part.victorops_api_url =
                url(victorops.api_url.as_deref(), "failed to parse VictorOps API URL").map_err(within)?;
            part.victorops_api_key =
                self.key_of(victorops.api_key.as_ref(), "failed to get VictorOps Secret").map_err(within)?;
        }
        if let Some(mattermost) = &global.mattermost {
            let (read, parse) =
                ("failed to get Mattermost Webhook URL Secret", "failed to parse Webhook URL");
            part.mattermost_webhook_url = self
                .url_of(mattermost.webhook_url.as_ref(), read, parse)
                .map_err(|error| error.at("invalid global mattermost config"))?;
        }
        Ok(())
    }

    fn mail(&self, smtp: &GlobalSmtpConfig, part: &mut Global) -> Result<(), Error> {
        let said = |text: &Option<String>| text.clone().unwrap_or_default();
        let secret = |selector: &Option<SecretKeySelector>| {
            selector.as_ref().map_or_else(|| Ok(Secret::default()), |selector| self.plain_secret(selector))
        };
        part.smtp_from = said(&smtp.from);
        part.smtp_hello = said(&smtp.hello);
        part.smtp_auth_username = said(&smtp.auth_username);
        part.smtp_auth_identity = said(&smtp.auth_identity);
        part.smtp_force_implicit_tls = smtp.force_implicit_tls;
        part.smtp_require_tls = smtp.require_tls;
        part.smtp_tls_config = smtp.tls_config.as_ref().map(|tls| self.tls(tls));
        if let Some(host) = &smtp.smart_host {
            part.smtp_smarthost = HostPort { host: host.host.clone(), port: host.port.clone() };
        }
        part.smtp_auth_password = secret(&smtp.auth_password)?;
        part.smtp_auth_secret = secret(&smtp.auth_secret)?;
        Ok(())
    }

    fn client(&self, http: &HttpConfigWithProxy, references: &References<'_>) -> Result<HttpClient, Error> {
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
        let written = self.http(&config).map_err(|error| error.at("invalid global httpConfig"))?;
        references.optional_secret(config.bearer_token_secret.as_ref())?;
        references.safe_authorization(config.authorization.as_ref())?;
        references.basic_auth(config.basic_auth.as_ref())?;
        references.safe_tls(config.tls_config.as_ref())?;
        references.proxy_headers(&config.proxy)?;
        references.oauth2(config.oauth2.as_ref())?;
        Ok(written)
    }

    fn key_of(&self, selector: Option<&SecretKeySelector>, within: &str) -> Result<Secret, Error> {
        let Some(selector) = selector else { return Ok(Secret::default()) };
        self.plain_secret(selector).map_err(|error| error.at(within))
    }

    fn url_of(
        &self,
        selector: Option<&SecretKeySelector>,
        read: &str,
        parse: &str,
    ) -> Result<Option<Url>, Error> {
        let Some(selector) = selector else { return Ok(None) };
        let text = self.secret_text(selector).map_err(|error| error.at(read))?;
        url(Some(&text), parse)
    }
}

fn url(text: Option<&str>, within: &str) -> Result<Option<Url>, Error> {
    let parse = |text| Url::parse(text).map_err(|error| Error::rule(error.to_string()).at(within));
    text.map(parse).transpose()
}
