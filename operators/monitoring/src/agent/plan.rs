//! A PrometheusAgent: everything that follows from it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use monitoring_scrape::document::{self, AgentInputs, Document};
use monitoring_scrape::{Mode, Server};
use monitoring_select::workload::Section;

use crate::agent::pods::{daemonset, statefulset};
use crate::agent::validate::Valid;
use crate::plan::child::Child;
use crate::plan::monitors::{self, Scraping};
use crate::plan::planned::{Invalid, Planned, Remark};
use crate::plan::rendered::Rendered;
use crate::plan::selection::Selections;
use crate::plan::surroundings::{LeftOut, Surroundings};
use crate::plan::{gaps, limits};
use crate::prometheus::plan::{compressed, keep_files, text};
use crate::prometheus::pods::{Shard, secrets, service};

/// Makes what each of the selected resources adds.
pub(crate) fn render(
    valid: &Valid<'_>,
    around: &Surroundings<'_>,
    selections: &Selections,
    rendered: &mut Rendered,
) {
    let server = valid.server(around);
    let scraping = Scraping { workload: &valid.workload, server: &server, objects: around.objects };
    scraping.render(selections, rendered);
}

/// Everything that follows from an agent and from what was rendered.
pub(crate) fn build(
    valid: &Valid<'_>,
    around: &Surroundings<'_>,
    left_out: &LeftOut,
    rendered: &mut Rendered,
) -> Result<Planned, Invalid> {
    let standing = around.standing;
    let (gaps, last) = (&valid.checked.gaps, standing.configuration.as_deref());
    let document = valid.document(rendered, around, left_out)?;
    let mut files: BTreeMap<String, Vec<u8>> =
        valid.checked.accepted.files.iter().map(|(name, bytes)| (name.clone(), bytes.to_vec())).collect();
    files.extend(rendered.files(left_out));
    if !gaps.is_empty() {
        keep_files(&mut files, &document, standing);
    }
    let mut planned = Planned::default();
    if rendered.is_empty() {
        planned.remarks.push(Remark::NothingSelected);
    }
    planned.remarks.extend(gaps::remarks(gaps, last));
    planned.remarks.extend(document.left_out.iter().map(|one| Remark::LeftOut(one.to_string())));
    let compressed = compressed(&document, &mut rendered.compressor);
    let secret = secrets::configuration(&valid.instance, around.operator, compressed);
    planned.children.push(Child::Secret(secret));
    planned.configuration = Some(document.into());
    valid.put_pods(around, files, &mut planned)?;
    limits::check(&mut planned)?;
    Ok(planned)
}

impl Valid<'_> {
    /// What of it matters to its configuration.
    fn server(&self, around: &Surroundings<'_>) -> Server<'_> {
        let mut server = self.server.clone();
        server.mode = self.mode;
        server.offers = around.offers;
        // Shards of agents keep nothing that could be asked for.
        server.offers.shard_retention = false;
        server
    }

    fn document(
        &self,
        rendered: &Rendered,
        around: &Surroundings<'_>,
        left_out: &LeftOut,
    ) -> Result<Document, Invalid> {
        let (gaps, last) = (&self.checked.gaps, around.standing.configuration.as_deref());
        let mut spec = Cow::Borrowed(self.instance.spec);
        if gaps::has(gaps, Section::RemoteWrite) {
            spec.to_mut().remote_write.clear();
        }
        let kept = gaps::has(gaps, Section::AdditionalJobs)
            .then(|| Cow::Owned(gaps::additional_jobs(last.unwrap_or_default())));
        let jobs = kept.or_else(|| text(self.checked.additional.scrape_configs));
        let mut server = self.server(around);
        server.spec = &spec;
        let mut document = document::agent(&AgentInputs {
            server: &server,
            jobs: monitors::jobs(rendered, left_out, jobs.as_deref()),
            objects: around.objects,
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
        around: &Surroundings<'_>,
        files: BTreeMap<String, Vec<u8>>,
        planned: &mut Planned,
    ) -> Result<(), Invalid> {
        let (instance, operator) = (&self.instance, around.operator);
        let tls_secrets = planned.put_tls_assets(instance.owner(), operator, &instance.object_name(), files);
        let web = secrets::web_config(instance, operator).map_err(|error| {
            Invalid::new(&format!(
                "synchronizing web config secret failed: failed to initialize web config: {error}"
            ))
        })?;
        planned.children.push(Child::Secret(web));
        let mut left_out = BTreeSet::new();
        if self.mode == Mode::DaemonSet {
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
