//! Mail.

use api_monitoring::alertmanager_config::receiver::email::{EmailConfig, EmailThreadingConfig};
use formats::alertmanager::host_port::HostPort;
use formats::alertmanager::receiver::email::{Email, Threading};

use super::by_key;
use crate::convert::{Convert, Error, or_empty};

impl Convert<'_> {
    pub(super) fn email(&self, config: &EmailConfig) -> Result<Email, Error> {
        let smarthost = or_empty(config.smarthost.as_ref());
        let from = or_empty(config.from.as_ref());
        if smarthost.is_empty() && self.global.is_none_or(|global| global.smtp_smarthost.host.is_empty()) {
            return Err(neither("smarthost"));
        }
        if from.is_empty() && self.global.is_none_or(|global| global.smtp_from.is_empty()) {
            return Err(neither("from"));
        }
        Ok(Email {
            send_resolved: config.send_resolved,
            to: or_empty(config.to.as_ref()),
            from,
            hello: or_empty(config.hello.as_ref()),
            smarthost: address(&smarthost)?,
            auth_username: or_empty(config.auth_username.as_ref()),
            auth_password: self.secret_if_any("auth password", config.auth_password.as_ref())?,
            auth_secret: self.secret_if_any("auth secret", config.auth_secret.as_ref())?,
            auth_identity: or_empty(config.auth_identity.as_ref()),
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
}

/// The error that neither the receiver nor the global part says something.
fn neither(field: &str) -> Error {
    Error::rule(format!(
        "SMTP {field} is a mandatory field, it is neither specified at global config nor at receiver level"
    ))
}

fn address(smarthost: &str) -> Result<HostPort, Error> {
    if smarthost.is_empty() {
        return Ok(HostPort::default());
    }
    HostPort::parse(smarthost)
        .map_err(|error| Error::rule(format!("invalid SMTP smarthost {smarthost:?}: {error}")))
}

fn threading(threading: &EmailThreadingConfig) -> Threading {
    let by_date = match &*threading.thread_by_date {
        "Daily" => "daily",
        "None" => "none",
        _ => "",
    };
    Threading { enabled: Some(true), thread_by_date: by_date.into() }
}
