//! PagerDuty.

use api_monitoring::alertmanager_config::receiver::pagerduty::{
    PagerDutyConfig, PagerDutyImageConfig, PagerDutyLinkConfig,
};
use formats::alertmanager::receiver::pagerduty::{Image, Link, PagerDuty};

use super::by_key;
use crate::convert::{Convert, Error, duration, or_empty};

impl Convert<'_> {
    pub(super) fn pagerduty(&self, config: &PagerDutyConfig) -> Result<PagerDuty, Error> {
        Ok(PagerDuty {
            send_resolved: config.send_resolved,
            class: or_empty(config.class.as_ref()),
            client: or_empty(config.client.as_ref()),
            component: or_empty(config.component.as_ref()),
            description: or_empty(config.description.as_ref()),
            group: or_empty(config.group.as_ref()),
            severity: or_empty(config.severity.as_ref()),
            url: or_empty(config.url.as_ref().map(|url| &url.0)),
            client_url: or_empty(config.client_url.as_ref()),
            routing_key: self.secret_if_any("routing key", config.routing_key.as_ref())?,
            service_key: self.secret_if_any("service key", config.service_key.as_ref())?,
            details: by_key(&config.details),
            links: config.pager_duty_link_configs.iter().map(link).collect(),
            images: config.pager_duty_image_configs.iter().map(image).collect(),
            http_config: self.http_if_any(config.http_config.as_ref())?,
            source: or_empty(config.source.as_ref()),
            timeout: duration(config.timeout.as_deref())?,
            ..PagerDuty::default()
        })
    }
}

fn link(link: &PagerDutyLinkConfig) -> Link {
    Link { href: or_empty(link.href.as_ref()), text: or_empty(link.alt.as_ref()) }
}

fn image(image: &PagerDutyImageConfig) -> Image {
    Image {
        src: or_empty(image.src.as_ref()),
        alt: or_empty(image.alt.as_ref()),
        href: or_empty(image.href.as_ref()),
    }
}
