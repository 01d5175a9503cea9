//! Checks an Alertmanager, and collects everything that its plan needs.

use std::fmt::Display;

use api_monitoring::{Alertmanager, AlertmanagerConfig, SelectableKind};
use formats::version::Version;
use monitoring_alerting::provision::{Base, BaseInputs};
use monitoring_alerting::version;

use crate::alertmanager::{Instance, OfAlertmanager};
use crate::kind::version_text;
use crate::plan::{PlanContext, PlanError, limits};

/// A valid Alertmanager.
#[derive(Debug)]
pub struct Valid<'v> {
    pub(super) alertmanager: &'v Alertmanager,
    pub(super) instance: Instance<'v>,
    pub(super) version: Version,
    /// The AlertmanagerConfig that is its base, if it names one that exists.
    pub(super) global: Option<AlertmanagerConfig>,
    /// The configuration that the selected resources are added to.
    pub(super) base: Base,
}

/// An error about the configuration.
pub(super) fn invalid(error: &impl Display) -> PlanError {
    PlanError::new(&format!("provision alertmanager configuration: {error}"))
}

/// Checks an Alertmanager.
pub(crate) fn validate<'v>(
    alertmanager: &'v Alertmanager,
    context: &PlanContext<'v>,
) -> Result<Valid<'v>, PlanError> {
    limits::check_name(&alertmanager.metadata)?;
    let version =
        version::read(version_text::<OfAlertmanager>(alertmanager)).map_err(|error| invalid(&error))?;
    let global = global(context, &version)?;
    let inputs =
        BaseInputs { alertmanager, global: global.as_ref(), objects: context.objects, version: &version };
    let base = inputs.base().map_err(|error| invalid(&error))?;
    if matches!(base, Base::Started(_))
        && let Some(error) = &context.unselectable[SelectableKind::AlertmanagerConfig]
    {
        return Err(invalid(&format!("failed to select AlertmanagerConfig objects: {error}")));
    }
    let instance = Instance::new(alertmanager).map_err(|error| PlanError::new(&error))?;
    Ok(Valid { alertmanager, instance, version, global, base })
}

/// The AlertmanagerConfig that is the base, checked.
fn global(context: &PlanContext<'_>, version: &Version) -> Result<Option<AlertmanagerConfig>, PlanError> {
    let Some(object) = context.base else { return Ok(None) };
    let failed =
        |words: String| invalid(&format!("failed to initialize from global AlertmanagerConfig: {words}"));
    let config: AlertmanagerConfig =
        object.read().map_err(|error| failed(format!("it cannot be read: {}", error.source)))?;
    crate::admission::resource::check(&config, version, context.objects)
        .map_err(|refused| failed(refused.to_string()))?;
    Ok(Some(config))
}
