//! What is wrong with an Alertmanager; else all that its plan looks at.

use std::fmt::Display;

use api_monitoring::{Alertmanager, AlertmanagerConfig};
use formats::version::Version;
use monitoring_alerting::provision::{Base, Inputs};
use monitoring_alerting::version;

use crate::alertmanager::OfAlertmanager;
use crate::alertmanager::pods::Instance;
use crate::kind::Workload as _;
use crate::plan::limits;
use crate::plan::planned::Invalid;
use crate::plan::surroundings::Surroundings;
use crate::workload::defaults::{ALERTMANAGER_VERSION, or_default};

/// An Alertmanager that can be carried out.
#[derive(Debug)]
pub struct Valid<'v> {
    pub(super) alertmanager: &'v Alertmanager,
    pub(super) instance: Instance<'v>,
    pub(super) version: Version,
    /// The AlertmanagerConfig that is its base, if one is named and there.
    pub(super) global: Option<AlertmanagerConfig>,
    /// What the resources that it selects are added to.
    pub(super) base: Base,
}

/// Something that is wrong with the configuration.
pub(super) fn wrong(words: &impl Display) -> Invalid {
    Invalid::new(&format!("provision alertmanager configuration: {words}"))
}

/// Checks.
pub(crate) fn validate<'v>(
    alertmanager: &'v Alertmanager,
    around: &Surroundings<'v>,
) -> Result<Valid<'v>, Invalid> {
    limits::check_name(&alertmanager.metadata)?;
    let text = or_default(&alertmanager.spec.version, ALERTMANAGER_VERSION);
    let version = version::read(text).map_err(|error| wrong(&error))?;
    let global = global(around, &version)?;
    let inputs = Inputs { alertmanager, global: global.as_ref(), objects: around.objects, version: &version };
    let base = inputs.base().map_err(|error| wrong(&error))?;
    if matches!(base, Base::Started(_)) {
        around
            .check_selectors(OfAlertmanager::SELECTABLE.iter().copied())
            .map_err(|(_, error)| wrong(&format!("failed to select AlertmanagerConfig objects: {error}")))?;
    }
    let instance = Instance::new(alertmanager).map_err(|error| Invalid::new(&error))?;
    Ok(Valid { alertmanager, instance, version, global, base })
}

/// The AlertmanagerConfig that is the base, checked.
fn global(around: &Surroundings<'_>, version: &Version) -> Result<Option<AlertmanagerConfig>, Invalid> {
    let Some(object) = around.base else { return Ok(None) };
    let failed =
        |words: String| wrong(&format!("failed to initialize from global AlertmanagerConfig: {words}"));
    let config: AlertmanagerConfig =
        object.read().map_err(|error| failed(format!("it cannot be read: {}", error.source)))?;
    crate::admission::resource::check(&config, version, around.objects)
        .map_err(|refused| failed(refused.to_string()))?;
    Ok(Some(config))
}
