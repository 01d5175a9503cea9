//! The file names of mounted certificates and keys. One Secret of the operator holds them all under these names, and
//! configurations refer to them.

use api_monitoring::reference::SecretOrConfigMap;
use k8s_openapi::api::core::v1::SecretKeySelector;

/// The file of the key of a Secret or a ConfigMap, if the selector names one.
pub fn of_either(namespace: &str, selector: &SecretOrConfigMap) -> Option<String> {
    match (&selector.secret, &selector.config_map) {
        (Some(secret), _) => Some(of_secret(namespace, secret)),
        (None, Some(map)) => Some(format!("1_{namespace}_{}_{}", map.name, map.key)),
        (None, None) => None,
    }
}

/// The file of a key of a Secret.
pub fn of_secret(namespace: &str, selector: &SecretKeySelector) -> String {
    format!("0_{namespace}_{}_{}", selector.name, selector.key)
}
