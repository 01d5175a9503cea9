//! Microsoft Teams, by its old and its new connector.

use api_monitoring::alertmanager_config::receiver::msteams::{MsTeamsConfig, MsTeamsV2Config};
use formats::alertmanager::receiver::msteams::{MsTeams, MsTeamsV2};

use crate::convert::{Convert, Error, or_empty};

impl Convert<'_> {
    pub(super) fn msteams(&self, config: &MsTeamsConfig) -> Result<MsTeams, Error> {
        Ok(MsTeams {
            send_resolved: config.send_resolved,
            title: or_empty(config.title.as_ref()),
            text: or_empty(config.text.as_ref()),
            summary: or_empty(config.summary.as_ref()),
            webhook_url: self.secret_text(&config.webhook_url)?,
            http_config: self.http_if_any(config.http_config.as_ref())?,
        })
    }

    pub(super) fn msteams_v2(&self, config: &MsTeamsV2Config) -> Result<MsTeamsV2, Error> {
        let webhook_url =
            config.webhook_url.as_ref().map(|selector| self.secret_text(selector)).transpose()?;
        Ok(MsTeamsV2 {
            send_resolved: config.send_resolved,
            title: or_empty(config.title.as_ref()),
            text: or_empty(config.text.as_ref()),
            webhook_url: webhook_url.unwrap_or_default(),
            http_config: self.http_if_any(config.http_config.as_ref())?,
            ..MsTeamsV2::default()
        })
    }
}
