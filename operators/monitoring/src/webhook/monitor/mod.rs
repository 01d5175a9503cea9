//! Monitors: what can be told of one without the cluster, for every version of Prometheus and every workload. Secrets,
//! ConfigMaps and scrape classes may come later, so that they are not there is no reason to refuse.
//!
//! | file | owns |
//! |---|---|
//! | `check` | the verdict on an object |
//! | `place` | the field, as it stands in the object |
//! | `advice` | what to do |

mod advice;
mod check;
mod place;
#[cfg(test)]
mod tests;

use crate::admission::review::is_settled;
use kernel::clock;
use kernel::webhook::{Decision, Request, Routes, Verdict};
use kube::api::DynamicObject;
use monitoring_select::{pod_monitor, probe, scrape_config, service_monitor};
use serde_json::Value;

use crate::webhook::metrics::{Metrics, PathMetrics, Said};
use crate::webhook::{
    VALIDATE_POD_MONITOR, VALIDATE_PROBE, VALIDATE_SCRAPE_CONFIG, VALIDATE_SERVICE_MONITOR,
};

/// What is wrong with an object, in words for the user.
type Check = fn(&Value) -> Result<(), String>;

/// The paths, the resources that are checked there, and how.
pub(crate) const MONITORS: [(&str, &str, Check); 4] = [
    (VALIDATE_SERVICE_MONITOR, "servicemonitors", |object| check::object(object, service_monitor::check)),
    (VALIDATE_POD_MONITOR, "podmonitors", |object| check::object(object, pod_monitor::check)),
    (VALIDATE_PROBE, "probes", |object| check::object(object, probe::check)),
    (VALIDATE_SCRAPE_CONFIG, "scrapeconfigs", |object| check::object(object, scrape_config::check)),
];

/// Adds the paths of monitors.
pub(crate) fn add(routes: Routes, metrics: &Metrics) -> Routes {
    MONITORS.into_iter().fold(routes, |routes, (path, resource, check)| {
        let metrics = metrics.path(path);
        routes.admission(path, move |request| counted(&metrics, request, resource, check))
    })
}

fn counted(metrics: &PathMetrics, request: Request, resource: &str, check: Check) -> Verdict {
    let began = clock::now();
    let object = format!("{}/{}", request.namespace.as_deref().unwrap_or_default(), request.name);
    let verdict = judge(request, resource, check);
    let allowed = verdict.decision == Decision::Allow;
    metrics.answered(Said::of(allowed), began);
    if !allowed {
        tracing::info!(path = metrics.path, object, "refused");
    }
    verdict
}

fn judge(request: Request, resource: &str, check: Check) -> Verdict {
    if request.resource.resource != resource {
        let other = &request.resource.resource;
        return Verdict::deny(format!("this webhook checks {resource}, not {other}: register it for those"));
    }
    let Some(mut object) = request.object else { return Verdict::allow() };
    if request.sub_resource.is_some() {
        return Verdict::allow();
    }
    object.metadata.namespace = object.metadata.namespace.or(request.namespace);
    let checked = written(object).and_then(|object| {
        let before = request.old_object.map(written).transpose()?;
        if is_settled(&object, before.as_ref()) { Ok(()) } else { check(&object) }
    });
    checked.map_or_else(Verdict::deny, |()| Verdict::allow())
}

fn written(object: DynamicObject) -> Result<Value, String> {
    serde_json::to_value(object).map_err(|error| error.to_string())
}
