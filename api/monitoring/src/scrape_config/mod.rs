//! ScrapeConfig: any scrape job, with any discovery.

pub mod discovery;

use std::collections::BTreeMap;

use kube::CustomResource;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use crate::auth::{BasicAuth, OAuth2, SafeAuthorization};
use crate::http::ProxyConfig;
use crate::relabel::RelabelConfig;
use crate::scrape::{JobOptions, describe};
use crate::scrape_config::discovery::azure::AzureSdConfig;
use crate::scrape_config::discovery::consul::ConsulSdConfig;
use crate::scrape_config::discovery::digital_ocean::DigitalOceanSdConfig;
use crate::scrape_config::discovery::dns::DnsSdConfig;
use crate::scrape_config::discovery::docker::DockerSdConfig;
use crate::scrape_config::discovery::docker_swarm::DockerSwarmSdConfig;
use crate::scrape_config::discovery::ec2::Ec2SdConfig;
use crate::scrape_config::discovery::eureka::EurekaSdConfig;
use crate::scrape_config::discovery::file::FileSdConfig;
use crate::scrape_config::discovery::gce::GceSdConfig;
use crate::scrape_config::discovery::hetzner::HetznerSdConfig;
use crate::scrape_config::discovery::http::HttpSdConfig;
use crate::scrape_config::discovery::ionos::IonosSdConfig;
use crate::scrape_config::discovery::kubernetes::KubernetesSdConfig;
use crate::scrape_config::discovery::kuma::KumaSdConfig;
use crate::scrape_config::discovery::lightsail::LightSailSdConfig;
use crate::scrape_config::discovery::linode::LinodeSdConfig;
use crate::scrape_config::discovery::nomad::NomadSdConfig;
use crate::scrape_config::discovery::openstack::OpenStackSdConfig;
use crate::scrape_config::discovery::ovhcloud::OvhCloudSdConfig;
use crate::scrape_config::discovery::puppetdb::PuppetDbSdConfig;
use crate::scrape_config::discovery::scaleway::ScalewaySdConfig;
use crate::scrape_config::discovery::static_targets::StaticConfig;
use crate::status::ConfigResourceStatus;
use crate::text::{ByteSize, Duration, NameEscapingScheme, NameValidationScheme, Scheme, ScrapeProtocol};
use crate::tls::SafeTlsConfig;

