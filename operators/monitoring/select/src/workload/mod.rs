//! The Prometheus or the agent that takes objects in, and what is wrong with itself. Unlike with a monitor, one mistake
//! here stops everything: there is nothing that could be left out.
//!
//! | file | owns |
//! |---|---|
//! | `remote` | remote write and remote read |
//! | `azure` | how remote write speaks to Azure |
//! | `alerting` | Alertmanagers |
//! | `additional` | files that users write themselves |

mod additional;
mod alerting;
mod azure;
mod remote;
#[cfg(test)]
mod tests;

use api_monitoring::prometheus::PrometheusSpec;
use api_monitoring::prometheus::shared::{ApiServerConfig, SharedSpec};
use api_monitoring::text::SelectorMechanism;
use formats::quoted::Quoted;
use formats::version::Version;
use monitoring_assets::Objects;

pub use additional::Additional;

use crate::label_name::Scheme;
use crate::problem::{Problem, Within, broken};
use crate::references::References;
use crate::relabel::Rules;
use crate::verdict::{Accepted, Refused};
use crate::{duration, scrape_class};

/// A Prometheus or an agent.
#[derive(Debug, Clone)]
pub struct Workload<'w> {
    /// Its namespace.
    pub namespace: &'w str,
    /// Its name.
    pub name: &'w str,
    /// What servers and agents say alike.
    pub spec: &'w SharedSpec,
    /// The version that runs.
    pub version: Version,
    /// What relabeling steps of the version can do.
    pub(crate) relabeling: Rules,
}

impl<'w> Workload<'w> {
    /// A workload at a version.
    pub fn new((namespace, name): (&'w str, &'w str), spec: &'w SharedSpec, version: Version) -> Self {
        let relabeling = Rules::of(&version);
        Self { namespace, name, spec, version, relabeling }
    }

    /// Whether the version is older than that one.
    pub(crate) fn is_before(&self, major: u64, minor: u64, patch: u64) -> bool {
        self.version < Version::new(major, minor, patch)
    }

    /// A scrape must end before the next one begins.
    pub(crate) fn check_timeout(&self, timeout: &str, interval: &str) -> Result<(), Problem> {
        Ok(duration::check_timeout(timeout, interval, &self.spec.scrape_interval)?)
    }

    /// Old versions cannot leave it to the server to select.
    pub(crate) fn check_selector_mechanism(
        &self,
        mechanism: Option<&SelectorMechanism>,
    ) -> Result<(), Problem> {
        if mechanism.is_some_and(|mechanism| &**mechanism == "RoleSelector") && self.is_before(2, 17, 0) {
            return broken("RoleSelector selectorMechanism is only supported in Prometheus 2.17.0 and newer");
        }
        Ok(())
    }

    /// Whether labels may have these names, which come in order.
    pub(crate) fn check_label_names<'n>(
        &self,
        names: impl IntoIterator<Item = &'n String>,
    ) -> Result<(), Problem> {
        let scheme = Scheme::of(&self.version);
        match names.into_iter().find(|name| !scheme.allows(name)) {
            Some(name) => broken(format!("invalid label {}", Quoted(name))),
            None => Ok(()),
        }
    }
}

/// What is wrong with a server; else what goes with its configuration, and the files that users write themselves.
pub fn check_server<'o>(
    workload: &Workload<'_>,
    spec: &PrometheusSpec,
    objects: &'o Objects,
) -> Result<(Accepted<'o>, Additional<'o>), Refused> {
    check(workload, objects, |references| {
        remote::check_reads(&spec.remote_read, references)?;
        check_shared(workload, references)?;
        if let Some(alerting) = &spec.alerting {
            alerting::check(workload, &alerting.alertmanagers, references)?;
        }
        check_class_references(workload, references)?;
        additional::of_server(spec, references)
    })
}

/// What is wrong with an agent; else what goes with its configuration, and the files that users write themselves.
pub fn check_agent<'o>(
    workload: &Workload<'_>,
    objects: &'o Objects,
) -> Result<(Accepted<'o>, Additional<'o>), Refused> {
    check(workload, objects, |references| {
        check_shared(workload, references)?;
        check_class_references(workload, references)?;
        additional::of_agent(workload.spec, references)
    })
}

fn check<'o>(
    workload: &Workload<'_>,
    objects: &'o Objects,
    checks: impl FnOnce(&References<'o>) -> Result<Additional<'o>, Problem>,
) -> Result<(Accepted<'o>, Additional<'o>), Refused> {
    let references = References::new(objects, workload.namespace);
    let mut additional = Additional::default();
    let checked = check_itself(workload).and_then(|()| {
        additional = checks(&references)?;
        Ok(())
    });
    references.verdict(checked).map(|accepted| (accepted, additional))
}

/// What is wrong with a workload before anything is read.
fn check_itself(workload: &Workload<'_>) -> Result<(), Problem> {
    if !matches!(workload.version.major, 2 | 3) {
        return broken(format!("unsupported Prometheus version {}", Quoted(&workload.version.to_string())));
    }
    let classes = scrape_class::check_all(&workload.spec.scrape_classes, &workload.relabeling);
    classes.within("failed to parse scrape classes").map(|_| ())
}

fn check_shared(workload: &Workload<'_>, references: &References<'_>) -> Result<(), Problem> {
    remote::check_writes(workload, &workload.spec.remote_write, references)?;
    if let Some(server) = &workload.spec.apiserver_config {
        check_api_server(server, references).within("apiserver config")?;
    }
    Ok(())
}

fn check_api_server(server: &ApiServerConfig, references: &References<'_>) -> Result<(), Problem> {
    references.basic_auth(server.basic_auth.as_ref())?;
    references.authorization(server.authorization.as_ref())?;
    references.tls(server.tls_config.as_ref())?;
    references.proxy_headers(&server.proxy)
}

fn check_class_references(workload: &Workload<'_>, references: &References<'_>) -> Result<(), Problem> {
    for class in &workload.spec.scrape_classes {
        references
            .tls(class.tls_config.as_ref())
            .within(format_args!("scrape class {}", Quoted(&class.name)))
            .within("failed to process scrape classes")?;
    }
    Ok(())
}
