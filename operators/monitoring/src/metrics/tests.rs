//! Tests of the metrics page after occurrences.

use std::time::Duration;

use http::{Method, Uri};
use kernel::call::Call;
use kernel::clock;
use kernel::metrics::ChangeAction;
use kernel::object::{Key, Object};
use kernel::queue::Outcome;
use kernel::report::{Reconciled, SelectedCount};
use kernel::store::Change;
use serde_json::{Value, json};

use super::*;
use crate::kinds;

/// The metrics that the end-to-end tests and the alerts of the Prometheus Operator use.
const EXPECTED: [&str; 37] = [
    "build_info",
    "feature_gate",
    "kubernetes_client_http_request_duration_seconds_count",
    "kubernetes_client_http_request_duration_seconds_sum",
    "kubernetes_client_http_requests_total",
    "kubernetes_client_rate_limiter_duration_seconds_count",
    "kubernetes_client_rate_limiter_duration_seconds_sum",
    "list_operations_failed_total",
    "list_operations_total",
    "managed_resources",
    "prometheus_enforced_sample_limit",
    "ready",
    "reconcile_duration_seconds_bucket",
    "reconcile_duration_seconds_count",
    "reconcile_duration_seconds_sum",
    "reconcile_errors_total",
    "reconcile_operations_total",
    "reconcile_sts_delete_create_total",
    "spec_replicas",
    "spec_shards",
    "status_update_errors_total",
    "status_update_operations_total",
    "syncs",
    "triggered_total",
    "watch_operations_failed_total",
    "watch_operations_total",
    "workqueue_adds_total",
    "workqueue_depth",
    "workqueue_latency_seconds_bucket",
    "workqueue_latency_seconds_count",
    "workqueue_latency_seconds_sum",
    "workqueue_longest_running_processor_seconds",
    "workqueue_retries_total",
    "workqueue_unfinished_work_seconds",
    "workqueue_work_duration_seconds_bucket",
    "workqueue_work_duration_seconds_count",
    "workqueue_work_duration_seconds_sum",
];

fn registered() -> (Catalogue, Monitored) {
    let mut catalogue = Catalogue::default();
    let monitored = Monitored::register(&mut catalogue);
    (catalogue, monitored)
}

/// The lines of values of a family, sorted, without its prefix.
fn values(catalogue: &Catalogue, name: &str) -> Vec<String> {
    let (page, start) = (catalogue.expose().unwrap(), format!("prometheus_operator_{name}{{"));
    let mut lines: Vec<String> = page
        .lines()
        .filter(|line| line.starts_with(&start))
        .map(|line| line.trim_start_matches("prometheus_operator_").to_owned())
        .collect();
    lines.sort();
    lines
}

fn change(before: Option<&Value>, after: Option<&Value>) -> Change<Object> {
    let object = |spec: &Value| {
        let object = json!({"metadata": {"namespace": "n", "name": "a"}, "spec": spec});
        Arc::new(Object::new(serde_json::from_value(object).unwrap(), &kinds::PROMETHEUS.resource()))
    };
    Change { before: before.map(object), after: after.map(object) }
}

fn call(uri: &str) -> Call {
    Call::of(&Method::GET, &uri.parse::<Uri>().unwrap(), None)
}

fn answered(monitored: &Monitored, uri: &str, code: Option<u16>) {
    let took = Duration::from_millis(250);
    let held_back = Duration::ZERO;
    monitored.sees(&Occurrence::Answered { call: &call(uri), code, took, held_back });
}

#[test]
fn all_expected_names_exist() {
    let (mut catalogue, monitored) = registered();
    register_build(&mut catalogue, "1.2.3", "abc");
    register_gates(&mut catalogue, [("Gate", true)]);
    assert_eq!(catalogue.faults(), Vec::<String>::new());
    let spec = json!({"enforcedSampleLimit": 7});
    monitored.sees(&Occurrence::Changed { kind: kinds::PROMETHEUS, change: &change(None, Some(&spec)) });
    let key = Key::new("n", "a");
    monitored.sees(&Occurrence::Selected {
        controller: declaration::PROMETHEUS.name,
        resource: &key,
        count: &SelectedCount { kind: kinds::SERVICE_MONITOR, selected: 3, rejected: 1 },
    });
    answered(&monitored, "/api/v1/namespaces", Some(200));
    for name in EXPECTED {
        assert_ne!(values(&catalogue, name), Vec::<String>::new(), "{name}");
    }
    assert_eq!(values(&catalogue, "feature_gate"), ["feature_gate{name=\"Gate\"} 1"]);
}

