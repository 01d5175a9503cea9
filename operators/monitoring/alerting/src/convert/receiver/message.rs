//! Email, Amazon SNS and webhooks.

use api_monitoring::alertmanager_config::receiver::email::{EmailConfig, EmailThreadingConfig};
use api_monitoring::alertmanager_config::receiver::sns::SnsConfig;
use api_monitoring::alertmanager_config::receiver::webhook::WebhookConfig;
use api_monitoring::auth::Sigv4 as Sigv4Spec;
use formats::alertmanager::fit::has_external_id;
use formats::alertmanager::host_port::HostPort;
use formats::alertmanager::receiver::email::{Email, Threading};
use formats::alertmanager::receiver::sns::{Sigv4, Sns};
use formats::alertmanager::receiver::webhook::Webhook;
use formats::alertmanager::secret::Secret;
use monitoring_select::Problem;

use super::by_key;
use crate::convert::{Convert, duration};

impl Convert<'_> {
    pub(super) fn email(&self, config: &EmailConfig) -> Result<Email, Problem> {
        let smarthost = config.smarthost.clone().unwrap_or_default();
        let from = config.from.clone().unwrap_or_default();
        if smarthost.is_empty() && self.global.is_none_or(|global| global.smtp_smarthost.host.is_empty()) {
            return Err(neither("smarthost"));
        }
        if from.is_empty() && self.global.is_none_or(|global| global.smtp_from.is_empty()) {
            return Err(neither("from"));
        }
        Ok(Email {
            send_resolved: config.send_resolved,
            to: config.to.clone().unwrap_or_default(),
            from,
            hello: config.hello.clone().unwrap_or_default(),
            smarthost: address(&smarthost)?,
            auth_username: config.auth_username.clone().unwrap_or_default(),
            auth_password: self.secret_if_any("auth password", config.auth_password.as_ref())?,
            auth_secret: self.secret_if_any("auth secret", config.auth_secret.as_ref())?,
            auth_identity: config.auth_identity.clone().unwrap_or_default(),
            headers: by_key(&config.headers),
            html: config.html.clone(),
            text: config.text.clone(),
            require_tls: config.require_tls,
            tls_config: config.tls_config.as_ref().map(|tls| self.tls(tls)),
            force_implicit_tls: config.force_implicit_tls,
            threading: config.threading.as_ref().map(threading),
            ..Email::default()
        })
    }

    pub(super) fn sns(&self, config: &SnsConfig) -> Result<Sns, Problem> {
        Ok(Sns {
            send_resolved: config.send_resolved,
            attributes: config.attributes.clone(),
            api_url: config.api_url.clone().unwrap_or_default(),
            topic_arn: config.topic_arn.clone().unwrap_or_default(),
            phone_number: config.phone_number.clone().unwrap_or_default(),
            target_arn: config.target_arn.clone().unwrap_or_default(),
            subject: config.subject.clone().unwrap_or_default(),
            message: config.message.clone().unwrap_or_default(),
            use_aws_http_client: config.use_awshttp_client.unwrap_or_default(),
            http_config: self.http_if_any(config.http_config.as_ref())?,
            sigv4: config.sigv4.as_ref().map(|sigv4| self.sigv4(sigv4)).transpose()?.unwrap_or_default(),
        })
    }

    fn sigv4(&self, sigv4: &Sigv4Spec) -> Result<Sigv4, Problem> {
        let (access_key, secret_key) = match (&sigv4.access_key, &sigv4.secret_key) {
            (Some(access), Some(secret)) => {
                (self.secret("access key", access)?, self.secret("AWS secret key", secret)?)
            }
            (Some(_), None) | (None, _) => (Secret::default(), Secret::default()),
        };
        // Older versions ignore an external ID without a role.
        let external_id =
            if has_external_id(self.version) { sigv4.external_id.clone() } else { String::new() };
        Ok(Sigv4 {
            region: sigv4.region.clone(),
            access_key,
            secret_key,
            profile: sigv4.profile.clone(),
            role_arn: sigv4.role_arn.clone(),
            external_id,
        })
    }

    pub(super) fn webhook(&self, config: &WebhookConfig) -> Result<Webhook, Problem> {
        let url = match &config.url_secret {
            Some(selector) => self.secret_text(selector)?,
            None => config.url.clone().unwrap_or_default(),
        };
        Ok(Webhook {
            send_resolved: config.send_resolved,
            url,
            http_config: self.http_if_any(config.http_config.as_ref())?,
            max_alerts: config.max_alerts.max(0),
            timeout: duration(config.timeout.as_deref())?,
            payload: config.payload.clone().map(Into::into),
            ..Webhook::default()
        })
    }
}

/// A field that neither the receiver nor the global settings have.
fn neither(field: &str) -> Problem {
    Problem::rule(format!(
        "SMTP {field} is a mandatory field, it is neither specified at global config nor at receiver level"
    ))
}

fn address(smarthost: &str) -> Result<HostPort, Problem> {
    if smarthost.is_empty() {
        return Ok(HostPort::default());
    }
    HostPort::parse(smarthost)
        .map_err(|error| Problem::rule(format!("invalid SMTP smarthost {smarthost:?}: {error}")))
}

fn threading(threading: &EmailThreadingConfig) -> Threading {
    let by_date = match &*threading.thread_by_date {
        "Daily" => "daily",
        "None" => "none",
        _ => "",
    };
    Threading { enabled: Some(true), thread_by_date: by_date.into() }
}
