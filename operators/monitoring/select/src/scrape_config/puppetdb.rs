//! PuppetDB.

use api_monitoring::scrape_config::discovery::puppetdb::PuppetDbSdConfig;

use super::{Context, each};
use crate::problem::{Problem, broken};
use crate::url::Url;

/// Checks all.
pub(super) fn check(context: Context<'_, '_, '_>, configs: &[PuppetDbSdConfig]) -> Result<(), Problem> {
    context.needs(
        configs,
        (2, 31),
        "puppetDB SD configuration is only supported for Prometheus version >= 2.31.0",
    )?;
    each(configs, |config| {
        let url = Url::parse(&config.url)?;
        if !matches!(url.scheme(), "http" | "https") {
            return broken("URL scheme must be 'http' or 'https'");
        }
        if !url.has_host() {
            return broken("host is missing in URL");
        }
        context.references.safe_authorization(config.authorization.as_ref())?;
        context.references.oauth2(config.oauth2.as_ref())?;
        context.references.safe_tls(config.tls_config.as_ref())?;
        context.references.basic_auth(config.basic_auth.as_ref())?;
        context.references.proxy(&config.proxy)
    })
}
