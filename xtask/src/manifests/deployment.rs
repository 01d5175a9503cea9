//! The operators as processes: two, one of which writes; and the Service under which their metrics are found. Both are
//! typed, so that a field that Kubernetes does not know is noticed here.

use anyhow::Result;
use clap::ValueEnum;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Service;
use mainstay::args::OperatorName;
use mainstay::webhook_service;
use serde_json::{Value, from_value, json};

use super::{NAME, NAMESPACE, labels, own, webhooks};

/// The image of the operators.
fn image() -> String {
    format!("mainstay.dev/mainstay:{}", env!("CARGO_PKG_VERSION"))
}

/// What is started in it. Unless somebody says so, the image starts what the image of the Prometheus Operator does.
const COMMAND: &str = "/bin/mainstay";

/// What the operators of monitoring are told. Both features are off in the Prometheus Operator, where they are young.
const MONITORING: [&str; 3] = [
    "--kubelet-service=kube-system/kubelet",
    "--kubelet-endpointslice=true",
    "--feature-gates=StatusForConfigurationResources=true,PrometheusAgentDaemonSet=true",
];

fn arguments(operators: &[OperatorName]) -> Vec<String> {
    let names =
        operators.iter().filter_map(|operator| Some(operator.to_possible_value()?.get_name().to_owned()));
    let names: Vec<String> = names.collect();
    let mut arguments = vec![format!("--operators={}", names.join(",")), "--log-format=logfmt".into()];
    if operators.contains(&OperatorName::Monitoring) {
        arguments.extend(MONITORING.map(str::to_owned));
        // Nobody asks until `deploy/webhooks.yaml` is applied.
        arguments.push(format!("--webhook-service={NAMESPACE}/{}", webhooks::SERVICE));
    }
    arguments
}

fn ports(operators: &[OperatorName]) -> Vec<Value> {
    let mut ports = vec![json!({"name": "http", "containerPort": 8080})];
    if operators.contains(&OperatorName::Monitoring) {
        ports.push(json!({"name": webhooks::PORT, "containerPort": webhook_service::PORT}));
    }
    ports
}

pub(super) fn build(operators: &[OperatorName]) -> Result<Deployment> {
    let probe = |path: &str| json!({"httpGet": {"path": path, "port": "http"}, "periodSeconds": 10});
    let container = json!({
        "name": NAME,
        "image": image(),
        "command": [COMMAND],
        "args": arguments(operators),
        "env": [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
        "ports": ports(operators),
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

/// Every process has metrics of its own: so each is found by its own address.
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
    use mainstay::line::{self, Wanted};

    use super::*;

    #[test]
    fn the_lab_has_the_image_and_its_program() {
        let images = lab::versions::Versions::built_in().images();
        let found = images.iter().find(|one| one.content.names.contains(&image()));
        let content = &found.expect("an image of this name").content;
        assert!(content.files.values().any(|path| path == COMMAND), "{content:?}");
        assert_eq!(content.entrypoint, ["/bin/operator"], "as in the image that it takes the place of");
        assert!(content.links.contains_key("/bin/operator"), "{content:?}");
    }

    #[test]
    fn the_program_takes_the_arguments() {
        for operators in [&[OperatorName::Monitoring][..], &[OperatorName::Example, OperatorName::Monitoring]]
        {
            let line: Vec<String> = [vec!["mainstay".to_owned()], arguments(operators)].concat();
            let Ok(Wanted::Run(run, flags)) = line::read(&line) else { panic!("{line:?}") };
            assert_eq!(run.operators, operators);
            let service = run.webhook_service.expect("webhooks are served");
            assert_eq!(service.names(), ["mainstay-webhook.mainstay-system.svc"]);
            assert!(flags.kubelet_settings().is_some() && flags.kubelet.endpoint_slices);
            let settings = mainstay::monitoring::settings(&flags);
            assert!(settings.bindings && settings.daemon_sets);
        }
    }
}
