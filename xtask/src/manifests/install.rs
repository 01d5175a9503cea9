//! Everything in one file: `kubectl apply --server-side -f deploy/install.yaml` and nothing more.

use anyhow::Result;
use k8s_openapi::api::apps::v1::Deployment;
use serde_json::{Value, json};

use super::{HEADING, role};

/// Where the operator lives.
const NAMESPACE: &str = "mainstay-system";
const NAME: &str = "mainstay";

/// The image of the operator.
pub(super) fn image() -> String {
    format!("mainstay.dev/mainstay:{}", env!("CARGO_PKG_VERSION"))
}

pub(super) fn everything<'a>(definitions: impl Iterator<Item = &'a String>) -> Result<String> {
    let mut text = String::from(HEADING);
    for definition in definitions {
        text.push_str("---\n");
        text.push_str(definition.trim_start_matches(HEADING));
    }
    let cluster = role::rules(&role::of(&[&operator_example::DECLARATION]));
    let home = role::rules(&role::AT_HOME);
    let parts = [
        yaml(&namespace())?,
        yaml(&json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": own()}))?,
        format!(
            "{}{cluster}",
            yaml(
                &json!({"apiVersion": RBAC, "kind": "ClusterRole", "metadata": {"name": NAME, "labels": labels()}})
            )?
        ),
        yaml(&binding("ClusterRole", &json!({"name": NAME, "labels": labels()})))?,
        format!("{}{home}", yaml(&json!({"apiVersion": RBAC, "kind": "Role", "metadata": own()}))?),
        yaml(&binding("Role", &own()))?,
        yaml(&serde_json::to_value(deployment()?)?)?,
    ];
    for part in parts {
        text.push_str("---\n");
        text.push_str(&part);
    }
    Ok(text)
}

const RBAC: &str = "rbac.authorization.k8s.io/v1";

fn yaml(object: &Value) -> Result<String> {
    Ok(serde_saphyr::to_string(object)?)
}

fn labels() -> Value {
    json!({"app.kubernetes.io/name": NAME})
}

fn own() -> Value {
    json!({"name": NAME, "namespace": NAMESPACE, "labels": labels()})
}

fn namespace() -> Value {
    let mut labels = labels();
    labels["pod-security.kubernetes.io/enforce"] = "restricted".into();
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": labels}})
}

fn binding(kind: &str, metadata: &Value) -> Value {
    json!({
        "apiVersion": RBAC, "kind": format!("{kind}Binding"), "metadata": metadata,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": NAME},
        "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": NAMESPACE}],
    })
}

/// Two processes, one of which writes. Typed, so that a field that Kubernetes does not know is noticed here.
fn deployment() -> Result<Deployment> {
    let probe = |path: &str| json!({"httpGet": {"path": path, "port": "http"}, "periodSeconds": 10});
    let container = json!({
        "name": NAME,
        "image": image(),
        "args": ["--operators=example", "--log-format=logfmt"],
        "env": [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
        "ports": [{"name": "http", "containerPort": 8080}],
        "livenessProbe": probe("/healthz"),
        "readinessProbe": probe("/readyz"),
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": {"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": {"drop": ["ALL"]}},
    });
    let spread = json!([{
        "maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": labels()},
    }]);
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": own(),
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": labels()},
            "template": {"metadata": {"labels": labels()}, "spec": {
                "serviceAccountName": NAME,
                "securityContext": {"runAsNonRoot": true, "seccompProfile": {"type": "RuntimeDefault"}},
                "terminationGracePeriodSeconds": 30,
                "topologySpreadConstraints": spread,
                "containers": [container],
            }},
        },
    });
    Ok(serde_json::from_value(deployment)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lab_has_the_image() {
        let versions = lab::versions::Versions::built_in();
        let names: Vec<String> =
            versions.images().iter().flat_map(|image| image.content.names.clone()).collect();
        assert!(names.contains(&image()), "{} is not among {names:?}", image());
    }

    #[test]
    fn every_part_is_an_object() {
        let text = everything(std::iter::empty()).unwrap();
        let objects: Vec<Value> = serde_saphyr::from_multiple(&text).unwrap();
        let kinds: Vec<&str> = objects.iter().filter_map(|object| object["kind"].as_str()).collect();
        let expected = [
            "Namespace",
            "ServiceAccount",
            "ClusterRole",
            "ClusterRoleBinding",
            "Role",
            "RoleBinding",
            "Deployment",
        ];
        assert_eq!(kinds, expected);
    }
}
