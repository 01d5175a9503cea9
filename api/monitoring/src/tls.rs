//! TLS settings of a client, and of a gRPC server.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::reference::SecretOrConfigMap;
use crate::text::TlsVersion;

/// TLS settings of a client, from Secrets, ConfigMaps or files.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TlsConfig {
    /// The part that comes from Secrets and ConfigMaps.
    #[serde(flatten)]
    pub safe: SafeTlsConfig,
    /// Path of the CA certificate in the container.
    pub ca_file: String,
    /// Path of the client certificate in the container.
    pub cert_file: String,
    /// Path of the client key in the container.
    pub key_file: String,
}

/// TLS settings of the Thanos gRPC server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct GrpcServerTlsConfig {
    /// Certificates and versions.
    #[serde(flatten)]
    pub tls: TlsConfig,
    /// Cipher suites that the server allows.
    #[schemars(length(min = 1), extend("x-kubernetes-list-type" = "set"))]
    pub cipher_suites: Vec<String>,
    /// Elliptic curves that the server allows in the key exchange.
    #[schemars(length(min = 1), extend("x-kubernetes-list-type" = "set"))]
    pub curves: Vec<String>,
}

/// TLS settings of a client, from Secrets and ConfigMaps only.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SafeTlsConfig {
    /// CA certificate that verifies the certificate of the server.
    pub ca: SecretOrConfigMap,
    /// Client certificate to present to the server.
    pub cert: SecretOrConfigMap,
    /// Secret key with the private key of the client certificate.
    pub key_secret: Option<SecretKeySelector>,
    /// Host name that the certificate of the server must have.
    pub server_name: Option<String>,
    /// Disables the verification of the certificate of the server.
    pub insecure_skip_verify: Option<bool>,
    /// Lowest TLS version to accept.
    pub min_version: Option<TlsVersion>,
    /// Highest TLS version to accept.
    pub max_version: Option<TlsVersion>,
}
