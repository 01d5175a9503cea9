//! Thanos Rulers.
//!
//! | file | stage |
//! |---|---|
//! | [`declaration`] | what the operator watches and owns |
//! | [`validate`] | what is wrong with a ThanosRuler |
//! | [`plan`] | its objects, a file a child |
//! | `report` | its status |
//! | [`instance`] | names and settings |

pub mod declaration;
pub mod instance;
pub mod plan;
mod report;
pub mod validate;

use api_monitoring::{SelectableKind, ThanosRuler};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kernel::declare::Declaration;
use serde_json::{Value, json};

pub use instance::Instance;

use crate::kind::{Application, Facts, Naming, Seen, Workload, facts};
use crate::plan::{PlanContext, PlanError};
use crate::status::reconciliation::Selects;
use crate::status::{Reconciliation, deprecation};
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
    const POINTING: &'static [&'static str] = &["remoteWrite"];
    const HAS_CONFIGURATION: bool = false;
    const SELECTS: Option<Selects> = Some(Selects::Rules);

    fn facts(resource: &ThanosRuler) -> Facts<'_> {
        Facts { deprecated: deprecation::of_thanos_ruler(&resource.spec), ..facts::<Self>(resource) }
    }

    fn validate<'v>(resource: &'v ThanosRuler, context: &PlanContext<'v>) -> Result<Valid<'v>, PlanError> {
        validate::validate(resource, context)
    }

    fn report(resource: &ThanosRuler, seen: &Seen, last: &Reconciliation, now: &Time) -> Value {
        json!(report::report(resource, seen, last, now))
    }
}
