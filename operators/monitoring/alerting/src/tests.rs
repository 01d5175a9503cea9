//! Whole configurations: how one resource affects the others, and how the configuration of a user is used.

use std::collections::BTreeMap;

use api_monitoring::{Alertmanager, AlertmanagerConfig};
use formats::version::Version;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use monitoring_assets::Objects;
use serde_json::{Value, json};

use crate::provision::{Base, ProvisionError};
use crate::{BaseInputs, Configuration};

fn alertmanager(spec: &Value) -> Alertmanager {
    let metadata = json!({"name": "main", "namespace": "monitoring"});
    serde_json::from_value(json!({"metadata": metadata, "spec": spec})).unwrap()
}

fn resource(namespace: &str, spec: &Value) -> AlertmanagerConfig {
    serde_json::from_value(json!({"metadata": {"name": "team", "namespace": namespace}, "spec": spec}))
        .unwrap()
}

/// The configuration with all resources that can be used, and why the others cannot.
pub(crate) fn provision(
    inputs: &BaseInputs<'_>,
    resources: &[AlertmanagerConfig],
) -> Result<(Configuration, Vec<String>), ProvisionError> {
    let started = match inputs.base()? {
        Base::Whole(configuration) => return Ok((configuration, Vec::new())),
        Base::Started(started) => started,
    };
    let (mut parts, mut rejected) = (Vec::new(), Vec::new());
    for resource in resources {
        match inputs.target().part(resource, started.global()) {
            Ok(part) => parts.push(part),
            Err(problem) => rejected.push(problem.to_string()),
        }
    }
    Ok((started.finish(&parts, inputs.version)?, rejected))
}

fn run(
    spec: &Value,
    resources: &[AlertmanagerConfig],
    objects: &Objects,
) -> Result<(Configuration, Vec<String>), ProvisionError> {
    let alertmanager = alertmanager(spec);
    let version = Version::new(0, 25, 0);
    provision(
        &BaseInputs { alertmanager: &alertmanager, global: None, objects, version: &version },
        resources,
    )
}

fn text(configuration: &Configuration) -> &str {
    std::str::from_utf8(&configuration.text).unwrap()
}

#[test]
fn an_invalid_object_is_left_out_and_the_others_stay() {
    let good = json!({"route": {"receiver": "a"}, "receivers": [{"name": "a"}]});
    // Its Secret does not exist.
    let missing = json!({"route": {"receiver": "a"}, "receivers": [
        {"name": "a", "pagerdutyConfigs": [{"routingKey": {"name": "absent", "key": "k"}}]}]});
    // The version does not support Microsoft Teams.
    let too_new = json!({"route": {"receiver": "a"}, "receivers": [
        {"name": "a", "msteamsConfigs": [{"webhookUrl": {"name": "teams", "key": "k"}}]}]});
    let mut objects = Objects::default();
    let teams = json!({"metadata": {"name": "teams", "namespace": "three"}, "data": {"k": "aHR0cDovL2E="}});
    objects.add_secret(serde_json::from_value::<Secret>(teams).unwrap());
    let resources = [resource("one", &good), resource("two", &missing), resource("three", &too_new)];

    let (configuration, rejected) =
        run(&json!({"alertmanagerConfigSelector": {}}), &resources, &objects).unwrap();

    let expected = "route:\n  receiver: \"null\"\n  routes:\n  - receiver: one/team/a\n    matchers:\n    - \
                    namespace=\"one\"\n    continue: true\nreceivers:\n- name: \"null\"\n- name: one/team/a\ntemplates: []\n";
    assert_eq!(text(&configuration), expected);
    assert_eq!(
        rejected,
        [
            "PagerDutyConfig[0]: failed to get routing key: unable to get secret \"absent\": \
             secrets \"absent\" not found",
            "invalid syntax in receivers config; msteams integration is only available in \
             Alertmanager >= 0.26.0",
        ]
    );
}

#[test]
fn unsupported_fields_are_reported() {
    let spec = json!({"route": {"receiver": "a"}, "receivers": [
        {"name": "a", "webhookConfigs": [{"url": "http://a", "timeout": "5s"}]}]});
    let resources = [resource("one", &spec)];
    let (configuration, rejected) =
        run(&json!({"alertmanagerConfigSelector": {}}), &resources, &Objects::default()).unwrap();
    let warnings: Vec<String> = configuration.left_out.iter().map(ToString::to_string).collect();
    assert_eq!(warnings, ["webhook_configs.timeout is left out: it needs Alertmanager 0.28.0 or later"]);
    assert!(rejected.is_empty());
}

