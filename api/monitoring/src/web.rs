//! The web server of an operand: TLS, HTTP/2, headers.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::reference::SecretOrConfigMap;

/// TLS and HTTP settings of a web server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WebConfigFileFields {
    /// TLS settings of the web server.
    pub tls_config: Option<WebTlsConfig>,
    /// HTTP settings of the web server.
    pub http_config: Option<WebHttpConfig>,
}

/// HTTP settings of a web server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WebHttpConfig {
    /// Whether the web server offers HTTP/2; it needs TLS.
    pub http2: Option<bool>,
    /// Headers that the web server adds to its responses.
    pub headers: Option<WebHttpHeaders>,
}

/// Security headers that a web server adds to its responses.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WebHttpHeaders {
    /// Value of the `Content-Security-Policy` header; empty leaves it out.
    pub content_security_policy: String,
    /// Value of the `X-Frame-Options` header; empty leaves it out.
    #[schemars(extend("enum" = ["", "Deny", "SameOrigin"]))]
    pub x_frame_options: String,
    /// Value of the `X-Content-Type-Options` header; empty leaves it out.
    #[schemars(extend("enum" = ["", "NoSniff"]))]
    pub x_content_type_options: String,
    /// Value of the `X-XSS-Protection` header; empty leaves it out.
    #[serde(rename = "xXSSProtection")]
    pub x_xss_protection: String,
    /// Value of the `Strict-Transport-Security` header; empty leaves it out.
    pub strict_transport_security: String,
}

/// TLS settings of a web server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct WebTlsConfig {
    /// Secret or ConfigMap key with the server certificate.
    pub cert: SecretOrConfigMap,
    /// Path in the container of the server certificate.
    pub cert_file: Option<String>,
    /// Secret key with the private key of the server.
    pub key_secret: SecretKeySelector,
    /// Path in the container of the private key of the server.
    pub key_file: Option<String>,
    /// Secret or ConfigMap key with the CA that client certificates are checked against.
    #[serde(rename = "client_ca")]
    pub client_ca: SecretOrConfigMap,
    /// Path in the container of the CA that client certificates are checked against.
    #[serde(rename = "clientCAFile")]
    pub client_ca_file: Option<String>,
    /// How client certificates are requested and checked, such as `RequireAndVerifyClientCert`.
    pub client_auth_type: Option<String>,
    /// Lowest TLS version to accept, such as `TLS12`.
    pub min_version: Option<String>,
    /// Highest TLS version to accept, such as `TLS13`.
    pub max_version: Option<String>,
    /// Cipher suites that the server allows, up to TLS 1.2.
    pub cipher_suites: Vec<String>,
    /// Lets the cipher suite order of the server take precedence over that of the client.
    pub prefer_server_cipher_suites: Option<bool>,
    /// Elliptic curves for the key exchange, in order of preference.
    pub curve_preferences: Vec<String>,
}
