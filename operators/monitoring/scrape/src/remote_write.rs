//! `remote_write`: the endpoints that receive samples.

use api_monitoring::auth::AzureAd;
use api_monitoring::prometheus::remote::{MetadataConfig, QueueConfig, RemoteWriteSpec};
use api_monitoring::text::Duration;
use formats::prometheus::{Section, SectionKind, SectionWriter};
use formats::version::Version;
use formats::yaml::{self, Map};
use monitoring_assets::Reader;

use crate::client::{Client, put_text, put_texts};
use crate::relabel;

/// The version of messages that includes metadata.
const SECOND: &str = "V2.0";

/// `remote_write`, unless it is empty.
pub(crate) fn put(section: &mut Section<'_, '_>, client: Client<'_>, endpoints: &[RemoteWriteSpec]) {
    if endpoints.is_empty() {
        return;
    }
    let parts: Vec<Map> = endpoints.iter().map(|endpoint| part(section, client, endpoint)).collect();
    section.put("remote_write", parts);
}

/// The file of a Thanos Ruler, which has this section even if it is empty. Thanos has versions of its own: fields that it
/// does not have must be removed before.
pub fn file(reader: &Reader<'_>, endpoints: &[RemoteWriteSpec]) -> String {
    let version = Version::new(0, 0, 0);
    let writer = SectionWriter::unchecked(&version);
    let section = writer.section(SectionKind::Document);
    let client = Client { reader, inline_tls: false };
    let parts: Vec<Map> = endpoints.iter().map(|endpoint| part(&section, client, endpoint)).collect();
    yaml::write(&Map::new().with("remote_write", parts).into())
}

fn part(section: &Section<'_, '_>, client: Client<'_>, endpoint: &RemoteWriteSpec) -> Map {
    let mut part = section.writer().section(SectionKind::RemoteWrite);
    part.put("url", endpoint.url.to_string());
    part.put_some("remote_timeout", endpoint.remote_timeout.as_ref().map(ToString::to_string));
    put_texts(&mut part, "headers", &endpoint.headers);
    put_text(&mut part, "name", endpoint.name.as_deref().unwrap_or_default());
    let message = endpoint.message_version.as_deref().map(|version| match version {
        SECOND => "io.prometheus.write.v2.Request",
        _ => "prometheus.WriteRequest",
    });
    part.put_some("protobuf_message", message);
    part.put_some("send_exemplars", endpoint.send_exemplars);
    part.put_some("send_native_histograms", endpoint.send_native_histograms);
    if !endpoint.write_relabel_configs.is_empty() {
        let steps: Vec<Map> = relabel::configured(&endpoint.write_relabel_configs).collect();
        part.put("write_relabel_configs", steps);
    }
    put_client(&mut part, client, endpoint);
    if let Some(queue) = &endpoint.queue_config {
        let queue = queue_part(&part, queue);
        part.put("queue_config", queue);
    }
    if let Some(metadata) = &endpoint.metadata_config {
        let sends = metadata.send && endpoint.message_version.as_deref() != Some(SECOND);
        let metadata = metadata_part(&part, metadata, sends);
        part.put("metadata_config", metadata);
    }
    part.put_some("round_robin_dns", endpoint.round_robin_dns);
    part.into_map()
}

fn put_client(part: &mut Section<'_, '_>, client: Client<'_>, endpoint: &RemoteWriteSpec) {
    client.put_basic_auth(part, endpoint.basic_auth.as_ref());
    put_text(part, "bearer_token", &endpoint.bearer_token);
    put_text(part, "bearer_token_file", &endpoint.bearer_token_file);
    client.put_oauth2(part, endpoint.oauth2.as_ref());
    client.put_tls(part, endpoint.tls_config.as_ref());
    client.put_authorization(part, endpoint.authorization.as_ref());
    client.put_proxy(part, &endpoint.proxy);
    client.put_sigv4(part, endpoint.sigv4.as_ref());
    if let Some(azure) = &endpoint.azure_ad {
        let azure = azure_part(part, client, azure);
        part.put("azuread", azure);
    }
    part.put_some("follow_redirects", endpoint.follow_redirects);
    part.put_some("enable_http2", endpoint.enable_http2);
}

