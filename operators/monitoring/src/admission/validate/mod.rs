//! Whether an AlertmanagerConfig makes sense by itself: what a schema cannot say. Nothing is read besides the object, and
//! no version of Alertmanager matters.
//!
//! Every kind of receiver has a file; `route` knows names, `time` spans of time, `http` the settings of clients,
//! `matcher` comparisons.

mod discord;
mod email;
mod http;
pub(crate) mod matcher;
mod msteams;
mod opsgenie;
mod pagerduty;
mod pushover;
mod rocketchat;
mod route;
mod slack;
mod sns;
mod telegram;
mod time;
mod victorops;
mod webex;
mod webhook;
mod wechat;

use std::collections::BTreeSet;

use api_monitoring::alertmanager_config::receiver::Receiver;
use api_monitoring::alertmanager_config::{AlertmanagerConfigSpec, ApiVersion};
use go_syntax::quoted::Quoted;

use crate::admission::problem::{Problem, Within, broken, each};

/// Checks an object, in the words of the version in which it was written.
pub fn check(spec: &AlertmanagerConfigSpec, version: ApiVersion) -> Result<(), Problem> {
    let receivers = check_receivers(&spec.receivers)?;
    let intervals = time::check(&spec.mute_time_intervals, version)?;
    match &spec.route {
        Some(route) => route::check(route, &route::Names { receivers, intervals, version }),
        None => Ok(()),
    }
}

/// Checks receivers; gives their names.
fn check_receivers(receivers: &[Receiver]) -> Result<BTreeSet<&str>, Problem> {
    let mut names = BTreeSet::new();
    for receiver in receivers {
        let name = Quoted(&receiver.name);
        if !names.insert(receiver.name.as_str()) {
            return broken(format!("{name} receiver is not unique"));
        }
        check_receiver(receiver).within(format_args!("failed to validate receiver {name}"))?;
    }
    Ok(names)
}

fn check_receiver(receiver: &Receiver) -> Result<(), Problem> {
    each("'opsgenieConfigs'", &receiver.opsgenie_configs, opsgenie::check)?;
    each("'pagerdutyConfigs'", &receiver.pagerduty_configs, pagerduty::check)?;
    each("'discordConfigs'", &receiver.discord_configs, discord::check)?;
    each("'slackConfigs'", &receiver.slack_configs, slack::check)?;
    each("'webhookConfigs'", &receiver.webhook_configs, webhook::check)?;
    each("'wechatConfigs'", &receiver.wechat_configs, wechat::check)?;
    each("'emailConfigs'", &receiver.email_configs, email::check)?;
    each("'victoropsConfigs'", &receiver.victorops_configs, victorops::check)?;
    each("'pushoverConfigs'", &receiver.pushover_configs, pushover::check)?;
    each("'snsConfigs'", &receiver.sns_configs, sns::check)?;
    each("'telegramConfigs'", &receiver.telegram_configs, telegram::check)?;
    each("'webexConfigs'", &receiver.webex_configs, webex::check)?;
    each("'msteamsConfigs'", &receiver.msteams_configs, msteams::check)?;
    each("'msteamsv2Configs'", &receiver.msteamsv2_configs, msteams::check_v2)?;
    each("'rocketchatConfigs'", &receiver.rocketchat_configs, rocketchat::check)
}

#[cfg(test)]
mod tests;
