//! Objects for tests.

use api_monitoring::Prometheus;
use formats::version;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use monitoring_assets::{Objects, Reference, SourceKind};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::selectable::Selectable;
use crate::server::Server;

/// Parses a resource.
pub(crate) fn read<T: DeserializeOwned>(object: Value) -> T {
    serde_json::from_value(object).unwrap()
}

/// A resource in the namespace `test` with a spec.
pub(crate) fn named<T: DeserializeOwned>(spec: &Value) -> T {
    read(json!({
        "apiVersion": "monitoring.coreos.com/v1", "kind": "Any",
        "metadata": {"namespace": "test", "name": "test"}, "spec": spec,
    }))
}

/// Checks a resource for a Prometheus; `good` if it is valid.
pub(crate) fn checked<K: Selectable + DeserializeOwned>(
    version: &str,
    prometheus: &Value,
    spec: &Value,
) -> String {
    with_server(version, prometheus, |server| {
        let result = named::<K>(spec).check(server, &objects()).map(drop);
        result.map_or_else(|rejected| rejected.to_string(), |()| "good".to_owned())
    })
}

/// Calls a check with a Prometheus.
pub(crate) fn with_server<R>(version: &str, spec: &Value, check: impl FnOnce(&Server<'_>) -> R) -> R {
    let prometheus: Prometheus = named(spec);
    let version = version::parse(version).unwrap();
    check(&Server::new(("test", "test"), &prometheus.spec.shared, version))
}

/// A Secret `secret` with the key `key` and a ConfigMap `map` with the same, both in the namespace `test`. A certificate
/// is in `ca`, `cert` and `private`.
pub(crate) fn objects() -> Objects {
    let key = rcgen::KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap();
    let params = rcgen::CertificateParams::new(vec!["localhost".into()]).unwrap();
    let certificate = params.self_signed(&key).unwrap().pem();
    let values = [
        ("key", "value".to_owned()),
        ("ca", certificate.clone()),
        ("cert", certificate),
        ("private", key.serialize_pem()),
    ];
    let mut secret: Secret = read(json!({"metadata": {"namespace": "test", "name": "secret"}}));
    secret.data =
        Some(values.into_iter().map(|(key, value)| (key.into(), ByteString(value.into_bytes()))).collect());
    let map: ConfigMap =
        read(json!({"metadata": {"namespace": "test", "name": "map"}, "data": {"key": "value"}}));
    let mut objects = Objects::default();
    objects.add_secret(secret);
    objects.add_config_map(map);
    objects
}

/// A Secret of the namespace `test` that was read.
pub(crate) fn secret(name: &str) -> Reference {
    Reference { source: SourceKind::Secret, namespace: "test".into(), name: name.into() }
}
