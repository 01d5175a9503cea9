//! What is wrong with a ThanosRuler; else all that its plan looks at.

use std::collections::BTreeMap;

use api_monitoring::ThanosRuler;
use api_monitoring::prometheus::remote::RemoteWriteSpec;
use monitoring_select::workload::{self, Gap};

use crate::kind::{Workload as _, unselectable};
use crate::plan::limits;
use crate::plan::planned::Invalid;
use crate::plan::surroundings::Surroundings;
use crate::thanos_ruler::OfThanosRuler;
use crate::thanos_ruler::pods::{Instance, remote_write};

/// A Thanos Ruler that can be carried out, apart from gaps.
#[derive(Debug)]
pub struct Valid<'v> {
    pub(super) ruler: &'v ThanosRuler,
    pub(super) instance: Instance<'v>,
    /// Where samples are sent, as far as the version can.
    pub(super) endpoints: Vec<RemoteWriteSpec>,
    /// What the version cannot, in words.
    pub(super) ignored: Vec<String>,
    /// Certificates and keys that the endpoints point to, by the names of their files.
    pub(super) files: BTreeMap<String, Vec<u8>>,
    /// What the endpoints point to and what is not there.
    pub(super) gaps: Vec<Gap>,
}

/// Checks.
pub(crate) fn validate<'v>(ruler: &'v ThanosRuler, around: &Surroundings<'v>) -> Result<Valid<'v>, Invalid> {
    limits::check_name(&ruler.metadata)?;
    let instance = Instance::new(ruler).map_err(|error| Invalid::new(&error))?;
    around.check_selectors(OfThanosRuler::SELECTABLE.iter().copied()).map_err(unselectable)?;
    let wrong = |words: String| Invalid::new(&format!("failed to synchronize ruler config secret: {words}"));
    let (endpoints, ignored) = remote_write::fit(&instance).map_err(|error| wrong(error.to_string()))?;
    let namespace = ruler.metadata.namespace.as_deref().unwrap_or_default();
    let checked = workload::check_remote_write(namespace, &endpoints, around.objects)
        .map_err(|refused| wrong(refused.to_string()))?;
    let files = checked.accepted.files.into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect();
    let ignored = ignored.iter().map(ToString::to_string).collect();
    Ok(Valid { ruler, instance, endpoints, ignored, files, gaps: checked.gaps })
}
