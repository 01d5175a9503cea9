//! Checks of discoveries. A version of Prometheus that lacks a discovery rejects the resources that use it, and no others.

use api_monitoring::scrape_config::ScrapeConfigSpec;
use api_monitoring::scrape_config::discovery::azure::AzureSdConfig;
use api_monitoring::scrape_config::discovery::client::TokenClient;
use api_monitoring::scrape_config::discovery::consul::ConsulSdConfig;
use api_monitoring::scrape_config::discovery::dns::DnsSdConfig;
use api_monitoring::scrape_config::discovery::docker::DockerSdConfig;
use api_monitoring::scrape_config::discovery::ionos::IonosSdConfig;
use api_monitoring::scrape_config::discovery::kuma::KumaSdConfig;
use api_monitoring::scrape_config::discovery::puppetdb::PuppetDbSdConfig;
use go_syntax::quoted::Quoted;
use go_syntax::url::Url;

use super::kubernetes;
use crate::problem::{Problem, Within, broken};
use crate::references::References;
use crate::server::Server;

/// A version of Prometheus.
type Version = (u64, u64, u64);

/// The field of a discovery in error messages, the first version that has the discovery, and what it is called.
const SINCE: [(&str, Version, &str); 9] = [
    ("httpSDConfigs", (2, 28, 0), "HTTP SD configuration"),
    ("digitalOceanSDConfigs", (2, 20, 0), "service discovery for Digital Ocean"),
    ("linodeSDConfigs", (2, 28, 0), "linode SD configuration"),
    ("dockerswarmSDConfigs", (2, 20, 0), "dockerswarm SD configuration"),
    ("puppetDBSDConfigs", (2, 31, 0), "puppetDB SD configuration"),
    ("lightSailSDConfigs", (2, 27, 0), "lightSail SD configuration"),
    ("OVHCloudSDConfigs", (2, 40, 0), "OVHCloud SD configuration"),
    ("ScalewaySDConfigs", (2, 26, 0), "ScaleWay SD configuration"),
    ("IonosSDConfigs", (2, 36, 0), "IONOS SD configuration"),
];

/// Checks the discoveries of a ScrapeConfig.
#[derive(Debug, Clone, Copy)]
pub(super) struct Checks<'c, 'o> {
    pub(super) server: &'c Server<'c>,
    pub(super) references: &'c References<'o>,
}