fn azure_part(section: &Section<'_, '_>, client: Client<'_>, azure: &AzureAd) -> Map {
    let mut part = section.writer().section(SectionKind::Azure);
    if let Some(identity) = &azure.managed_identity {
        let mut map = Map::new();
        if let Some(id) = identity.client_id.as_ref().filter(|id| !id.is_empty()) {
            map.push("client_id", id.clone());
        }
        part.put("managed_identity", map);
    }
    if let Some(oauth) = &azure.oauth
        && client.reader.secret(&oauth.client_secret).is_ok()
    {
        let map = Map::new()
            .with("client_id", oauth.client_id.clone())
            .with("client_secret", client.secret(&oauth.client_secret))
            .with("tenant_id", oauth.tenant_id.clone());
        part.put("oauth", map);
    }
    if let Some(sdk) = &azure.sdk {
        part.put("sdk", Map::new().with("tenant_id", sdk.tenant_id.clone().unwrap_or_default()));
    }
    if let Some(identity) = &azure.workload_identity {
        let map = Map::new()
            .with("client_id", identity.client_id.clone())
            .with("tenant_id", identity.tenant_id.clone());
        part.put("workload_identity", map);
    }
    part.put_some("cloud", azure.cloud.clone());
    put_text(&mut part, "scope", azure.scope.as_deref().unwrap_or_default());
    part.into_map()
}

fn queue_part(section: &Section<'_, '_>, queue: &QueueConfig) -> Map {
    let mut part = section.writer().section(SectionKind::Queue);
    let given = |number: i64| Some(number).filter(|number| *number != 0);
    let text = |duration: &Option<Duration>| duration.as_ref().map(ToString::to_string);
    part.put_some("capacity", given(queue.capacity));
    part.put_some("min_shards", given(queue.min_shards));
    part.put_some("max_shards", given(queue.max_shards));
    part.put_some("max_samples_per_send", given(queue.max_samples_per_send));
    part.put_some("batch_send_deadline", text(&queue.batch_send_deadline));
    part.put_some("max_retries", given(queue.max_retries));
    part.put_some("min_backoff", text(&queue.min_backoff));
    part.put_some("max_backoff", text(&queue.max_backoff));
    if queue.retry_on_rate_limit {
        part.put("retry_on_http_429", true);
    }
    part.put_some("sample_age_limit", text(&queue.sample_age_limit));
    part.into_map()
}

fn metadata_part(section: &Section<'_, '_>, metadata: &MetadataConfig, sends: bool) -> Map {
    let mut part = section.writer().section(SectionKind::Metadata);
    part.put("send", sends);
    put_text(&mut part, "send_interval", &metadata.send_interval);
    part.put_some("max_samples_per_send", metadata.max_samples_per_send);
    part.into_map()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use api_monitoring::auth::{AzureOAuth, OAuth2};
    use monitoring_assets::Objects;

    use super::*;

    fn written(change: impl FnOnce(&mut RemoteWriteSpec)) -> String {
        let mut endpoint = RemoteWriteSpec { url: "http://a".into(), ..RemoteWriteSpec::default() };
        change(&mut endpoint);
        file(&Reader::new(&Objects::default(), "ns"), &[endpoint])
    }

    #[test]
    fn a_file_without_endpoints_has_an_empty_list() {
        assert_eq!(file(&Reader::new(&Objects::default(), "ns"), &[]), "remote_write: []\n");
    }

    #[test]
    fn the_second_version_of_messages_includes_metadata() {
        let text = written(|endpoint| {
            endpoint.message_version = Some(SECOND.into());
            endpoint.metadata_config = Some(MetadataConfig { send: true, ..MetadataConfig::default() });
        });
        assert_eq!(
            text,
            "remote_write:\n- url: http://a\n  protobuf_message: io.prometheus.write.v2.Request\n  \
             metadata_config:\n    send: false\n"
        );
    }

    #[test]
    fn an_empty_map_of_proxy_headers_is_written() {
        let text = written(|endpoint| endpoint.proxy.proxy_connect_header = Some(BTreeMap::new()));
        assert_eq!(text, "remote_write:\n- url: http://a\n  proxy_connect_header: {}\n");
    }

    #[test]
    fn credentials_that_cannot_be_read_are_left_out_with_their_section() {
        let text = written(|endpoint| {
            let azure = AzureAd { oauth: Some(AzureOAuth::default()), ..AzureAd::default() };
            (endpoint.azure_ad, endpoint.oauth2) = (Some(azure), Some(OAuth2::default()));
        });
        assert_eq!(text, "remote_write:\n- url: http://a\n  azuread: {}\n");
    }
}
