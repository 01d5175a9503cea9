//! Alertmanagers.
//!
//! | file | stage |
//! |---|---|
//! | [`declaration`] | what the operator watches and owns |
//! | [`validate`] | checks an Alertmanager |
//! | [`plan`] | its objects, one file for each child |
//! | `report` | its status |
//! | [`instance`] | names and settings |

pub mod declaration;
pub mod instance;
pub mod plan;
mod report;
pub mod validate;

use api_monitoring::{Alertmanager, SelectableKind};
use kernel::declare::Declaration;
use serde_json::{Value, json};

pub use instance::Instance;

use crate::alertmanager::validate::Valid;
use crate::kind::{Application, Facts, Naming, Workload, facts};
use crate::plan::{PlanContext, PlanError};
use crate::status::reconciliation::Selects;
use crate::status::{PodSummary, deprecation};

/// Alertmanagers.
#[derive(Debug)]
pub struct OfAlertmanager;

impl Workload for OfAlertmanager {
    type Resource = Alertmanager;
    type Valid<'v> = Valid<'v>;

    const DECLARATION: &'static Declaration = &declaration::DECLARATION;
    const SELECTABLE: &'static [SelectableKind] = &[SelectableKind::AlertmanagerConfig];
    const NAMING: Naming = declaration::NAMING;
    const APPLICATION: Application = declaration::APPLICATION;
    const REFERENCE_FIELDS: &'static [&'static str] = &["alertmanagerConfiguration/global"];
    const SELECTS: Option<Selects> = None;

    fn facts(resource: &Alertmanager) -> Facts<'_> {
        let spec = &resource.spec;
        Facts {
            base: spec.alertmanager_configuration.as_ref().map(|base| base.name.as_str()),
            deprecated: deprecation::of_alertmanager(spec),
            ..facts::<Self>(resource)
        }
    }

    fn own_secret(resource: &Alertmanager) -> Option<String> {
        let name = resource.metadata.name.as_deref().unwrap_or_default();
        Some(match resource.spec.config_secret.as_str() {
            "" => Self::NAMING.of(name),
            named => named.to_owned(),
        })
    }

    fn validate<'v>(resource: &'v Alertmanager, context: &PlanContext<'v>) -> Result<Valid<'v>, PlanError> {
        validate::validate(resource, context)
    }

    fn report(resource: &Alertmanager, pods: &PodSummary) -> Value {
        json!(report::report(resource, pods))
    }
}
