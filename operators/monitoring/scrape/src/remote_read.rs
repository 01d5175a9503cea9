//! `remote_read`: the endpoints that queries also read from.

use api_monitoring::prometheus::remote::RemoteReadSpec;
use formats::prometheus::{Section, SectionKind};
use formats::yaml::Map;

use crate::client::{Client, put_text, put_texts};

/// `remote_read`, unless it is empty.
pub(crate) fn put(section: &mut Section<'_, '_>, client: Client<'_>, endpoints: &[RemoteReadSpec]) {
    if endpoints.is_empty() {
        return;
    }
    let parts: Vec<Map> = endpoints.iter().map(|endpoint| part(section, client, endpoint)).collect();
    section.put("remote_read", parts);
}

fn part(section: &Section<'_, '_>, client: Client<'_>, endpoint: &RemoteReadSpec) -> Map {
    let mut part = section.writer().section(SectionKind::RemoteRead);
    part.put("url", endpoint.url.to_string());
    part.put_some("remote_timeout", endpoint.remote_timeout.as_ref().map(ToString::to_string));
    put_texts(&mut part, "headers", &endpoint.headers);
    put_text(&mut part, "name", &endpoint.name);
    put_texts(&mut part, "required_matchers", &endpoint.required_matchers);
    if endpoint.read_recent {
        part.put("read_recent", true);
    }
    client.put_basic_auth(&mut part, endpoint.basic_auth.as_ref());
    put_text(&mut part, "bearer_token", &endpoint.bearer_token);
    put_text(&mut part, "bearer_token_file", &endpoint.bearer_token_file);
    client.put_oauth2(&mut part, endpoint.oauth2.as_ref());
    client.put_tls(&mut part, endpoint.tls_config.as_ref());
    client.put_authorization(&mut part, endpoint.authorization.as_ref());
    client.put_proxy(&mut part, &endpoint.proxy);
    part.put_some("follow_redirects", endpoint.follow_redirects);
    part.put_some("filter_external_labels", endpoint.filter_external_labels);
    part.into_map()
}
