//! The plan of a workload in files: without a cluster, and with nothing remembered.

use kernel::object::Key;
use monitoring_assets::Objects;
use monitoring_select::Namespaces;

use crate::kind::{ValidWorkload as _, Workload};
use crate::plan::selection::select;
use crate::plan::{LastWritten, LeftOut, PlanContext, PlanError, Planned, Rendered, Resources, Selections};
use crate::selectors::WorkloadSelectors;
use crate::settings::Settings;
use crate::stages::gather::base;

/// The objects in the files.
#[derive(Debug, Default)]
pub struct Files {
    /// The labels of namespaces.
    pub namespaces: Namespaces,
    /// Secrets and ConfigMaps.
    pub objects: Objects,
    /// The resources that can be selected.
    pub resources: Resources,
}

/// Plans. What was rendered for the selected resources is returned too, also if the workload is invalid.
pub fn plan<W: Workload>(
    resource: &W::Resource,
    files: &Files,
    settings: &Settings,
) -> (Result<Planned, PlanError>, Rendered) {
    let key = Key::of(W::metadata(resource));
    let mut rendered = Rendered::default();
    let planned = written::<W>(resource).and_then(|written| {
        let selectors = WorkloadSelectors::read(&written, W::SELECTABLE);
        let mut selections = Selections::default();
        let around = (&files.resources, &files.namespaces);
        let unselectable = select(&mut selections, &selectors, &key.namespace, around);
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
        valid.build(&context, &LeftOut::default(), &mut rendered)
    });
    (planned, rendered)
}

/// A workload as JSON.
fn written<W: Workload>(resource: &W::Resource) -> Result<serde_json::Value, PlanError> {
    serde_json::to_value(resource)
        .map_err(|error| PlanError::new(&format!("it cannot be written as JSON: {error}")))
}
