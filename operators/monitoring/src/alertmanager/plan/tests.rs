//! The AlertmanagerConfig that an Alertmanager names as its base.

use std::collections::BTreeMap;

use crate::workload::operator::OperatorConfig;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{ApiResource, DynamicObject};
use monitoring_assets::Objects;
use monitoring_scrape::Offers;
use serde_json::{Value, json};

use super::*;
use crate::plan::surroundings::{LeftOut, Resources};

fn config(name: &str, labels: &Value, spec: &Value) -> Arc<Object> {
    let object = json!({
        "metadata": {"namespace": "a", "name": name, "uid": name, "generation": 1, "labels": labels},
        "spec": spec,
    });
    let dynamic: DynamicObject = serde_json::from_value(object).unwrap();
    let resource = ApiResource {
        group: String::new(),
        version: String::new(),
        api_version: String::new(),
        kind: String::new(),
        plural: String::new(),
    };
    Arc::new(Object::new(dynamic, &resource))
}

fn tells(url: &str) -> Value {
    json!({"route": {"receiver": "r"}, "receivers": [{"name": "r", "webhookConfigs": [{"url": url}]}]})
}

/// What is planned for an Alertmanager with a base, and what is remembered.
fn planned(spec: &Value, configs: &[Arc<Object>], left_out: &[&str]) -> (Planned, Memory) {
    let alertmanager: Alertmanager =
        serde_json::from_value(json!({"metadata": {"namespace": "a", "name": "w"}, "spec": spec})).unwrap();
    let mut objects = Objects::default();
    let secret = json!({
        "metadata": {"namespace": "a", "name": "ca", "resourceVersion": "1"}, "stringData": {"ca": CERTIFICATE},
    });
    objects.add_secret(serde_json::from_value::<Secret>(secret).unwrap());
    let resources = Resources { alertmanager_configs: configs.to_vec().into(), ..Resources::default() };
    let left_out = LeftOut {
        alertmanager_configs: left_out.iter().map(|name| (*name).to_owned()).collect(),
        ..LeftOut::default()
    };
    let around = Surroundings {
        operator: &OperatorConfig::default(),
        offers: Offers::default(),
        unmanaged: true,
        daemon_sets: true,
        namespaces: &BTreeMap::new(),
        objects: &objects,
        resources: &resources,
        left_out: &left_out,
    };
    let mut memory = Memory::default();
    (plan(&alertmanager, &around, &mut memory).unwrap(), memory)
}

fn verdicts(memory: &Memory) -> Vec<(&str, bool)> {
    memory.configs.iter().map(|(name, verdict)| (&**name, verdict.is_ok())).collect()
}

fn with_base() -> Value {
    json!({
        "alertmanagerConfiguration": {"name": "base", "global": {"resolveTimeout": "3m"}},
        "alertmanagerConfigSelector": {"matchLabels": {"team": "a"}},
    })
}

#[test]
fn the_base_is_judged_like_what_is_selected_and_written_once() {
    let configs = [
        config("base", &json!({"team": "a"}), &tells("http://base")),
        config("more", &json!({"team": "a"}), &tells("http://more")),
        config("other", &json!({"team": "b"}), &tells("http://other")),
    ];
    let (planned, memory) = planned(&with_base(), &configs, &[]);
    assert_eq!(verdicts(&memory), [("a/base", true), ("a/more", true)]);
    let text = planned.configuration.unwrap().text();
    let expected = "global:\n  resolve_timeout: 3m\nroute:\n  receiver: a/base/r\n  routes:\n  - receiver: a/more/r\n\
                    \x20   matchers:\n    - namespace=\"a\"\n    continue: true\nreceivers:\n- name: a/base/r\n\
                    \x20 webhook_configs:\n  - url: http://base\n- name: a/more/r\n  webhook_configs:\n\
                    \x20 - url: http://more\ntemplates: []\n";
    assert_eq!(text, expected);
    // Without a selector too, and whatever its labels.
    let alone = json!({"alertmanagerConfiguration": {"name": "base"}});
    let (_, memory) = self::planned(&alone, &configs[..1], &[]);
    assert_eq!(verdicts(&memory), [("a/base", true)]);
}

#[test]
fn certificates_of_the_base_are_mounted() {
    let receiver = json!({
        "name": "r",
        "webhookConfigs": [{
            "url": "http://base",
            "httpConfig": {"tlsConfig": {"ca": {"secret": {"name": "ca", "key": "ca"}}}},
        }],
    });
    let base = config("base", &json!({}), &json!({"route": {"receiver": "r"}, "receivers": [receiver]}));
    let (planned, _) = planned(&json!({"alertmanagerConfiguration": {"name": "base"}}), &[base], &[]);
    let files: Vec<&String> = planned
        .children
        .iter()
        .filter_map(|child| match child {
            Child::Secret(secret) => Some(secret),
            Child::ConfigMap(_) | Child::Service(_) | Child::StatefulSet(_) | Child::DaemonSet(_) => None,
        })
        .filter(|secret| secret.metadata.name.as_deref() == Some("alertmanager-w-tls-assets-0"))
        .flat_map(|secret| secret.data.iter().flatten().map(|(name, _)| name))
        .collect();
    assert_eq!(files, ["0_a_ca_ca"]);
}

#[test]
fn a_base_that_the_operand_refuses_tells_nobody_and_the_others_stay() {
    let configs = [
        config("base", &json!({}), &tells("http://base")),
        config("more", &json!({"team": "a"}), &tells("http://more")),
    ];
    let (planned, memory) = planned(&with_base(), &configs, &["a/base"]);
    assert_eq!(verdicts(&memory), [("a/base", true), ("a/more", true)]);
    let text = planned.configuration.unwrap().text();
    let expected = "global:\n  resolve_timeout: 3m\nroute:\n  receiver: a/base/null\n  routes:\n\
                    \x20 - receiver: a/more/r\n    matchers:\n    - namespace=\"a\"\n    continue: true\nreceivers:\n\
                    - name: a/base/null\n- name: a/more/r\n  webhook_configs:\n  - url: http://more\ntemplates: []\n";
    assert_eq!(text, expected);
    let told: Vec<String> = planned.remarks.iter().map(ToString::to_string).collect();
    let words = "spec.alertmanagerConfiguration is left out: Alertmanager does not take AlertmanagerConfig a/base, and \
                 alerts for which no other one has a route reach nobody";
    assert_eq!(told, [words]);
}

/// A certificate for nobody.
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
