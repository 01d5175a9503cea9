//! Mail.

use k8s_openapi::api::core::v1::SecretKeySelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::alertmanager_config::receiver::KeyValue;
use crate::text::text;
use crate::tls::SafeTlsConfig;

/// How to send notifications by email.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct EmailConfig {
    /// Whether to also notify when alerts are resolved.
    pub send_resolved: Option<bool>,
    /// Address that the email goes to.
    #[schemars(length(min = 1))]
    pub to: Option<String>,
    /// Address that the email comes from.
    #[schemars(length(min = 1))]
    pub from: Option<String>,
    /// Host name to give when greeting the SMTP server.
    #[schemars(length(min = 1))]
    pub hello: Option<String>,
    /// SMTP server to send through, as `host:port`.
    #[schemars(length(min = 1))]
    pub smarthost: Option<String>,
    /// User name for logging in to the SMTP server.
    #[schemars(length(min = 1))]
    pub auth_username: Option<String>,
    /// Key of a Secret that holds the password for LOGIN and PLAIN authentication.
    pub auth_password: Option<SecretKeySelector>,
    /// Key of a Secret that holds the secret for CRAM-MD5 authentication.
    pub auth_secret: Option<SecretKeySelector>,
    /// Identity for PLAIN authentication.
    #[schemars(length(min = 1))]
    pub auth_identity: Option<String>,
    /// Email headers to set or replace, such as `Subject`.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub headers: Vec<KeyValue>,
    /// HTML body of the email.
    pub html: Option<String>,
    /// Plain text body of the email.
    #[schemars(length(min = 1))]
    pub text: Option<String>,
    /// Whether sending fails when the SMTP server does not offer STARTTLS.
    #[serde(rename = "requireTLS")]
    pub require_tls: Option<bool>,
    /// TLS settings of the connection.
    pub tls_config: Option<SafeTlsConfig>,
    /// Whether to use TLS from the start of the connection instead of STARTTLS.
    #[serde(rename = "forceImplicitTLS")]
    pub force_implicit_tls: Option<bool>,
    /// How emails about the same alert group are put into threads.
    pub threading: Option<EmailThreadingConfig>,
}

text! {
    /// How emails are split into threads by date: `Daily` or `None`.
    #[schemars(extend("enum" = ["Daily", "None"]))]
    ThreadByDateType
}

/// How emails about the same alert group are put into threads.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["threadByDate"]))]
pub struct EmailThreadingConfig {
    /// `Daily` starts a new thread every day; `None` ignores the date.
    pub thread_by_date: ThreadByDateType,
}
