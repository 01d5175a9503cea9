//! Whole objects: missing references and unsupported fields.

#![expect(
    clippy::needless_pass_by_value,
    clippy::too_many_lines,
    reason = "tables of cases, written in place"
)]

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::core::v1::Secret;
use monitoring_assets::{Reference, SourceKind};
use rcgen::{CertificateParams, KeyPair};
use serde_json::{Value, json};

use super::*;

fn objects() -> Objects {
    let mut objects = Objects::default();
    let secret: Secret = serde_json::from_value(json!({"metadata": {"name": "s", "namespace": "ns"},
        "stringData": {"k": "v", "url": " http://a \n", "empty": "", "slack": "https://slack.com/api/chat.postMessage"}}))
    .unwrap();
    objects.add_secret(secret);
    objects
}

fn key(key: &str) -> Value {
    json!({"name": "s", "key": key})
}

fn outcome(version: &str, namespace: &str, spec: Value) -> String {
    let config: AlertmanagerConfig = serde_json::from_value(
        json!({"apiVersion": "monitoring.coreos.com/v1alpha1", "kind": "AlertmanagerConfig",
            "metadata": {"name": "c", "namespace": namespace}, "spec": spec}),
    )
    .unwrap();
    let objects = objects();
    let version = formats::version::parse(version).unwrap();
    check(&config, &version, &objects).map_or_else(|rejected| rejected.to_string(), |_| "valid".to_owned())
}

fn receiver(version: &str, kind: &str, config: Value) -> String {
    outcome(version, "ns", json!({"receivers": [{"name": "r", kind: [config]}]}))
}

#[test]
fn unsupported_fields_are_rejected() {
    let chat = || json!({"chatID": 1, "botToken": key("k")});
    let file = || json!({"chatID": 1, "botTokenFile": "f"});
    for (kind, config, before, since, message) in [
        (
            "discordConfigs",
            json!({"apiURL": key("url")}),
            "0.24.0",
            "0.25.0",
            "discordConfigs' is available in Alertmanager >= 0.25.0 only - current 0.24.0",
        ),
        (
            "webexConfigs",
            json!({}),
            "0.24.0",
            "0.25.0",
            "webexConfigs' is available in Alertmanager >= 0.25.0 only - current 0.24.0",
        ),
        (
            "telegramConfigs",
            chat(),
            "0.23.0",
            "0.24.0",
            "telegramConfigs' is available in Alertmanager >= 0.24.0 only - current 0.23.0",
        ),
        (
            "telegramConfigs",
            file(),
            "0.25.0",
            "0.26.0",
            "botTokenFile' is available in Alertmanager >= 0.26.0 only - current 0.25.0",
        ),
        (
            "msteamsConfigs",
            json!({"webhookUrl": key("k")}),
            "0.25.0",
            "0.26.0",
            "invalid syntax in receivers config; msteams integration is only available in Alertmanager >= 0.26.0",
        ),
        (
            "msteamsv2Configs",
            json!({}),
            "0.27.0",
            "0.28.0",
            "invalid syntax in receivers config; msteamsv2 integration is only available in Alertmanager >= 0.28.0",
        ),
        (
            "rocketchatConfigs",
            json!({"token": key("k"), "tokenID": key("k")}),
            "0.27.0",
            "0.28.0",
            "rocketChatConfigs' is available in Alertmanager >= 0.28.0 only - current 0.27.0",
        ),
        (
            "webhookConfigs",
            json!({"url": "http://a", "payload": "x"}),
            "0.31.0",
            "0.32.0",
            "payload' is available in Alertmanager >= 0.32.0 only - current 0.31.0",
        ),
        (
            "snsConfigs",
            json!({"topicARN": "a", "useAWSHTTPClient": false}),
            "0.32.0",
            "0.33.0",
            "useAWSHTTPClient' is available in Alertmanager >= 0.33.0 only - current 0.32.0",
        ),
        (
            "opsgenieConfigs",
            json!({"responders": [{"id": "i", "type": "teams"}]}),
            "0.23.0",
            "0.24.0",
            "'teams' set in 'opsgenieResponder' but supported in Alertmanager >= 0.24.0 only",
        ),
        (
            "wechatConfigs",
            json!({"httpConfig": {"authorization": {"credentials": key("k")}}}),
            "0.21.0",
            "0.22.0",
            "'authorization' config set in 'httpConfig' but supported in Alertmanager >= 0.22.0 only - current 0.21.0",
        ),
        (
            "wechatConfigs",
            json!({"httpConfig": {"proxyFromEnvironment": false}}),
            "0.24.0",
            "0.25.0",
            "'ProxyConfig' config set in 'httpConfig' but supported in Alertmanager >= 0.25.0 only - current 0.24.0",
        ),
    ] {
        assert_eq!(receiver(before, kind, config.clone()), message);
        assert_eq!(receiver(since, kind, config), "valid", "{kind}");
    }
}

