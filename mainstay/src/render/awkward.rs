//! Unusual input: a problem is reported with its object and field, and affects nothing else.

use std::fmt::Write as _;

use product::render::read_text;
use serde_json::{Value, json};

use super::*;

/// The number of objects that were rendered, and the messages.
fn summary(objects: &[Value]) -> String {
    let documents = objects.iter().map(|object| object.to_string() + "\n---\n").collect::<String>();
    let rendered = render(&read_text(&documents, "ns").unwrap()).unwrap();
    let kinds: Vec<Value> = serde_saphyr::from_multiple(&rendered.text).unwrap();
    let mut text = format!("{} objects\n", kinds.len());
    for (title, lines) in [("notes", rendered.notes), ("failures", rendered.failures)] {
        for line in lines {
            let shown: String = line.chars().take(900).collect();
            writeln!(text, "{title}: {shown}").unwrap();
        }
    }
    text
}

/// A golden test of the configuration, which the program that reads it checks too.
fn check_configuration(version: &str, name: &str, objects: &[Value]) {
    tests::checked("prometheus", version, name, &configuration_of(objects));
}

fn configuration_of(objects: &[Value]) -> String {
    let documents = objects.iter().map(|object| object.to_string() + "\n---\n").collect::<String>();
    let rendered = render(&read_text(&documents, "ns").unwrap()).unwrap();
    let main = |(name, _): &&(String, String)| name == "prometheus/ns/main";
    rendered.configurations.iter().find(main).unwrap().1.clone()
}

fn object(kind: &str, name: &str, spec: &Value) -> Value {
    let version = if kind == "ScrapeConfig" { "v1alpha1" } else { "v1" };
    let api_version = format!("monitoring.coreos.com/{version}");
    json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "labels": {"team": "a"}}, "spec": spec})
}

/// A Prometheus that selects everything in its namespace, with these additional fields.
fn prometheus(more: &Value) -> Value {
    let mut spec = json!({
        "serviceMonitorSelector": {}, "podMonitorSelector": {}, "probeSelector": {}, "scrapeConfigSelector": {},
        "ruleSelector": {},
    });
    let fields = spec.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    fields.retain(|_, value| !value.is_null());
    object("Prometheus", "main", &spec)
}

fn monitor(name: &str, endpoint: &Value) -> Value {
    object("ServiceMonitor", name, &json!({"selector": {}, "endpoints": [endpoint]}))
}

fn secret(data: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": data})
}

fn selector(key: &str) -> Value {
    json!({"name": "s", "key": key})
}

#[test]
fn utf8_names() {
    let objects = |version: &str, external_label: &str| {
        vec![
            prometheus(&json!({"version": version, "externalLabels": {external_label: "groß"}})),
            monitor(
                "relabeled",
                &json!({"port": "web", "relabelings": [{"targetLabel": "größe", "replacement": "日本"}]}),
            ),
            object(
                "ScrapeConfig",
                "labelled",
                &json!({"staticConfigs": [{"targets": ["a:1"], "labels": {"größe": "ß"}}]}),
            ),
            object(
                "PrometheusRule",
                "rules",
                &json!({"groups": [{"name": "größe", "rules": [
                    {"record": "größe:sum", "expr": "sum({\"größe\"})", "labels": {"maß.einheit": "m"}},
                ]}]}),
            ),
        ]
    };
    insta::assert_snapshot!("utf8_names_new", summary(&objects("v3.13.1", "größe")));
    check_configuration("3.13.1", "utf8_names", &objects("v3.13.1", "größe"));
    insta::assert_snapshot!("utf8_names_old", summary(&objects("v2.55.1", "size")));
    check_configuration("2.55.1", "utf8_names", &objects("v2.55.1", "size"));
    insta::assert_snapshot!("a_utf8_name_of_the_workload_itself", summary(&objects("v2.55.1", "größe")));
}

/// A configuration that compresses well fits; one that does not is rejected, because it exceeds the size of a Secret.
#[test]
fn a_configuration_of_two_mebibytes() {
    let regex = |number: usize| format!("({})", vec![format!("name-{number}"); 200].join("|"));
    let step = |number: usize| json!({"action": "drop", "sourceLabels": ["a"], "regex": regex(number)});
    let mut objects: Vec<Value> = (0..900)
        .map(|number| monitor(&format!("m-{number}"), &json!({"port": "web", "relabelings": [step(number)]})))
        .collect();
    objects.push(prometheus(&json!({})));
    let size = configuration_of(&objects).len();
    assert!(size > 2 * 1024 * 1024, "{size}");
    insta::assert_snapshot!(summary(&objects));

    let mut state = 1_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{:x}", state >> 16)
    };
    for object in &mut objects[..900] {
        let words: Vec<String> = (0..300).map(|_| noise()).collect();
        object["spec"]["endpoints"][0]["relabelings"][0]["regex"] = words.join("|").into();
    }
    let text = summary(&objects);
    let digits_hidden: String =
        text.chars().map(|letter| if letter.is_ascii_digit() { '#' } else { letter }).collect();
    insta::assert_snapshot!("a_configuration_that_no_secret_holds", digits_hidden);
}

