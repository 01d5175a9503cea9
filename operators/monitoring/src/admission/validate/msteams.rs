//! Microsoft Teams, by its old and its new connector.

use api_monitoring::alertmanager_config::receiver::msteams::{MsTeamsConfig, MsTeamsV2Config};

use super::http;
use crate::admission::problem::Problem;

pub(super) fn check(config: &MsTeamsConfig) -> Result<(), Problem> {
    http::check(config.http_config.as_ref())
}

pub(super) fn check_v2(config: &MsTeamsV2Config) -> Result<(), Problem> {
    http::check(config.http_config.as_ref())
}
