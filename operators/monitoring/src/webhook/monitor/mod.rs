//! Webhooks for monitors. They check what does not depend on the cluster, for every version of Prometheus and every
//! workload. Secrets, ConfigMaps and scrape classes may be created later, so an object that refers to a missing one is
//! allowed.
//!
//! | file | owns |
//! |---|---|
//! | `check` | the check of an object |
//! | `field` | the field that a problem is about |
//! | `advice` | what to do about a problem |

mod advice;
mod check;
mod field;
#[cfg(test)]
mod tests;

use crate::admission::review::is_exempt;
use api_monitoring::{PodMonitor, Probe, ScrapeConfig, ServiceMonitor};
use kernel::clock;
use kernel::webhook::{AdmissionDecision, ReviewRequest, Routes, Verdict};
use kube::api::DynamicObject;
use product::Registered;
use serde_json::Value;

use crate::webhook::metrics::{Answer, PathMetrics, WebhookMetrics};

/// Checks an object. The error is a message for the user.
type Check = fn(&Value) -> Result<(), String>;

/// The webhooks and their checks.
pub(super) const MONITORS: [(Registered, Check); 4] = [
    (
        Registered {
            path: "/admission-servicemonitors/validate",
            resource: "servicemonitors",
            versions: &["v1"],
        },
        check::object::<ServiceMonitor>,
    ),
    (
        Registered { path: "/admission-podmonitors/validate", resource: "podmonitors", versions: &["v1"] },
        check::object::<PodMonitor>,
    ),
    (
        Registered { path: "/admission-probes/validate", resource: "probes", versions: &["v1"] },
        check::object::<Probe>,
    ),
    (
        Registered {
            path: "/admission-scrapeconfigs/validate",
            resource: "scrapeconfigs",
            versions: &["v1alpha1"],
        },
        check::object::<ScrapeConfig>,
    ),
];

/// Adds the webhooks for monitors.
pub(super) fn add(routes: Routes, metrics: &WebhookMetrics) -> Routes {
    MONITORS.into_iter().fold(routes, |routes, (Registered { path, resource, .. }, check)| {
        let metrics = metrics.path(path);
        routes.admission(path, move |request| counted(&metrics, request, resource, check))
    })
}

fn counted(metrics: &PathMetrics, request: ReviewRequest, resource: &str, check: Check) -> Verdict {
    let began = clock::now();
    let object = format!("{}/{}", request.namespace.as_deref().unwrap_or_default(), request.name);
    let response = review(request, resource, check);
    let allowed = response.decision == AdmissionDecision::Allow;
    metrics.observe(Answer::of(allowed), began);
    if !allowed {
        tracing::info!(path = metrics.path, object, "rejected");
    }
    response
}

fn review(request: ReviewRequest, resource: &str, check: Check) -> Verdict {
    if request.resource.resource != resource {
        let other = &request.resource.resource;
        return Verdict::deny(format!(
            "this webhook checks {resource}, not {other}: register it for {resource} only"
        ));
    }
    let Some(mut object) = request.object else { return Verdict::allow() };
    if request.sub_resource.is_some() {
        return Verdict::allow();
    }
    object.metadata.namespace = object.metadata.namespace.or(request.namespace);
    let checked = written(object).and_then(|object| {
        let old = request.old_object.map(written).transpose()?;
        if is_exempt(&object, old.as_ref()) { Ok(()) } else { check(&object) }
    });
    checked.map_or_else(Verdict::deny, |()| Verdict::allow())
}

fn written(object: DynamicObject) -> Result<Value, String> {
    serde_json::to_value(object).map_err(|error| error.to_string())
}
