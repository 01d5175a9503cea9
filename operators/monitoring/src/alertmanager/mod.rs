//! Alertmanagers.

pub mod plan;
pub mod pods;
pub mod report;
pub mod validate;

use api_monitoring::{Alertmanager, SelectableKind};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use kernel::declare::Declaration;
use serde_json::Value;

use crate::alertmanager::pods::Instance;
use crate::declaration;
use crate::kind::{Facts, Naming, Needs, Seen, Workload};
use crate::plan::{Invalid, LeftOut, Planned, Rendered, Selections, Surroundings};
use crate::status::reconciliation::Selects;
use crate::status::{Pods, Reconciliation, deprecation};
use crate::workload::defaults::{ALERTMANAGER_VERSION, or_default};

/// Alertmanagers.
#[derive(Debug)]
pub struct OfAlertmanager;

impl Workload for OfAlertmanager {
    type Resource = Alertmanager;
    type Valid<'v> = validate::Valid<'v>;

    const DECLARATION: &'static Declaration = &declaration::ALERTMANAGER;
    const SELECTABLE: &'static [SelectableKind] = &[SelectableKind::AlertmanagerConfig];
    const NAMING: Naming = Naming {
        application: "alertmanager",
        governing_service: "alertmanager-operated",
        prefix: "alertmanager",
        configuration_suffix: "-generated",
        configuration_key: "alertmanager.yaml.gz",
        rules: None,
    };
    const POINTING: &'static [&'static str] = &["alertmanagerConfiguration/global"];
    const SELECTS: Option<Selects> = None;

    fn metadata(resource: &Alertmanager) -> &ObjectMeta {
        &resource.metadata
    }

    fn facts(resource: &Alertmanager) -> Facts<'_> {
        let spec = &resource.spec;
        let labels = Instance::new(resource).map(|instance| instance.common_labels());
        Facts {
            paused: spec.paused,
            operand: ("Alertmanager", or_default(&spec.version, ALERTMANAGER_VERSION)),
            port: 9093,
            route_prefix: &spec.route_prefix,
            tls: spec.web.as_ref().is_some_and(|web| web.file.tls_config.is_some()),
            selects_no_monitors: false,
            base: spec.alertmanager_configuration.as_ref().map(|base| base.name.as_str()),
            containers: [&spec.containers, &spec.init_containers],
            needs: Needs::of(spec.storage.as_ref(), spec.service_name.as_ref(), labels.ok()),
            deprecated: deprecation::of_alertmanager(spec),
        }
    }

    fn own_secret(resource: &Alertmanager) -> Option<String> {
        let name = resource.metadata.name.as_deref().unwrap_or_default();
        Some(match resource.spec.config_secret.as_str() {
            "" => Self::NAMING.of(name),
            named => named.to_owned(),
        })
    }

    fn status(resource: &Alertmanager) -> Value {
        serde_json::to_value(&resource.status).unwrap_or_default()
    }

    fn validate<'v>(
        resource: &'v Alertmanager,
        around: &Surroundings<'v>,
    ) -> Result<validate::Valid<'v>, Invalid> {
        validate::validate(resource, around)
    }

    fn render(
        valid: &validate::Valid<'_>,
        around: &Surroundings<'_>,
        selections: &Selections,
        rendered: &mut Rendered,
    ) {
        plan::render(valid, around, selections, rendered);
    }

    fn build(
        valid: &validate::Valid<'_>,
        around: &Surroundings<'_>,
        left_out: &LeftOut,
        rendered: &mut Rendered,
    ) -> Result<Planned, Invalid> {
        plan::build(valid, around, left_out, rendered)
    }

    fn report(resource: &Alertmanager, seen: &Seen, last: &Reconciliation, now: &Time) -> Value {
        let set = seen.sets.values().next();
        let pods = set.map(|set| Pods::of(set, &seen.pods));
        let labels = Instance::new(resource).map(|instance| instance.common_labels());
        let labels = labels.unwrap_or_default();
        let status = report::report(resource, pods.as_ref(), &labels, last, now);
        serde_json::to_value(status).unwrap_or_default()
    }
}
