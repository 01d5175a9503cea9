//! The objects of a PrometheusAgent. The Service and the Secrets are built like those of servers.
//!
//! | file | builds |
//! |---|---|
//! | [`statefulset`] | the StatefulSet of one shard |
//! | [`daemonset`] | the DaemonSet of an agent that runs on every node |

pub mod daemonset;
pub mod statefulset;

use std::borrow::Cow;

use monitoring_scrape::document::{self, AgentInputs, DocumentError, PrometheusDocument};
use monitoring_scrape::{Mode, Server};
use monitoring_select::workload::WorkloadSection;

use crate::agent::validate::Valid;
use crate::kind::ValidWorkload;
use crate::plan::monitors::{self, Scraping};
use crate::plan::{Child, Excluded, PlanContext, PlanError, Planned, Rendered, Selections};
use crate::plan::{gaps, limits};
use crate::prometheus::Instance;
use crate::prometheus::plan::configuration::{Source, TlsFiles};
use crate::prometheus::plan::pod::Draft;
use crate::prometheus::plan::{DATA, service};
use crate::workload::arguments::argument;
use crate::workload::image::Image;
use crate::workload::pod::PodError;
use crate::workload::statefulset::PodInputs;

impl ValidWorkload for Valid<'_> {
    fn render(&self, context: &PlanContext<'_>, selections: &Selections, rendered: &mut Rendered) {
        let server = self.server(context);
        let scraping = Scraping { server: &server, objects: context.objects };
        scraping.render(selections, rendered);
    }

    fn build(
        &self,
        context: &PlanContext<'_>,
        left_out: &Excluded,
        rendered: &mut Rendered,
    ) -> Result<Planned, PlanError> {
        let source = Source { instance: &self.instance, checked: &self.checked, context };
        let document = self.document(&source, rendered, left_out);
        let mut files = source.files(rendered, left_out);
        let mut planned = Planned::of(rendered);
        source.put(document, &mut planned, &mut files, &mut rendered.compressor)?;
        self.put_pods(&source, files, &mut planned)?;
        limits::check(&mut planned)?;
        Ok(planned)
    }
}

impl Valid<'_> {
    /// The settings that matter to the scrape jobs.
    fn server(&self, context: &PlanContext<'_>) -> Server<'_> {
        let mut server = self.server.clone();
        server.mode = self.mode;
        server.offers = context.offers;
        // Shards of agents store nothing that could be queried.
        server.offers.shard_retention = false;
        server
    }

    fn document(
        &self,
        source: &Source<'_>,
        rendered: &Rendered,
        left_out: &Excluded,
    ) -> Result<PrometheusDocument, DocumentError> {
        let mut spec = Cow::Borrowed(self.instance.spec);
        if gaps::has(&self.checked.gaps, WorkloadSection::RemoteWrite) {
            spec.to_mut().remote_write.clear();
        }
        let jobs = source.additional_jobs();
        let mut server = self.server(source.context);
        server.spec = &spec;
        document::agent(&AgentInputs {
            server: &server,
            jobs: monitors::jobs(rendered, left_out, jobs.as_deref()),
            objects: source.context.objects,
        })
    }

    /// Adds the pods and everything that they mount.
    fn put_pods(&self, source: &Source<'_>, files: TlsFiles, planned: &mut Planned) -> Result<(), PlanError> {
        let (instance, operator) = (&self.instance, source.context.operator);
        let tls_secrets = source.put_secrets(files, planned)?;
        let inputs = PodInputs { operator, tls_secrets: &tls_secrets, rule_config_maps: &[] };
        if self.mode == Mode::DaemonSet {
            let built =
                daemonset::build(instance, inputs).map_err(PlanError::prefixed("making daemonset failed"))?;
            planned.children.push(Child::DaemonSet(Box::new(built.object)));
            planned.put_left_out(&built.left_out);
            return Ok(());
        }
        if instance.workload.service_name.is_none() {
            planned.children.push(Child::Service(Box::new(service::build(instance, operator, false))));
        }
        source.put_shards(planned, |shard| statefulset::build(instance, shard, inputs))
    }
}

/// What the pods of all agents have in common.
fn draft<'d>(
    instance: &'d Instance<'_>,
    inputs: PodInputs<'_>,
    stores_data: bool,
) -> Result<Draft<'d>, PodError> {
    let image = Image {
        whole: instance.spec.image.as_deref().unwrap_or_default(),
        base: &inputs.operator.prometheus_image,
        version: &format!("v{}", instance.version),
        ..Image::default()
    };
    let mut draft = Draft::new(instance, image.build()?, inputs.tls_secrets, stores_data)?;
    let flags = &mut draft.flags;
    if instance.version.major == 2 {
        // The agent needs this feature in every version, so it is never left out.
        flags.arguments.push(argument("enable-feature", "agent"));
    } else {
        flags.flag("agent");
    }
    flags.put("storage.agent.path", DATA);
    match instance.spec.wal_compression {
        Some(true) => flags.flag("storage.agent.wal-compression"),
        Some(false) => flags.flag("no-storage.agent.wal-compression"),
        None => {}
    }
    Ok(draft)
}