#[test]
fn three_hundred_scrape_classes() {
    let class = |number: usize| json!({"name": format!("class-{number}"), "default": number == 7});
    let classes: Vec<Value> = (0..300).map(class).collect();
    let mut objects = vec![prometheus(&json!({ "scrapeClasses": classes }))];
    for (name, class) in [("known", "class-299"), ("unknown", "class-300")] {
        let mut one = monitor(name, &json!({"port": "web"}));
        one["spec"]["scrapeClass"] = class.into();
        objects.push(one);
    }
    insta::assert_snapshot!(summary(&objects));
    objects[0]["spec"]["scrapeClasses"][8]["default"] = true.into();
    insta::assert_snapshot!("two_default_scrape_classes", summary(&objects));
}

/// No selector selects nothing, an empty one everything; for namespaces, none means the own one.
#[test]
fn an_empty_selector_in_each_position() {
    let endpoint = json!({"port": "web"});
    let mut resources = vec![
        monitor("m", &endpoint),
        object("PodMonitor", "m", &json!({"selector": {}, "podMetricsEndpoints": [endpoint]})),
        object(
            "Probe",
            "m",
            &json!({"prober": {"url": "p"}, "targets": {"staticConfig": {"static": ["t"]}}}),
        ),
        object("ScrapeConfig", "m", &json!({"staticConfigs": [{"targets": ["t"]}]})),
        object(
            "PrometheusRule",
            "m",
            &json!({"groups": [{"name": "g", "rules": [{"record": "r", "expr": "1"}]}]}),
        ),
    ];
    for index in 0..resources.len() {
        let mut other = resources[index].clone();
        other["metadata"]["namespace"] = "other".into();
        resources.push(other);
    }
    let mut text = String::new();
    for kind in ["serviceMonitor", "podMonitor", "probe", "scrapeConfig", "rule"] {
        for (labels, namespaces) in [
            (Value::Null, json!({})),
            (json!({}), Value::Null),
            (json!({}), json!({})),
            (Value::Null, Value::Null),
        ] {
            let mut spec = json!({
                "serviceMonitorSelector": null, "podMonitorSelector": null, "probeSelector": null,
                "scrapeConfigSelector": null, "ruleSelector": null,
            });
            spec[format!("{kind}Selector")] = labels.clone();
            spec[format!("{kind}NamespaceSelector")] = namespaces.clone();
            let mut objects = vec![prometheus(&spec)];
            objects.extend(resources.clone());
            let documents = objects.iter().map(|object| object.to_string() + "\n---\n").collect::<String>();
            let rendered = render(&read_text(&documents, "ns").unwrap()).unwrap();
            let rules = rendered.text.matches("record: r").count();
            let configuration = configuration_of(&objects);
            let jobs: Vec<&str> =
                configuration.lines().filter_map(|line| line.strip_prefix("- job_name: ")).collect();
            let notes = rendered.notes.join("; ");
            writeln!(
                text,
                "{kind}Selector {labels}, {kind}NamespaceSelector {namespaces}: jobs {jobs:?}, {rules} rules; {notes}"
            )
            .unwrap();
        }
    }
    insta::assert_snapshot!(text);
}

#[test]
fn a_key_of_a_secret_that_is_missing() {
    let auth = |key: &str| json!({"username": selector("user"), "password": selector(key)});
    let objects = [
        prometheus(&json!({
            "remoteWrite": [{"url": "http://a", "basicAuth": auth("gone")}],
            "additionalScrapeConfigs": selector("jobs"),
        })),
        secret(&json!({"user": "u", "password": "p"})),
        monitor("good", &json!({"port": "web", "basicAuth": auth("password")})),
        monitor("bad", &json!({"port": "web", "basicAuth": auth("gone")})),
    ];
    insta::assert_snapshot!(summary(&objects));
    check_configuration("3.13.1", "a_key_of_a_secret_that_is_missing", &objects);
}

#[test]
fn a_certificate_that_does_not_match_its_key() {
    let tls = json!({"cert": {"secret": selector("cert")}, "keySecret": selector("key")});
    insta::assert_snapshot!(summary(&[
        prometheus(&json!({})),
        secret(&json!({"cert": CERTIFICATE, "key": OTHER_KEY})),
        monitor("good", &json!({"port": "web"})),
        monitor("bad", &json!({"port": "web", "scheme": "https", "tlsConfig": tls})),
    ]));
}

