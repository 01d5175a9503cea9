//! The Thanos sidecar.

use k8s_openapi::api::core::v1::{ResourceRequirements, SecretKeySelector, VolumeMount};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::pod::Argument;
use crate::text::Duration;
use crate::tls::GrpcServerTlsConfig;

/// Settings of the Thanos sidecar next to Prometheus.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ThanosSpec {
    /// Full container image name; set `version` to the version inside it.
    pub image: Option<String>,
    /// Thanos version that runs; it also decides which settings are written.
    pub version: Option<String>,
    /// Deprecated: use `image` instead.
    pub tag: Option<String>,
    /// Deprecated: use `image` instead.
    pub sha: Option<String>,
    /// Deprecated: use `image` instead.
    pub base_image: Option<String>,
    /// CPU and memory that the container requests and may use.
    pub resources: ResourceRequirements,
    /// Secret key with the Thanos object storage settings that blocks are uploaded with.
    pub object_storage_config: Option<SecretKeySelector>,
    /// Path of a file with the object storage settings; it takes precedence over `objectStorageConfig`.
    pub object_storage_config_file: Option<String>,
    /// Deprecated: use `grpcListenLocal` and `httpListenLocal` instead.
    pub listen_local: bool,
    /// Let the gRPC server listen on the loopback address only.
    pub grpc_listen_local: bool,
    /// Let the HTTP server listen on the loopback address only.
    pub http_listen_local: bool,
    /// Secret key with the tracing settings of Thanos.
    pub tracing_config: Option<SecretKeySelector>,
    /// Path of a file with the tracing settings; it takes precedence over `tracingConfig`.
    pub tracing_config_file: String,
    /// TLS settings of the gRPC server.
    pub grpc_server_tls_config: Option<GrpcServerTlsConfig>,
    /// Least severe level of log messages that is still written.
    #[schemars(extend("enum" = ["", "debug", "info", "warn", "error"]))]
    pub log_level: String,
    /// Format of the log lines.
    #[schemars(extend("enum" = ["", "logfmt", "json"]))]
    pub log_format: String,
    /// Oldest time the sidecar serves data for: an RFC 3339 time or a duration relative to now.
    pub min_time: String,
    /// Time span of the blocks that Prometheus writes.
    #[schemars(extend("default" = "2h"))]
    pub block_size: Duration,
    /// How long the sidecar waits for Prometheus to become ready.
    pub ready_timeout: Duration,
    /// Time between two reads of the Prometheus configuration by the sidecar.
    pub get_config_interval: Duration,
    /// How long one read of the Prometheus configuration may take.
    pub get_config_timeout: Duration,
    /// Extra volume mounts of the Thanos container.
    pub volume_mounts: Vec<VolumeMount>,
    /// Extra command line arguments of the container.
    pub additional_args: Vec<Argument>,
}