/// Where a scrape job finds its targets and how it scrapes them.
#[derive(CustomResource, Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "monitoring.coreos.com",
    version = "v1alpha1",
    kind = "ScrapeConfig",
    plural = "scrapeconfigs",
    shortname = "scfg",
    category = "prometheus-operator",
    namespaced,
    status = "ConfigResourceStatus",
    derive = "PartialEq",
    derive = "Default",
    doc = "A scrape job with any kind of discovery."
)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("x-kubernetes-validations" = [
    {"rule": "[has(self.basicAuth), has(self.authorization), has(self.oauth2)].filter(x, x).size() <= 1", "message": "at most one of basicAuth, authorization, or oauth2 can be configured"},
]), transform = describe_spec)]
pub struct ScrapeConfigSpec {
    /// Value of the `job` label of the scraped series.
    #[schemars(length(min = 1))]
    pub job_name: Option<String>,
    /// Static targets.
    pub static_configs: Vec<StaticConfig>,
    /// Targets read from files.
    #[serde(rename = "fileSDConfigs")]
    pub file_sd_configs: Vec<FileSdConfig>,
    /// Targets fetched from an HTTP endpoint.
    #[serde(rename = "httpSDConfigs")]
    pub http_sd_configs: Vec<HttpSdConfig>,
    /// Targets found through the Kubernetes API.
    #[serde(rename = "kubernetesSDConfigs")]
    pub kubernetes_sd_configs: Vec<KubernetesSdConfig>,
    /// Targets found in the Consul catalog.
    #[serde(rename = "consulSDConfigs")]
    pub consul_sd_configs: Vec<ConsulSdConfig>,
    /// Targets found through DNS queries.
    #[serde(rename = "dnsSDConfigs")]
    pub dns_sd_configs: Vec<DnsSdConfig>,
    /// Targets found among AWS EC2 instances.
    #[serde(rename = "ec2SDConfigs")]
    pub ec2_sd_configs: Vec<Ec2SdConfig>,
    /// Targets found among Azure virtual machines.
    #[serde(rename = "azureSDConfigs")]
    pub azure_sd_configs: Vec<AzureSdConfig>,
    /// Targets found among Google Compute Engine instances.
    #[serde(rename = "gceSDConfigs")]
    pub gce_sd_configs: Vec<GceSdConfig>,
    /// Targets found in OpenStack.
    #[serde(rename = "openstackSDConfigs")]
    pub openstack_sd_configs: Vec<OpenStackSdConfig>,
    /// Targets found among DigitalOcean droplets.
    #[serde(rename = "digitalOceanSDConfigs")]
    pub digital_ocean_sd_configs: Vec<DigitalOceanSdConfig>,
    /// Targets found through the control plane of a Kuma mesh.
    #[serde(rename = "kumaSDConfigs")]
    pub kuma_sd_configs: Vec<KumaSdConfig>,
    /// Targets found in a Eureka registry.
    #[serde(rename = "eurekaSDConfigs")]
    pub eureka_sd_configs: Vec<EurekaSdConfig>,
    /// Targets found among the containers of a Docker host.
    #[serde(rename = "dockerSDConfigs")]
    pub docker_sd_configs: Vec<DockerSdConfig>,
    /// Targets found among Linode instances.
    #[serde(rename = "linodeSDConfigs")]
    pub linode_sd_configs: Vec<LinodeSdConfig>,
    /// Targets found among Hetzner servers.
    #[serde(rename = "hetznerSDConfigs")]
    pub hetzner_sd_configs: Vec<HetznerSdConfig>,
    /// Targets found among Nomad services.
    #[serde(rename = "nomadSDConfigs")]
    pub nomad_sd_configs: Vec<NomadSdConfig>,
    /// Targets found in a Docker Swarm.
    #[serde(rename = "dockerSwarmSDConfigs")]
    pub docker_swarm_sd_configs: Vec<DockerSwarmSdConfig>,
    /// Targets found among PuppetDB resources.
    #[serde(rename = "puppetDBSDConfigs")]
    pub puppetdb_sd_configs: Vec<PuppetDbSdConfig>,
    /// Targets found among AWS Lightsail instances.
    #[serde(rename = "lightSailSDConfigs")]
    pub light_sail_sd_configs: Vec<LightSailSdConfig>,
    /// Targets found among OVHcloud servers.
    #[serde(rename = "ovhcloudSDConfigs")]
    pub ovhcloud_sd_configs: Vec<OvhCloudSdConfig>,
    /// Targets found among Scaleway servers.
    #[serde(rename = "scalewaySDConfigs")]
    pub scaleway_sd_configs: Vec<ScalewaySdConfig>,
    /// Targets found among the servers of an IONOS data center.
    #[serde(rename = "ionosSDConfigs")]
    pub ionos_sd_configs: Vec<IonosSdConfig>,
    /// Rules that change or drop targets before they are scraped.
    #[schemars(length(min = 1))]
    pub relabelings: Vec<RelabelConfig>,
    /// HTTP path to scrape; `/metrics` if empty.
    #[schemars(length(min = 1))]
    pub metrics_path: Option<String>,
    /// Time between two scrapes.
    pub scrape_interval: Option<Duration>,
    /// Time after which a scrape fails; not longer than the scrape interval.
    pub scrape_timeout: Option<Duration>,
    /// Exposition formats to ask the target for, in order of preference.
    #[schemars(length(min = 1), extend("x-kubernetes-list-type" = "set"))]
    pub scrape_protocols: Vec<ScrapeProtocol>,
    /// Keep the timestamps that the target sends instead of the scrape time.
    pub honor_timestamps: Option<bool>,
    /// Mark series with their own timestamps as stale once they disappear.
    pub track_timestamps_staleness: Option<bool>,
    /// Let the labels of the scraped metrics take precedence over the labels of the target.
    pub honor_labels: Option<bool>,
    /// HTTP query parameters to send with each scrape.
    #[schemars(extend("x-kubernetes-map-type" = "atomic"))]
    pub params: BTreeMap<String, Vec<String>>,
    /// Scheme of the scrape URL: HTTP or HTTPS.
    pub scheme: Option<Scheme>,
    /// Ask the target for a compressed response.
    pub enable_compression: Option<bool>,
    /// Allow HTTP/2 for the connection.
    #[serde(rename = "enableHTTP2")]
    pub enable_http2: Option<bool>,
    /// Username and password to send with each request.
    pub basic_auth: Option<BasicAuth>,
    /// Type and credentials of the `Authorization` header to send with each request.
    pub authorization: Option<SafeAuthorization>,
    /// OAuth 2.0 client settings used to get an access token for the requests.
    pub oauth2: Option<OAuth2>,
    /// TLS settings for the connection.
    pub tls_config: Option<SafeTlsConfig>,
    /// How large the uncompressed response may be; a larger one makes the scrape fail.
    pub body_size_limit: Option<ByteSize>,
    /// Rules that change or drop scraped samples before they are stored.
    #[schemars(length(min = 1))]
    pub metric_relabelings: Vec<RelabelConfig>,
    /// Proxy of the connection.
    #[serde(flatten)]
    pub proxy: ProxyConfig,
    /// Which characters metric and label names may have.
    pub name_validation_scheme: Option<NameValidationScheme>,
    /// How names with special characters are escaped when the target is scraped.
    pub name_escaping_scheme: Option<NameEscapingScheme>,
    /// Options of the job that other kinds have too.
    #[serde(flatten)]
    pub job: JobOptions,
}

fn describe_spec(schema: &mut Schema) {
    let descriptions = [
        ("targetLimit", "How many targets the job may have; more make all its scrapes fail."),
        ("keepDroppedTargets", "How many targets dropped by relabeling stay in memory; `0` means no limit."),
        ("fallbackScrapeProtocol", "Format to assume if the target sends no usable `Content-Type`."),
        ("scrapeClass", "Name of the scrape class whose settings apply."),
    ];
    describe(schema, &descriptions);
}