impl Checks<'_, '_> {
    /// Checks all discoveries.
    pub(super) fn all(self, spec: &ScrapeConfigSpec) -> Result<(), Problem> {
        let references = self.references;
        let tokens = |client: &TokenClient| {
            references.tokens(client)?;
            references.proxy(&client.connection.proxy)
        };
        self.each("staticConfigs", &spec.static_configs, |config| {
            self.server.check_label_names(config.labels.keys())
        })?;
        self.each("httpSDConfigs", &spec.http_sd_configs, |config| {
            Url::parse(&config.url)?;
            references.basic_auth(config.client.basic_auth.as_ref())?;
            references.client(&config.client)
        })?;
        kubernetes::check(self, &spec.kubernetes_sd_configs).within("kubernetesSDConfigs")?;
        self.consul(&spec.consul_sd_configs).within("consulSDConfigs")?;
        self.each("dnsSDConfigs", &spec.dns_sd_configs, check_dns)?;
        self.each("ec2SDConfigs", &spec.ec2_sd_configs, |config| {
            references.optional_secret(config.access_key.as_ref())?;
            references.optional_secret(config.secret_key.as_ref())?;
            references.safe_tls(config.connection.tls_config.as_ref())?;
            references.proxy(&config.connection.proxy)
        })?;
        self.each("azureSDConfigs", &spec.azure_sd_configs, |config| self.azure(config))?;
        self.each("openstackSDConfigs", &spec.openstack_sd_configs, |config| {
            if &*config.role == "LoadBalancer" && self.server.is_before(3, 2, 0) {
                return broken("The LoadBalancer role is only supported from Prometheus version 3.2.0");
            }
            references.optional_secret(config.password.as_ref())?;
            references.optional_secret(config.application_credential_secret.as_ref())?;
            references.safe_tls(config.tls_config.as_ref())
        })?;
        self.each("digitalOceanSDConfigs", &spec.digital_ocean_sd_configs, |config| tokens(&config.client))?;
        self.kuma(&spec.kuma_sd_configs).within("kumaSDConfigs")?;
        self.each("eurekaSDConfigs", &spec.eureka_sd_configs, |config| references.client(&config.client))?;
        self.each("dockerSDConfigs", &spec.docker_sd_configs, |config| self.docker(config))?;
        self.each("linodeSDConfigs", &spec.linode_sd_configs, |config| tokens(&config.client))?;
        self.each("hetznerSDConfigs", &spec.hetzner_sd_configs, |config| {
            self.server.check_feature(config.label_selector.is_some(), (3, 5, 0), "field `labelSelector`")?;
            references.basic_auth(config.client.basic_auth.as_ref())?;
            references.client(&config.client)
        })?;
        self.each("nomadSDConfigs", &spec.nomad_sd_configs, |config| {
            check_url(&config.server)?;
            references.client(&config.client)
        })?;
        self.each("dockerswarmSDConfigs", &spec.docker_swarm_sd_configs, |config| {
            Url::parse(&config.host)?;
            references.client(&config.client)
        })?;
        self.each("puppetDBSDConfigs", &spec.puppetdb_sd_configs, |config| self.puppetdb(config))?;
        self.each("lightSailSDConfigs", &spec.light_sail_sd_configs, |config| {
            references.optional_secret(config.access_key.as_ref())?;
            references.optional_secret(config.secret_key.as_ref())?;
            references.client(&config.client)
        })?;
        self.each("OVHCloudSDConfigs", &spec.ovhcloud_sd_configs, |config| {
            references.secret(&config.application_secret)?;
            references.secret(&config.consumer_key).map(drop)
        })?;
        self.each("ScalewaySDConfigs", &spec.scaleway_sd_configs, |config| {
            references.secret(&config.secret_key)?;
            references.proxy(&config.connection.proxy)?;
            references.safe_tls(config.connection.tls_config.as_ref())
        })?;
        self.each("IonosSDConfigs", &spec.ionos_sd_configs, |config| self.ionos(config))
    }

    /// Checks the discoveries in a field, one after the other.
    fn each<T>(
        self,
        field: &str,
        configs: &[T],
        check: impl Fn(&T) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        if let Some((_, since, name)) = SINCE.iter().find(|(known, ..)| *known == field) {
            self.server.check_feature(!configs.is_empty(), *since, name).within(field)?;
        }
        let mut indexed = configs.iter().enumerate();
        indexed.try_for_each(|(index, config)| check(config).within(format_args!("[{index}]"))).within(field)
    }

    fn consul(self, configs: &[ConsulSdConfig]) -> Result<(), Problem> {
        for (index, config) in configs.iter().enumerate() {
            let check = |is_used, since, field| self.server.check_feature(is_used, since, field);
            check(config.path_prefix.is_some(), (2, 45, 0), "field `config.PathPrefix`")?;
            check(config.namespace.is_some(), (2, 28, 0), "field `config.Namespace`")?;
            // Release candidates of version 3 have the field.
            if config.filter.is_some() && self.server.version.major < 3 {
                return broken("field `config.Filter` is only supported for Prometheus version >= 3.0.0");
            }
            check(config.health_filter.is_some(), (3, 11, 2), "field `config.HealthFilter`")?;
            self.consul_references(config).within(format_args!("[{index}]"))?;
        }
        Ok(())
    }

    fn consul_references(self, config: &ConsulSdConfig) -> Result<(), Problem> {
        self.references.basic_auth(config.client.basic_auth.as_ref())?;
        self.references.tokens(&config.client.tokens)?;
        self.references.optional_secret(config.token_ref.as_ref())?;
        self.references.proxy(&config.client.tokens.connection.proxy)
    }

