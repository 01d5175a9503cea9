//! Checks the global settings by themselves, against the version, and for the Secrets that they need.

use api_monitoring::alertmanager::global::AlertmanagerGlobalConfig;
use api_monitoring::http::HttpConfigWithProxy;
use formats::alertmanager::url;
use formats::version::Version;
use k8s_openapi::api::core::v1::SecretKeySelector;
use monitoring_select::problem::{Within as _, broken};
use monitoring_select::{Problem, authentication, proxy, tls};

use crate::convert::{Convert, unreadable};

pub(super) fn check(global: &AlertmanagerGlobalConfig, convert: &Convert<'_>) -> Result<(), Problem> {
    check_fields(global)?;
    check_versions_and_secrets(global, convert)
}

/// Checks that do not depend on the version.
fn check_fields(global: &AlertmanagerGlobalConfig) -> Result<(), Problem> {
    if let Some(http) = &global.http_config {
        check_client(http).within("'httpConfig'")?;
    }
    let urls = [
        ("telegram", global.telegram.as_ref().and_then(|telegram| telegram.api_url.as_ref())),
        ("jira", global.jira.as_ref().and_then(|jira| jira.api_url.as_ref())),
        ("victorops", global.victorops.as_ref().and_then(|victorops| victorops.api_url.as_ref())),
        ("rocketChat", global.rocket_chat.as_ref().and_then(|chat| chat.api_url.as_ref())),
        ("webex", global.webex.as_ref().and_then(|webex| webex.api_url.as_ref())),
        ("'wechat'", global.wechat.as_ref().and_then(|wechat| wechat.api_url.as_ref())),
    ];
    for (field, url) in urls {
        if let Some(url) = url.filter(|url| !url.is_empty()) {
            url::check(url).map_err(unreadable).within(format_args!("{field}: invalid 'apiURL'"))?;
        }
    }
    Ok(())
}

fn check_client(http: &HttpConfigWithProxy) -> Result<(), Problem> {
    authentication::check_client(&http.client)?;
    http.tls_config.as_ref().map_or(Ok(()), tls::check_safe).within("tlsConfig")?;
    proxy::check(&http.proxy)
}

fn check_versions_and_secrets(
    global: &AlertmanagerGlobalConfig,
    convert: &Convert<'_>,
) -> Result<(), Problem> {
    let needs = |what: &str, is_used: bool, minor: u64| {
        let since = Version::new(0, minor, 0);
        if !is_used || *convert.version >= since {
            return Ok(());
        }
        broken(format!("{what} Alertmanager >= {since} - current {}", convert.version))
    };
    let can_read = |selector: Option<&SecretKeySelector>| {
        selector.map_or(Ok(()), |selector| convert.plain_secret(selector).map(drop))
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
        let webhook = convert.secret_text(selector).within("failed to retrieve Mattermost Webhook URL")?;
        url::check_secret(webhook.trim())
            .map_err(unreadable)
            .within("failed to validate Mattermost Webhook URL")?;
    }
    Ok(())
}
