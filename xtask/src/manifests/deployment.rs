//! The Deployment of the operators with two replicas, one of which is the leader, and the Service for their metrics.
//! Both are typed, so that a field that Kubernetes does not know is an error here.

use anyhow::Result;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Service;
use mainstay::webhook_service;
use product::Product;
use serde_json::{Value, from_value, json};

use super::{NAME, NAMESPACE, labels, own, webhooks};

/// The image of the operators.
fn image() -> String {
    format!("mainstay.dev/mainstay:{}", env!("CARGO_PKG_VERSION"))
}

/// The program that is started. By default, the image starts the same program as the image of the Prometheus Operator.
const COMMAND: &str = "/bin/mainstay";

fn arguments(products: &[&Product]) -> Vec<String> {
    let names: Vec<&str> = products.iter().map(|product| product.name).collect();
    let mut arguments = vec![format!("--operators={}", names.join(",")), "--log-format=logfmt".into()];
    arguments.extend(products.iter().flat_map(|product| product.arguments).map(|one| (*one).to_owned()));
    if has_webhooks(products) {
        // The API server calls the webhooks once `deploy/webhooks.yaml` is applied.
        arguments.push(format!("--webhook-service={NAMESPACE}/{}", webhooks::SERVICE));
    }
    arguments
}

fn has_webhooks(products: &[&Product]) -> bool {
    products.iter().any(|product| product.webhooks.is_some())
}

fn ports(products: &[&Product]) -> Vec<Value> {
    let mut ports = vec![json!({"name": "http", "containerPort": 8080})];
    if has_webhooks(products) {
        ports.push(json!({"name": webhooks::PORT, "containerPort": webhook_service::PORT}));
    }
    ports
}

pub(super) fn build(products: &[&Product]) -> Result<Deployment> {
    let probe = |path: &str| json!({"httpGet": {"path": path, "port": "http"}, "periodSeconds": 10});
    let container = json!({
        "name": NAME,
        "image": image(),
        "command": [COMMAND],
        "args": arguments(products),
        "env": [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
        "ports": ports(products),
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
    Ok(from_value(deployment)?)
}

/// Headless, because every process has its own metrics and is scraped at its own address.
pub(super) fn service() -> Result<Service> {
    Ok(from_value(json!({
        "apiVersion": "v1", "kind": "Service", "metadata": own(),
        "spec": {
            "clusterIP": "None",
            "selector": labels(),
            "ports": [{"name": "http", "port": 8080, "targetPort": "http"}],
        },
    }))?)
}

#[cfg(test)]
mod tests {
    use mainstay::line::{self, Request};
    use mainstay::products;

    use super::*;

    #[test]
    fn the_lab_has_the_image_and_its_program() {
        let images = lab::versions::Versions::built_in().images();
        let found = images.iter().find(|one| one.content.names.contains(&image()));
        let content = &found.expect("an image of this name").content;
        assert!(content.files.values().any(|path| path == COMMAND), "{content:?}");
        assert_eq!(content.entrypoint, ["/bin/operator"], "as in the image that it replaces");
        assert!(content.links.contains_key("/bin/operator"), "{content:?}");
    }

    #[test]
    fn the_program_accepts_the_arguments() {
        for products in [&[&operator_monitoring::PRODUCT][..], products::ALL] {
            let line: Vec<String> = [vec!["mainstay".to_owned()], arguments(products)].concat();
            let Ok(Request::Run(run, flags)) = line::parse(&line) else { panic!("{line:?}") };
            assert_eq!(run.operators, products);
            let service = run.webhook_service.expect("webhooks are served");
            assert_eq!(webhook_service::host(&service), "mainstay-webhook.mainstay-system.svc");
            assert!(flags.kubelet_settings().is_some() && flags.kubelet.endpoint_slices);
            let settings = operator_monitoring::MonitoringSettings::of(&flags);
            assert!(settings.bindings && settings.daemon_sets);
        }
    }
}
