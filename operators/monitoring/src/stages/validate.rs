//! What can be carried out. Pure.

use kernel::flow::Invalid;

use super::gather::{Idle, Inputs};
use crate::kind::Workload;
use crate::plan::{self, PlanContext};
use crate::settings::Settings;

/// A workload that was checked.
pub struct Checked<'v, W: Workload> {
    /// The resource, for what is not part of a plan of objects.
    pub(super) resource: &'v W::Resource,
    /// What is there beside it.
    pub(super) around: PlanContext<'v>,
    /// The workload, or why it is left alone.
    pub(super) valid: Result<W::Valid<'v>, Idle>,
}

/// Checks.
pub(super) fn validate<'v, W: Workload>(
    resource: &'v W::Resource,
    inputs: &'v Inputs,
    settings: &'v Settings,
) -> Result<Checked<'v, W>, Invalid> {
    let around = PlanContext {
        operator: &settings.operator,
        offers: settings.offers,
        unmanaged: settings.unmanaged,
        daemon_sets: settings.daemon_sets,
        objects: &inputs.objects,
        last_written: &inputs.written,
        unselectable: &inputs.unselectable,
        base: inputs.base.as_ref(),
    };
    let valid = match inputs.idle {
        Some(idle) => Err(idle),
        None => Ok(W::validate(resource, &around).map_err(|error| invalid(error, inputs))?),
    };
    Ok(Checked { resource, around, valid })
}

pub(super) fn invalid(error: plan::PlanError, inputs: &Inputs) -> Invalid {
    let requeue_after = inputs.requeue_after;
    Invalid { reason: "ReconciliationFailed", message: error.message, requeue_after }
}
