//! WeChat.

use api_monitoring::alertmanager_config::receiver::wechat::WeChatConfig;

use super::http;
use crate::admission::address;
use crate::admission::problem::{Problem, Within};

pub(super) fn check(config: &WeChatConfig) -> Result<(), Problem> {
    address::check(config.api_url.as_deref()).within("invalid 'apiURL'")?;
    http::check(config.http_config.as_ref())
}
