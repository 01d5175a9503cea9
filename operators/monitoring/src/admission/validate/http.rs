//! Settings of the clients with which receivers are told.

use api_monitoring::alertmanager_config::receiver::HttpConfig;
use monitoring_select::{authentication, proxy, tls};

use crate::admission::problem::{Problem, Within, broken};

/// Checks settings, if there are any, and says that they are in `httpConfig`.
pub(super) fn check(config: Option<&HttpConfig>) -> Result<(), Problem> {
    config.map_or(Ok(()), |config| check_settings(config).within("'httpConfig'"))
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
    if let Some(settings) = &config.tls_config {
        tls::check_safe(settings)?;
    }
    proxy::check(&config.proxy)
}
