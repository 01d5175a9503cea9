//! What the global part must be: sound by itself, known to the version, and with Secrets that are there.

use api_monitoring::alertmanager::global::AlertmanagerGlobalConfig;
use api_monitoring::text::Url;
use formats::alertmanager::url;
use formats::version::Version;
use k8s_openapi::api::core::v1::SecretKeySelector;

use super::client;
use crate::convert::{Convert, Error};

pub(super) fn check(global: &AlertmanagerGlobalConfig, convert: &Convert<'_>) -> Result<(), Error> {
    check_form(global)?;
    check_versions_and_secrets(global, convert)
}

/// What is wrong whatever the version.
fn check_form(global: &AlertmanagerGlobalConfig) -> Result<(), Error> {
    if let Some(http) = &global.http_config {
        client::check(http).map_err(|error| error.at("'httpConfig'"))?;
    }
    let urls = [
        ("telegram", global.telegram.as_ref().and_then(|telegram| telegram.api_url.as_ref())),
        ("jira", global.jira.as_ref().and_then(|jira| jira.api_url.as_ref())),
        ("victorops", global.victorops.as_ref().and_then(|victorops| victorops.api_url.as_ref())),
        ("rocketChat", global.rocket_chat.as_ref().and_then(|chat| chat.api_url.as_ref())),
        ("webex", global.webex.as_ref().and_then(|webex| webex.api_url.as_ref())),
        ("'wechat'", global.wechat.as_ref().and_then(|wechat| wechat.api_url.as_ref())),
    ];
    for (place, url) in urls {
        check_url(url).map_err(|error| error.at("invalid 'apiURL'").at(place))?;
    }
    Ok(())
}

fn check_url(url: Option<&Url>) -> Result<(), Error> {
    match url {
        Some(url) if !url.is_empty() => url::check(url).map_err(Error::Rule),
        Some(_) | None => Ok(()),
    }
}

fn check_versions_and_secrets(global: &AlertmanagerGlobalConfig, convert: &Convert<'_>) -> Result<(), Error> {
    let needs = |what: &str, is_asked_for: bool, minor: u64| {
        let since = Version::new(0, minor, 0);
        if !is_asked_for || *convert.version >= since {
            return Ok(());
        }
        Err(Error::rule(format!("{what} Alertmanager >= {since} - current {}", convert.version)))
    };
    let can_read = |selector: Option<&SecretKeySelector>| {
        selector.map_or(Ok(()), |selector| convert.plain_secret(selector).map(|_| ()))
    };
    let forces_tls = global.smtp.as_ref().is_some_and(|smtp| smtp.force_implicit_tls.is_some());
    needs("'forceImplicitTLS' integration requires", forces_tls, 31)?;
    needs("'telegram' integration requires", global.telegram.is_some(), 24)?;
    needs("'jira' integration requires", global.jira.is_some(), 28)?;
    can_read(global.victorops.as_ref().and_then(|victorops| victorops.api_key.as_ref()))?;
    needs("'rocketChat' integration requires", global.rocket_chat.is_some(), 28)?;
    can_read(global.rocket_chat.as_ref().and_then(|chat| chat.token.as_ref()))?;
    can_read(global.rocket_chat.as_ref().and_then(|chat| chat.token_id.as_ref()))?;
    needs("'webex' integration requires", global.webex.is_some(), 25)?;
    can_read(global.wechat.as_ref().and_then(|wechat| wechat.api_secret.as_ref()))?;
    needs("'mattermost' global parameters require", global.mattermost.is_some(), 32)?;
    if let Some(selector) = global.mattermost.as_ref().and_then(|mattermost| mattermost.webhook_url.as_ref())
    {
        let webhook = convert.secret_text(selector);
        let webhook = webhook.map_err(|error| error.at("failed to retrieve Mattermost Webhook URL"))?;
        url::check_secret(webhook.trim())
            .map_err(|problem| Error::Rule(problem).at("failed to validate Mattermost Webhook URL"))?;
    }
    Ok(())
}
