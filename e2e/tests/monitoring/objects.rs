//! Resources of the ten monitoring kinds, as a user writes and reads them.

use anyhow::{Context, Result};
use e2e::namespace::Namespace;
use e2e::wait::{Look, holds};
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::RoleBinding;
use kube::Api;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

/// The account of servers that find their targets themselves.
pub(crate) const ACCOUNT: &str = "prometheus";

/// What Kubernetes knows of a kind.
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

/// All objects of a kind.
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

/// Changes fields of an object's spec.
pub(crate) async fn change(namespace: &Namespace, kind: &str, name: &str, spec: Value) -> Result<()> {
    let patch = Patch::Merge(json!({ "spec": spec }));
    let changed = api(namespace, kind).patch(name, &PatchParams::default(), &patch).await;
    changed.with_context(|| format!("cannot change {kind} {name}"))?;
    Ok(())
}

/// Puts fields into a spec, in the place of those of the same names.
pub(crate) fn merge(spec: &mut Value, more: Value) {
    if let (Value::Object(spec), Value::Object(more)) = (spec, more) {
        spec.extend(more);
    }
}

/// An object as it is.
pub(crate) async fn get(namespace: &Namespace, kind: &str, name: &str) -> Result<Value> {
    let object = api(namespace, kind).get(name).await;
    Ok(serde_json::to_value(object.with_context(|| format!("cannot read {kind} {name}"))?)?)
}

/// Lets servers of this namespace find targets in it.
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

/// What one workload says in the status of an object: whether it was taken in, and else why not. Nothing, if it says
/// nothing about the object as it is now.
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

/// Waits until a workload has taken an object in or has not, and gives back why not.
pub(crate) async fn judged(
    namespace: &Namespace,
    (kind, name): (&str, &str),
    workload: &str,
    accepted: bool,
) -> Result<String> {
    namespace
        .until(&format!("{kind} {name} to have the condition Accepted: {accepted}"), async || {
            let object = get(namespace, kind, name).await?;
            Ok(match binding(&object, workload) {
                Some((verdict, message)) if verdict == accepted => Look::Found(message),
                _ => Look::NotYet(object["status"].to_string()),
            })
        })
        .await
}

/// Waits until nothing is said about a workload any more.
pub(crate) async fn unbound(namespace: &Namespace, kind: &str, name: &str) -> Result<()> {
    namespace
        .until(&format!("{kind} {name} to have no bindings"), async || {
            let status = get(namespace, kind, name).await?["status"].clone();
            let none = status["bindings"].as_array().is_none_or(Vec::is_empty);
            Ok(holds(none, status.to_string()))
        })
        .await
}
