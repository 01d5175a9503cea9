//! The configuration of a server or agent, and the Secrets that its pods mount.

use std::borrow::Cow;
use std::collections::BTreeMap;

use formats::gzip::{Compressor, NamedPart};
use k8s_openapi::api::apps::v1::StatefulSet;
use monitoring_scrape::document::{DocumentError, PrometheusDocument};
use monitoring_select::workload::{Checked, WorkloadSection};

use super::statefulset::{Built, StatefulSetError};
use super::{WEB_CONFIG, secret};
use crate::plan::gaps;
use crate::plan::{Child, Excluded, PlanContext, PlanError, PlanRemark, Planned, Rendered};
use crate::prometheus::Instance;
use crate::workload::secret::web_config;

/// Certificates and keys by the names of their files.
pub(crate) type TlsFiles = BTreeMap<String, Vec<u8>>;

/// The inputs of the configuration, in addition to what was rendered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'s> {
    /// The server or agent.
    pub(crate) instance: &'s Instance<'s>,
    /// The content of its own references.
    pub(crate) checked: &'s Checked<'s>,
    /// The other inputs.
    pub(crate) context: &'s PlanContext<'s>,
}

impl Source<'_> {
    fn last(&self) -> Option<&str> {
        self.context.last_written.configuration.as_deref()
    }

    /// The scrape jobs that the user writes into a Secret; the last ones, if the Secret is missing.
    pub(crate) fn additional_jobs(&self) -> Option<Cow<'_, str>> {
        if gaps::has(&self.checked.gaps, WorkloadSection::AdditionalJobs) {
            return Some(Cow::Borrowed(self.last().map_or("", gaps::additional_jobs)));
        }
        text(self.checked.additional.scrape_configs)
    }

    /// The certificates and keys of the workload and of the resources that it selects.
    pub(crate) fn files(&self, rendered: &Rendered, left_out: &Excluded) -> TlsFiles {
        let own = self.checked.accepted.files.iter().map(|(name, bytes)| (name.clone(), bytes.to_vec()));
        own.chain(rendered.files(left_out)).collect()
    }

    /// Adds the Secret with the configuration. Sections with missing references are kept as they were written last.
    pub(crate) fn put(
        &self,
        document: Result<PrometheusDocument, DocumentError>,
        planned: &mut Planned,
        files: &mut TlsFiles,
        compressor: &mut Compressor,
    ) -> Result<(), PlanError> {
        let failed = "creating config failed: generating config failed";
        let mut document = document.map_err(PlanError::prefixed(failed))?;
        let (gaps, last) = (&self.checked.gaps, self.last());
        gaps::fill(&mut document, gaps, last);
        if !gaps.is_empty() {
            self.keep_files(files, &document);
        }
        planned.remarks.extend(gaps::remarks(gaps, last));
        planned.remarks.extend(document.left_out.iter().map(|one| PlanRemark::LeftOut(one.to_string())));
        let parts = document.pieces.iter().map(|piece| NamedPart { name: piece.name(), text: &piece.text });
        let compressed = compressor.file(&parts.collect::<Vec<_>>());
        let secret = secret::configuration(self.instance, self.context.operator, compressed);
        planned.children.push(Child::Secret(secret));
        planned.configuration = Some(document.into());
        Ok(())
    }

    /// Keeps the certificates and keys of sections that are kept.
    fn keep_files(&self, files: &mut TlsFiles, document: &PrometheusDocument) {
        let Some(tail) = document.pieces.last() else { return };
        for name in gaps::certificates(&tail.text) {
            if let Some(bytes) = self.context.last_written.tls_files.get(name) {
                files.entry(name.to_owned()).or_insert_with(|| bytes.clone());
            }
        }
    }

    /// Adds the other Secrets that the pods mount. The names of those with certificates and keys.
    pub(crate) fn put_secrets(
        &self,
        files: TlsFiles,
        planned: &mut Planned,
    ) -> Result<Vec<String>, PlanError> {
        let (instance, operator) = (self.instance, self.context.operator);
        let tls_secrets = planned.put_tls_assets(instance, operator, files);
        let failed = "synchronizing web config secret failed: failed to initialize web config";
        planned.put_web_config(web_config(instance, operator, WEB_CONFIG), failed)?;
        Ok(tls_secrets)
    }

    /// Adds the StatefulSets of all shards.
    pub(crate) fn put_shards(
        &self,
        planned: &mut Planned,
        build: impl Fn(i32) -> Result<Built<StatefulSet>, StatefulSetError>,
    ) -> Result<(), PlanError> {
        let mut left_out = Vec::new();
        for shard in 0..self.instance.shards() {
            let built = build(shard).map_err(PlanError::prefixed("making statefulset failed"))?;
            left_out.extend(built.left_out);
            planned.children.push(Child::StatefulSet(Box::new(built.object)));
        }
        planned.put_left_out(&left_out);
        Ok(())
    }
}

/// The content of a Secret, as text.
pub(crate) fn text(bytes: Option<&[u8]>) -> Option<Cow<'_, str>> {
    bytes.map(String::from_utf8_lossy)
}
