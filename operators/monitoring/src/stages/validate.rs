//! Checks a workload. Pure.

use k8s_openapi::api::core::v1::Container;
use kernel::flow::Invalid;

use super::gather::{Idle, Inputs};
use crate::kind::{Facts, Workload};
use crate::plan::{self, PlanContext};
use crate::settings::MonitoringSettings;
use crate::status::ConditionType;

/// A workload that was checked.
pub struct CheckedWorkload<'v, W: Workload> {
    /// The name and the version of its operand, as users read them.
    pub(super) operand: String,
    /// Containers of its pods that the user adds or changes, and init containers.
    pub(super) containers: [&'v [Container]; 2],
    /// The other inputs of its plan.
    pub(super) context: PlanContext<'v>,
    /// The workload, or why it is not reconciled.
    pub(super) valid: Result<W::Valid<'v>, Idle>,
}

/// Checks a workload.
pub(super) fn validate<'v, W: Workload>(
    resource: &'v W::Resource,
    inputs: &'v Inputs,
    settings: &'v MonitoringSettings,
) -> Result<CheckedWorkload<'v, W>, Invalid> {
    let context = PlanContext {
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
        None => Ok(W::validate(resource, &context).map_err(|error| invalid(error, inputs))?),
    };
    let Facts { operand: (name, version), containers, .. } = W::facts(resource);
    let operand = format!("{name} {}", version.trim_start_matches('v'));
    Ok(CheckedWorkload { operand, containers, context, valid })
}

pub(super) fn invalid(error: plan::PlanError, inputs: &Inputs) -> Invalid {
    let requeue_after = inputs.requeue_after;
    Invalid { reason: ConditionType::Reconciled.failure(), message: error.message, requeue_after }
}
