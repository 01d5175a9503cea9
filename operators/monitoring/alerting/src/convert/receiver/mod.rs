//! Receivers.
//!
//! | file | owns |
//! |---|---|
//! | `chat`, `slack` | services that show messages in a chat |
//! | `incident` | services that open incidents and page people |
//! | `message` | email, Amazon SNS and webhooks |

mod chat;
mod incident;
mod message;
mod slack;

use std::collections::BTreeMap;

use api_monitoring::alertmanager_config::receiver::{KeyValue, Receiver as ReceiverSpec};
use formats::alertmanager::receiver::Receiver;
use formats::alertmanager::url;
use k8s_openapi::api::core::v1::SecretKeySelector;
use monitoring_select::Problem;
use monitoring_select::problem::{Within as _, broken};

use super::{Convert, each};

impl Convert<'_> {
    /// A receiver with all its configurations.
    pub(super) fn receiver(&self, spec: &ReceiverSpec) -> Result<Receiver, Problem> {
        Ok(Receiver {
            name: self.unique(&spec.name),
            pagerduty_configs: each("PagerDutyConfig", &spec.pagerduty_configs, |one| self.pagerduty(one))?,
            discord_configs: each("DiscordConfig", &spec.discord_configs, |one| self.discord(one))?,
            slack_configs: each("SlackConfig", &spec.slack_configs, |one| self.slack(one))?,
            webhook_configs: each("WebhookConfig", &spec.webhook_configs, |one| self.webhook(one))?,
            opsgenie_configs: each("OpsGenieConfigs", &spec.opsgenie_configs, |one| self.opsgenie(one))?,
            wechat_configs: each("WeChatConfig", &spec.wechat_configs, |one| self.wechat(one))?,
            email_configs: each("EmailConfig", &spec.email_configs, |one| self.email(one))?,
            victorops_configs: each("VictorOpsConfig", &spec.victorops_configs, |one| self.victorops(one))?,
            pushover_configs: each("PushoverConfig", &spec.pushover_configs, |one| self.pushover(one))?,
            sns_configs: each("SNSConfig", &spec.sns_configs, |one| self.sns(one))?,
            telegram_configs: each("TelegramConfig", &spec.telegram_configs, |one| self.telegram(one))?,
            msteams_configs: each("MSTeamsConfig", &spec.msteams_configs, |one| self.msteams(one))?,
            msteamsv2_configs: each("MSTeamsConfigV2", &spec.msteamsv2_configs, |one| self.msteams_v2(one))?,
            webex_configs: each("WebexConfig", &spec.webex_configs, |one| self.webex(one))?,
            rocketchat_configs: each("RocketChatConfig", &spec.rocketchat_configs, |one| {
                self.rocketchat(one)
            })?,
            // These kinds have no resource type yet.
            jira_configs: Vec::new(),
            mattermost_configs: Vec::new(),
            incidentio_configs: Vec::new(),
        })
    }

    /// A URL from a Secret, without the spaces around it.
    fn secret_url(&self, selector: &SecretKeySelector) -> Result<String, Problem> {
        let url = self.secret_text(selector).within("failed to get URL")?;
        let url = url.trim();
        if let Err(fault) = url::check(url) {
            let (key, name) = (&selector.key, &selector.name);
            return broken(format!("failed to validate key {key:?} from secret {name:?}: {fault}"));
        }
        Ok(url.to_owned())
    }
}

/// Entries by key; of several with the same key, the last one is used.
fn by_key<V: From<String>>(entries: &[KeyValue]) -> BTreeMap<String, V> {
    entries.iter().map(|entry| (entry.key.clone(), entry.value.clone().into())).collect()
}
