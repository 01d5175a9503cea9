//! Receivers, one file for each integration. The fields are in the order in which they are written. Each file also
//! has the rules that depend on the version.

pub mod discord;
pub mod email;
pub mod incidentio;
pub mod jira;
pub mod mattermost;
pub mod msteams;
pub mod opsgenie;
pub mod pagerduty;
pub mod pushover;
pub mod rocketchat;
pub mod slack;
pub mod sns;
pub mod telegram;
pub mod victorops;
pub mod webex;
pub mod webhook;
pub mod wechat;

use serde::{Deserialize, Serialize};

use super::fit::{ConfigError, Fit, Fitting};
use super::url;
use crate::yaml::serde::always;
use discord::Discord;
use email::Email;
use incidentio::IncidentIo;
use jira::Jira;
use mattermost::Mattermost;
use msteams::{MsTeams, MsTeamsV2};
use opsgenie::OpsGenie;
use pagerduty::PagerDuty;
use pushover::Pushover;
use rocketchat::RocketChat;
use slack::Slack;
use sns::Sns;
use telegram::Telegram;
use victorops::VictorOps;
use webex::Webex;
use webhook::Webhook;
use wechat::WeChat;

/// A named list of integrations.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of Alertmanager's documentation, by the same names")]
pub struct Receiver {
    #[serde(serialize_with = "always")]
    pub name: String,
    pub opsgenie_configs: Vec<OpsGenie>,
    pub pagerduty_configs: Vec<PagerDuty>,
    pub slack_configs: Vec<Slack>,
    pub webhook_configs: Vec<Webhook>,
    pub wechat_configs: Vec<WeChat>,
    pub email_configs: Vec<Email>,
    pub pushover_configs: Vec<Pushover>,
    pub victorops_configs: Vec<VictorOps>,
    pub sns_configs: Vec<Sns>,
    pub telegram_configs: Vec<Telegram>,
    pub discord_configs: Vec<Discord>,
    pub webex_configs: Vec<Webex>,
    pub msteams_configs: Vec<MsTeams>,
    pub msteamsv2_configs: Vec<MsTeamsV2>,
    pub jira_configs: Vec<Jira>,
    pub rocketchat_configs: Vec<RocketChat>,
    pub mattermost_configs: Vec<Mattermost>,
    pub incidentio_configs: Vec<IncidentIo>,
}

impl Fit for Receiver {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        self.email_configs.fit(fitting)?;
        self.opsgenie_configs.fit(fitting)?;
        self.pagerduty_configs.fit(fitting)?;
        self.pushover_configs.fit(fitting)?;
        self.slack_configs.fit(fitting)?;
        self.victorops_configs.fit(fitting)?;
        self.webhook_configs.fit(fitting)?;
        self.wechat_configs.fit(fitting)?;
        self.sns_configs.fit(fitting)?;
        self.telegram_configs.fit(fitting)?;
        self.discord_configs.fit(fitting)?;
        self.webex_configs.fit(fitting)?;
        self.msteams_configs.fit(fitting)?;
        self.msteamsv2_configs.fit(fitting)?;
        self.jira_configs.fit(fitting)?;
        self.rocketchat_configs.fit(fitting)?;
        self.mattermost_configs.fit(fitting)?;
        self.incidentio_configs.fit(fitting)
    }
}

/// Checks a URL, unless it is empty.
fn check_url(field: &'static str, text: &str) -> Result<(), ConfigError> {
    check_unless_empty(field, text, url::check)
}

/// Checks a URL or a template for one, unless it is empty.
fn check_template_url(field: &'static str, text: &str) -> Result<(), ConfigError> {
    check_unless_empty(field, text, url::check_template)
}

fn check_unless_empty(
    field: &'static str,
    text: &str,
    check: fn(&str) -> Result<(), String>,
) -> Result<(), ConfigError> {
    if text.is_empty() { Ok(()) } else { check(text).map_err(|problem| ConfigError::new(problem).at(field)) }
}
