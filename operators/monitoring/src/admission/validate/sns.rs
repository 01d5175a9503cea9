//! Amazon SNS.

use api_monitoring::alertmanager_config::receiver::sns::SnsConfig;

use super::http;
use crate::admission::address;
use crate::admission::problem::{Problem, Within, broken};

pub(super) fn check(config: &SnsConfig) -> Result<(), Problem> {
    let is_missing = |text: &Option<String>| text.as_deref().unwrap_or_default().is_empty();
    let missing =
        [&config.target_arn, &config.topic_arn, &config.phone_number].into_iter().filter(|to| is_missing(to));
    // One, or all three at once: the peer takes both, so stored objects may have both.
    if missing.count() % 2 == 1 {
        return broken("must provide one of 'targetARN', 'topicARN', or 'phoneNumber'");
    }
    if let Some(address) = &config.api_url {
        address::check_template(address).within("invalid 'apiURL'")?;
    }
    http::check(config.http_config.as_ref())
}
