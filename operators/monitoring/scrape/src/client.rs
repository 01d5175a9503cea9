//! Credentials, TLS and proxies of HTTP clients. What cannot be read is left out or empty here: objects whose references
//! are missing are rejected before their jobs are written.

use std::collections::BTreeMap;

use api_monitoring::auth::{Authorization, BasicAuth, OAuth2, SafeAuthorization, Sigv4};
use api_monitoring::http::ProxyConfig;
use api_monitoring::tls::{SafeTlsConfig, TlsConfig};
use formats::prometheus::{Section, SectionKind};
use formats::yaml::{Map, Value, sort};
use k8s_openapi::api::core::v1::SecretKeySelector;
use monitoring_assets::{Reader, file};
use monitoring_select::Server;

/// Where certificates and keys are mounted.
const CERTIFICATES: &str = "/etc/prometheus/certs/";

/// Reads the references of one object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Client<'r> {
    pub(crate) reader: &'r Reader<'r>,
    /// Certificates are written into the file, in place of their names.
    pub(crate) inline_tls: bool,
}

impl<'r> Client<'r> {
    pub(crate) fn new(server: &Server<'_>, reader: &'r Reader<'r>) -> Self {
        Self { reader, inline_tls: server.offers.inline_tls }
    }

    /// The value of a key of a Secret; empty if it cannot be read.
    pub(crate) fn secret(&self, selector: &SecretKeySelector) -> Value {
        self.reader.secret(selector).unwrap_or_default().into()
    }

    /// `basic_auth`.
    pub(crate) fn put_basic_auth(&self, section: &mut Section<'_, '_>, auth: Option<&BasicAuth>) {
        let Some(auth) = auth else { return };
        let map = Map::new()
            .with("username", self.secret(&auth.username))
            .with("password", self.secret(&auth.password));
        section.put("basic_auth", map);
    }

    /// `authorization`, from a Secret only.
    pub(crate) fn put_safe_authorization(
        &self,
        section: &mut Section<'_, '_>,
        auth: Option<&SafeAuthorization>,
    ) {
        if let Some(auth) = auth {
            section.put("authorization", self.authorization(auth));
        }
    }

    /// `authorization`, from a Secret or a file.
    pub(crate) fn put_authorization(&self, section: &mut Section<'_, '_>, auth: Option<&Authorization>) {
        let Some(auth) = auth else { return };
        let mut map = self.authorization(&auth.safe);
        if !auth.credentials_file.is_empty() {
            map.push("credentials_file", auth.credentials_file.clone());
        }
        section.put("authorization", map);
    }

    fn authorization(&self, auth: &SafeAuthorization) -> Map {
        let kind = if auth.type_.is_empty() { "Bearer" } else { auth.type_.trim() };
        let mut map = Map::new().with("type", kind.to_owned());
        if let Some(credentials) =
            auth.credentials.as_ref().and_then(|selector| self.reader.secret(selector).ok())
        {
            map.push("credentials", credentials);
        }
        map
    }

    /// `oauth2`, if the ID and the secret of the client can be read.
    pub(crate) fn put_oauth2(&self, section: &mut Section<'_, '_>, oauth2: Option<&OAuth2>) {
        let Some(oauth2) = oauth2 else { return };
        let (Ok(id), Ok(secret)) =
            (self.reader.either(&oauth2.client_id), self.reader.secret(&oauth2.client_secret))
        else {
            return;
        };
        let mut part = section.writer().section(SectionKind::OAuth2);
        part.put("client_id", id.unwrap_or_default());
        part.put("client_secret", secret);
        part.put("token_url", oauth2.token_url.to_string());
        if !oauth2.scopes.is_empty() {
            part.put("scopes", oauth2.scopes.clone());
        }
        if !oauth2.endpoint_params.is_empty() {
            part.put("endpoint_params", natural(&oauth2.endpoint_params));
        }
        self.put_proxy(&mut part, &oauth2.proxy);
        self.put_safe_tls(&mut part, oauth2.tls_config.as_ref());
        section.put("oauth2", part);
    }

    /// `bearer_token`, if its Secret can be read.
    pub(crate) fn put_bearer_token(
        &self,
        section: &mut Section<'_, '_>,
        selector: Option<&SecretKeySelector>,
    ) {
        let selector = selector.filter(|selector| !selector.name.is_empty());
        let token = selector.and_then(|selector| self.reader.secret(selector).ok());
        section.put_some("bearer_token", token);
    }

