//! VictorOps.

use api_monitoring::alertmanager_config::receiver::victorops::VictorOpsConfig;
use formats::alertmanager::receiver::victorops::{RESERVED, VictorOps};

use super::by_key;
use crate::convert::{Convert, Error, or_empty};

impl Convert<'_> {
    pub(super) fn victorops(&self, config: &VictorOpsConfig) -> Result<VictorOps, Error> {
        let api_key = self.secret_if_any("API key", config.api_key.as_ref())?;
        if let Some(field) = config.custom_fields.iter().find(|field| RESERVED.contains(&field.key.as_str()))
        {
            return Err(Error::rule(format!(
                "VictorOps config contains custom field {} which cannot be used as it conflicts with the fixed/static \
                 fields",
                field.key
            )));
        }
        Ok(VictorOps {
            send_resolved: config.send_resolved,
            api_key,
            api_url: or_empty(config.api_url.as_ref().map(|url| &url.0)),
            routing_key: config.routing_key.clone(),
            message_type: or_empty(config.message_type.as_ref()),
            entity_display_name: or_empty(config.entity_display_name.as_ref()),
            state_message: or_empty(config.state_message.as_ref()),
            monitoring_tool: or_empty(config.monitoring_tool.as_ref()),
            custom_fields: by_key(&config.custom_fields),
            http_config: self.http_if_any(config.http_config.as_ref())?,
            ..VictorOps::default()
        })
    }
}
