//! VictorOps.

use api_monitoring::alertmanager_config::receiver::victorops::VictorOpsConfig;
use go_syntax::quoted::Quoted;

use super::http;
use crate::admission::address;
use crate::admission::problem::{Problem, Within, broken};

/// Fields that Alertmanager fills in.
const RESERVED: [&str; 7] = [
    "routing_key",
    "message_type",
    "state_message",
    "entity_display_name",
    "monitoring_tool",
    "entity_id",
    "entity_state",
];

pub(super) fn check(config: &VictorOpsConfig) -> Result<(), Problem> {
    if let Some(field) = config.custom_fields.iter().find(|field| RESERVED.contains(&field.key.as_str())) {
        let word = Quoted(&field.key);
        return broken(format!("usage of reserved word {word} is not allowed in custom fields"));
    }
    if config.routing_key.is_empty() {
        return broken("missing 'routingKey' key");
    }
    address::check(config.api_url.as_deref()).within("invalid 'apiURL'")?;
    http::check(config.http_config.as_ref())
}
