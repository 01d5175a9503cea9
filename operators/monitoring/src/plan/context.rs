//! The inputs of a plan, in addition to the workload itself.

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
    /// The settings of objects that follow from the flags.
    pub operator: &'c OperatorConfig,
    /// What the API server and the operator support.
    pub offers: Offers,
    /// Whether the user writes the configuration of a Prometheus that selects no monitors.
    pub unmanaged: bool,
    /// Whether agents may run on every node.
    pub daemon_sets: bool,
    /// Secrets and ConfigMaps.
    pub objects: &'c Objects,
    /// What was written last.
    pub last_written: &'c LastWritten,
    /// The errors of selectors, by kind.
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

/// What was written last for a workload. Parts of it are kept if references are missing.
#[derive(Debug, Clone, Default)]
pub struct LastWritten {
    /// Whether the Secret with its configuration exists, also if its content cannot be used.
    pub secret_exists: bool,
    /// The sections of its configuration that may be kept, if it can be read.
    pub configuration: Option<String>,
    /// The certificates and keys that the configuration refers to, by the names of their files.
    pub tls_files: BTreeMap<String, Vec<u8>>,
    /// The rule files of each ConfigMap.
    pub rules: Vec<Files>,
}

/// Resources, as `namespace/name`, that are selected and checked, but not written, because the application rejects them.
pub type Excluded = PerKind<BTreeSet<String>>;

/// The resources that workloads can select, in any stable order.
pub type Resources = PerKind<All>;
