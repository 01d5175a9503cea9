//! The job of a ScrapeConfig, with any discovery.
//!
//! | file | owns |
//! |---|---|
//! | `discovery` | where the targets come from |
//! | `error` | why the job cannot be written |

mod discovery;
mod error;
#[cfg(test)]
mod tests;

use api_monitoring::scrape_config::ScrapeConfigSpec;
use api_monitoring::{ScrapeConfig, SelectableKind};
use formats::prometheus::{Section, SectionKind};
use formats::yaml::Map;
use monitoring_assets::{Objects, Reader};
use monitoring_select::Server;

pub use self::error::{Credential, ScrapeConfigError};
use crate::client::sorted;
use crate::fragment::Fragment;
use crate::job::{self, JobWriter, Resource};
use crate::{limits, relabel, sharding};

/// Writes the job of a ScrapeConfig.
///
/// # Errors
///
/// If a Secret that a discovery needs cannot be read.
pub fn render(
    server: &Server<'_>,
    config: &ScrapeConfig,
    objects: &Objects,
) -> Result<Fragment, ScrapeConfigError> {
    let spec = &config.spec;
    let resource = Resource::new(SelectableKind::ScrapeConfig, &config.metadata);
    let reader = Reader::new(objects, resource.namespace);
    let job = JobWriter::new(server, resource, &spec.job, &reader);
    let writer = server.writer();
    let mut section = writer.section(SectionKind::Job);
    let name = resource.job_name();
    section.put("job_name", name.clone());
    put_request(&job, &mut section, spec);
    put_credentials(&job, &mut section, spec);
    job.put_limits(&mut section, &spec.job);
    limits::put_body_size(&mut section, server, spec.body_size_limit.as_ref());
    discovery::put(&mut section, &name, &job.client, spec)?;
    section.put("relabel_configs", steps(&job, spec));
    job.put_metric_steps(&mut section, &spec.metric_relabelings);
    let (validation, escaping) = (&spec.name_validation_scheme, &spec.name_escaping_scheme);
    job::put_name_schemes(&mut section, validation.as_ref(), escaping.as_ref());
    Ok(Fragment::new(vec![section.into()], &writer, &reader))
}

/// How a target is scraped, and when. Unlike in monitors, a field that is not set is not written, even if the workload
/// overrides it.
fn put_request(job: &JobWriter<'_>, section: &mut Section<'_, '_>, spec: &ScrapeConfigSpec) {
    if spec.honor_timestamps.is_some() {
        job.put_honor_timestamps(section, spec.honor_timestamps);
    }
    section.put_some("track_timestamps_staleness", spec.track_timestamps_staleness);
    if let Some(honor) = spec.honor_labels {
        job.put_honor_labels(section, honor);
    }
    section.put_some("metrics_path", spec.metrics_path.clone());
    if !spec.params.is_empty() {
        let params = spec.params.iter().map(|(name, values)| (name.clone(), values.clone().into()));
        section.put("params", sorted(params));
    }
    section.put_some("enable_compression", spec.enable_compression);
    section.put_some("enable_http2", spec.enable_http2);
    section.put_some("scrape_interval", spec.scrape_interval.as_ref().map(ToString::to_string));
    section.put_some("scrape_timeout", spec.scrape_timeout.as_ref().map(ToString::to_string));
    job::put_protocols(section, &spec.scrape_protocols);
    job.put_fallback_protocol(section, &spec.job);
    section.put_some("scheme", spec.scheme.as_ref().map(|scheme| scheme.to_lowercase()));
}

fn put_credentials(job: &JobWriter<'_>, section: &mut Section<'_, '_>, spec: &ScrapeConfigSpec) {
    job.client.put_proxy(section, &spec.proxy);
    job.client.put_basic_auth(section, spec.basic_auth.as_ref());
    job.put_authorization(section, spec.authorization.as_ref());
    job.client.put_oauth2(section, spec.oauth2.as_ref());
    job.put_safe_tls(section, spec.tls_config.as_ref());
}

/// The steps of the class come before the name of the job, those of the user after it. The enforced namespace is there
/// even if the user has no steps.
fn steps(job: &JobWriter<'_>, spec: &ScrapeConfigSpec) -> Vec<Map> {
    let mut steps = vec![relabel::first()];
    if let Some(class) = job.class {
        steps.extend(relabel::configured(&class.relabelings));
    }
    if let Some(name) = &spec.job_name {
        let step = Map::new().with("target_label", "job").with("action", "replace");
        steps.push(step.with("replacement", name.clone()));
    }
    steps.extend(relabel::with_enforced(job.server, job.resource, &spec.relabelings));
    let sharding = sharding::missing_steps(job.server, &steps);
    steps.extend(sharding);
    steps
}
