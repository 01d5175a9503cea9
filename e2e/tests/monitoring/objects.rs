//! Resources of the monitoring kinds, as a user writes and reads them.

use anyhow::{Context, Result};
use e2e::namespace::Namespace;
use e2e::wait::{Look, holds};
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::RoleBinding;
use kube::Api;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

/// The ServiceAccount of servers that discover targets.
pub(crate) const ACCOUNT: &str = "prometheus";

/// The resource of a kind.
pub(crate) fn resource(kind: &str) -> ApiResource {
    let version = match kind {
        "PrometheusAgent" | "AlertmanagerConfig" | "ScrapeConfig" => "v1alpha1",
        _ => "v1",
    };
    let lower = kind.to_lowercase();
    ApiResource {
        group: "monitoring.coreos.com".into(),
        version: version.into(),
        api_version: format!("monitoring.coreos.com/{version}"),
        kind: kind.into(),
        plural: if lower.ends_with('s') { format!("{lower}es") } else { format!("{lower}s") },
    }
}

/// The API of a kind.
pub(crate) fn api(namespace: &Namespace, kind: &str) -> Api<DynamicObject> {
    Api::namespaced_with(namespace.lab().client(), namespace.name(), &resource(kind))
}

/// Creates an object.
pub(crate) async fn create(namespace: &Namespace, kind: &str, name: &str, spec: Value) -> Result<()> {
    let object = json!({
        "apiVersion": resource(kind).api_version, "kind": kind, "metadata": {"name": name}, "spec": spec,
    });
    let created = api(namespace, kind).create(&PostParams::default(), &serde_json::from_value(object)?).await;
    created.with_context(|| format!("cannot create {kind} {name}"))?;
    Ok(())
}

/// Changes fields of the spec of an object.
pub(crate) async fn change(namespace: &Namespace, kind: &str, name: &str, spec: Value) -> Result<()> {
    let patch = Patch::Merge(json!({ "spec": spec }));
    let changed = api(namespace, kind).patch(name, &PatchParams::default(), &patch).await;
    changed.with_context(|| format!("cannot change {kind} {name}"))?;
    Ok(())
}

/// Sets fields of a spec.
pub(crate) fn merge(spec: &mut Value, more: Value) {
    if let (Value::Object(spec), Value::Object(more)) = (spec, more) {
        spec.extend(more);
    }
}

/// Reads an object.
pub(crate) async fn get(namespace: &Namespace, kind: &str, name: &str) -> Result<Value> {
    let object = api(namespace, kind).get(name).await;
    Ok(serde_json::to_value(object.with_context(|| format!("cannot read {kind} {name}"))?)?)
}

/// Allows servers of this namespace to discover targets in it.
pub(crate) async fn allow_discovery(namespace: &Namespace) -> Result<()> {
    let account = json!({"metadata": {"name": ACCOUNT}});
    namespace.add::<ServiceAccount>(&serde_json::from_value(account)?).await?;
    let binding = json!({
        "metadata": {"name": ACCOUNT},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "mainstay-scrape"},
        "subjects": [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": namespace.name()}],
    });
    namespace.add::<RoleBinding>(&serde_json::from_value(binding)?).await?;
    Ok(())
}

/// The condition of one workload in the status of an object: whether the object was accepted, and the message. None if there
/// is no condition about the current generation.
pub(crate) fn binding(object: &Value, workload: &str) -> Option<(bool, String)> {
    let bindings = object["status"]["bindings"].as_array()?;
    let binding = bindings.iter().find(|binding| binding["name"] == workload)?;
    let accepted = binding["conditions"].as_array()?.iter().find(|one| one["type"] == "Accepted")?;
    if accepted["observedGeneration"] != object["metadata"]["generation"] {
        return None;
    }
    let message = accepted["message"].as_str().unwrap_or_default().to_owned();
    Some((accepted["status"] == "True", message))
}

/// Waits until a workload has accepted or rejected an object, and returns the message.
pub(crate) async fn accepted(
    namespace: &Namespace,
    (kind, name): (&str, &str),
    workload: &str,
    is_accepted: bool,
) -> Result<String> {
    namespace
        .until(&format!("{kind} {name} to have the condition Accepted: {is_accepted}"), async || {
            let object = get(namespace, kind, name).await?;
            Ok(match binding(&object, workload) {
                Some((status, message)) if status == is_accepted => Look::Found(message),
                _ => Look::NotYet(object["status"].to_string()),
            })
        })
        .await
}

/// Waits until the status of an object has no bindings.
pub(crate) async fn unbound(namespace: &Namespace, kind: &str, name: &str) -> Result<()> {
    namespace
        .until(&format!("{kind} {name} to have no bindings"), async || {
            let status = get(namespace, kind, name).await?["status"].clone();
            let none = status["bindings"].as_array().is_none_or(Vec::is_empty);
            Ok(holds(none, status.to_string()))
        })
        .await
}
