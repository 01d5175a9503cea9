//! Where the targets of a job come from, a file a discovery. Called by the job of a ScrapeConfig; the order of the lists
//! and of the fields in them is that of the file and must stay.

mod azure;
mod consul;
mod digital_ocean;
mod dns;
mod docker;
mod docker_swarm;
mod ec2;
mod entry;
mod eureka;
mod file;
mod gce;
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

use api_monitoring::scrape_config::ScrapeConfigSpec;
use formats::prometheus::{Place, Section};

use self::entry::Entry;
use super::error::Error;
use crate::client::Client;

/// Adds every discovery that a ScrapeConfig asks for to its job.
pub(super) fn put(
    job: &mut Section<'_, '_>,
    name: &str,
    client: &Client<'_>,
    spec: &ScrapeConfigSpec,
) -> Result<(), Error> {
    let mut lists = Lists { job, name, client };
    lists.put("static_configs", &spec.static_configs, static_targets::put);
    lists.put("file_sd_configs", &spec.file_sd_configs, file::put);
    lists.put("http_sd_configs", &spec.http_sd_configs, http::put);
    lists.put("kubernetes_sd_configs", &spec.kubernetes_sd_configs, kubernetes::put);
    lists.try_put("consul_sd_configs", Place::Discovery, &spec.consul_sd_configs, consul::put)?;
    lists.put("dns_sd_configs", &spec.dns_sd_configs, dns::put);
    lists.try_put("ec2_sd_configs", Place::Ec2, &spec.ec2_sd_configs, ec2::put)?;
    lists.try_put("azure_sd_configs", Place::Discovery, &spec.azure_sd_configs, azure::put)?;
    lists.put("gce_sd_configs", &spec.gce_sd_configs, gce::put);
    lists.try_put("openstack_sd_configs", Place::Discovery, &spec.openstack_sd_configs, openstack::put)?;
    lists.put("digitalocean_sd_configs", &spec.digital_ocean_sd_configs, digital_ocean::put);
    lists.put("kuma_sd_configs", &spec.kuma_sd_configs, kuma::put);
    lists.put("eureka_sd_configs", &spec.eureka_sd_configs, eureka::put);
    lists.put("docker_sd_configs", &spec.docker_sd_configs, docker::put);
    lists.put("linode_sd_configs", &spec.linode_sd_configs, linode::put);
    lists.put("hetzner_sd_configs", &spec.hetzner_sd_configs, hetzner::put);
    lists.put("nomad_sd_configs", &spec.nomad_sd_configs, nomad::put);
    lists.put("dockerswarm_sd_configs", &spec.docker_swarm_sd_configs, docker_swarm::put);
    lists.put("puppetdb_sd_configs", &spec.puppetdb_sd_configs, puppetdb::put);
    lists.try_put("lightsail_sd_configs", Place::Discovery, &spec.light_sail_sd_configs, lightsail::put)?;
    lists.put("ovhcloud_sd_configs", &spec.ovhcloud_sd_configs, ovhcloud::put);
    lists.put("scaleway_sd_configs", &spec.scaleway_sd_configs, scaleway::put);
    lists.put("ionos_sd_configs", &spec.ionos_sd_configs, ionos::put);
    Ok(())
}

/// The lists of discoveries of a job.
struct Lists<'l, 'w, 'v> {
    job: &'l mut Section<'w, 'v>,
    name: &'l str,
    client: &'l Client<'l>,
}

impl Lists<'_, '_, '_> {
    /// Adds a list, unless it is empty.
    fn put<T>(&mut self, field: &'static str, configs: &[T], put: fn(&mut Entry<'_, '_, '_>, &T)) {
        if configs.is_empty() {
            return;
        }
        let entries = configs.iter().map(|config| {
            let mut entry = self.entry(Place::Discovery);
            put(&mut entry, config);
            entry.section.into_map()
        });
        let entries: Vec<_> = entries.collect();
        self.job.put(field, entries);
    }

    /// Adds a list whose elements need Secrets, unless it is empty.
    fn try_put<T>(
        &mut self,
        field: &'static str,
        place: Place,
        configs: &[T],
        put: fn(&mut Entry<'_, '_, '_>, &T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if configs.is_empty() {
            return Ok(());
        }
        let entries = configs.iter().map(|config| {
            let mut entry = self.entry(place);
            put(&mut entry, config)?;
            Ok(entry.section.into_map())
        });
        let entries = entries.collect::<Result<Vec<_>, Error>>()?;
        self.job.put(field, entries);
        Ok(())
    }

    fn entry(&self, place: Place) -> Entry<'_, '_, '_> {
        Entry { client: self.client, job: self.name, section: self.job.writer().section(place) }
    }
}
