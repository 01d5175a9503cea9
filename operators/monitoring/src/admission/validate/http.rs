//! HTTP clients of receivers.

use api_monitoring::alertmanager_config::receiver::HttpConfig;
use monitoring_select::problem::{Within as _, broken};
use monitoring_select::{Problem, authentication, proxy, tls};

/// Checks the settings of a client, if there are any.
pub(super) fn check(config: Option<&HttpConfig>) -> Result<(), Problem> {
    config.map_or(Ok(()), check_settings).within("'httpConfig'")
}

fn check_settings(config: &HttpConfig) -> Result<(), Problem> {
    const ONE: &str = "at most one of 'basicAuth', 'oauth2' and 'authorization' must be configured";
    let (basic, oauth2) = (config.basic_auth.is_some(), config.oauth2.is_some());
    let bearer = config.bearer_token_secret.is_some();
    if (basic || oauth2) && bearer {
        return broken("at most one of 'basicAuth', 'oauth2' and 'bearerTokenSecret' must be configured");
    }
    if let Some(authorization) = &config.authorization {
        if bearer {
            return broken("'authorization' is not compatible with 'bearerTokenSecret'");
        }
        if basic || oauth2 {
            return broken(ONE);
        }
        authentication::check_safe(authorization)?;
    }
    if let Some(oauth2) = &config.oauth2 {
        if basic {
            return broken(ONE);
        }
        authentication::check_oauth2(oauth2)?;
    }
    config.tls_config.as_ref().map_or(Ok(()), tls::check_safe)?;
    proxy::check(&config.proxy)
}
