//! DNS.

use api_monitoring::scrape_config::discovery::dns::DnsSdConfig;
use go_syntax::quoted::Quoted;

use super::each;
use crate::problem::{Problem, broken};

/// Checks all: only records of services say on which port.
pub(super) fn check(configs: &[DnsSdConfig]) -> Result<(), Problem> {
    each(configs, |config| match &config.type_ {
        Some(kind) if &**kind != "SRV" && config.port.is_none() => {
            broken(format!("port required for record type {}", Quoted(kind)))
        }
        _ => Ok(()),
    })
}
