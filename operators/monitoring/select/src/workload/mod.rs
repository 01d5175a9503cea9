//! Checks of a Prometheus or a PrometheusAgent itself. Unlike an invalid monitor, which is left out, an invalid workload
//! is not reconciled.
//!
//! | file | owns |
//! |---|---|
//! | `remote` | remote write and remote read |
//! | `azure` | authentication of remote write with Azure |
//! | `alerting` | Alertmanagers |
//! | `additional` | additional configuration of users |

mod additional;
mod alerting;
mod azure;
mod remote;
#[cfg(test)]
mod tests;

use api_monitoring::prometheus::PrometheusSpec;
use api_monitoring::prometheus::remote::RemoteWriteSpec;
use api_monitoring::prometheus::shared::{ApiServerConfig, SharedSpec};
use formats::version::Version;
use go_syntax::quoted::Quoted;
use monitoring_assets::Objects;

pub use additional::Additional;

use crate::problem::{Problem, Within, broken};
use crate::references::{Accepted, References, Rejected};
use crate::server::Server;
use crate::{duration, scrape_class};

/// A section of a configuration that comes from the workload itself and references Secrets and ConfigMaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkloadSection {
    /// Additional scrape jobs of users.
    AdditionalJobs,
    /// Alertmanagers, with additional configuration of users.
    Alerting,
    /// Remote write.
    RemoteWrite,
    /// Remote read.
    RemoteRead,
    /// The AlertmanagerConfig that is the base of the configuration.
    Base,
}

impl WorkloadSection {
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

/// A section whose references are missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionGap {
    /// The section.
    pub section: WorkloadSection,
    /// What is missing.
    pub problem: Problem,
}

/// A valid workload, apart from gaps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked<'o> {
    /// Files and references.
    pub accepted: Accepted<'o>,
    /// Additional configuration of users.
    pub additional: Additional<'o>,
    /// Sections with missing references.
    pub gaps: Vec<SectionGap>,
}

/// Checks a server.
pub fn check_server<'o>(
    server: &Server<'_>,
    spec: &PrometheusSpec,
    objects: &'o Objects,
) -> Result<Checked<'o>, Rejected> {
    check(server, objects, |references, found| {
        let reads = remote::check_reads(&spec.remote_read, references);
        found.take(WorkloadSection::RemoteRead, reads)?;
        check_shared(server, references, found)?;
        if let Some(alerting) = &spec.alerting {
            let alertmanagers = alerting::check(server, &alerting.alertmanagers, references);
            found.take(WorkloadSection::Alerting, alertmanagers)?;
        }
        check_class_references(server, references)?;
        let jobs = additional::jobs(server.spec, references);
        let jobs = found.take(WorkloadSection::AdditionalJobs, jobs)?.flatten();
        let alerts = additional::about_alerts(spec, references);
        let alerts = found.take(WorkloadSection::Alerting, alerts)?.unwrap_or_default();
        found.additional = Additional { scrape_configs: jobs, ..alerts };
        Ok(())
    })
}

/// Checks an agent.
pub fn check_agent<'o>(server: &Server<'_>, objects: &'o Objects) -> Result<Checked<'o>, Rejected> {
    check(server, objects, |references, found| {
        check_shared(server, references, found)?;
        check_class_references(server, references)?;
        let jobs = additional::jobs(server.spec, references);
        found.additional.scrape_configs = found.take(WorkloadSection::AdditionalJobs, jobs)?.flatten();
        Ok(())
    })
}

/// Checks the remote write endpoints of a Thanos Ruler. Thanos has versions of its own: fields that it does not have were
/// removed before.
pub fn check_remote_write<'o>(
    namespace: &str,
    endpoints: &[RemoteWriteSpec],
    objects: &'o Objects,
) -> Result<Checked<'o>, Rejected> {
    let spec = SharedSpec::default();
    let server = Server::new((namespace, ""), &spec, Version::new(3, u64::MAX, 0));
    check(&server, objects, |references, found| {
        let writes = remote::check_writes(&server, endpoints, references);
        found.take(WorkloadSection::RemoteWrite, writes).map(drop)
    })
}

impl Checked<'_> {
    /// The result of the check of a section. A missing reference becomes a gap.
    fn take<T>(
        &mut self,
        section: WorkloadSection,
        outcome: Result<T, Problem>,
    ) -> Result<Option<T>, Problem> {
        match outcome {
            Ok(outcome) => Ok(Some(outcome)),
            Err(problem) if problem.is_missing() => {
                self.gaps.push(SectionGap { section, problem });
                Ok(None)
            }
            Err(problem) => Err(problem),
        }
    }
}

fn check<'o>(
    server: &Server<'_>,
    objects: &'o Objects,
    checks: impl FnOnce(&References<'o>, &mut Checked<'o>) -> Result<(), Problem>,
) -> Result<Checked<'o>, Rejected> {
    let mut found = Checked::default();
    let accepted = References::check(objects, server.namespace, |references| {
        check_itself(server)?;
        checks(references, &mut found)
    })?;
    Ok(Checked { accepted, ..found })
}

/// Checks a workload before references are read.
fn check_itself(server: &Server<'_>) -> Result<(), Problem> {
    if !matches!(server.version.major, 2 | 3) {
        return broken(format!("unsupported Prometheus version {}", Quoted(&server.version.to_string())));
    }
    let spec = server.spec;
    duration::check_interval(&spec.scrape_interval)?;
    server.check_label_names(spec.external_labels.keys()).within("externalLabels")?;
    let classes = scrape_class::check_all(&spec.scrape_classes, &server.relabeling);
    classes.within("failed to parse scrape classes")
}

fn check_shared(
    server: &Server<'_>,
    references: &References<'_>,
    found: &mut Checked<'_>,
) -> Result<(), Problem> {
    let writes = remote::check_writes(server, &server.spec.remote_write, references);
    found.take(WorkloadSection::RemoteWrite, writes)?;
    if let Some(server) = &server.spec.apiserver_config {
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

fn check_class_references(server: &Server<'_>, references: &References<'_>) -> Result<(), Problem> {
    for class in &server.spec.scrape_classes {
        references
            .tls(class.tls_config.as_ref())
            .within(format_args!("scrape class {}", Quoted(&class.name)))
            .within("failed to process scrape classes")?;
    }
    Ok(())
}
