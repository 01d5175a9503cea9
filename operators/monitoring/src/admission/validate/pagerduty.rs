//! PagerDuty.

use api_monitoring::alertmanager_config::receiver::pagerduty::PagerDutyConfig;

use super::http;
use crate::admission::address;
use crate::admission::problem::{Problem, Within, broken, each};

pub(super) fn check(config: &PagerDutyConfig) -> Result<(), Problem> {
    address::check(config.url.as_deref()).within("invalid 'url'")?;
    address::check_optional_template(config.client_url.as_deref()).within("invalid 'clientURL'")?;
    if config.routing_key.is_none() && config.service_key.is_none() {
        return broken("one of 'routingKey' or 'serviceKey' is required");
    }
    each("'pagerDutyLinkConfigs'", &config.pager_duty_link_configs, |link| check_href(link.href.as_deref()))?;
    each("'pagerDutyImageConfigs'", &config.pager_duty_image_configs, |image| {
        check_href(image.href.as_deref())
    })?;
    http::check(config.http_config.as_ref())
}

fn check_href(href: Option<&str>) -> Result<(), Problem> {
    address::check_optional_template(href).within("invalid 'href'")
}
