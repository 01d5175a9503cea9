//! What servers and agents have in common.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::StatefulSetPersistentVolumeClaimRetentionPolicy;
use k8s_openapi::api::core::v1::SecretKeySelector;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::{Authorization, BasicAuth};
use crate::http::ProxyConfig;
use crate::pod::TopologySpreadConstraint;
use crate::prometheus::otlp::OtlpConfig;
use crate::prometheus::remote::RemoteWriteSpec;
use crate::prometheus::scrape_class::ScrapeClass;
use crate::prometheus::sharding::{ShardingStrategy, enough_shards};
use crate::prometheus::tracing::TracingConfig;
use crate::prometheus::tsdb::TsdbSpec;
use crate::reference::ObjectReference;
use crate::text::{
    ByteSize, Duration, EnableFeature, NameEscapingScheme, NameValidationScheme, RemoteWriteMessageVersion,
    ScrapeProtocol, ServiceDiscoveryRole, text,
};
use crate::tls::TlsConfig;
use crate::web::WebConfigFileFields;
use crate::workload::WorkloadSpec;

/// Settings of the Go runtime that Prometheus runs on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RuntimeConfig {
    /// Heap growth in percent that starts a garbage collection (`GOGC`); `-1` disables it.
    #[serde(rename = "goGC")]
    #[schemars(range(min = -1))]
    pub go_gc: Option<i32>,
}

