//! Prometheus servers. Agents share their instance, parts of their plan, and what follows it.
//!
//! | file | stage |
//! |---|---|
//! | [`declaration`] | what the operator watches and owns |
//! | [`validate`] | checks a Prometheus |
//! | [`plan`] | its objects, one file for each child |
//! | [`observe`] | the state of its pods, over all shards |
//! | [`report`] | its status |
//! | [`instance`] | names and settings that servers and agents share |

pub mod declaration;
pub mod instance;
pub mod observe;
pub mod plan;
pub mod report;
pub mod validate;

use api_monitoring::{Prometheus, SelectableKind};
use kernel::declare::Declaration;
use serde_json::{Value, json};

pub use instance::Instance;

use crate::kind::{Application, Facts, Naming, Seen, Workload, facts};
use crate::plan::{PlanContext, PlanError};
use crate::prometheus::validate::{Valid, selects_no_monitors};
use crate::status::reconciliation::Selects;
use crate::status::{PodSummary, deprecation};

/// Prometheus servers.
#[derive(Debug)]
pub struct OfPrometheus;

impl Workload for OfPrometheus {
    type Resource = Prometheus;
    type Valid<'v> = Valid<'v>;

    const DECLARATION: &'static Declaration = &declaration::DECLARATION;
    const SELECTABLE: &'static [SelectableKind] = declaration::SELECTABLE;
    const NAMING: Naming = declaration::NAMING;
    const APPLICATION: Application = declaration::APPLICATION;
    const REFERENCE_FIELDS: &'static [&'static str] = declaration::REFERENCE_FIELDS;
    const SELECTS: Option<Selects> = Some(Selects::ForServer);

    fn facts(resource: &Prometheus) -> Facts<'_> {
        Facts {
            selects_no_monitors: selects_no_monitors(&resource.spec.shared),
            deprecated: deprecation::of_prometheus(&resource.spec),
            ..facts::<Self>(resource)
        }
    }

    fn validate<'v>(resource: &'v Prometheus, context: &PlanContext<'v>) -> Result<Valid<'v>, PlanError> {
        validate::validate(resource, context)
    }

    fn observe(resource: &Prometheus, seen: &Seen) -> PodSummary {
        observe::observe::<Self>(resource, &resource.spec.shared, seen)
    }

    fn report(resource: &Prometheus, pods: &PodSummary) -> Value {
        json!(report::report::<Self>(resource, &resource.spec.shared, pods))
    }
}
