//! Thanos Rulers.
//!
//! | file | stage |
//! |---|---|
//! | [`declaration`] | what the operator watches and owns |
//! | [`validate`] | checks a ThanosRuler |
//! | [`plan`] | its objects, one file for each child |
//! | `report` | its status |
//! | [`instance`] | names and settings |

pub mod declaration;
pub mod instance;
pub mod plan;
mod report;
pub mod validate;

use api_monitoring::{SelectableKind, ThanosRuler};
use kernel::declare::Declaration;
use serde_json::{Value, json};

pub use instance::Instance;

use crate::kind::{Application, Facts, Naming, Workload, facts};
use crate::plan::{PlanContext, PlanError};
use crate::status::reconciliation::Selects;
use crate::status::{PodSummary, deprecation};
use crate::thanos_ruler::validate::Valid;

/// Thanos Rulers.
#[derive(Debug)]
pub struct OfThanosRuler;

impl Workload for OfThanosRuler {
    type Resource = ThanosRuler;
    type Valid<'v> = Valid<'v>;

    const DECLARATION: &'static Declaration = &declaration::DECLARATION;
    const SELECTABLE: &'static [SelectableKind] = &[SelectableKind::PrometheusRule];
    const NAMING: Naming = declaration::NAMING;
    const APPLICATION: Application = declaration::APPLICATION;
    const REFERENCE_FIELDS: &'static [&'static str] = &["remoteWrite"];
    const HAS_CONFIGURATION: bool = false;
    const SELECTS: Option<Selects> = Some(Selects::Rules);

    fn facts(resource: &ThanosRuler) -> Facts<'_> {
        Facts { deprecated: deprecation::of_thanos_ruler(&resource.spec), ..facts::<Self>(resource) }
    }

    fn validate<'v>(resource: &'v ThanosRuler, context: &PlanContext<'v>) -> Result<Valid<'v>, PlanError> {
        validate::validate(resource, context)
    }

    fn report(resource: &ThanosRuler, pods: &PodSummary) -> Value {
        json!(report::report(resource, pods))
    }
}
