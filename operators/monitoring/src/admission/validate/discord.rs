//! Discord.

use api_monitoring::alertmanager_config::receiver::discord::DiscordConfig;

use super::http;
use crate::admission::problem::Problem;

pub(super) fn check(config: &DiscordConfig) -> Result<(), Problem> {
    http::check(config.http_config.as_ref())
}