/// Settings that Prometheus server and Prometheus agent share.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("x-kubernetes-validations" = [enough_shards()]))]
pub struct SharedSpec {
    /// Fields that all workloads share.
    #[serde(flatten)]
    pub workload: WorkloadSpec,
    /// Labels of the ServiceMonitors to use; `{}` selects all, unset selects none.
    pub service_monitor_selector: Option<LabelSelector>,
    /// Namespaces searched for ServiceMonitors; `{}` means all, unset means only the own one.
    pub service_monitor_namespace_selector: Option<LabelSelector>,
    /// Labels of the PodMonitors to use; `{}` selects all, unset selects none.
    pub pod_monitor_selector: Option<LabelSelector>,
    /// Namespaces searched for PodMonitors; `{}` means all, unset means only the own one.
    pub pod_monitor_namespace_selector: Option<LabelSelector>,
    /// Labels of the Probes to use; `{}` selects all, unset selects none.
    pub probe_selector: Option<LabelSelector>,
    /// Namespaces searched for Probes; `{}` means all, unset means only the own one.
    pub probe_namespace_selector: Option<LabelSelector>,
    /// Labels of the ScrapeConfigs to use; `{}` selects all, unset selects none.
    pub scrape_config_selector: Option<LabelSelector>,
    /// Namespaces searched for ScrapeConfigs; `{}` means all, unset means only the own one.
    pub scrape_config_namespace_selector: Option<LabelSelector>,
    /// Prometheus version that runs; it also decides which settings are written.
    pub version: String,
    /// Full container image name; set `version` to the version inside it.
    pub image: Option<String>,
    /// Over how many shards the targets are divided; each has `replicas` pods.
    #[schemars(extend("default" = 1))]
    pub shards: Option<i32>,
    /// How targets are divided among the shards.
    pub sharding_strategy: Option<ShardingStrategy>,
    /// External label that holds the replica name; an empty text leaves it out.
    pub replica_external_label_name: Option<String>,
    /// External label that holds the Prometheus name; an empty text leaves it out.
    pub prometheus_external_label_name: Option<String>,
    /// Time between two scrapes.
    #[schemars(extend("default" = "30s"))]
    pub scrape_interval: Duration,
    /// How long a scrape may take; not longer than the scrape interval.
    pub scrape_timeout: Duration,
    /// Exposition formats to ask targets for, in order of preference.
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub scrape_protocols: Vec<ScrapeProtocol>,
    /// Labels of every series or alert that is sent to another system.
    pub external_labels: BTreeMap<String, String>,
    /// Accept samples that others push with the remote write protocol.
    pub enable_remote_write_receiver: bool,
    /// Accept metrics that others push with the OpenTelemetry protocol (OTLP).
    #[serde(rename = "enableOTLPReceiver")]
    pub enable_otlp_receiver: Option<bool>,
    /// Remote write message versions that the receiver accepts.
    #[schemars(length(min = 1), extend("x-kubernetes-list-type" = "set"))]
    pub remote_write_receiver_message_versions: Vec<RemoteWriteMessageVersion>,
    /// Feature flags to enable.
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub enable_features: Vec<EnableFeature>,
    /// URL under which users reach the web interface; links are built from it.
    pub external_url: String,
    /// What happens to the volume claims when the StatefulSet is deleted or scaled down.
    pub persistent_volume_claim_retention_policy: Option<StatefulSetPersistentVolumeClaimRetentionPolicy>,
    /// Settings of the web server.
    pub web: Option<PrometheusWebSpec>,
    /// Whether the token of the ServiceAccount is mounted into the pods.
    pub automount_service_account_token: Option<bool>,
    /// Secrets of the same namespace to mount under `/etc/prometheus/secrets/`.
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub secrets: Vec<String>,
    /// ConfigMaps of the same namespace to mount under `/etc/prometheus/configmaps/`.
    pub config_maps: Vec<String>,
    /// Rules that spread the pods over zones, nodes or other domains.
    pub topology_spread_constraints: Vec<TopologySpreadConstraint>,
    /// Endpoints that receive a copy of the samples by remote write.
    pub remote_write: Vec<RemoteWriteSpec>,
    /// How metrics received over OTLP are turned into series.
    pub otlp: Option<OtlpConfig>,
    /// Secret key with more scrape configurations, written in the YAML of Prometheus.
    pub additional_scrape_configs: Option<SecretKeySelector>,
    /// How to reach the Kubernetes API; unset means the access that every pod has.
    pub apiserver_config: Option<ApiServerConfig>,
    /// Whether monitors may name files inside the Prometheus container.
    #[serde(rename = "arbitraryFSAccessThroughSMs")]
    pub arbitrary_fs_access: ArbitraryFsAccess,
    /// When true, labels of the target never take precedence, regardless of `honorLabels` of a monitor.
    pub override_honor_labels: bool,
    /// When true, timestamps of the target are ignored, regardless of `honorTimestamps` of a monitor.
    pub override_honor_timestamps: bool,
    /// When true, monitors find targets only in their own namespace.
    pub ignore_namespace_selectors: bool,
    /// Label that is set to the namespace of the monitor or rule that a series or alert comes from.
    pub enforced_namespace_label: String,
    /// Highest `sampleLimit` that a monitor can have.
    #[schemars(range(min = 0))]
    pub enforced_sample_limit: Option<i64>,
    /// Highest `targetLimit` that a monitor can have.
    #[schemars(range(min = 0))]
    pub enforced_target_limit: Option<i64>,
    /// Highest `labelLimit` that a monitor can have.
    #[schemars(range(min = 0))]
    pub enforced_label_limit: Option<i64>,
    /// Highest `labelNameLengthLimit` that a monitor can have.
    #[schemars(range(min = 0))]
    pub enforced_label_name_length_limit: Option<i64>,
    /// Highest `labelValueLengthLimit` that a monitor can have.
    #[schemars(range(min = 0))]
    pub enforced_label_value_length_limit: Option<i64>,
    /// Highest `keepDroppedTargets` that a monitor can have.
    #[schemars(range(min = 0))]
    pub enforced_keep_dropped_targets: Option<i64>,
    /// Highest `bodySizeLimit` that a monitor can have.
    pub enforced_body_size_limit: ByteSize,
    /// Which characters metric and label names may have: any `UTF8` or only the `Legacy` set.
    pub name_validation_scheme: Option<NameValidationScheme>,
    /// How characters outside the legacy set are escaped in scraped names.
    pub name_escaping_scheme: Option<NameEscapingScheme>,
    /// Store classic histograms as native histograms with custom buckets.
    #[serde(rename = "convertClassicHistogramsToNHCB")]
    pub convert_classic_histograms_to_nhcb: Option<bool>,
    /// Whether native histograms of the targets are scraped.
    pub scrape_native_histograms: Option<bool>,
    /// Scrape the classic form of a histogram even if it also has a native form.
    pub scrape_classic_histograms: Option<bool>,
    /// Whether the write-ahead log is compressed.
    pub wal_compression: Option<bool>,
    /// Objects that `enforcedNamespaceLabel` does not apply to.
    pub excluded_from_enforcement: Vec<ObjectReference>,
    /// Run the pods in the network of their node.
    pub host_network: bool,
    /// Pod labels that are copied to the series of every ServiceMonitor and PodMonitor.
    pub pod_target_labels: Vec<String>,
    /// Where and how traces are sent.
    pub tracing_config: Option<TracingConfig>,
    /// How large an uncompressed scrape response may be; a larger one makes the scrape fail.
    pub body_size_limit: Option<ByteSize>,
    /// How many samples one scrape may return; more make it fail.
    #[schemars(range(min = 0))]
    pub sample_limit: Option<i64>,
    /// How many targets one scrape job may have; with more, all of them fail.
    #[schemars(range(min = 0))]
    pub target_limit: Option<i64>,
    /// How many labels a sample may have; more make the scrape fail.
    #[schemars(range(min = 0))]
    pub label_limit: Option<i64>,
    /// How long a label name may be; a longer one makes the scrape fail.
    #[schemars(range(min = 0))]
    pub label_name_length_limit: Option<i64>,
    /// How long a label value may be; a longer one makes the scrape fail.
    #[schemars(range(min = 0))]
    pub label_value_length_limit: Option<i64>,
    /// How many targets dropped by relabeling are kept in memory; 0 means no limit.
    #[schemars(range(min = 0))]
    pub keep_dropped_targets: Option<i64>,
    /// How the reload of a changed configuration is triggered.
    pub reload_strategy: Option<ReloadStrategy>,
    /// Seconds that the container may take to start before it is restarted.
    #[schemars(range(min = 60))]
    pub maximum_startup_duration_seconds: Option<i32>,
    /// Named sets of scrape settings that monitors can refer to.
    #[schemars(extend("x-kubernetes-list-type" = "map"), extend("x-kubernetes-list-map-keys" = ["name"]))]
    pub scrape_classes: Vec<ScrapeClass>,
    /// Kind of Kubernetes object from which the targets behind Services are read.
    pub service_discovery_role: Option<ServiceDiscoveryRole>,
    /// Settings of the time series database.
    pub tsdb: Option<TsdbSpec>,
    /// File that failed scrapes are logged to.
    #[schemars(length(min = 1))]
    pub scrape_failure_log_file: Option<String>,
    /// Settings of the Go runtime that Prometheus runs on.
    pub runtime: Option<RuntimeConfig>,
}

