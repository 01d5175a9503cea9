//! Typical resources in a few variants. The same number always gives the same resource.

use serde_json::{Value, json};

/// The namespace of all resources.
pub(crate) const NAMESPACE: &str = "monitoring";

/// The Prometheus that selects all resources.
pub(crate) fn server() -> Value {
    json!({
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "Prometheus",
        "metadata": {"name": "main", "namespace": NAMESPACE},
        "spec": {
            "version": "v3.13.1",
            "scrapeInterval": "30s",
            "evaluationInterval": "30s",
            "serviceMonitorSelector": {},
            "ruleSelector": {},
            "externalLabels": {"cluster": "one"},
            "enforcedSampleLimit": 100_000,
        },
    })
}

/// The Secrets that the monitors refer to.
pub(crate) fn secrets() -> Value {
    let items: Vec<Value> = (0..20)
        .map(|number| {
            json!({
                "apiVersion": "v1",
                "kind": "Secret",
                "metadata": {"name": format!("credentials-{number}"), "namespace": NAMESPACE},
                "data": {"user": "c29tZWJvZHk=", "password": "c2VjcmV0", "token": "dG9rZW4="},
            })
        })
        .collect();
    json!({"apiVersion": "v1", "kind": "SecretList", "items": items})
}

/// A list of ServiceMonitors.
pub(crate) fn monitors(count: usize) -> Value {
    let items: Vec<Value> = (0..count).map(monitor).collect();
    json!({"apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitorList", "items": items})
}

/// The ServiceMonitor of one service.
pub(crate) fn monitor(number: usize) -> Value {
    let name = format!("service-{number:05}");
    let mut spec = json!({
        "selector": {"matchLabels": {"app.kubernetes.io/name": name}},
        "endpoints": [endpoint(number)],
    });
    if number.is_multiple_of(3) {
        spec["selector"]["matchExpressions"] = json!([
            {"key": "tier", "operator": "In", "values": ["front", "back"]},
            {"key": "legacy", "operator": "DoesNotExist"},
        ]);
    }
    if number % 4 == 1 {
        spec["endpoints"] = json!([endpoint(number), endpoint(number + 1)]);
    }
    match number % 5 {
        0 => spec["namespaceSelector"] = json!({"any": true}),
        1 => spec["namespaceSelector"] = json!({"matchNames": [format!("team-{}", number % 40), "shared"]}),
        _ => {}
    }
    if number % 6 == 2 {
        spec["targetLabels"] = json!(["team", "app.kubernetes.io/part-of"]);
        spec["podTargetLabels"] = json!(["version"]);
        spec["jobLabel"] = json!("app.kubernetes.io/name");
    }
    if number % 10 == 3 {
        spec["sampleLimit"] = json!(5000);
        spec["labelLimit"] = json!(40);
    }
    json!({
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": {
            "name": name,
            "namespace": NAMESPACE,
            "uid": format!("00000000-0000-0000-0000-{number:012}"),
            "resourceVersion": "1",
            "labels": {"team": format!("team-{}", number % 40)},
        },
        "spec": spec,
    })
}

fn endpoint(number: usize) -> Value {
    let mut endpoint = json!({"port": "metrics", "interval": "30s"});
    if number.is_multiple_of(2) {
        endpoint["path"] = json!("/internal/metrics");
        endpoint["scrapeTimeout"] = json!("10s");
        endpoint["honorLabels"] = json!(true);
    }
    if number % 3 == 1 {
        endpoint["metricRelabelings"] = json!([
            {"sourceLabels": ["__name__"], "regex": "go_(gc|memstats)_.*", "action": "drop"},
            {"regex": "pod_template_hash|controller_revision_hash", "action": "labeldrop"},
        ]);
    }
    if number % 4 == 2 {
        endpoint["relabelings"] = json!([
            {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node", "action": "replace"},
            {"sourceLabels": ["__address__"], "regex": "([^:]+)(?::\\d+)?", "replacement": "$1", "targetLabel": "host"},
        ]);
    }
    let secret = format!("credentials-{}", number % 20);
    match number % 8 {
        0 => {
            endpoint["basicAuth"] = json!({
                "username": {"name": secret, "key": "user"},
                "password": {"name": secret, "key": "password"},
            });
        }
        3 => endpoint["authorization"] = json!({"credentials": {"name": secret, "key": "token"}}),
        5 => {
            endpoint["scheme"] = json!("https");
            endpoint["tlsConfig"] = json!({"insecureSkipVerify": true, "serverName": "metrics.internal"});
        }
        6 => endpoint["params"] = json!({"collect[]": ["cpu", "memory"]}),
        _ => {}
    }
    endpoint
}

/// A list of PrometheusRules with twenty rules each.
pub(crate) fn rules(count: usize) -> Value {
    let items: Vec<Value> = (0..count).map(rule).collect();
    json!({"apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRuleList", "items": items})
}

/// The PrometheusRule of one service: ten recording rules and ten alerts.
pub(crate) fn rule(number: usize) -> Value {
    let name = format!("service-{number:05}");
    let recorded: Vec<Value> = (0..10)
        .map(|index| {
            json!({
                "record": format!("service{number}:requests:rate{}m", index + 1),
                "expr": format!(
                    "sum by (namespace, pod) (rate(http_requests_total{{job=\"{name}\", code!~\"5..\"}}[{}m]))\n  / on \
                     (namespace) group_left ()\nsum by (namespace) (rate(http_requests_total{{job=\"{name}\"}}[{}m]))",
                    index + 1,
                    index + 1
                ),
                "labels": {"team": format!("team-{}", number % 40)},
            })
        })
        .collect();
    let alerts: Vec<Value> = (0..10)
        .map(|index| {
            json!({
                "alert": format!("Service{number}Slow{index}"),
                "expr": format!(
                    "histogram_quantile(0.99, sum by (le, pod) (rate(http_request_duration_seconds_bucket{{job=\"{name}\"}}\
                     [5m]))) > {} and on (pod) kube_pod_status_ready{{condition=\"true\"}} == 1 unless on () \
                     maintenance offset 5m",
                    index + 1
                ),
                "for": "10m",
                "labels": {"severity": if index % 2 == 0 { "warning" } else { "critical" }},
                "annotations": {
                    "summary": format!("{{{{ $labels.pod }}}} of {name} is slow"),
                    "description": "The 99th percentile of {{ $labels.pod }} is {{ $value | humanizeDuration }} for ten \
                        minutes{{ if gt $value 5.0 }}, which is very slow{{ end }}.",
                },
            })
        })
        .collect();
    json!({
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {
            "name": name,
            "namespace": NAMESPACE,
            "uid": format!("00000000-0000-0000-0001-{number:012}"),
            "resourceVersion": "1",
        },
        "spec": {"groups": [
            {"name": format!("{name}.recorded"), "interval": "1m", "rules": recorded},
            {"name": format!("{name}.alerts"), "rules": alerts},
        ]},
    })
}
