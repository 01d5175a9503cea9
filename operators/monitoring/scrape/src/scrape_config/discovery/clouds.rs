//! Clouds and hosting providers.

use api_monitoring::scrape_config::discovery::azure::AzureSdConfig;
use api_monitoring::scrape_config::discovery::digital_ocean::DigitalOceanSdConfig;
use api_monitoring::scrape_config::discovery::ec2::Ec2SdConfig;
use api_monitoring::scrape_config::discovery::gce::GceSdConfig;
use api_monitoring::scrape_config::discovery::hetzner::HetznerSdConfig;
use api_monitoring::scrape_config::discovery::ionos::IonosSdConfig;
use api_monitoring::scrape_config::discovery::lightsail::LightSailSdConfig;
use api_monitoring::scrape_config::discovery::linode::LinodeSdConfig;
use api_monitoring::scrape_config::discovery::openstack::OpenStackSdConfig;
use api_monitoring::scrape_config::discovery::ovhcloud::OvhCloudSdConfig;
use api_monitoring::scrape_config::discovery::scaleway::ScalewaySdConfig;

use super::entry::Entry;
use crate::scrape_config::error::{Credential, ScrapeConfigError};

/// An element of `azure_sd_configs`. Redirects, HTTP/2 and TLS can be set, but the Prometheus Operator does not write them.
pub(super) fn azure(entry: &mut Entry<'_>, config: &AzureSdConfig) -> Result<(), ScrapeConfigError> {
    // With an environment, the Prometheus Operator writes neither credentials nor proxy: writing them now would change
    // what a running server does.
    if config.environment.is_none() {
        entry.put_client(&config.client);
    }
    entry.put_some_text("environment", config.environment.as_deref());
    entry.put_some_text("authentication_method", config.authentication_method.as_deref());
    entry.put_some_text("subscription_id", Some(&*config.subscription_id).filter(|id| !id.is_empty()));
    entry.put_some_text("tenant_id", config.tenant_id.as_deref());
    entry.put_some_text("client_id", config.client_id.as_deref());
    entry.put_needed_secret("client_secret", Credential::ClientSecret, config.client_secret.as_ref())?;
    entry.put_some_text("resource_group", config.resource_group.as_deref());
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_some("port", config.port);
    Ok(())
}

/// An element of `digitalocean_sd_configs`.
pub(super) fn digital_ocean(entry: &mut Entry<'_>, config: &DigitalOceanSdConfig) {
    let connection = &config.client.connection;
    entry.put_tokens(&config.client);
    entry.put_http(connection);
    entry.put_tls(connection.tls_config.as_ref());
    entry.put_some("port", config.port);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
}

/// An element of `ec2_sd_configs`.
pub(super) fn ec2(entry: &mut Entry<'_>, config: &Ec2SdConfig) -> Result<(), ScrapeConfigError> {
    entry.put_proxy(&config.connection);
    entry.put_some_text("region", config.region.as_deref());
    entry.put_access_keys(config.access_key.as_ref(), config.secret_key.as_ref())?;
    entry.put_some_text("role_arn", config.role_arn.as_deref());
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_some("port", config.port);
    entry.put_filters(&config.filters);
    entry.put_http(&config.connection);
    entry.put_tls(config.connection.tls_config.as_ref());
    Ok(())
}

/// An element of `gce_sd_configs`.
pub(super) fn gce(entry: &mut Entry<'_>, config: &GceSdConfig) {
    entry.put_text("project", &config.project);
    entry.put_text("zone", &config.zone);
    entry.put_some_text("filter", config.filter.as_deref());
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_some("port", config.port);
    entry.put_some_text("tag_separator", config.tag_separator.as_deref());
}

/// An element of `hetzner_sd_configs`.
pub(super) fn hetzner(entry: &mut Entry<'_>, config: &HetznerSdConfig) {
    let connection = &config.client.tokens.connection;
    entry.put_client(&config.client);
    entry.put("role", config.role.to_lowercase());
    entry.put_http(connection);
    entry.put_tls(connection.tls_config.as_ref());
    entry.put_some("port", config.port);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    let selector = config.label_selector.as_deref().filter(|selector| !selector.is_empty());
    entry.put_some_text("label_selector", selector);
}

/// An element of `ionos_sd_configs`. Its `authorization` is required, so that `oauth2` replaces it.
pub(super) fn ionos(entry: &mut Entry<'_>, config: &IonosSdConfig) {
    let connection = &config.client.connection;
    match &config.client.oauth2 {
        Some(oauth2) => entry.put_oauth2(Some(oauth2)),
        None => entry.put_authorization(Some(&config.client.authorization.clone().unwrap_or_default())),
    }
    entry.put_proxy(connection);
    entry.put_tls(connection.tls_config.as_ref());
    entry.put_text("datacenter_id", &config.datacenter_id);
    entry.put_http(connection);
    entry.put_some("port", config.port);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
}

