//! The plan of a workload from files, without a cluster and without memory.

use kernel::object::Key;
use monitoring_assets::Objects;
use monitoring_select::LabelsByNamespace;

use crate::kind::{ValidWorkload as _, Workload};
use crate::plan::selection::select;
use crate::plan::{Excluded, LastWritten, PlanContext, PlanError, Planned, Rendered, Resources, Selections};
use crate::selectors::WorkloadSelectors;
use crate::settings::MonitoringSettings;
use crate::stages::gather::base;

/// The objects in the files.
#[derive(Debug, Default)]
pub struct OfflineFiles {
    /// The labels of namespaces.
    pub namespaces: LabelsByNamespace,
    /// Secrets and ConfigMaps.
    pub objects: Objects,
    /// The resources that can be selected.
    pub resources: Resources,
}

/// Plans a workload. Also returns what was rendered for the selected resources, even if the workload is invalid.
pub fn plan<W: Workload>(
    resource: &W::Resource,
    files: &OfflineFiles,
    settings: &MonitoringSettings,
) -> (Result<Planned, PlanError>, Rendered) {
    let key = Key::of(W::metadata(resource));
    let mut rendered = Rendered::default();
    let planned = written::<W>(resource).and_then(|written| {
        let selectors = WorkloadSelectors::read(&written, W::SELECTABLE);
        let mut selections = Selections::default();
        let candidates = (&files.resources, &files.namespaces);
        let unselectable = select(&mut selections, &selectors, &key.namespace, candidates);
        let context = PlanContext {
            operator: &settings.operator,
            offers: settings.offers,
            unmanaged: settings.unmanaged,
            daemon_sets: settings.daemon_sets,
            objects: &files.objects,
            last_written: &LastWritten::default(),
            unselectable: &unselectable,
            base: base(&files.resources, W::facts(resource).base, &key),
        };
        let valid = W::validate(resource, &context)?;
        valid.render(&context, &selections, &mut rendered);
        valid.build(&context, &Excluded::default(), &mut rendered)
    });
    (planned, rendered)
}

/// A workload as JSON.
fn written<W: Workload>(resource: &W::Resource) -> Result<serde_json::Value, PlanError> {
    serde_json::to_value(resource)
        .map_err(|error| PlanError::new(&format!("it cannot be written as JSON: {error}")))
}
