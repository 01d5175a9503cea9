//! AlertmanagerConfigs: review, conversion between their versions, and the merge into the file of an Alertmanager.

use std::collections::BTreeMap;

use api_monitoring::AlertmanagerConfig;
use api_monitoring::alertmanager::MatcherStrategy;
use api_monitoring::alertmanager_config::ApiVersion;
use api_monitoring::alertmanager_config::convert::{from_v1beta1, respelled, to_v1beta1};
use formats::alertmanager::Config;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use monitoring_alerting::global;
use monitoring_alerting::merge::{MergeTarget, join};
use monitoring_assets::Objects;
use operator_monitoring::admission::{resource, review};
use serde_json::{Value, json};

use super::alertmanager_file::check_round_trip;
use super::versions::ALERTMANAGER;

const NAMESPACE: &str = "shop";

/// Uses the input as the spec of a resource, in both versions.
pub(crate) fn attempt(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(spec) = formats::yaml::serde::from_text::<Value>(text) else { return };
    for version in [ApiVersion::V1Alpha1, ApiVersion::V1Beta1] {
        check_review(&spec, version);
    }
    check_conversion(&spec);
    check_merge(&spec);
}

fn object(spec: &Value, version: ApiVersion) -> Value {
    json!({
        "apiVersion": format!("monitoring.coreos.com/{}", version.name()),
        "kind": "AlertmanagerConfig",
        "metadata": {"name": "name", "namespace": NAMESPACE},
        "spec": spec,
    })
}

fn check_review(spec: &Value, version: ApiVersion) {
    let resource = json!({"group": "monitoring.coreos.com", "version": version.name(), "resource": "alertmanagerconfigs"});
    let request = json!({"uid": "1", "resource": resource, "object": object(spec, version)});
    let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request});
    let answer = review::validate_alertmanager_config(&review);
    assert!(answer["response"]["allowed"].is_boolean(), "{answer}");
}

/// Converts to the new version, back, and to the new one again: the second conversion must lose nothing.
fn check_conversion(spec: &Value) {
    let Ok(new) = to_v1beta1(object(spec, ApiVersion::V1Alpha1)) else { return };
    let Ok(old) = from_v1beta1(new.clone()) else { return };
    assert_eq!(to_v1beta1(old).ok(), Some(new));
}

/// An accepted resource is merged into a file that can be parsed.
fn check_merge(spec: &Value) {
    let object = respelled(object(spec, ApiVersion::V1Alpha1), ApiVersion::V1Alpha1);
    let Ok(resource) = serde_json::from_value::<AlertmanagerConfig>(object) else { return };
    let objects = objects();
    for version in ALERTMANAGER {
        if resource::check(&resource, &version, &objects).is_err() {
            continue;
        }
        for strategy in ["OnNamespace", "None"] {
            let strategy = MatcherStrategy { type_: strategy.into() };
            let target =
                MergeTarget { namespace: "other", strategy: &strategy, version: &version, objects: &objects };
            let part = target.part(&resource, None);
            if let Ok((config, _)) = join(base(), part.as_ref().ok(), &version) {
                check_round_trip(&config);
            }
        }
        if let Ok((config, _)) = global::base(&resource, None, &version, &objects) {
            check_round_trip(&config);
        }
    }
}

fn base() -> Config {
    let text = "route: {receiver: r}\nreceivers: [{name: r}]\n";
    Config::from_text(text).expect("this is a configuration")
}

/// The Secret that resources refer to.
fn objects() -> Objects {
    let mut secret = Secret::default();
    secret.metadata.name = Some("secret".into());
    secret.metadata.namespace = Some(NAMESPACE.into());
    let texts = [("key", "word"), ("url", "https://example.com/a"), ("odd", "\u{85}: #\n")];
    secret.data =
        Some(BTreeMap::from(texts.map(|(key, text)| (key.to_owned(), ByteString(text.as_bytes().to_vec())))));
    let mut objects = Objects::default();
    objects.add_secret(secret);
    objects
}
