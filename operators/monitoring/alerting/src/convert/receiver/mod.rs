//! Who is told, a file a kind.

mod discord;
mod email;
mod msteams;
mod opsgenie;
mod pagerduty;
mod pushover;
mod rocketchat;
mod slack;
mod sns;
mod telegram;
mod victorops;
mod webex;
mod webhook;
mod wechat;

use std::collections::BTreeMap;

use api_monitoring::alertmanager_config::receiver::{KeyValue, Receiver as Resource};
use formats::alertmanager::receiver::Receiver;
use formats::alertmanager::url;
use k8s_openapi::api::core::v1::SecretKeySelector;

use super::{Convert, Error};

impl Convert<'_> {
    /// A receiver with everybody who is told.
    pub(super) fn receiver(&self, receiver: &Resource) -> Result<Receiver, Error> {
        Ok(Receiver {
            name: self.unique(&receiver.name),
            pagerduty_configs: each("PagerDutyConfig", &receiver.pagerduty_configs, |one| {
                self.pagerduty(one)
            })?,
            discord_configs: each("DiscordConfig", &receiver.discord_configs, |one| self.discord(one))?,
            slack_configs: each("SlackConfig", &receiver.slack_configs, |one| self.slack(one))?,
            webhook_configs: each("WebhookConfig", &receiver.webhook_configs, |one| self.webhook(one))?,
            opsgenie_configs: each("OpsGenieConfigs", &receiver.opsgenie_configs, |one| self.opsgenie(one))?,
            wechat_configs: each("WeChatConfig", &receiver.wechat_configs, |one| self.wechat(one))?,
            email_configs: each("EmailConfig", &receiver.email_configs, |one| self.email(one))?,
            victorops_configs: each("VictorOpsConfig", &receiver.victorops_configs, |one| {
                self.victorops(one)
            })?,
            pushover_configs: each("PushoverConfig", &receiver.pushover_configs, |one| self.pushover(one))?,
            sns_configs: each("SNSConfig", &receiver.sns_configs, |one| self.sns(one))?,
            telegram_configs: each("TelegramConfig", &receiver.telegram_configs, |one| self.telegram(one))?,
            msteams_configs: each("MSTeamsConfig", &receiver.msteams_configs, |one| self.msteams(one))?,
            msteamsv2_configs: each("MSTeamsConfigV2", &receiver.msteamsv2_configs, |one| {
                self.msteams_v2(one)
            })?,
            webex_configs: each("WebexConfig", &receiver.webex_configs, |one| self.webex(one))?,
            rocketchat_configs: each("RocketChatConfig", &receiver.rocketchat_configs, |one| {
                self.rocketchat(one)
            })?,
            // These kinds have no resource type yet.
            jira_configs: Vec::new(),
            mattermost_configs: Vec::new(),
            incidentio_configs: Vec::new(),
        })
    }

    /// An address from a Secret, without the spaces around it.
    fn secret_url(&self, selector: &SecretKeySelector) -> Result<String, Error> {
        let url = self.secret_text(selector).map_err(|error| error.reading("URL"))?;
        let url = url.trim();
        url::check(url).map_err(|problem| {
            let (key, name) = (&selector.key, &selector.name);
            Error::rule(format!("failed to validate key {key:?} from secret {name:?}: {problem}"))
        })?;
        Ok(url.to_owned())
    }
}

/// Converts all of a kind; an error says which one it is.
fn each<R, T>(kind: &str, configs: &[R], convert: impl Fn(&R) -> Result<T, Error>) -> Result<Vec<T>, Error> {
    let one = |(at, config)| convert(config).map_err(|error| error.at(format!("{kind}[{at}]")));
    configs.iter().enumerate().map(one).collect()
}

/// Entries by key; of several with the same key the last one counts.
fn by_key<V: From<String>>(entries: &[KeyValue]) -> BTreeMap<String, V> {
    entries.iter().map(|entry| (entry.key.clone(), entry.value.clone().into())).collect()
}
