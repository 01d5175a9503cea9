//! The inputs of a plan, beside the workload itself.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api_monitoring::{PerKind, SelectableKind};
use kernel::object::Object;
use kernel::stores::All;
use monitoring_assets::Objects;
use monitoring_rules::pack::Files;
use monitoring_scrape::Offers;
use monitoring_select::selection::SelectionError;

use crate::plan::planned::PlanError;
use crate::workload::operator::OperatorConfig;

/// The inputs of a plan.
#[derive(Debug, Clone, Copy)]
pub struct PlanContext<'c> {
    /// What the flags of the operator say about objects.
    pub operator: &'c OperatorConfig,
    /// What the API server and the operator support.
    pub offers: Offers,
    /// Whether the configuration of a Prometheus that selects nothing is left to the user.
    pub unmanaged: bool,
    /// Whether agents may run on every node.
    pub daemon_sets: bool,
    /// Secrets and ConfigMaps.
    pub objects: &'c Objects,
    /// What was written last.
    pub last_written: &'c LastWritten,
    /// Why nothing of a kind can be selected.
    pub unselectable: &'c PerKind<Option<SelectionError>>,
    /// The AlertmanagerConfig that the workload names as its base, if it exists.
    pub base: Option<&'c Arc<Object>>,
}

impl PlanContext<'_> {
    /// Rejects a workload with an invalid selector of one of these kinds.
    pub(crate) fn check_selectors(&self, kinds: &[SelectableKind]) -> Result<(), PlanError> {
        let error = |kind: &SelectableKind| Some((kind.name(), self.unselectable[*kind].as_ref()?));
        match kinds.iter().find_map(error) {
            Some((kind, error)) => Err(PlanError::new(&format!("selecting {kind}s failed: {error}"))),
            None => Ok(()),
        }
    }
}

/// What was written last for a workload; it stays where nothing better is known.
#[derive(Debug, Clone, Default)]
pub struct LastWritten {
    /// Its configuration, if there is one.
    pub configuration: Option<String>,
    /// The certificates and keys that the configuration refers to, by the names of their files.
    pub tls_files: BTreeMap<String, Vec<u8>>,
    /// The rule files of each ConfigMap.
    pub rules: Vec<Files>,
}

/// Resources that are selected and checked like all others, and not written: the application rejects them. By
/// `namespace/name`.
pub type LeftOut = PerKind<BTreeSet<String>>;

/// The resources that workloads can select: in no particular order, but always in the same.
pub type Resources = PerKind<All>;
