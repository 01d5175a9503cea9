//! What follows from a workload in files: without a cluster, and with nothing remembered.

use kernel::object::Key;
use monitoring_assets::Objects;
use monitoring_select::Namespaces;

use crate::kind::Workload;
use crate::plan::selection::select;
use crate::plan::{Invalid, LeftOut, Planned, Rendered, Resources, Selections, Standing, Surroundings};
use crate::selectors::WorkloadSelectors;
use crate::settings::Settings;
use crate::stages::gather::base;

/// What there is beside a workload.
#[derive(Debug, Default)]
pub struct Files {
    /// The labels of namespaces.
    pub namespaces: Namespaces,
    /// Secrets and ConfigMaps.
    pub objects: Objects,
    /// What can be selected.
    pub resources: Resources,
}

/// Plans. What was made of the selected resources comes beside it, also when the workload is invalid.
pub fn plan<W: Workload>(
    resource: &W::Resource,
    files: &Files,
    settings: &Settings,
) -> (Result<Planned, Invalid>, Rendered) {
    let key = Key::of(W::metadata(resource));
    let mut rendered = Rendered::default();
    let planned = written::<W>(resource).and_then(|written| {
        let selectors = WorkloadSelectors::read(&written, W::SELECTABLE);
        let mut selections = Selections::default();
        let around = (&files.resources, &files.namespaces);
        let unselectable = select(&mut selections, &selectors, &key.namespace, around);
        let around = Surroundings {
            operator: &settings.operator,
            offers: settings.offers,
            unmanaged: settings.unmanaged,
            daemon_sets: settings.daemon_sets,
            objects: &files.objects,
            standing: &Standing::default(),
            unselectable: &unselectable,
            base: base(&files.resources, W::facts(resource).base, &key),
        };
        let valid = W::validate(resource, &around)?;
        W::render(&valid, &around, &selections, &mut rendered);
        W::build(&valid, &around, &LeftOut::default(), &mut rendered)
    });
    (planned, rendered)
}

/// A workload as JSON.
fn written<W: Workload>(resource: &W::Resource) -> Result<serde_json::Value, Invalid> {
    serde_json::to_value(resource)
        .map_err(|error| Invalid::new(&format!("it cannot be written as JSON: {error}")))
}