/// An element of `lightsail_sd_configs`.
pub(super) fn lightsail(entry: &mut Entry<'_>, config: &LightSailSdConfig) -> Result<(), ScrapeConfigError> {
    let tokens = &config.client.tokens;
    entry.put_basic_auth(&config.client);
    entry.put_authorization(tokens.authorization.as_ref());
    entry.put_proxy(&tokens.connection);
    entry.put_oauth2(tokens.oauth2.as_ref());
    entry.put_some_text("region", config.region.as_deref());
    entry.put_some_text("endpoint", config.endpoint.as_deref());
    entry.put_some("port", config.port);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_access_keys(config.access_key.as_ref(), config.secret_key.as_ref())?;
    entry.put_some_text("role_arn", config.role_arn.as_deref());
    entry.put_tls(tokens.connection.tls_config.as_ref());
    entry.put_http(&tokens.connection);
    Ok(())
}

/// An element of `linode_sd_configs`.
pub(super) fn linode(entry: &mut Entry<'_>, config: &LinodeSdConfig) {
    let connection = &config.client.connection;
    entry.put_tokens(&config.client);
    entry.put_tls(connection.tls_config.as_ref());
    entry.put_some("port", config.port);
    entry.put_some_text("region", config.region.as_deref());
    entry.put_some("enable_http2", connection.enable_http2);
    entry.put_some_text("tag_separator", config.tag_separator.as_deref());
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_some("follow_redirects", connection.follow_redirects);
}

/// An element of `openstack_sd_configs`.
pub(super) fn openstack(entry: &mut Entry<'_>, config: &OpenStackSdConfig) -> Result<(), ScrapeConfigError> {
    entry.put("role", config.role.to_lowercase());
    entry.put_text("region", &config.region);
    entry.put_some_text("identity_endpoint", config.identity_endpoint.as_deref());
    entry.put_some_text("username", config.username.as_deref());
    entry.put_some_text("userid", config.userid.as_deref());
    entry.put_needed_secret("password", Credential::Secret, config.password.as_ref())?;
    entry.put_some_text("domain_name", config.domain_name.as_deref());
    entry.put_some_text("domain_id", config.domain_id.as_deref());
    entry.put_some_text("project_name", config.project_name.as_deref());
    entry.put_some_text("project_id", config.project_id.as_deref());
    entry.put_some_text("application_credential_name", config.application_credential_name.as_deref());
    entry.put_some_text("application_credential_id", config.application_credential_id.as_deref());
    let secret = config.application_credential_secret.as_ref();
    entry.put_needed_secret("application_credential_secret", Credential::Secret, secret)?;
    entry.put_some("all_tenants", config.all_tenants);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_some("port", config.port);
    entry.put_some_text("availability", config.availability.as_deref());
    entry.put_tls(config.tls_config.as_ref());
    Ok(())
}

/// An element of `ovhcloud_sd_configs`.
pub(super) fn ovhcloud(entry: &mut Entry<'_>, config: &OvhCloudSdConfig) {
    entry.put_text("application_key", &config.application_key);
    entry.put_secret("application_secret", &config.application_secret);
    entry.put_secret("consumer_key", &config.consumer_key);
    match &*config.service {
        "VPS" => entry.put("service", "vps"),
        "DedicatedServer" => entry.put("service", "dedicated_server"),
        other => entry.writer().leave_out(
            format!("ovhcloud_sd_configs.service {other}"),
            "in a later version than this operator knows",
        ),
    }
    entry.put_some_text("endpoint", config.endpoint.as_deref());
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
}

/// An element of `scaleway_sd_configs`.
pub(super) fn scaleway(entry: &mut Entry<'_>, config: &ScalewaySdConfig) {
    entry.put_text("access_key", &config.access_key);
    entry.put_secret("secret_key", &config.secret_key);
    entry.put_text("project_id", &config.project_id);
    entry.put("role", config.role.to_lowercase());
    entry.put_some("port", config.port);
    entry.put_some_text("api_url", config.api_url.as_deref());
    entry.put_some_text("zone", config.zone.as_deref());
    entry.put_some_text("name_filter", config.name_filter.as_deref());
    entry.put_some_texts("tags_filter", &config.tags_filter);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_proxy(&config.connection);
    entry.put_tls(config.connection.tls_config.as_ref());
    entry.put_http(&config.connection);
}
