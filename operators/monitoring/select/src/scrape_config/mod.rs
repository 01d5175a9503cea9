//! ScrapeConfigs: what is wrong with one. A file a kind of discovery.
//!
//! A version of Prometheus that lacks a kind of discovery refuses the objects that use this kind, and no others.

mod azure;
mod consul;
mod digital_ocean;
mod dns;
mod docker;
mod docker_swarm;
mod ec2;
mod eureka;
mod hetzner;
mod http;
mod ionos;
mod kubernetes;
mod kuma;
mod lightsail;
mod linode;
mod nomad;
mod openstack;
mod ovhcloud;
mod puppetdb;
mod scaleway;
mod static_targets;
#[cfg(test)]
mod tests;

use api_monitoring::ScrapeConfig;
use api_monitoring::scrape_config::ScrapeConfigSpec;
use monitoring_assets::Objects;

use crate::problem::{Problem, Within, broken};
use crate::references::References;
use crate::scrape_class;
use crate::verdict::{Accepted, Refused};
use crate::workload::Workload;

/// What the checks of a discovery need.
#[derive(Debug, Clone, Copy)]
struct Context<'c, 'w, 'o> {
    workload: &'c Workload<'w>,
    references: &'c References<'o>,
}

/// The verdict on a ScrapeConfig.
pub fn check<'o>(
    workload: &Workload<'_>,
    object: &ScrapeConfig,
    objects: &'o Objects,
) -> Result<Accepted<'o>, Refused> {
    let references = References::new(objects, object.metadata.namespace.as_deref().unwrap_or_default());
    let context = Context { workload, references: &references };
    let checked = check_job(context, &object.spec).and_then(|()| check_discoveries(context, &object.spec));
    references.verdict(checked)
}

fn check_job(context: Context<'_, '_, '_>, spec: &ScrapeConfigSpec) -> Result<(), Problem> {
    let Context { workload, references } = context;
    scrape_class::check(workload, spec.scrape_class.as_deref())?;
    workload.relabeling.check_all(&spec.relabelings).within("relabelConfigs")?;
    references.basic_auth(spec.basic_auth.as_ref()).within("basicAuth")?;
    references.safe_authorization(spec.authorization.as_ref()).within("authorization")?;
    references.oauth2(spec.oauth2.as_ref()).within("oauth2")?;
    references.safe_tls(spec.tls_config.as_ref()).within("tlsConfig")?;
    workload.check_timeout(
        spec.scrape_timeout.as_deref().unwrap_or_default(),
        spec.scrape_interval.as_deref().unwrap_or_default(),
    )?;
    references.proxy(&spec.proxy)?;
    workload.relabeling.check_all(&spec.metric_relabelings).within("metricRelabelConfigs")
}

fn check_discoveries(context: Context<'_, '_, '_>, spec: &ScrapeConfigSpec) -> Result<(), Problem> {
    static_targets::check(context, &spec.static_configs).within("staticConfigs")?;
    http::check(context, &spec.http_sd_configs).within("httpSDConfigs")?;
    kubernetes::check(context, &spec.kubernetes_sd_configs).within("kubernetesSDConfigs")?;
    consul::check(context, &spec.consul_sd_configs).within("consulSDConfigs")?;
    dns::check(&spec.dns_sd_configs).within("dnsSDConfigs")?;
    ec2::check(context, &spec.ec2_sd_configs).within("ec2SDConfigs")?;
    azure::check(context, &spec.azure_sd_configs).within("azureSDConfigs")?;
    openstack::check(context, &spec.openstack_sd_configs).within("openstackSDConfigs")?;
    digital_ocean::check(context, &spec.digital_ocean_sd_configs).within("digitalOceanSDConfigs")?;
    kuma::check(context, &spec.kuma_sd_configs).within("kumaSDConfigs")?;
    eureka::check(context, &spec.eureka_sd_configs).within("eurekaSDConfigs")?;
    docker::check(context, &spec.docker_sd_configs).within("dockerSDConfigs")?;
    linode::check(context, &spec.linode_sd_configs).within("linodeSDConfigs")?;
    hetzner::check(context, &spec.hetzner_sd_configs).within("hetznerSDConfigs")?;
    nomad::check(context, &spec.nomad_sd_configs).within("nomadSDConfigs")?;
    docker_swarm::check(context, &spec.docker_swarm_sd_configs).within("dockerswarmSDConfigs")?;
    puppetdb::check(context, &spec.puppetdb_sd_configs).within("puppetDBSDConfigs")?;
    lightsail::check(context, &spec.light_sail_sd_configs).within("lightSailSDConfigs")?;
    ovhcloud::check(context, &spec.ovhcloud_sd_configs).within("OVHCloudSDConfigs")?;
    scaleway::check(context, &spec.scaleway_sd_configs).within("ScalewaySDConfigs")?;
    ionos::check(context, &spec.ionos_sd_configs).within("IonosSDConfigs")
}

/// Checks discoveries one after the other and says which is wrong.
fn each<T>(configs: &[T], check: impl Fn(&T) -> Result<(), Problem>) -> Result<(), Problem> {
    configs.iter().enumerate().try_for_each(|(index, config)| check(config).within(format_args!("[{index}]")))
}

impl Context<'_, '_, '_> {
    /// Refuses discoveries of a kind that the version does not have yet.
    fn needs<T>(&self, configs: &[T], since: (u64, u64), words: &'static str) -> Result<(), Problem> {
        if !configs.is_empty() && self.workload.is_before(since.0, since.1, 0) {
            return broken(words);
        }
        Ok(())
    }
}