#[test]
fn missing_references_are_rejected() {
    let pushover = |user: Value, token: Value| json!({"userKey": user, "token": token});
    for (kind, config, message) in [
        (
            "discordConfigs",
            json!({"apiURL": key("x")}),
            r#"failed to retrieve API URL: key "x" in secret "s" not found"#,
        ),
        (
            "discordConfigs",
            json!({"apiURL": key("k")}),
            r#"failed to validate API URL: validate url from string failed with error: unsupported scheme "" for URL"#,
        ),
        (
            "rocketchatConfigs",
            json!({"token": key("x"), "tokenID": key("k")}),
            r#"failed to retrieve RocketChat token: key "x" in secret "s" not found"#,
        ),
        (
            "rocketchatConfigs",
            json!({"token": key("k"), "tokenID": key("x")}),
            r#"failed to retrieve RocketChat token ID: key "x" in secret "s" not found"#,
        ),
        (
            "pushoverConfigs",
            json!({"userKeyFile": "f", "token": key("k")}),
            "mandatory field userKey is empty",
        ),
        ("pushoverConfigs", json!({"userKey": key("k"), "tokenFile": "f"}), "mandatory field token is empty"),
        ("pushoverConfigs", pushover(key("k"), key("empty")), "mandatory field userKey is empty"),
        (
            "pushoverConfigs",
            json!({"userKey": key("k"), "token": key("k"), "retry": "x"}),
            r#"not a valid duration string: "x""#,
        ),
        (
            "snsConfigs",
            json!({"topicARN": "a", "sigv4": {"accessKey": key("k")}}),
            "both accessKey and secretKey should be provided",
        ),
        (
            "snsConfigs",
            json!({"topicARN": "a", "sigv4": {"accessKey": key("k"), "secretKey": key("x")}}),
            r#"failed to read SigV4 secret-key: key "x" in secret "s" not found"#,
        ),
        (
            "wechatConfigs",
            json!({"httpConfig": {"basicAuth": {"username": key("k"), "password": key("x")}}}),
            r#"failed to get basic auth password: key "x" in secret "s" not found"#,
        ),
        (
            "wechatConfigs",
            json!({"httpConfig": {"authorization": {"credentials": key("x")}}}),
            r#"failed to get authorization token of type "": key "x" in secret "s" not found"#,
        ),
        (
            "emailConfigs",
            json!({"to": "a", "tlsConfig": {"ca": {"secret": key("x")}}}),
            r#"failed to get ca "<secret=s,key=x>": key "x" in secret "s" not found"#,
        ),
        (
            "emailConfigs",
            json!({"to": "a", "tlsConfig": {"ca": {"secret": key("k")}}}),
            "ca <secret=s,key=k>: failed to decode PEM block",
        ),
        (
            "emailConfigs",
            json!({"to": "a", "tlsConfig": {"cert": {"secret": key("k")}, "keySecret": key("k")}}),
            "cert <secret=s,key=k>, key <s/k>: tls: failed to find any PEM data in certificate input",
        ),
        (
            "emailConfigs",
            json!({"to": "a", "tlsConfig": {"cert": {"secret": key("k")}}}),
            "failed to validate TLS configuration: client cert specified without client key",
        ),
        ("slackConfigs", json!({"apiURL": key("slack"), "updateMessage": true}), "valid"),
    ] {
        assert_eq!(receiver("0.33.1", kind, config), message, "{kind}");
    }
    let slack = json!({"receivers": [{"name": "r", "slackConfigs": [{"apiURL": key("k")}]}]});
    assert_eq!(outcome("0.33.1", "", slack), "namespace cannot be empty");
}

#[test]
fn inhibitions_are_checked() {
    let rule = |kind: &str| {
        json!({"inhibitRules": [{"sourceMatch": [{"name": "a", "value": "b"}],
            "targetMatch": [{"name": "c", "value": "d\"", "matchType": kind}]}]})
    };
    assert_eq!(outcome("0.21.0", "ns", rule("")), "valid");
    assert_eq!(
        outcome("0.21.0", "ns", rule("=")),
        "'sourceMatch' and/or 'targetMatch' are using matching syntax which is supported in Alertmanager >= 0.22.0 only \
         (sourceMatch=[a\"b\"], targetMatch=[c=\"d\\\"\"])"
    );
    assert_eq!(
        outcome("0.22.0", "ns", rule("!!")),
        "invalid targetMatchers[0] in inhibitRule[0] in config c: invalid 'matchType' '!!' provided'"
    );
}

#[test]
fn certificates_are_mounted() {
    let own = KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap();
    let certificate = CertificateParams::new(vec!["localhost".into()]).unwrap().self_signed(&own).unwrap();
    let (certificate, own) = (certificate.pem(), own.serialize_pem());
    let secret: Secret = serde_json::from_value(json!({"metadata": {"name": "s", "namespace": "ns"},
        "stringData": {"certificate": certificate, "own": own}}))
    .unwrap();
    let mut objects = Objects::default();
    objects.add_secret(secret);
    let config: AlertmanagerConfig =
        serde_json::from_value(json!({"apiVersion": "monitoring.coreos.com/v1alpha1",
        "kind": "AlertmanagerConfig", "metadata": {"name": "c", "namespace": "ns"},
        "spec": {"receivers": [{"name": "r", "emailConfigs": [{"to": "a", "tlsConfig": {
            "ca": {"secret": key("certificate")},
            "cert": {"secret": key("certificate")},
            "keySecret": key("own"),
        }}]}]}}))
        .unwrap();
    let reference = Reference { source: SourceKind::Secret, namespace: "ns".into(), name: "s".into() };
    assert_eq!(
        check(&config, &Version::new(0, 33, 1), &objects),
        Ok(Accepted {
            files: BTreeMap::from([
                ("0_ns_s_certificate".to_owned(), certificate.as_bytes()),
                ("0_ns_s_own".to_owned(), own.as_bytes()),
            ]),
            references: BTreeSet::from([reference]),
        })
    );
}