#[test]
fn a_pass_is_counted_from_its_event_to_its_end() {
    let (catalogue, monitored) = registered();
    let (controller, at) = ("thanos", clock::now());
    let latency = Some(Duration::from_millis(500));
    monitored.sees(&Occurrence::Ready { controller });
    let (kind, action) = (kinds::RULE, ChangeAction::Updated);
    monitored.sees(&Occurrence::Triggered { controller, kind, action });
    monitored.sees(&Occurrence::Added { controller });
    monitored.sees(&Occurrence::Due { controller, keys: 4 });
    monitored.sees(&Occurrence::Started { controller, at, latency });
    let of = |name: &str, rest: &str| -> Vec<String> {
        values(&catalogue, name).into_iter().filter(|line| line.contains(rest)).collect()
    };
    let unfinished = of("workqueue_unfinished_work_seconds", "thanos");
    assert!(!unfinished[0].ends_with("} 0.0"), "it grows while the pass runs: {unfinished:?}");
    let took = Duration::from_secs(2);
    monitored.sees(&Occurrence::Ended { controller, at, took, outcome: Outcome::Failed });
    monitored.sees(&Occurrence::StatusWritten { controller, failed: true });
    monitored.sees(&Occurrence::Recreated { controller, kind: kinds::STATEFUL_SET });
    monitored.sees(&Occurrence::Recreated { controller, kind: kinds::SERVICE });
    for (name, value) in [
        ("ready", "1.0"),
        ("reconcile_operations_total", "1"),
        ("reconcile_errors_total", "1"),
        ("reconcile_duration_seconds_sum", "2.0"),
        ("reconcile_sts_delete_create_total", "1"),
        ("status_update_operations_total", "1"),
        ("status_update_errors_total", "1"),
    ] {
        let line = format!("{name}{{controller=\"thanos\"}} {value}");
        assert_eq!(of(name, "thanos"), [line]);
    }
    for (name, value) in [
        ("workqueue_adds_total", "1"),
        ("workqueue_depth", "4"),
        ("workqueue_latency_seconds_sum", "0.5"),
        ("workqueue_work_duration_seconds_sum", "2.0"),
        ("workqueue_retries_total", "1"),
        ("workqueue_unfinished_work_seconds", "0.0"),
        ("workqueue_longest_running_processor_seconds", "0.0"),
    ] {
        let line = format!("{name}{{controller=\"thanos\",name=\"thanosruler\"}} {value}");
        assert_eq!(of(name, "thanos"), [line]);
    }
    let triggered =
        "triggered_total{controller=\"thanos\",triggered_by=\"PrometheusRule\",action=\"update\"} 1";
    assert_eq!(of("triggered_total", "PrometheusRule"), [triggered]);
    assert_eq!(of("triggered_total", "\"thanos\"").len(), 7, "the series of its own kinds exist with zero");
}

#[test]
fn series_of_a_workload_are_removed_with_it() {
    let (catalogue, monitored) = registered();
    let (controller, key) = (declaration::PROMETHEUS.name, Key::new("n", "a"));
    let (first, second) = (json!({"replicas": 2, "shards": 3}), json!({"enforcedSampleLimit": 100}));
    let changed = |change: &Change<Object>| {
        monitored.sees(&Occurrence::Changed { kind: kinds::PROMETHEUS, change });
    };
    let reconciled = |reconciled: Reconciled| {
        monitored.sees(&Occurrence::Reconciled { controller, resource: &key, reconciled });
    };
    let selected_rules = || {
        let count = &SelectedCount { kind: kinds::RULE, selected: 5, rejected: 2 };
        monitored.sees(&Occurrence::Selected { controller, resource: &key, count });
    };
    let line = |name: &str, value: &str| {
        format!("{name}{{controller=\"prometheus\",namespace=\"n\",name=\"a\"}} {value}")
    };
    changed(&change(None, Some(&first)));
    reconciled(Reconciled::Invalid);
    selected_rules();
    assert_eq!(values(&catalogue, "spec_replicas"), [line("spec_replicas", "2.0")]);
    assert_eq!(values(&catalogue, "spec_shards"), [line("spec_shards", "3.0")]);
    assert_eq!(values(&catalogue, "prometheus_enforced_sample_limit"), Vec::<String>::new());
    let selected = |state: &str, value: &str| {
        let labels = "controller=\"prometheus\",resource=\"PrometheusRule\"";
        format!("managed_resources{{{labels},state=\"{state}\"}} {value}")
    };
    assert_eq!(
        values(&catalogue, "managed_resources"),
        [selected("rejected", "2.0"), selected("selected", "5.0")]
    );
    let syncs = |ok: &str, failed: &str| {
        let line = |status: &str, value: &str| {
            format!("syncs{{controller=\"prometheus\",status=\"{status}\"}} {value}")
        };
        [line("failed", failed), line("ok", ok)]
    };
    let of_servers = || -> Vec<String> {
        values(&catalogue, "syncs").into_iter().filter(|line| line.contains("\"prometheus\"")).collect()
    };
    assert_eq!(of_servers(), syncs("0.0", "1.0"));
    let errors = "reconcile_errors_total{controller=\"prometheus\"} 1";
    assert!(values(&catalogue, "reconcile_errors_total").iter().any(|line| line == errors));

    changed(&change(Some(&first), Some(&second)));
    reconciled(Reconciled::Done);
    assert_eq!(of_servers(), syncs("1.0", "0.0"));
    assert_eq!(values(&catalogue, "spec_replicas"), [line("spec_replicas", "1.0")]);
    let limit = "prometheus_enforced_sample_limit";
    assert_eq!(values(&catalogue, limit), [line(limit, "100.0")]);

    changed(&change(Some(&second), None));
    // A pass that was running when it was deleted.
    reconciled(Reconciled::Failed);
    selected_rules();
    assert_eq!(of_servers(), syncs("0.0", "0.0"));
    assert_eq!(values(&catalogue, "spec_replicas"), Vec::<String>::new());
    assert_eq!(values(&catalogue, "managed_resources"), Vec::<String>::new());
}

