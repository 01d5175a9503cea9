//! Where the targets of a job come from, a function a discovery. Called by the job of a ScrapeConfig. The order of the
//! lists, and of the fields in each function, is that of the file and must not change.
//!
//! | file | owns |
//! |---|---|
//! | `entry` | the fields that many discoveries have |
//! | `clouds` | clouds and hosting providers |
//! | `registries` | static targets, files, DNS, HTTP, registries of services, containers |
//! | `kubernetes` | the API of Kubernetes |

mod clouds;
mod entry;
mod kubernetes;
mod registries;
#[cfg(test)]
mod tests;

use std::convert::Infallible;

use api_monitoring::scrape_config::ScrapeConfigSpec;
use formats::prometheus::{Section, SectionKind};

use self::entry::Entry;
use super::error::ScrapeConfigError;
use crate::client::Client;

/// Adds all discoveries of a ScrapeConfig to its job.
pub(super) fn put(
    job: &mut Section<'_, '_>,
    name: &str,
    client: &Client<'_>,
    spec: &ScrapeConfigSpec,
) -> Result<(), ScrapeConfigError> {
    let mut lists = Lists { job, name, client };
    lists.put("static_configs", &spec.static_configs, registries::fixed);
    lists.put("file_sd_configs", &spec.file_sd_configs, registries::file);
    lists.put("http_sd_configs", &spec.http_sd_configs, registries::http);
    lists.put("kubernetes_sd_configs", &spec.kubernetes_sd_configs, kubernetes::put);
    lists.try_put("consul_sd_configs", &spec.consul_sd_configs, registries::consul)?;
    lists.put("dns_sd_configs", &spec.dns_sd_configs, registries::dns);
    lists.try_put("ec2_sd_configs", &spec.ec2_sd_configs, clouds::ec2)?;
    lists.try_put("azure_sd_configs", &spec.azure_sd_configs, clouds::azure)?;
    lists.put("gce_sd_configs", &spec.gce_sd_configs, clouds::gce);
    lists.try_put("openstack_sd_configs", &spec.openstack_sd_configs, clouds::openstack)?;
    lists.put("digitalocean_sd_configs", &spec.digital_ocean_sd_configs, clouds::digital_ocean);
    lists.put("kuma_sd_configs", &spec.kuma_sd_configs, registries::kuma);
    lists.put("eureka_sd_configs", &spec.eureka_sd_configs, registries::eureka);
    lists.put("docker_sd_configs", &spec.docker_sd_configs, registries::docker);
    lists.put("linode_sd_configs", &spec.linode_sd_configs, clouds::linode);
    lists.put("hetzner_sd_configs", &spec.hetzner_sd_configs, clouds::hetzner);
    lists.put("nomad_sd_configs", &spec.nomad_sd_configs, registries::nomad);
    lists.put("dockerswarm_sd_configs", &spec.docker_swarm_sd_configs, registries::docker_swarm);
    lists.put("puppetdb_sd_configs", &spec.puppetdb_sd_configs, registries::puppetdb);
    lists.try_put("lightsail_sd_configs", &spec.light_sail_sd_configs, clouds::lightsail)?;
    lists.put("ovhcloud_sd_configs", &spec.ovhcloud_sd_configs, clouds::ovhcloud);
    lists.put("scaleway_sd_configs", &spec.scaleway_sd_configs, clouds::scaleway);
    lists.put("ionos_sd_configs", &spec.ionos_sd_configs, clouds::ionos);
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
    fn put<T>(&mut self, field: &'static str, configs: &[T], put: fn(&mut Entry<'_>, &T)) {
        let Ok(()) = self.try_put(field, configs, |entry, config| {
            put(entry, config);
            Ok::<_, Infallible>(())
        });
    }

    /// Adds a list whose elements need Secrets, unless it is empty.
    fn try_put<T, E>(
        &mut self,
        field: &'static str,
        configs: &[T],
        put: impl Fn(&mut Entry<'_>, &T) -> Result<(), E>,
    ) -> Result<(), E> {
        if configs.is_empty() {
            return Ok(());
        }
        let place = if field == "ec2_sd_configs" { SectionKind::Ec2 } else { SectionKind::Discovery };
        let entries = configs.iter().map(|config| {
            let section = self.job.writer().section(place);
            let mut entry = Entry { client: self.client, job: self.name, section };
            put(&mut entry, config)?;
            Ok(entry.section.into_map())
        });
        let entries = entries.collect::<Result<Vec<_>, E>>()?;
        self.job.put(field, entries);
        Ok(())
    }
}
