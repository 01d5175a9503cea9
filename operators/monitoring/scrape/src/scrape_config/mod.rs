//! The job of a ScrapeConfig: whatever its user asks for, with any discovery. Called for the document, once a resource.
//!
//! | file | owns |
//! |---|---|
//! | `discovery` | where the targets come from, a file a discovery |
//! | `error` | why there is no job |

mod discovery;
mod error;
#[cfg(test)]
mod tests;

use api_monitoring::ScrapeConfig;
use api_monitoring::prometheus::scrape_class::ScrapeClass;
use api_monitoring::scrape_config::ScrapeConfigSpec;
use formats::prometheus::{Place, Section};
use formats::yaml::Map;
use monitoring_assets::{Objects, Reader};

pub use self::error::{Credential, Error};
use crate::client::{Client, sorted};
use crate::fragment::Fragment;
use crate::limits::{self, Limits};
use crate::relabel::{self, Asker};
use crate::server::Server;
use crate::{job, name_scheme, scrape_class, sharding};

/// Writes the job of a ScrapeConfig.
///
/// # Errors
///
/// If a discovery cannot do without a Secret that is not there.
pub fn render(server: &Server<'_>, resource: &ScrapeConfig, objects: &Objects) -> Result<Fragment, Error> {
    let asker = Asker {
        resource: "scrapeconfigs",
        namespace: resource.metadata.namespace.as_deref().unwrap_or_default(),
        name: resource.metadata.name.as_deref().unwrap_or_default(),
    };
    let reader = Reader::new(objects, asker.namespace);
    let spec = &resource.spec;
    let job = Job {
        server,
        asker,
        name: format!("scrapeConfig/{}/{}", asker.namespace, asker.name),
        spec,
        class: server.class(spec.scrape_class.as_deref()),
        client: Client { reader: &reader, inline_tls: server.offers.inline_tls },
    };
    let writer = server.writer();
    let mut section = writer.section(Place::Job);
    job.put(&mut section)?;
    Ok(Fragment::new(vec![section.into()], &writer, &reader))
}

/// What the parts of the job are written from.
struct Job<'a> {
    server: &'a Server<'a>,
    asker: Asker<'a>,
    name: String,
    spec: &'a ScrapeConfigSpec,
    class: Option<&'a ScrapeClass>,
    client: Client<'a>,
}

impl Job<'_> {
    fn put(&self, section: &mut Section<'_, '_>) -> Result<(), Error> {
        let spec = self.spec;
        section.put("job_name", self.name.clone());
        self.put_request(section);
        self.put_credentials(section);
        self.put_limits(section);
        discovery::put(section, &self.name, &self.client, spec)?;
        section.put("relabel_configs", self.steps());
        let own = &spec.metric_relabelings;
        relabel::put_metric_steps(section, self.server, self.class, own, self.asker);
        let (validation, escaping) = (&spec.name_validation_scheme, &spec.name_escaping_scheme);
        name_scheme::put(section, validation.as_ref(), escaping.as_ref());
        Ok(())
    }

    /// What is asked of a target, and when. Unlike monitors, a ScrapeConfig leaves to Prometheus whatever it says
    /// nothing about, even where the workload overrides it.
    fn put_request(&self, section: &mut Section<'_, '_>) {
        let spec = self.spec;
        if spec.honor_timestamps.is_some() {
            job::put_honor_timestamps(section, self.server, spec.honor_timestamps);
        }
        section.put_some("track_timestamps_staleness", spec.track_timestamps_staleness);
        if let Some(honor) = spec.honor_labels {
            job::put_honor_labels(section, self.server, honor);
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
        scrape_class::put_fallback_protocol(section, spec.fallback_scrape_protocol.as_ref(), self.class);
        section.put_some("scheme", spec.scheme.as_ref().map(|scheme| scheme.to_lowercase()));
    }

    fn put_credentials(&self, section: &mut Section<'_, '_>) {
        let spec = self.spec;
        self.client.put_proxy(section, &spec.proxy);
        self.client.put_basic_auth(section, spec.basic_auth.as_ref());
        let authorization = scrape_class::authorization(spec.authorization.as_ref(), self.class);
        self.client.put_authorization(section, authorization.as_deref());
        self.client.put_oauth2(section, spec.oauth2.as_ref());
        let tls = scrape_class::safe_tls(spec.tls_config.as_ref(), self.class);
        self.client.put_tls(section, tls.as_deref());
    }

    fn put_limits(&self, section: &mut Section<'_, '_>) {
        let spec = self.spec;
        let limits = Limits {
            samples: spec.sample_limit,
            targets: spec.target_limit,
            labels: spec.label_limit,
            label_name_length: spec.label_name_length_limit,
            label_value_length: spec.label_value_length_limit,
            dropped_targets: spec.keep_dropped_targets,
        };
        limits.put(section, self.server);
        job::put_histograms(section, self.server, &spec.histograms);
        limits::put_body_size(section, self.server, spec.body_size_limit.as_ref());
    }

    /// The steps of the class come before the name of the job, those of the user after it. The enforced namespace is
    /// there also when the user has no steps.
    fn steps(&self) -> Vec<Map> {
        let mut steps = vec![relabel::first()];
        if let Some(class) = self.class {
            steps.extend(relabel::written(&class.relabelings));
        }
        if let Some(name) = &self.spec.job_name {
            let step = Map::new().with("target_label", "job").with("action", "replace");
            steps.push(step.with("replacement", name.clone()));
        }
        steps.extend(relabel::written(&self.spec.relabelings));
        steps.extend(relabel::enforced(self.server, self.asker));
        let sharding = sharding::missing_steps(self.server, &steps);
        steps.extend(sharding);
        steps
    }
}