#[test]
fn a_user_who_selects_nothing_keeps_every_byte() {
    let secret = json!({"metadata": {"name": "mine", "namespace": "monitoring"},
        "data": {"alertmanager.yaml": "bm90OiBhbGVydG1hbmFnZXI=", "a.tmpl": "YQ=="}});
    let mut objects = Objects::default();
    objects.add_secret(serde_json::from_value::<Secret>(secret).unwrap());
    let (configuration, _) = run(&json!({"configSecret": "mine"}), &[], &objects).unwrap();
    assert_eq!(text(&configuration), "not: alertmanager");
    assert_eq!(configuration.others.keys().collect::<Vec<_>>(), ["a.tmpl"]);

    let error =
        run(&json!({"configSecret": "mine", "alertmanagerConfigSelector": {}}), &[], &objects).unwrap_err();
    assert_eq!(
        error.to_string(),
        "failed to initialize from secret: yaml: unmarshal errors:\n  line 1: field not not found in type config.plain"
    );
}

#[test]
fn a_missing_base_is_an_error() {
    let missing = run(&json!({"alertmanagerConfiguration": {"name": "base"}}), &[], &Objects::default());
    assert_eq!(missing, Err(ProvisionError::NoGlobal("base".into())));
}

/// A Secret of the namespace of the Alertmanager.
fn secret(name: &str, data: &[(&str, &[u8])]) -> Secret {
    let mut secret = Secret::default();
    secret.metadata.name = Some(name.into());
    secret.metadata.namespace = Some("monitoring".into());
    secret.data =
        Some(data.iter().map(|(key, bytes)| ((*key).to_owned(), ByteString(bytes.to_vec()))).collect());
    secret
}

#[test]
fn a_binary_secret_reaches_alertmanager_unchanged() {
    let spec = json!({"route": {"receiver": "a"}, "receivers": [{"name": "a", "webhookConfigs": [
        {"url": "http://a", "httpConfig": {"basicAuth":
            {"username": {"name": "s", "key": "user"}, "password": {"name": "s", "key": "password"}}}}]}]});
    let mut objects = Objects::default();
    objects.add_secret(secret("s", &[("user", b"yes"), ("password", &[0xff, 0])]));
    let resources = [resource("monitoring", &spec)];
    let (configuration, _) = run(&json!({"alertmanagerConfigSelector": {}}), &resources, &objects).unwrap();
    let expected =
        "    http_config:\n      basic_auth:\n        username: \"yes\"\n        password: !!binary /wA=\n";
    assert!(text(&configuration).contains(expected), "{}", text(&configuration));
}

/// A base with an HTTP client that trusts the CA certificate in a Secret.
fn with_global_authority(authority: &[u8]) -> Result<Configuration, ProvisionError> {
    let configuration = json!({"name": "base", "global": {"httpConfig": {"tlsConfig":
        {"ca": {"secret": {"name": "s", "key": "ca"}}}}}});
    let alertmanager = alertmanager(&json!({"alertmanagerConfiguration": configuration}));
    let base = resource("monitoring", &json!({"route": {"receiver": "a"}, "receivers": [{"name": "a"}]}));
    let mut objects = Objects::default();
    objects.add_secret(secret("s", &[("ca", authority)]));
    let version = Version::new(0, 25, 0);
    let global = Some(&base);
    let inputs = BaseInputs { alertmanager: &alertmanager, global, objects: &objects, version: &version };
    provision(&inputs, &[]).map(|(configuration, _)| configuration)
}

#[test]
fn certificates_of_the_global_client_are_checked_and_mounted() {
    let key = rcgen::KeyPair::generate().unwrap();
    let authority = rcgen::CertificateParams::default().self_signed(&key).unwrap().pem();
    let configuration = with_global_authority(authority.as_bytes()).unwrap();
    let files = BTreeMap::from([("0_monitoring_s_ca".to_owned(), authority.into_bytes())]);
    assert_eq!(configuration.files, files);

    let error = with_global_authority(b"no certificate").unwrap_err();
    assert_eq!(
        error.to_string(),
        "failed to initialize from global AlertmanagerConfig: ca <secret=s,key=ca>: \
         failed to decode PEM block"
    );
}
