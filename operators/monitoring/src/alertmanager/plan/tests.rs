//! Tests of the AlertmanagerConfig that an Alertmanager names as its base.

use api_monitoring::Alertmanager;
use k8s_openapi::api::core::v1::Secret;
use kernel::object::Key;
use kube::api::{ApiResource, DynamicObject};
use monitoring_assets::Objects;
use monitoring_scrape::Offers;
use monitoring_select::LabelsByNamespace;
use serde_json::{Value, json};

use super::*;
use crate::alertmanager::OfAlertmanager;
use crate::alertmanager::validate::validate;
use crate::kind::Workload as _;
use crate::plan::selection::select;
use crate::plan::{LastWritten, Resources};
use crate::selectors::WorkloadSelectors;
use crate::stages::gather::base;
use crate::workload::operator::OperatorConfig;

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

fn notifying(url: &str) -> Value {
    json!({"route": {"receiver": "r"}, "receivers": [{"name": "r", "webhookConfigs": [{"url": url}]}]})
}

/// The plan of an Alertmanager, and what was rendered for the AlertmanagerConfigs.
fn planned(spec: &Value, configs: &[Arc<Object>], left_out: &[&str]) -> (Planned, Rendered) {
    let kind = SelectableKind::AlertmanagerConfig;
    let written = json!({"metadata": {"namespace": "a", "name": "w"}, "spec": spec});
    let selectors = WorkloadSelectors::read(&written, OfAlertmanager::SELECTABLE);
    let alertmanager: Alertmanager = serde_json::from_value(written).unwrap();
    let mut objects = Objects::default();
    let secret = json!({
        "metadata": {"namespace": "a", "name": "ca", "resourceVersion": "1"}, "stringData": {"ca": CERTIFICATE},
    });
    objects.add_secret(serde_json::from_value::<Secret>(secret).unwrap());
    let mut resources = Resources::default();
    resources[kind] = configs.to_vec().into();
    let mut selections = Selections::default();
    let unselectable = select(&mut selections, &selectors, "a", (&resources, &LabelsByNamespace::new()));
    let context = PlanContext {
        operator: &OperatorConfig::default(),
        offers: Offers::default(),
        unmanaged: true,
        daemon_sets: true,
        objects: &objects,
        last_written: &LastWritten::default(),
        unselectable: &unselectable,
        base: base(&resources, OfAlertmanager::facts(&alertmanager).base, &Key::new("a", "w")),
    };
    let mut out = Excluded::default();
    out[kind] = left_out.iter().map(|name| (*name).to_owned()).collect();
    let (valid, mut rendered) = (validate(&alertmanager, &context).unwrap(), Rendered::default());
    valid.render(&context, &selections, &mut rendered);
    (valid.build(&context, &out, &mut rendered).unwrap(), rendered)
}

fn acceptance(rendered: &Rendered) -> Vec<(&str, bool)> {
    let configs = rendered.memo(SelectableKind::AlertmanagerConfig).iter();
    configs.map(|(name, result)| (&**name, result.is_ok())).collect()
}

fn with_base() -> Value {
    json!({
        "alertmanagerConfiguration": {"name": "base", "global": {"resolveTimeout": "3m"}},
        "alertmanagerConfigSelector": {"matchLabels": {"team": "a"}},
    })
}

#[test]
fn the_base_is_checked_like_selected_resources_and_written_once() {
    let configs = [
        config("base", &json!({"team": "a"}), &notifying("http://base")),
        config("more", &json!({"team": "a"}), &notifying("http://more")),
        config("other", &json!({"team": "b"}), &notifying("http://other")),
    ];
    let (planned, rendered) = planned(&with_base(), &configs, &[]);
    assert_eq!(acceptance(&rendered), [("a/base", true), ("a/more", true)]);
    let text = planned.configuration.unwrap().text();
    let expected = "global:\n  resolve_timeout: 3m\nroute:\n  receiver: a/base/r\n  routes:\n  - receiver: a/more/r\n\
                    \x20   matchers:\n    - namespace=\"a\"\n    continue: true\nreceivers:\n- name: a/base/r\n\
                    \x20 webhook_configs:\n  - url: http://base\n- name: a/more/r\n  webhook_configs:\n\
                    \x20 - url: http://more\ntemplates: []\n";
    assert_eq!(text, expected);
    // The base needs no selector that matches it.
    let alone = json!({"alertmanagerConfiguration": {"name": "base"}});
    let (_, rendered) = self::planned(&alone, &configs[..1], &[]);
    assert_eq!(acceptance(&rendered), [("a/base", true)]);
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
fn a_rejected_base_is_replaced_by_an_empty_one_and_the_others_are_kept() {
    let configs = [
        config("base", &json!({}), &notifying("http://base")),
        config("more", &json!({"team": "a"}), &notifying("http://more")),
    ];
    let (planned, rendered) = planned(&with_base(), &configs, &["a/base"]);
    assert_eq!(acceptance(&rendered), [("a/base", true), ("a/more", true)]);
    let text = planned.configuration.unwrap().text();
    let expected = "global:\n  resolve_timeout: 3m\nroute:\n  receiver: a/base/null\n  routes:\n\
                    \x20 - receiver: a/more/r\n    matchers:\n    - namespace=\"a\"\n    continue: true\nreceivers:\n\
                    - name: a/base/null\n- name: a/more/r\n  webhook_configs:\n  - url: http://more\ntemplates: []\n";
    assert_eq!(text, expected);
    let remarks: Vec<String> = planned.remarks.iter().map(ToString::to_string).collect();
    let expected = "spec.alertmanagerConfiguration is left out: Alertmanager rejects AlertmanagerConfig a/base; alerts \
                    without a route in another AlertmanagerConfig cause no notifications";
    assert_eq!(remarks, [expected]);
}

/// A self-signed certificate.
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
