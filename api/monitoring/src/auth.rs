//! Authentication of clients.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::ProxyConfig;
use crate::reference::SecretOrConfigMap;
use crate::text::Url;
use crate::tls::SafeTlsConfig;

/// Signs requests with AWS Signature Version 4.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("x-kubernetes-validations" = [
    {"rule": "!has(self.externalId) || has(self.roleArn)", "message": "externalId can only be used when roleArn is specified"},
]))]
pub struct Sigv4 {
    /// AWS region; empty means that of the default AWS credentials chain.
    pub region: String,
    /// Secret key with the AWS access key ID.
    pub access_key: Option<SecretKeySelector>,
    /// Secret key with the AWS secret access key.
    pub secret_key: Option<SecretKeySelector>,
    /// Named AWS profile used to authenticate.
    pub profile: String,
    /// ARN of the AWS role to assume.
    pub role_arn: String,
    /// External ID used when the AWS role is assumed.
    #[schemars(length(min = 1))]
    pub external_id: String,
    /// Use the FIPS endpoint of the AWS token service (STS).
    #[serde(rename = "useFIPSSTSEndpoint")]
    pub use_fips_sts_endpoint: Option<bool>,
}

/// Authenticates with Azure AD (Microsoft Entra ID).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AzureAd {
    /// Azure cloud to authenticate with.
    #[schemars(extend("enum" = ["AzureChina", "AzureGovernment", "AzurePublic"]))]
    pub cloud: Option<String>,
    /// Authenticate with an Azure managed identity.
    pub managed_identity: Option<ManagedIdentity>,
    /// Authenticate with the ID and secret of an Azure application.
    pub oauth: Option<AzureOAuth>,
    /// Authenticate with the default credentials of the Azure SDK.
    pub sdk: Option<AzureSdk>,
    /// Authenticate with Azure workload identity.
    pub workload_identity: Option<AzureWorkloadIdentity>,
    /// OAuth scope that the access token is requested for.
    #[schemars(extend("pattern" = r"^[\w\s:/.\\-]+$"))]
    pub scope: Option<String>,
}

/// ID and secret of an Azure application.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["clientId", "clientSecret", "tenantId"]))]
pub struct AzureOAuth {
    /// Client ID of the Azure application.
    #[schemars(length(min = 1))]
    pub client_id: String,
    /// Secret key with the client secret of the Azure application.
    pub client_secret: SecretKeySelector,
    /// ID of the Azure tenant.
    #[schemars(length(min = 1), extend("pattern" = "^[0-9a-zA-Z-.]+$"))]
    pub tenant_id: String,
}

/// An Azure managed identity.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ManagedIdentity {
    /// Client ID of the managed identity; unset means the one assigned by the system.
    #[schemars(length(min = 1))]
    pub client_id: Option<String>,
}

/// Settings for the default credentials of the Azure SDK.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AzureSdk {
    /// ID of the Azure tenant.
    #[schemars(extend("pattern" = "^[0-9a-zA-Z-.]+$"))]
    pub tenant_id: Option<String>,
}

/// An Azure workload identity.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["clientId", "tenantId"]))]
pub struct AzureWorkloadIdentity {
    /// Client ID of the workload identity.
    #[schemars(length(min = 1))]
    pub client_id: String,
    /// ID of the Azure tenant.
    #[schemars(length(min = 1))]
    pub tenant_id: String,
}

/// Content of an `Authorization` header, with the credentials in a Secret.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SafeAuthorization {
    /// Authentication scheme, not `Basic`; empty means `Bearer`.
    #[serde(rename = "type")]
    pub type_: String,
    /// Secret key with the credentials that follow the scheme.
    pub credentials: Option<SecretKeySelector>,
}

/// Content of an `Authorization` header, with the credentials in a Secret or a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Authorization {
    /// The part that comes from a Secret.
    #[serde(flatten)]
    pub safe: SafeAuthorization,
    /// Path of a file with the credentials that follow the scheme.
    pub credentials_file: String,
}

/// OAuth 2.0 client credentials for HTTP requests.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["clientId", "clientSecret", "tokenUrl"]))]
pub struct OAuth2 {
    /// Secret or ConfigMap key with the client id.
    pub client_id: SecretOrConfigMap,
    /// Secret key with the client secret.
    pub client_secret: SecretKeySelector,
    /// URL from which the access token is fetched.
    pub token_url: Url,
    /// Scopes to ask for with the token.
    pub scopes: Vec<String>,
    /// Extra parameters of the token request.
    pub endpoint_params: BTreeMap<String, String>,
    /// TLS settings of the connection.
    pub tls_config: Option<SafeTlsConfig>,
    /// Proxy of the connection.
    #[serde(flatten)]
    pub proxy: ProxyConfig,
}

/// Credentials for HTTP basic authentication.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct BasicAuth {
    /// Secret key with the user name.
    pub username: SecretKeySelector,
    /// Secret key with the password.
    pub password: SecretKeySelector,
}
