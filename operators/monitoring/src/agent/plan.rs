//! A PrometheusAgent: everything that follows from it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::agent::pods::{daemonset, statefulset};
use crate::prometheus::pods::{Instance, Shard, secrets, service};
use api_monitoring::PrometheusAgent;
use api_monitoring::prometheus::shared::SharedSpec;
use formats::gzip::Compressor;
use monitoring_assets::Reference;
use monitoring_scrape::document::{self, AgentInputs, Document};
use monitoring_scrape::{Mode, Server};
use monitoring_select::Workload;
use monitoring_select::workload::{self, Checked, Gap, Section};

use crate::plan::child::Child;
use crate::plan::gaps;
use crate::plan::limits;
use crate::plan::memo::Memo;
use crate::plan::monitors::Monitors;
use crate::plan::planned::{Invalid, Planned, Remark};
use crate::plan::standing::Standing;
use crate::plan::surroundings::Surroundings;
use crate::prometheus::plan::{compressed, keep_files, text};

/// What is remembered of an agent from one pass to the next.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// What became of the resources with jobs.
    pub monitors: Monitors,
    /// The compressed configuration.
    pub compressor: Compressor,
}

/// Decides everything that follows from an agent.
pub fn plan(
    agent: &PrometheusAgent,
    around: &Surroundings<'_>,
    standing: &Standing,
    memory: &mut Memory,
) -> Result<Planned, Invalid> {
    limits::check_name(&agent.metadata)?;
    let instance = Instance::agent(agent).map_err(|error| Invalid::new(&error))?;
    let view = View { agent, instance: &instance, around };
    let mode = view.mode()?;
    let owner = instance.owner();
    let workload = Workload::new((owner.namespace(), owner.name()), instance.spec, instance.version.clone());
    let Checked { accepted, additional, gaps } =
        workload::check_agent(&workload, around.objects).map_err(|refused| Invalid {
            message: format!("creating config failed: {refused}"),
            references: refused.references,
        })?;
    memory.monitors.pass(&workload, &view.server(instance.spec, mode)?, around)?;

    let last = standing.configuration.as_deref();
    let document = view.document(&memory.monitors, &additional, mode, (&gaps, last))?;
    let mut files: BTreeMap<String, Vec<u8>> =
        accepted.files.into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect();
    files.extend(memory.monitors.files(around.left_out).map(|(name, bytes)| (name.clone(), bytes.clone())));
    if !gaps.is_empty() {
        keep_files(&mut files, &document, standing);
    }
    let mut planned = Planned { references: accepted.references, ..Planned::default() };
    if memory.monitors.is_empty() {
        planned.remarks.push(Remark::NothingSelected);
    }
    planned.remarks.extend(gaps::remarks(&gaps, last));
    planned.remarks.extend(document.left_out.iter().map(|one| Remark::LeftOut(one.to_string())));
    planned.references.extend(document.references.iter().cloned());
    let compressed = compressed(&document, &mut memory.compressor);
    planned.children.push(Child::Secret(secrets::configuration(&instance, around.operator, compressed)));
    planned.configuration = Some(document.into());
    view.put_pods(mode, files, &mut planned)?;
    limits::check(&mut planned)?;
    Ok(planned)
}

/// An agent among all that there is.
struct View<'v> {
    agent: &'v PrometheusAgent,
    instance: &'v Instance<'v>,
    around: &'v Surroundings<'v>,
}

impl View<'_> {
    fn mode(&self) -> Result<Mode, Invalid> {
        let on_every_node = self.agent.spec.mode.as_deref() == Some("DaemonSet");
        match (on_every_node, self.around.daemon_sets) {
            (false, _) => Ok(Mode::Agent),
            (true, true) => Ok(Mode::DaemonSet),
            (true, false) => {
                Err(Invalid::new(&"feature gate for Prometheus Agent's DaemonSet mode is not enabled"))
            }
        }
    }

    /// What of it matters to its configuration.
    fn server<'s>(&'s self, spec: &'s SharedSpec, mode: Mode) -> Result<Server<'s>, Invalid> {
        let owner = self.instance.owner();
        let mut server =
            Server::read((owner.namespace(), owner.name()), spec).map_err(|error| Invalid::new(&error))?;
        server.mode = mode;
        server.offers = self.around.offers;
        // Shards of agents keep nothing that could be asked for.
        server.offers.shard_retention = false;
        Ok(server)
    }

    fn document(
        &self,
        monitors: &Monitors,
        own: &workload::Additional<'_>,
        mode: Mode,
        (gaps, last): (&[Gap], Option<&str>),
    ) -> Result<Document, Invalid> {
        let mut spec = Cow::Borrowed(self.instance.spec);
        if gaps::has(gaps, Section::RemoteWrite) {
            spec.to_mut().remote_write.clear();
        }
        let kept = gaps::has(gaps, Section::AdditionalJobs)
            .then(|| Cow::Owned(gaps::additional_jobs(last.unwrap_or_default())));
        let jobs = kept.or_else(|| text(own.scrape_configs));
        let mut document = document::agent(&AgentInputs {
            server: &self.server(&spec, mode)?,
            jobs: monitors.jobs(self.around.left_out, jobs.as_deref()),
            objects: self.around.objects,
        })
        .map_err(|error| {
            Invalid::new(&format!("creating config failed: generating config failed: {error}"))
        })?;
        gaps::fill(&mut document, gaps, last);
        Ok(document)
    }

    /// Everything that pods mount, and the pods.
    fn put_pods(
        &self,
        mode: Mode,
        files: BTreeMap<String, Vec<u8>>,
        planned: &mut Planned,
    ) -> Result<(), Invalid> {
        let (instance, operator) = (self.instance, self.around.operator);
        let tls_secrets = planned.put_tls_assets(instance.owner(), operator, &instance.object_name(), files);
        let web = secrets::web_config(instance, operator).map_err(|error| {
            Invalid::new(&format!(
                "synchronizing web config secret failed: failed to initialize web config: {error}"
            ))
        })?;
        planned.children.push(Child::Secret(web));
        let mut left_out = BTreeSet::new();
        if mode == Mode::DaemonSet {
            let built = daemonset::build(instance, operator, &tls_secrets)
                .map_err(|error| Invalid::new(&format!("making daemonset failed: {error}")))?;
            left_out.extend(built.left_out.iter().map(ToString::to_string));
            planned.children.push(Child::DaemonSet(Box::new(built.object)));
        } else {
            if instance.spec.service_name.is_none() {
                planned.children.push(Child::Service(Box::new(service::build(instance, operator, false))));
            }
            for number in 0..instance.shards() {
                let shard = Shard { number, operator, tls_secrets: &tls_secrets, input_hash: "" };
                let built = statefulset::build(instance, &shard)
                    .map_err(|error| Invalid::new(&format!("making statefulset failed: {error}")))?;
                left_out.extend(built.left_out.iter().map(ToString::to_string));
                planned.children.push(Child::StatefulSet(Box::new(built.object)));
            }
        }
        planned.remarks.extend(left_out.into_iter().map(Remark::LeftOut));
        Ok(())
    }
}

/// Everything that was read for an agent and its resources.
pub fn references<'m>(planned: &'m Planned, memory: &'m Memory) -> impl Iterator<Item = &'m Reference> {
    planned.references.iter().chain(memory.monitors.all().into_iter().flat_map(Memo::references))
}