    fn azure(self, config: &AzureSdConfig) -> Result<(), Problem> {
        let method = config.authentication_method.as_deref();
        if method == Some("SDK") && self.server.is_before(2, 52, 0) {
            return broken("SDK authentication is only supported from Prometheus version 2.52.0");
        }
        if method == Some("WorkloadIdentity") && self.server.is_before(3, 11, 0) {
            return broken(
                "WorkloadIdentity authentication is only supported from Prometheus version 3.11.0",
            );
        }
        if config.resource_group.is_some() && self.server.is_before(2, 35, 0) {
            return broken("ResourceGroup is only supported from Prometheus version >= 2.35.0");
        }
        // The other methods need no Secret. The Prometheus Operator does not check anything else for them.
        match method {
            Some("ManagedIdentity" | "SDK" | "WorkloadIdentity") => Ok(()),
            _ => self.azure_oauth(config),
        }
    }

    fn azure_oauth(self, config: &AzureSdConfig) -> Result<(), Problem> {
        let is_missing = |text: &Option<String>| text.as_deref().is_none_or(str::is_empty);
        if is_missing(&config.tenant_id) {
            return broken("configuration requires a tenantID");
        }
        if is_missing(&config.client_id) {
            return broken("configuration requires a clientID");
        }
        let Some(secret) = &config.client_secret else {
            return broken("configuration requires a clientSecret");
        };
        let tokens = &config.client.tokens;
        self.references.secret(secret)?;
        self.references.basic_auth(config.client.basic_auth.as_ref())?;
        self.references.oauth2(tokens.oauth2.as_ref())?;
        self.references.proxy(&tokens.connection.proxy)?;
        self.references.safe_tls(tokens.connection.tls_config.as_ref())?;
        self.references.safe_authorization(tokens.authorization.as_ref())
    }

    fn kuma(self, configs: &[KumaSdConfig]) -> Result<(), Problem> {
        for (index, config) in configs.iter().enumerate() {
            let field = "field `clientID` in kuma SD configuration";
            self.server.check_feature(config.client_id.is_some(), (2, 50, 0), field)?;
            let checked = check_url(&config.server).and_then(|()| self.references.client(&config.client));
            checked.within(format_args!("[{index}]"))?;
        }
        Ok(())
    }

    fn docker(self, config: &DockerSdConfig) -> Result<(), Problem> {
        let is_used = config.match_first_network.is_some();
        self.server.check_feature(is_used, (2, 54, 1), "field `matchFirstNetwork`")?;
        self.references.basic_auth(config.client.basic_auth.as_ref())?;
        self.references.tokens(&config.client.tokens)?;
        Url::parse(&config.host)?;
        self.references.proxy(&config.client.tokens.connection.proxy)
    }

    fn puppetdb(self, config: &PuppetDbSdConfig) -> Result<(), Problem> {
        let url = Url::parse(&config.url)?;
        if !matches!(url.scheme(), "http" | "https") {
            return broken("URL scheme must be 'http' or 'https'");
        }
        if !url.has_host() {
            return broken("host is missing in URL");
        }
        self.references.client(&config.client)
    }

    fn ionos(self, config: &IonosSdConfig) -> Result<(), Problem> {
        self.references.safe_authorization(config.client.authorization.as_ref())?;
        self.references.proxy(&config.client.connection.proxy)?;
        self.references.safe_tls(config.client.connection.tls_config.as_ref())?;
        self.references.oauth2(config.client.oauth2.as_ref())
    }
}

/// Checks that a discovery has a port, unless the type of its records includes ports.
fn check_dns(config: &DnsSdConfig) -> Result<(), Problem> {
    match &config.type_ {
        Some(kind) if &**kind != "SRV" && config.port.is_none() => {
            broken(format!("port required for record type {}", Quoted(kind)))
        }
        _ => Ok(()),
    }
}

/// Checks that the URL of a server has a scheme and a host.
fn check_url(server: &str) -> Result<(), Problem> {
    let url = Url::parse(server).within("cannot parse server")?;
    if url.scheme().is_empty() || !url.has_host() {
        return broken(format!("must not be empty and have a scheme: {server}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_a_scheme_and_a_host() {
        assert_eq!(check_url("http://a"), Ok(()));
        for (text, words) in [
            ("a", "must not be empty and have a scheme: a"),
            ("a:80", "must not be empty and have a scheme: a:80"),
            (":80", r#"cannot parse server: parse ":80": missing protocol scheme"#),
        ] {
            assert_eq!(check_url(text).unwrap_err().to_string(), words);
        }
    }
}
