//! Thanos Rulers.

pub mod plan;
pub mod pods;
pub mod report;
pub mod validate;

use api_monitoring::{SelectableKind, ThanosRuler};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use kernel::declare::Declaration;
use monitoring_rules::config_map;
use serde_json::Value;

use crate::declaration;
use crate::kind::{Facts, Naming, Needs, Seen, Workload};
use crate::plan::{Invalid, LeftOut, Planned, Rendered, Selections, Surroundings};
use crate::status::reconciliation::Selects;
use crate::status::{Pods, Reconciliation, deprecation};
use crate::thanos_ruler::pods::Instance;
use crate::workload::defaults::{THANOS_VERSION, or_default};

/// Thanos Rulers.
#[derive(Debug)]
pub struct OfThanosRuler;

impl Workload for OfThanosRuler {
    type Resource = ThanosRuler;
    type Valid<'v> = validate::Valid<'v>;

    const DECLARATION: &'static Declaration = &declaration::THANOS_RULER;
    const SELECTABLE: &'static [SelectableKind] = &[SelectableKind::PrometheusRule];
    const NAMING: Naming = Naming {
        application: "thanos-ruler",
        governing_service: "thanos-ruler-operated",
        prefix: "thanos-ruler",
        configuration_suffix: "-config",
        configuration_key: "remote-write.yaml",
        rules: Some(|name| config_map::Workload::ThanosRuler(name)),
    };
    const POINTING: &'static [&'static str] = &["remoteWrite"];
    const HAS_CONFIGURATION: bool = false;
    const SELECTS: Option<Selects> = Some(Selects::Rules);

    fn metadata(resource: &ThanosRuler) -> &ObjectMeta {
        &resource.metadata
    }

    fn facts(resource: &ThanosRuler) -> Facts<'_> {
        let spec = &resource.spec;
        let labels = Instance::new(resource).map(|instance| instance.common_labels());
        let version = spec.version.as_deref().unwrap_or_default();
        Facts {
            paused: spec.paused,
            operand: ("Thanos Ruler", or_default(version, THANOS_VERSION)),
            port: 10902,
            route_prefix: &spec.route_prefix,
            tls: spec.web.as_ref().is_some_and(|web| web.file.tls_config.is_some()),
            selects_no_monitors: false,
            base: None,
            containers: [&spec.containers, &spec.init_containers],
            needs: Needs::of(spec.storage.as_ref(), spec.service_name.as_ref(), labels.ok()),
            deprecated: deprecation::of_thanos_ruler(spec),
        }
    }

    fn status(resource: &ThanosRuler) -> Value {
        serde_json::to_value(&resource.status).unwrap_or_default()
    }

    fn validate<'v>(
        resource: &'v ThanosRuler,
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

    fn report(resource: &ThanosRuler, seen: &Seen, last: &Reconciliation, now: &Time) -> Value {
        let set = seen.sets.values().next();
        let pods = set.map(|set| Pods::of(set, &seen.pods));
        let status = report::report(resource, pods.as_ref(), last, now);
        serde_json::to_value(status).unwrap_or_default()
    }
}
