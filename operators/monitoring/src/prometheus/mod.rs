//! Prometheus servers. Agents share their instance, parts of their plan, and their report.
//!
//! | file | stage |
//! |---|---|
//! | [`declaration`] | what the operator watches and owns |
//! | [`validate`] | what is wrong with a Prometheus |
//! | [`plan`] | its objects, a file a child |
//! | [`report`] | its status |
//! | [`instance`] | names and settings that servers and agents share |

pub mod declaration;
pub mod instance;
pub mod plan;
pub mod report;
pub mod validate;

use std::collections::BTreeMap;

use api_monitoring::{Prometheus, SelectableKind};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use kernel::declare::Declaration;
use serde_json::{Value, json};

pub use instance::Instance;

use crate::kind::{Application, Facts, Naming, Seen, Workload, facts};
use crate::plan::{PlanContext, PlanError};
use crate::prometheus::validate::{Valid, selects_no_monitors};
use crate::rollout::Surplus;
use crate::status::reconciliation::Selects;
use crate::status::{Reconciliation, deprecation};

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
    const POINTING: &'static [&'static str] = declaration::POINTING;
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

    fn surplus(
        resource: &Prometheus,
        sets: &BTreeMap<String, StatefulSet>,
        offered: bool,
        now: Timestamp,
    ) -> Surplus {
        crate::rollout::surplus(resource, sets.values(), offered, now)
    }

    fn report(resource: &Prometheus, seen: &Seen, last: &Reconciliation, now: &Time) -> Value {
        json!(report::report::<Self>(resource, &resource.spec.shared, seen, last, now))
    }
}