#[test]
fn a_regex_that_does_not_compile() {
    let step = json!({"action": "keep", "sourceLabels": ["a"], "regex": "(a|"});
    insta::assert_snapshot!(summary(&[
        prometheus(&json!({})),
        monitor("good", &json!({"port": "web"})),
        monitor("bad", &json!({"port": "web", "metricRelabelings": [step]})),
        object(
            "Probe",
            "bad",
            &json!({
                "prober": {"url": "p"}, "targets": {"ingress": {"selector": {}, "relabelingConfigs": [step]}},
            })
        ),
        object(
            "PrometheusRule",
            "bad",
            &json!({"groups": [{"name": "g", "rules": [
                {"record": "r", "expr": "up{job=~\"(a|\"}"},
            ]}]})
        ),
    ]));
}

#[test]
fn a_duration_that_overflows() {
    insta::assert_snapshot!(summary(&[
        prometheus(&json!({})),
        monitor("good", &json!({"port": "web"})),
        monitor("bad", &json!({"port": "web", "interval": "99999999999999999999y"})),
        monitor("too-long", &json!({"port": "web", "interval": "300y"})),
        monitor(
            "longer-than-its-interval",
            &json!({"port": "web", "interval": "10s", "scrapeTimeout": "1m"})
        ),
        object(
            "PrometheusRule",
            "bad",
            &json!({"groups": [{"name": "g", "interval": "300y", "rules": [
                {"record": "r", "expr": "rate(up[300y])"},
            ]}]})
        ),
    ]));
}

#[test]
fn a_rule_of_600_kibibytes() {
    let rule = |size: usize| {
        json!({"groups": [{"name": "g", "rules": [
            {"alert": "a", "expr": "up == 0", "annotations": {"description": "x".repeat(size)}},
        ]}]})
    };
    insta::assert_snapshot!(summary(&[
        prometheus(&json!({})),
        object("PrometheusRule", "large", &rule(600 * 1024)),
        object("PrometheusRule", "good", &rule(400 * 1024)),
        object("PrometheusRule", "also-good", &rule(200 * 1024)),
    ]));
}

#[test]
fn a_name_of_253_characters() {
    let long = "n".repeat(253);
    let mut workload = prometheus(&json!({}));
    workload["metadata"]["name"] = long.clone().into();
    let mut shorter = prometheus(&json!({}));
    shorter["metadata"]["name"] = "n".repeat(50).into();
    let objects = [
        workload,
        shorter,
        prometheus(&json!({})),
        monitor(&long, &json!({"port": "web"})),
        object(
            "PrometheusRule",
            &long,
            &json!({"groups": [{"name": "g", "rules": [{"record": "r", "expr": "("}]}]}),
        ),
    ];
    insta::assert_snapshot!(summary(&objects));
    check_configuration("3.13.1", "a_name_of_253_characters", &objects);
}

/// A certificate without host names.
const CERTIFICATE: &str = "\
-----BEGIN CERTIFICATE-----\n\
MIIBeDCCAR+gAwIBAgIUMoPuuMo/mUZuhAUL8Cpk07StzmMwCgYIKoZIzj0EAwIw\n\
ETEPMA0GA1UEAwwGc2FtcGxlMCAXDTI2MTExNjEyMzIxNFoYDzIxMjYxMDIzMTIz\n\
MjE0WjARMQ8wDQYDVQQDDAZzYW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC\n\
AASKd3x1jDqX/KXJZpYo4yMZWG38YM6DUbPVTb8aabjMLQI0PGTr2xH5suQUY4cP\n\
bWMLj9TUrfAC+7af3fAxXajUo1MwUTAdBgNVHQ4EFgQUC/TsEwQ0uUFIdA8kNw7A\n\
xKtME/owHwYDVR0jBBgwFoAUC/TsEwQ0uUFIdA8kNw7AxKtME/owDwYDVR0TAQH/\n\
BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiABb+fyRR2yFywEzJBYTwjhlWqytg//\n\
DDVxPbZxh/RljwIgKNdUEGQDuqHVPF65dEHMspSOIDfqZW3Hh+8cV85sGOI=\n\
-----END CERTIFICATE-----\n\
";

/// A key that does not match the certificate.
const OTHER_KEY: &str = "\
-----BEGIN PRIVATE KEY-----\n\
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgN7ZNLrURAasYrrGN\n\
n+W8jQQT7rxojSSsoLeayyHf0fyhRANCAATGdWv67NEFzEfnvk0eS6jQXKre/qyK\n\
yCLJLAuMgCokvwOdGBYas4NzeBaC1UbIJTJE9qpZFHNv9+nZ9vREoxMB\n\
-----END PRIVATE KEY-----\n\
";