#[test]
fn lists_and_watches_count_for_controllers_that_depend_on_them() {
    let (catalogue, monitored) = registered();
    let streamed = "?watch=true&sendInitialEvents=true";
    let rules = "/apis/monitoring.coreos.com/v1/prometheusrules";
    answered(&monitored, &format!("{rules}{streamed}"), Some(200));
    answered(&monitored, &format!("{rules}?watch=true"), Some(410));
    answered(&monitored, &format!("{rules}?limit=500"), None);
    // The watch of pods is optional.
    answered(&monitored, &format!("/api/v1/pods{streamed}"), Some(403));
    answered(&monitored, "/api/v1/namespaces/n/secrets/a", Some(404));
    let counts = |controller: &str| {
        let names =
            ["list_operations", "list_operations_failed", "watch_operations", "watch_operations_failed"];
        names.map(|name| {
            let start = format!("{name}_total{{controller=\"{controller}\"}} ");
            let line = values(&catalogue, &format!("{name}_total"))
                .into_iter()
                .find(|line| line.starts_with(&start));
            line.map(|line| line.trim_start_matches(&start).to_owned()).unwrap_or_default()
        })
    };
    assert_eq!(counts("prometheus"), ["3", "1", "3", "1"]);
    assert_eq!(counts("thanos"), ["3", "1", "3", "1"]);
    assert_eq!(counts("alertmanager"), ["1", "0", "1", "0"]);
}

#[test]
fn requests_are_counted_by_code_and_by_a_path_without_names() {
    let (catalogue, monitored) = registered();
    answered(&monitored, "/api/v1/namespaces/n/secrets/a", Some(404));
    answered(&monitored, "/api/v1/namespaces/n/secrets/b", None);
    let codes = ["404", "<error>"];
    let line = |code: &str| format!("kubernetes_client_http_requests_total{{status_code=\"{code}\"}} 1");
    assert_eq!(values(&catalogue, "kubernetes_client_http_requests_total"), codes.map(line));
    let name = "kubernetes_client_http_request_duration_seconds_sum";
    let path = "/api/v1/namespaces/%7Bnamespace%7D/secrets/%7Bname%7D";
    assert_eq!(values(&catalogue, name), [format!("{name}{{endpoint=\"{path}\"}} 0.5")]);
}

#[test]
fn paths_are_those_of_the_clients_of_kubernetes() {
    for (uri, expected) in [
        ("/api/v1/nodes?watch=true", "/api/v1/nodes"),
        ("/api/v1/namespaces/n", "/api/v1/namespaces/%7Bname%7D"),
        (
            "/apis/apps/v1/namespaces/n/statefulsets/a/status",
            "/apis/apps/v1/namespaces/%7Bnamespace%7D/statefulsets/%7Bname%7D/status",
        ),
        (
            "/api/v1/namespaces/n/pods/a/proxy/metrics",
            "/api/v1/namespaces/%7Bnamespace%7D/pods/%7Bname%7D/proxy",
        ),
        ("/version", "/%7Bprefix%7D"),
    ] {
        assert_eq!(requests::endpoint(&call(uri)), expected, "{uri}");
    }
}

#[test]
fn a_controller_without_its_kind_is_not_expected_to_be_ready() {
    let (catalogue, monitored) = registered();
    let waits = || values(&catalogue, "ready").iter().any(|line| line.contains("thanos"));
    let failed = || values(&catalogue, "watch_operations_failed_total").last().cloned().unwrap_or_default();
    let rulers = "/apis/monitoring.coreos.com/v1/thanosrulers?watch=true";
    assert!(waits());
    answered(&monitored, rulers, Some(404));
    assert_eq!(
        (waits(), failed().as_str()),
        (false, "watch_operations_failed_total{controller=\"thanos\"} 0")
    );
    answered(&monitored, rulers, Some(200));
    assert!(waits(), "the CRD was installed");
    monitored.sees(&Occurrence::Ready { controller: "thanos" });
    answered(&monitored, rulers, Some(403));
    assert_eq!(
        (waits(), failed().as_str()),
        (true, "watch_operations_failed_total{controller=\"thanos\"} 1")
    );
}
