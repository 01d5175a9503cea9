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
use api_monitoring::prometheus::remote::RemoteWriteSpec;
use api_monitoring::prometheus::shared::{ApiServerConfig, SharedSpec};
use api_monitoring::text::SelectorMechanism;
use formats::version::Version;
use go_syntax::quoted::Quoted;
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

    /// A scrape must end before the next one begins, and Prometheus must be able to read when that is.
    pub(crate) fn check_timeout(&self, timeout: &str, interval: &str) -> Result<(), Problem> {
        duration::check_timeout(timeout, interval, &self.spec.scrape_interval)?;
        Ok(duration::check_interval(interval)?)
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

/// A part of a configuration that comes from the workload itself and points to Secrets and ConfigMaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Jobs that users wrote themselves.
    AdditionalJobs,
    /// Where alerts go, with what users wrote themselves about it.
    Alerting,
    /// Where samples are written to.
    RemoteWrite,
    /// Where samples are read from.
    RemoteRead,
    /// What the configuration of an Alertmanager begins with.
    Base,
}

impl Section {
    /// The field of the workload, as users know it.
    pub fn field(self) -> &'static str {
        match self {
            Self::AdditionalJobs => "spec.additionalScrapeConfigs",
            Self::Alerting => "spec.alerting",
            Self::RemoteWrite => "spec.remoteWrite",
            Self::RemoteRead => "spec.remoteRead",
            Self::Base => "spec.alertmanagerConfiguration",
        }
    }
}

/// A section that points to something that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The section.
    pub section: Section,
    /// What is not there.
    pub problem: Problem,
}

/// A workload that can be carried out, apart from gaps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked<'o> {
    /// What goes with its configuration.
    pub accepted: Accepted<'o>,
    /// What users wrote themselves.
    pub additional: Additional<'o>,
    /// Sections that cannot be written anew.
    pub gaps: Vec<Gap>,
}

/// What is wrong with a server; else what goes with its configuration.
pub fn check_server<'o>(
    workload: &Workload<'_>,
    spec: &PrometheusSpec,
    objects: &'o Objects,
) -> Result<Checked<'o>, Refused> {
    check(workload, objects, |references, found| {
        let reads = remote::check_reads(&spec.remote_read, references);
        found.take(Section::RemoteRead, reads)?;
        check_shared(workload, references, found)?;
        if let Some(alerting) = &spec.alerting {
            let alertmanagers = alerting::check(workload, &alerting.alertmanagers, references);
            found.take(Section::Alerting, alertmanagers)?;
        }
        check_class_references(workload, references)?;
        let jobs = additional::jobs(workload.spec, references);
        let jobs = found.take(Section::AdditionalJobs, jobs)?.flatten();
        let alerts = additional::about_alerts(spec, references);
        let alerts = found.take(Section::Alerting, alerts)?.unwrap_or_default();
        found.additional = Additional { scrape_configs: jobs, ..alerts };
        Ok(())
    })
}

/// What is wrong with an agent; else what goes with its configuration.
pub fn check_agent<'o>(workload: &Workload<'_>, objects: &'o Objects) -> Result<Checked<'o>, Refused> {
    check(workload, objects, |references, found| {
        check_shared(workload, references, found)?;
        check_class_references(workload, references)?;
        let jobs = additional::jobs(workload.spec, references);
        found.additional.scrape_configs = found.take(Section::AdditionalJobs, jobs)?.flatten();
        Ok(())
    })
}

/// What is wrong with endpoints that a Thanos Ruler sends to; else what goes with them. Thanos has versions of its own:
/// what it does not know was taken out before.
pub fn check_remote_write<'o>(
    namespace: &str,
    endpoints: &[RemoteWriteSpec],
    objects: &'o Objects,
) -> Result<Checked<'o>, Refused> {
    let spec = SharedSpec::default();
    let workload = Workload::new((namespace, ""), &spec, Version::new(3, u64::MAX, 0));
    check(&workload, objects, |references, found| {
        let writes = remote::check_writes(&workload, endpoints, references);
        found.take(Section::RemoteWrite, writes).map(drop)
    })
}

impl Checked<'_> {
    /// The outcome of a check of a section; nothing, if something is not there.
    fn take<T>(&mut self, section: Section, outcome: Result<T, Problem>) -> Result<Option<T>, Problem> {
        match outcome {
            Ok(outcome) => Ok(Some(outcome)),
            Err(problem) if problem.is_missing() => {
                self.gaps.push(Gap { section, problem });
                Ok(None)
            }
            Err(problem) => Err(problem),
        }
    }
}

fn check<'o>(
    workload: &Workload<'_>,
    objects: &'o Objects,
    checks: impl FnOnce(&References<'o>, &mut Checked<'o>) -> Result<(), Problem>,
) -> Result<Checked<'o>, Refused> {
    let references = References::new(objects, workload.namespace);
    let mut found = Checked::default();
    let checked = check_itself(workload).and_then(|()| checks(&references, &mut found));
    let accepted = references.verdict(checked)?;
    Ok(Checked { accepted, ..found })
}

/// What is wrong with a workload before anything is read.
fn check_itself(workload: &Workload<'_>) -> Result<(), Problem> {
    if !matches!(workload.version.major, 2 | 3) {
        return broken(format!("unsupported Prometheus version {}", Quoted(&workload.version.to_string())));
    }
    let spec = workload.spec;
    duration::check_interval(&spec.scrape_interval)?;
    workload.check_label_names(spec.external_labels.keys()).within("externalLabels")?;
    let classes = scrape_class::check_all(&spec.scrape_classes, &workload.relabeling);
    classes.within("failed to parse scrape classes").map(|_| ())
}

fn check_shared(
    workload: &Workload<'_>,
    references: &References<'_>,
    found: &mut Checked<'_>,
) -> Result<(), Problem> {
    let writes = remote::check_writes(workload, &workload.spec.remote_write, references);
    found.take(Section::RemoteWrite, writes)?;
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
