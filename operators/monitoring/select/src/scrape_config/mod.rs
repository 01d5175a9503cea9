//! Checks of ScrapeConfigs.
//!
//! | file | owns |
//! |---|---|
//! | `discoveries` | the checks of all discoveries |
//! | `kubernetes` | those of Kubernetes |

mod discoveries;
mod kubernetes;
#[cfg(test)]
mod tests;

use api_monitoring::ScrapeConfig;
use api_monitoring::scrape_config::ScrapeConfigSpec;
use monitoring_assets::Objects;

use self::discoveries::Checks;
use crate::problem::{Problem, Within};
use crate::references::{Accepted, References, Rejected};
use crate::scrape_class;
use crate::selectable::Selectable;
use crate::server::Server;

impl Selectable for ScrapeConfig {
    fn check<'o>(&self, server: &Server<'_>, objects: &'o Objects) -> Result<Accepted<'o>, Rejected> {
        References::check(objects, self.metadata.namespace.as_deref().unwrap_or_default(), |references| {
            check_job(server, references, &self.spec)?;
            Checks { server, references }.all(&self.spec)
        })
    }
}

fn check_job(
    server: &Server<'_>,
    references: &References<'_>,
    spec: &ScrapeConfigSpec,
) -> Result<(), Problem> {
    scrape_class::check(server, spec.job.scrape_class.as_deref())?;
    server.relabeling.check_all(&spec.relabelings).within("relabelConfigs")?;
    references.basic_auth(spec.basic_auth.as_ref()).within("basicAuth")?;
    references.safe_authorization(spec.authorization.as_ref()).within("authorization")?;
    references.oauth2(spec.oauth2.as_ref()).within("oauth2")?;
    references.safe_tls(spec.tls_config.as_ref()).within("tlsConfig")?;
    server.check_timeout(
        spec.scrape_timeout.as_deref().unwrap_or_default(),
        spec.scrape_interval.as_deref().unwrap_or_default(),
    )?;
    references.proxy(&spec.proxy)?;
    server.relabeling.check_all(&spec.metric_relabelings).within("metricRelabelConfigs")
}
