//! Checks a ThanosRuler, and collects everything that its plan needs.

use std::collections::BTreeMap;

use api_monitoring::ThanosRuler;
use api_monitoring::prometheus::remote::RemoteWriteSpec;
use monitoring_select::workload::{self, SectionGap};

use crate::kind::Workload as _;
use crate::plan::{PlanContext, PlanError, limits};
use crate::thanos_ruler::Instance;
use crate::thanos_ruler::OfThanosRuler;
use crate::thanos_ruler::plan::remote_write;

/// A Thanos Ruler that is valid, apart from missing references.
#[derive(Debug)]
pub struct Valid<'v> {
    pub(super) ruler: &'v ThanosRuler,
    pub(super) instance: Instance<'v>,
    /// The remote write endpoints, as far as the version supports them.
    pub(super) endpoints: Vec<RemoteWriteSpec>,
    /// A message for each setting that the version does not have.
    pub(super) ignored: Vec<String>,
    /// The certificates and keys of the endpoints, by the names of their files.
    pub(super) files: BTreeMap<String, Vec<u8>>,
    /// The missing references of the endpoints.
    pub(super) gaps: Vec<SectionGap>,
}

/// Checks a Thanos Ruler.
pub(crate) fn validate<'v>(
    ruler: &'v ThanosRuler,
    context: &PlanContext<'v>,
) -> Result<Valid<'v>, PlanError> {
    limits::check_name(&ruler.metadata)?;
    let instance = Instance::new(ruler).map_err(|error| PlanError::new(&error))?;
    context.check_selectors(OfThanosRuler::SELECTABLE)?;
    let invalid =
        |error: String| PlanError::new(&format!("failed to synchronize ruler config secret: {error}"));
    let (endpoints, ignored) = remote_write::fit(&instance).map_err(|error| invalid(error.to_string()))?;
    let namespace = ruler.metadata.namespace.as_deref().unwrap_or_default();
    let checked = workload::check_remote_write(namespace, &endpoints, context.objects)
        .map_err(|error| invalid(error.to_string()))?;
    let files = checked.accepted.files.into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect();
    let ignored = ignored.iter().map(|field| format!("ignoring {field:?} not supported by Thanos")).collect();
    Ok(Valid { ruler, instance, endpoints, ignored, files, gaps: checked.gaps })
}
