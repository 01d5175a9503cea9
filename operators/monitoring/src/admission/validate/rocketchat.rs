//! Rocket.Chat.

use api_monitoring::alertmanager_config::receiver::rocketchat::RocketChatConfig;

use super::http;
use crate::admission::address;
use crate::admission::problem::{Problem, Within, each};

pub(super) fn check(config: &RocketChatConfig) -> Result<(), Problem> {
    address::check(config.api_url.as_deref()).within("invalid 'apiURL'")?;
    address::check_optional_template(config.icon_url.as_deref()).within("invalid 'iconURL'")?;
    address::check_optional_template(config.image_url.as_deref()).within("invalid 'imageURL'")?;
    address::check_optional_template(config.thumb_url.as_deref()).within("invalid 'thumbURL'")?;
    each("'actions'", &config.actions, |action| {
        address::check_optional_template(action.url.as_deref()).within("invalid 'url'")
    })?;
    http::check(config.http_config.as_ref())
}
