//! What there is beside a workload.

use std::collections::BTreeSet;
use std::sync::Arc;

use api_monitoring::{PerKind, SelectableKind};
use kernel::object::Object;
use kernel::stores::All;
use monitoring_assets::Objects;
use monitoring_scrape::Offers;
use monitoring_select::asking::SelectionError;

use crate::plan::standing::Standing;
use crate::workload::operator::OperatorConfig;

/// What there is.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'s> {
    /// What the flags of the operator say about objects.
    pub operator: &'s OperatorConfig,
    /// What the cluster and the operator offer.
    pub offers: Offers,
    /// Whether a Prometheus that selects nothing leaves its configuration to the user.
    pub unmanaged: bool,
    /// Whether agents may run on every node.
    pub daemon_sets: bool,
    /// Secrets and ConfigMaps.
    pub objects: &'s Objects,
    /// What was written before.
    pub standing: &'s Standing,
    /// Why nothing of a kind can be selected.
    pub unselectable: &'s PerKind<Option<SelectionError>>,
    /// The AlertmanagerConfig that the workload names as its base, if it is there.
    pub base: Option<&'s Arc<Object>>,
}

impl<'s> Surroundings<'s> {
    /// Whether these kinds can be selected; the first that cannot, and why.
    pub(crate) fn check_selectors(
        &self,
        kinds: impl IntoIterator<Item = SelectableKind>,
    ) -> Result<(), (SelectableKind, &'s SelectionError)> {
        let unselectable = |kind| Some((kind, self.unselectable[kind].as_ref()?));
        kinds.into_iter().find_map(unselectable).map_or(Ok(()), Err)
    }
}

/// Resources that are selected and checked as all others, and not written: an operand refuses them. By
/// `namespace/name`.
pub type LeftOut = PerKind<BTreeSet<String>>;

/// What workloads can select: in no particular order, but always in the same.
pub type Resources = PerKind<All>;