    /// `sigv4`.
    pub(crate) fn put_sigv4(&self, section: &mut Section<'_, '_>, sigv4: Option<&Sigv4>) {
        let Some(sigv4) = sigv4 else { return };
        let mut part = section.writer().section(SectionKind::Sigv4);
        put_text(&mut part, "region", &sigv4.region);
        if let (Some(access), Some(secret)) = (&sigv4.access_key, &sigv4.secret_key) {
            let read = |selector| self.reader.secret(selector).unwrap_or_default();
            let (access, secret) = (read(access), read(secret));
            if !access.is_empty() && !secret.is_empty() {
                part.put("access_key", access);
                part.put("secret_key", secret);
            }
        }
        put_text(&mut part, "profile", &sigv4.profile);
        put_text(&mut part, "role_arn", &sigv4.role_arn);
        put_text(&mut part, "external_id", &sigv4.external_id);
        part.put_some("use_fips_sts_endpoint", sigv4.use_fips_sts_endpoint);
        section.put("sigv4", part);
    }

    /// `tls_config`, from Secrets and ConfigMaps only.
    pub(crate) fn put_safe_tls(&self, section: &mut Section<'_, '_>, tls: Option<&SafeTlsConfig>) {
        if let Some(tls) = tls {
            let part = self.tls(section, tls);
            section.put("tls_config", part);
        }
    }

    /// `tls_config`, from Secrets, ConfigMaps or files.
    pub(crate) fn put_tls(&self, section: &mut Section<'_, '_>, tls: Option<&TlsConfig>) {
        let Some(tls) = tls else { return };
        let mut part = self.tls(section, &tls.safe);
        for (field, path) in
            [("ca_file", &tls.ca_file), ("cert_file", &tls.cert_file), ("key_file", &tls.key_file)]
        {
            if !path.is_empty() {
                part.push(field, path.clone());
            }
        }
        section.put("tls_config", part);
    }

    fn tls(&self, section: &Section<'_, '_>, tls: &SafeTlsConfig) -> Map {
        let mut part = section.writer().section(SectionKind::Tls);
        part.put_some("insecure_skip_verify", tls.insecure_skip_verify);
        for (inline, field, selector) in [("ca", "ca_file", &tls.ca), ("cert", "cert_file", &tls.cert)] {
            if self.inline_tls {
                let read = self.reader.either(selector).ok().flatten();
                part.put_some(inline, read);
            } else {
                let name = file::of_either(self.reader.namespace(), selector);
                part.put_some(field, name.map(|name| format!("{CERTIFICATES}{name}")));
            }
        }
        if let Some(key) = &tls.key_secret {
            if self.inline_tls {
                part.put_some("key", self.reader.secret(key).ok());
            } else {
                let name = file::of_secret(self.reader.namespace(), key);
                part.put("key_file", format!("{CERTIFICATES}{name}"));
            }
        }
        put_text(&mut part, "server_name", tls.server_name.as_deref().unwrap_or_default());
        part.put_some("min_version", tls.min_version.as_ref().map(ToString::to_string));
        part.put_some("max_version", tls.max_version.as_ref().map(ToString::to_string));
        part.into_map()
    }

    /// `proxy_url` and its companions.
    pub(crate) fn put_proxy(&self, section: &mut Section<'_, '_>, proxy: &ProxyConfig) {
        section.put_some("proxy_url", proxy.proxy_url.clone());
        section.put_some("no_proxy", proxy.no_proxy.clone());
        section.put_some("proxy_from_environment", proxy.proxy_from_environment);
        section.put_some(
            "proxy_connect_header",
            proxy.proxy_connect_header.as_ref().map(|headers| {
                sorted(headers.iter().map(|(name, values)| {
                    let values: Vec<Value> = values.iter().map(|value| self.secret(value)).collect();
                    (name.clone(), Value::from(values))
                }))
            }),
        );
    }
}

/// A field that is written unless it is empty.
pub(crate) fn put_text(section: &mut Section<'_, '_>, field: &'static str, text: &str) {
    if !text.is_empty() {
        section.put(field, text.to_owned());
    }
}

/// Entries in the natural order of their keys, in which numbers are compared by value.
pub(crate) fn natural<V: Clone + Into<Value>>(entries: &BTreeMap<String, V>) -> Map {
    let mut map =
        Map(entries.iter().map(|(key, value)| (key.clone().into(), value.clone().into())).collect());
    sort(&mut map);
    map
}

/// Texts in the order of the bytes of their keys.
pub(crate) fn texts(entries: &BTreeMap<String, String>) -> Map {
    Map(entries.iter().map(|(key, value)| (key.clone().into(), value.clone().into())).collect())
}

/// Texts by key, unless there are none.
pub(crate) fn put_texts(
    section: &mut Section<'_, '_>,
    field: &'static str,
    entries: &BTreeMap<String, String>,
) {
    section.put_some(field, (!entries.is_empty()).then(|| texts(entries)));
}

/// Entries in the order of the bytes of their keys.
pub(crate) fn sorted(entries: impl IntoIterator<Item = (String, Value)>) -> Map {
    let entries: BTreeMap<String, Value> = entries.into_iter().collect();
    Map(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
}
