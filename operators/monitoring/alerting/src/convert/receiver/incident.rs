//! Opsgenie, PagerDuty, Pushover and VictorOps.

use api_monitoring::alertmanager_config::receiver::opsgenie::{OpsGenieConfig, OpsGenieConfigResponder};
use api_monitoring::alertmanager_config::receiver::pagerduty::{
    PagerDutyConfig, PagerDutyImageConfig, PagerDutyLinkConfig,
};
use api_monitoring::alertmanager_config::receiver::pushover::PushoverConfig;
use api_monitoring::alertmanager_config::receiver::victorops::VictorOpsConfig;
use formats::alertmanager::receiver::opsgenie::{OpsGenie, Responder};
use formats::alertmanager::receiver::pagerduty::{Image, Link, PagerDuty};
use formats::alertmanager::receiver::pushover::Pushover;
use formats::alertmanager::receiver::victorops::{RESERVED, VictorOps};
use formats::alertmanager::secret::Secret;
use k8s_openapi::api::core::v1::SecretKeySelector;
use monitoring_select::Problem;
use monitoring_select::problem::{Within as _, broken};

use super::by_key;
use crate::convert::{Convert, duration};

impl Convert<'_> {
    pub(super) fn opsgenie(&self, config: &OpsGenieConfig) -> Result<OpsGenie, Problem> {
        Ok(OpsGenie {
            send_resolved: config.send_resolved,
            message: config.message.clone().unwrap_or_default(),
            description: config.description.clone().unwrap_or_default(),
            source: config.source.clone().unwrap_or_default(),
            tags: config.tags.clone().unwrap_or_default(),
            note: config.note.clone().unwrap_or_default(),
            priority: config.priority.clone().unwrap_or_default(),
            actions: config.actions.clone().unwrap_or_default(),
            entity: config.entity.clone().unwrap_or_default(),
            update_alerts: config.update_alerts,
            api_url: config.api_url.clone().unwrap_or_default().0,
            api_key: self.secret_if_any("API key", config.api_key.as_ref())?,
            details: by_key(&config.details),
            responders: config.responders.iter().map(responder).collect(),
            http_config: self.http_if_any(config.http_config.as_ref())?,
            ..OpsGenie::default()
        })
    }

    pub(super) fn pagerduty(&self, config: &PagerDutyConfig) -> Result<PagerDuty, Problem> {
        Ok(PagerDuty {
            send_resolved: config.send_resolved,
            class: config.class.clone().unwrap_or_default(),
            client: config.client.clone().unwrap_or_default(),
            component: config.component.clone().unwrap_or_default(),
            description: config.description.clone().unwrap_or_default(),
            group: config.group.clone().unwrap_or_default(),
            severity: config.severity.clone().unwrap_or_default(),
            url: config.url.clone().unwrap_or_default().0,
            client_url: config.client_url.clone().unwrap_or_default(),
            routing_key: self.secret_if_any("routing key", config.routing_key.as_ref())?,
            service_key: self.secret_if_any("service key", config.service_key.as_ref())?,
            details: by_key(&config.details),
            links: config.pager_duty_link_configs.iter().map(link).collect(),
            images: config.pager_duty_image_configs.iter().map(image).collect(),
            http_config: self.http_if_any(config.http_config.as_ref())?,
            source: config.source.clone().unwrap_or_default(),
            timeout: duration(config.timeout.as_deref())?,
            ..PagerDuty::default()
        })
    }

    pub(super) fn pushover(&self, config: &PushoverConfig) -> Result<Pushover, Problem> {
        Ok(Pushover {
            send_resolved: config.send_resolved,
            title: config.title.clone().unwrap_or_default(),
            message: config.message.clone().unwrap_or_default(),
            url: config.url.clone(),
            url_title: config.url_title.clone().unwrap_or_default(),
            priority: config.priority.clone().unwrap_or_default(),
            html: config.html,
            monospace: config.monospace,
            ttl: config.ttl.clone().unwrap_or_default().0,
            device: config.device.clone().unwrap_or_default(),
            user_key: self.required("userKey", "user key", config.user_key.as_ref())?,
            token: self.required("token", "token", config.token.as_ref())?,
            retry: duration(config.retry.as_deref()).within("parse resolve retry")?,
            expire: duration(config.expire.as_deref()).within("parse resolve expire")?,
            http_config: self.http_if_any(config.http_config.as_ref())?,
            ..Pushover::default()
        })
    }

    /// The value of a mandatory Secret, which must not be empty.
    fn required(
        &self,
        field: &str,
        what: &str,
        selector: Option<&SecretKeySelector>,
    ) -> Result<Secret, Problem> {
        let value = self.secret_if_any(what, selector)?;
        if value.is_empty() {
            return broken(format!("mandatory field {field:?} is empty"));
        }
        Ok(value)
    }

    pub(super) fn victorops(&self, config: &VictorOpsConfig) -> Result<VictorOps, Problem> {
        let api_key = self.secret_if_any("API key", config.api_key.as_ref())?;
        if let Some(field) = config.custom_fields.iter().find(|field| RESERVED.contains(&field.key.as_str()))
        {
            return broken(format!(
                "VictorOps config contains custom field {} which cannot be used as it conflicts with the fixed/static \
                 fields",
                field.key
            ));
        }
        Ok(VictorOps {
            send_resolved: config.send_resolved,
            api_key,
            api_url: config.api_url.clone().unwrap_or_default().0,
            routing_key: config.routing_key.clone(),
            message_type: config.message_type.clone().unwrap_or_default(),
            entity_display_name: config.entity_display_name.clone().unwrap_or_default(),
            state_message: config.state_message.clone().unwrap_or_default(),
            monitoring_tool: config.monitoring_tool.clone().unwrap_or_default(),
            custom_fields: by_key(&config.custom_fields),
            http_config: self.http_if_any(config.http_config.as_ref())?,
            ..VictorOps::default()
        })
    }
}

fn responder(responder: &OpsGenieConfigResponder) -> Responder {
    Responder {
        id: responder.id.clone().unwrap_or_default(),
        name: responder.name.clone().unwrap_or_default(),
        username: responder.username.clone().unwrap_or_default(),
        type_: responder.type_.clone(),
    }
}

fn link(link: &PagerDutyLinkConfig) -> Link {
    Link { href: link.href.clone().unwrap_or_default(), text: link.alt.clone().unwrap_or_default() }
}

fn image(image: &PagerDutyImageConfig) -> Image {
    Image {
        src: image.src.clone().unwrap_or_default(),
        alt: image.alt.clone().unwrap_or_default(),
        href: image.href.clone().unwrap_or_default(),
    }
}
