//! OpsGenie.

use api_monitoring::alertmanager_config::receiver::opsgenie::{OpsGenieConfig, OpsGenieConfigResponder};
use formats::alertmanager::receiver::opsgenie::{OpsGenie, Responder};

use super::by_key;
use crate::convert::{Convert, Error, or_empty};

impl Convert<'_> {
    pub(super) fn opsgenie(&self, config: &OpsGenieConfig) -> Result<OpsGenie, Error> {
        Ok(OpsGenie {
            send_resolved: config.send_resolved,
            message: or_empty(config.message.as_ref()),
            description: or_empty(config.description.as_ref()),
            source: or_empty(config.source.as_ref()),
            tags: or_empty(config.tags.as_ref()),
            note: or_empty(config.note.as_ref()),
            priority: or_empty(config.priority.as_ref()),
            actions: or_empty(config.actions.as_ref()),
            entity: or_empty(config.entity.as_ref()),
            update_alerts: config.update_alerts,
            api_url: or_empty(config.api_url.as_ref().map(|url| &url.0)),
            api_key: self.secret_if_any("API key", config.api_key.as_ref())?,
            details: by_key(&config.details),
            responders: config.responders.iter().map(responder).collect(),
            http_config: self.http_if_any(config.http_config.as_ref())?,
            ..OpsGenie::default()
        })
    }
}

fn responder(responder: &OpsGenieConfigResponder) -> Responder {
    Responder {
        id: or_empty(responder.id.as_ref()),
        name: or_empty(responder.name.as_ref()),
        username: or_empty(responder.username.as_ref()),
        type_: responder.type_.clone(),
    }
}
