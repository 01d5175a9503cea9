//! Static targets, files, DNS, HTTP, registries of services, and containers.

use api_monitoring::scrape_config::discovery::consul::ConsulSdConfig;
use api_monitoring::scrape_config::discovery::dns::{DnsRecordType, DnsSdConfig};
use api_monitoring::scrape_config::discovery::docker::DockerSdConfig;
use api_monitoring::scrape_config::discovery::docker_swarm::DockerSwarmSdConfig;
use api_monitoring::scrape_config::discovery::eureka::EurekaSdConfig;
use api_monitoring::scrape_config::discovery::file::FileSdConfig;
use api_monitoring::scrape_config::discovery::http::HttpSdConfig;
use api_monitoring::scrape_config::discovery::kuma::KumaSdConfig;
use api_monitoring::scrape_config::discovery::nomad::NomadSdConfig;
use api_monitoring::scrape_config::discovery::puppetdb::PuppetDbSdConfig;
use api_monitoring::scrape_config::discovery::static_targets::StaticConfig;

use super::entry::Entry;
use crate::client::{natural, put_texts};
use crate::scrape_config::error::{Credential, ScrapeConfigError};

/// An element of `static_configs`.
pub(super) fn fixed(entry: &mut Entry<'_>, config: &StaticConfig) {
    entry.put_texts("targets", &config.targets);
    entry.put("labels", natural(&config.labels));
}

/// An element of `file_sd_configs`.
pub(super) fn file(entry: &mut Entry<'_>, config: &FileSdConfig) {
    entry.put_texts("files", &config.files);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
}

/// An element of `http_sd_configs`.
pub(super) fn http(entry: &mut Entry<'_>, config: &HttpSdConfig) {
    let tokens = &config.client.tokens;
    entry.put_basic_auth(&config.client);
    entry.put_authorization(tokens.authorization.as_ref());
    entry.put_tls(tokens.connection.tls_config.as_ref());
    entry.put_proxy(&tokens.connection);
    entry.put_oauth2(tokens.oauth2.as_ref());
    entry.put_text("url", &config.url);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_http(&tokens.connection);
}

/// An element of `consul_sd_configs`.
pub(super) fn consul(entry: &mut Entry<'_>, config: &ConsulSdConfig) -> Result<(), ScrapeConfigError> {
    let connection = &config.client.tokens.connection;
    entry.put_client(&config.client);
    entry.put_tls(connection.tls_config.as_ref());
    entry.put_text("server", &config.server);
    entry.put_some_text("path_prefix", config.path_prefix.as_deref());
    entry.put_needed_secret("token", Credential::Secret, config.token_ref.as_ref())?;
    entry.put_some_text("datacenter", config.datacenter.as_deref());
    entry.put_some_text("namespace", config.namespace.as_deref());
    entry.put_some_text("partition", config.partition.as_deref());
    entry.put_some("scheme", config.scheme.as_ref().map(|scheme| scheme.to_lowercase()));
    entry.put_some_texts("services", &config.services);
    entry.put_some_texts("tags", &config.tags);
    entry.put_some_text("tag_separator", config.tag_separator.as_deref());
    put_texts(&mut entry.section, "node_meta", &config.node_meta);
    entry.put_some_text("filter", config.filter.as_deref());
    entry.put_some_text("health_filter", config.health_filter.as_deref());
    entry.put_some("allow_stale", config.allow_stale);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_http(connection);
    Ok(())
}

/// An element of `dns_sd_configs`.
pub(super) fn dns(entry: &mut Entry<'_>, config: &DnsSdConfig) {
    entry.put_texts("names", &config.names);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    if let Some(record) = &config.type_ {
        put_dns_type(entry, record);
    }
    entry.put_some("port", config.port);
}

/// `type`. Older versions do not have all types of records.
fn put_dns_type(entry: &mut Entry<'_>, record: &DnsRecordType) {
    let (has, versions) = match &**record {
        "NS" => (entry.writer().at_least(2, 49), "2.49 or later"),
        "MX" => (entry.writer().at_least(2, 38), "2.38 or later"),
        _ => (true, ""),
    };
    if has {
        entry.put_text("type", record);
    } else {
        entry.writer().leave_out(format!("dns_sd_configs.type {record}"), versions);
    }
}

/// An element of `kuma_sd_configs`.
pub(super) fn kuma(entry: &mut Entry<'_>, config: &KumaSdConfig) {
    let connection = &config.client.tokens.connection;
    entry.put_client(&config.client);
    entry.put_text("server", &config.server);
    entry.put_http(connection);
    entry.put_tls(connection.tls_config.as_ref());
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_some_text("fetch_timeout", config.fetch_timeout.as_deref());
    entry.put_some_text("client_id", config.client_id.as_deref());
}

/// An element of `eureka_sd_configs`.
pub(super) fn eureka(entry: &mut Entry<'_>, config: &EurekaSdConfig) {
    let connection = &config.client.tokens.connection;
    entry.put_client(&config.client);
    entry.put_http(connection);
    entry.put_tls(connection.tls_config.as_ref());
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_some_text("server", Some(&*config.server).filter(|server| !server.is_empty()));
}

/// An element of `docker_sd_configs`.
pub(super) fn docker(entry: &mut Entry<'_>, config: &DockerSdConfig) {
    let tokens = &config.client.tokens;
    entry.put_tokens(tokens);
    entry.put_basic_auth(&config.client);
    entry.put_filters(&config.filters);
    entry.put_text("host", &config.host);
    entry.put_tls(tokens.connection.tls_config.as_ref());
    entry.put_some("port", config.port);
    entry.put_some_text("host_networking_host", config.host_networking_host.as_deref());
    entry.put_some("match_first_network", config.match_first_network);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_http(&tokens.connection);
}

/// An element of `nomad_sd_configs`.
pub(super) fn nomad(entry: &mut Entry<'_>, config: &NomadSdConfig) {
    let connection = &config.client.tokens.connection;
    entry.put_client(&config.client);
    entry.put_text("server", &config.server);
    entry.put_some("allow_stale", config.allow_stale);
    entry.put_some_text("namespace", config.namespace.as_deref());
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_some_text("region", config.region.as_deref());
    entry.put_some_text("tag_separator", config.tag_separator.as_deref());
    entry.put_http(connection);
    entry.put_tls(connection.tls_config.as_ref());
}

/// An element of `dockerswarm_sd_configs`.
pub(super) fn docker_swarm(entry: &mut Entry<'_>, config: &DockerSwarmSdConfig) {
    let connection = &config.client.tokens.connection;
    entry.put_client(&config.client);
    entry.put_filters(&config.filters);
    entry.put_text("host", &config.host);
    entry.put_tls(connection.tls_config.as_ref());
    entry.put("role", config.role.to_lowercase());
    entry.put_some("port", config.port);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_http(connection);
}

/// An element of `puppetdb_sd_configs`.
pub(super) fn puppetdb(entry: &mut Entry<'_>, config: &PuppetDbSdConfig) {
    let connection = &config.client.tokens.connection;
    entry.put_client(&config.client);
    entry.put_text("url", &config.url);
    entry.put_text("query", &config.query);
    entry.put_some("include_parameters", config.include_parameters);
    entry.put_some("port", config.port);
    entry.put_some_text("refresh_interval", config.refresh_interval.as_deref());
    entry.put_some("follow_redirects", connection.follow_redirects);
    entry.put_tls(connection.tls_config.as_ref());
    entry.put_some("enable_http2", connection.enable_http2);
}
