//! Mail.

use std::collections::BTreeSet;

use api_monitoring::alertmanager_config::receiver::email::EmailConfig;
use go_syntax::host_port;
use go_syntax::quoted::Quoted;

use crate::admission::problem::{Problem, broken};

pub(super) fn check(config: &EmailConfig) -> Result<(), Problem> {
    if config.to.as_deref().unwrap_or_default().is_empty() {
        return broken("missing 'to' address");
    }
    if let Some(smarthost) = config.smarthost.as_deref().filter(|smarthost| !smarthost.is_empty())
        && let Err(invalid) = host_port::split(smarthost)
    {
        return broken(format!("invalid 'smarthost' {}: {invalid}", Quoted(smarthost)));
    }
    let mut names = BTreeSet::new();
    for header in &config.headers {
        // The case of letters says nothing in the name of a header.
        let name = header.key.to_lowercase();
        let shown = Quoted(&name).to_string();
        if !names.insert(name) {
            return broken(format!("duplicate header {shown}"));
        }
    }
    Ok(())
}