text! {
    /// Way to trigger a reload: an HTTP request or a signal to the process.
    #[schemars(extend("enum" = ["HTTP", "ProcessSignal"]))]
    ReloadStrategy
}

/// Settings of the web server of Prometheus.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct PrometheusWebSpec {
    /// What is written into the web configuration file.
    #[serde(flatten)]
    pub file: WebConfigFileFields,
    /// Title of the web pages.
    pub page_title: Option<String>,
    /// How many connections may be open at the same time.
    #[schemars(range(min = 0))]
    pub max_connections: Option<i32>,
}

/// How Prometheus reaches the Kubernetes API.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["host"]))]
pub struct ApiServerConfig {
    /// Address of the API server: a host, a `host:port` pair or a URL.
    pub host: String,
    /// Credentials for HTTP basic authentication.
    pub basic_auth: Option<BasicAuth>,
    /// Deprecated: use `authorization` instead.
    pub bearer_token_file: String,
    /// TLS settings of the connection.
    pub tls_config: Option<TlsConfig>,
    /// Content of the `Authorization` header sent with each request.
    pub authorization: Option<Authorization>,
    /// Deprecated: use `authorization` instead; anyone who reads this resource sees the token.
    pub bearer_token: String,
    /// Proxy of the connection.
    #[serde(flatten)]
    pub proxy: ProxyConfig,
}

/// Whether monitors may read arbitrary files of the Prometheus container.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ArbitraryFsAccess {
    /// Rejects monitors that refer to files of the Prometheus container.
    pub deny: bool,
}
