//! One object of each kind that operators own, with as many fields as they use.

use kernel::declare::Kind;
use serde_json::{Value, json};

use super::fixture::{
    CLAIM, CONFIG_MAP, DAEMON_SET, DEPLOYMENT, DISRUPTION_BUDGET, JOB, SECRET, SERVICE, STATEFUL_SET,
};

/// All objects.
pub(crate) fn all() -> Vec<(Kind, Value)> {
    vec![
        (CONFIG_MAP, config_map()),
        (SECRET, secret()),
        (SERVICE, service()),
        (SERVICE, headless_service()),
        (STATEFUL_SET, stateful_set()),
        (DEPLOYMENT, deployment()),
        (DAEMON_SET, daemon_set()),
        (DISRUPTION_BUDGET, disruption_budget()),
        (JOB, job()),
        (CLAIM, claim()),
    ]
}

pub(crate) fn config_map() -> Value {
    json!({
        "metadata": {"name": "settings", "labels": {"app": "toy"}, "annotations": {"note": "ours"}},
        "data": {"one": "1", "two": "2", "empty": ""},
        "binaryData": {"three": "AAEC"},
    })
}

pub(crate) fn secret() -> Value {
    json!({"metadata": {"name": "words", "labels": {"app": "toy"}}, "data": {"user": "YQ==", "word": "Yg=="}})
}

pub(crate) fn service() -> Value {
    json!({
        "metadata": {"name": "front", "labels": {"app": "toy"}},
        "spec": {
            "selector": {"app": "toy", "role": "front"},
            "ports": [
                {"name": "http", "port": 80, "targetPort": "http"},
                {"name": "dns", "port": 53, "protocol": "UDP"},
            ],
        },
    })
}

pub(crate) fn headless_service() -> Value {
    json!({
        "metadata": {"name": "members", "labels": {"app": "toy"}},
        "spec": {
            "clusterIP": "None",
            "publishNotReadyAddresses": true,
            "selector": {"app": "toy"},
            "ports": [{"name": "http", "port": 8080}],
        },
    })
}

pub(crate) fn disruption_budget() -> Value {
    json!({
        "metadata": {"name": "budget", "labels": {"app": "toy"}},
        "spec": {"maxUnavailable": 1, "selector": {"matchLabels": {"app": "toy"}}},
    })
}

pub(crate) fn claim() -> Value {
    json!({
        "metadata": {"name": "disk", "labels": {"app": "toy"}},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1024Mi"}}},
    })
}

pub(crate) fn job() -> Value {
    json!({
        "metadata": {"name": "migrate", "labels": {"app": "toy"}},
        "spec": {"backoffLimit": 2, "ttlSecondsAfterFinished": 600, "template": template("Never")},
    })
}

pub(crate) fn deployment() -> Value {
    json!({
        "metadata": {"name": "web", "labels": {"app": "toy"}},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "toy"}}, "template": template("Always")},
    })
}

pub(crate) fn daemon_set() -> Value {
    json!({
        "metadata": {"name": "agent", "labels": {"app": "toy"}},
        "spec": {"selector": {"matchLabels": {"app": "toy"}}, "template": template("Always")},
    })
}

pub(crate) fn stateful_set() -> Value {
    json!({
        "metadata": {"name": "store", "labels": {"app": "toy"}, "annotations": {"note": "ours"}},
        "spec": {
            "replicas": 2,
            "serviceName": "members",
            "podManagementPolicy": "Parallel",
            "selector": {"matchLabels": {"app": "toy"}},
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}},
            "template": template("Always"),
            "volumeClaimTemplates": [{
                "metadata": {"name": "data", "labels": {"app": "toy"}},
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "storageClassName": "fast",
                    "resources": {"requests": {"storage": "2048Mi"}},
                },
            }],
        },
    })
}

/// A pod with many fields.
fn template(restart: &str) -> Value {
    json!({
        "metadata": {"labels": {"app": "toy"}, "annotations": {"checksum": "1"}},
        "spec": {
            "restartPolicy": restart,
            "serviceAccountName": "toy",
            "automountServiceAccountToken": false,
            "hostNetwork": false,
            "terminationGracePeriodSeconds": 120,
            "nodeSelector": {"kubernetes.io/os": "linux"},
            "tolerations": [{"key": "spot", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}],
            "securityContext": {
                "runAsNonRoot": true, "runAsUser": 1000, "fsGroup": 2000,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{
                "weight": 100,
                "podAffinityTerm": {
                    "topologyKey": "kubernetes.io/hostname",
                    "labelSelector": {"matchLabels": {"app": "toy"}},
                },
            }]}},
            "topologySpreadConstraints": [{
                "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": {"app": "toy"}},
            }],
            "initContainers": [
                {"name": "second", "image": "init:2", "command": ["init", "--all"]},
                {"name": "first", "image": "init:1"},
            ],
            "containers": [main(), {"name": "reloader", "image": "reloader", "args": ["--watch=/etc/toy"]}],
            "volumes": volumes(),
        },
    })
}

fn main() -> Value {
    json!({
        "name": "main",
        "image": "registry.example:5000/toy:1.0",
        "args": ["--listen=:8080", "--data=/data"],
        "ports": [{"name": "http", "containerPort": 8080}, {"containerPort": 8081, "protocol": "UDP"}],
        "env": [
            {"name": "PLAIN", "value": "text"},
            {"name": "EMPTY", "value": ""},
            {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            {"name": "WORD", "valueFrom": {"secretKeyRef": {"name": "words", "key": "word"}}},
            {"name": "SETTING", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "one", "optional": true}}},
            {"name": "MEMORY", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory"}}},
        ],
        "envFrom": [{"secretRef": {"name": "words"}}],
        "resources": {
            "requests": {"cpu": "1000m", "memory": "1024Mi"},
            "limits": {"cpu": "1.5", "memory": "2048Mi"},
        },
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": "http"}, "periodSeconds": 5},
        "livenessProbe": {"tcpSocket": {"port": 8080}, "initialDelaySeconds": 0, "failureThreshold": 6},
        "startupProbe": {"grpc": {"port": 8080}, "failureThreshold": 60},
        "lifecycle": {"preStop": {"exec": {"command": ["sleep", "5"]}}},
        "securityContext": {
            "allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [
            {"name": "data", "mountPath": "/data"},
            {"name": "settings", "mountPath": "/etc/toy", "readOnly": true},
            {"name": "scratch", "mountPath": "/tmp", "subPath": "toy"},
        ],
    })
}

fn volumes() -> Value {
    json!([
        {"name": "scratch", "emptyDir": {"sizeLimit": "1024Mi"}},
        {"name": "memory", "emptyDir": {}},
        {"name": "settings", "configMap": {"name": "settings"}},
        {"name": "words", "secret": {"secretName": "words", "items": [{"key": "word", "path": "word"}]}},
        {"name": "all", "projected": {"sources": [
            {"secret": {"name": "words"}},
            {"configMap": {"name": "settings", "optional": true}},
            {"serviceAccountToken": {"path": "token"}},
            {"downwardAPI": {"items": [{"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]}},
        ]}},
        {"name": "host", "hostPath": {"path": "/var/lib/toy"}},
        {"name": "data", "emptyDir": {}},
    ])
}
