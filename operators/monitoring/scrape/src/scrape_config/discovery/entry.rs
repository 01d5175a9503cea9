//! One element of a list of discoveries while it is written: the fields that many discoveries have.

use std::ops::Deref;

use api_monitoring::auth::{OAuth2, SafeAuthorization};
use api_monitoring::scrape_config::discovery::Filter;
use api_monitoring::scrape_config::discovery::client::{Connection, DiscoveryClient, TokenClient};
use api_monitoring::tls::SafeTlsConfig;
use formats::prometheus::{Section, SectionWriter};
use formats::yaml::{Map, Value};
use k8s_openapi::api::core::v1::SecretKeySelector;

use crate::client::Client;
use crate::scrape_config::error::{Credential, ScrapeConfigError};

/// An element of one of the `*_sd_configs`.
#[derive(Debug)]
pub(super) struct Entry<'e> {
    pub(super) client: &'e Client<'e>,
    /// The name of the job, for error messages.
    pub(super) job: &'e str,
    pub(super) section: Section<'e, 'e>,
}

impl<'e> Entry<'e> {
    /// The writer of the file.
    pub(super) fn writer(&self) -> &'e SectionWriter<'e> {
        self.section.writer()
    }

    /// A field that is always written.
    pub(super) fn put(&mut self, field: &'static str, value: impl Into<Value>) {
        self.section.put(field, value);
    }

    /// A field that is written if the user set it.
    pub(super) fn put_some(&mut self, field: &'static str, value: Option<impl Into<Value>>) {
        self.section.put_some(field, value);
    }

    /// A text that is always written, even if it is empty.
    pub(super) fn put_text(&mut self, field: &'static str, text: &str) {
        self.section.put(field, text.to_owned());
    }

    /// A text that is written if the user set it, even if it is empty.
    pub(super) fn put_some_text(&mut self, field: &'static str, text: Option<&str>) {
        self.section.put_some(field, text.map(ToOwned::to_owned));
    }

    /// A list of texts that is always written.
    pub(super) fn put_texts<T: Deref<Target = str>>(&mut self, field: &'static str, texts: &[T]) {
        self.section.put(field, list(texts));
    }

    /// A list of texts that is written unless it is empty.
    pub(super) fn put_some_texts(&mut self, field: &'static str, texts: &[String]) {
        self.section.put_some(field, (!texts.is_empty()).then(|| list(texts)));
    }

    /// The value of a key of a Secret; empty if it cannot be read.
    pub(super) fn put_secret(&mut self, field: &'static str, selector: &SecretKeySelector) {
        self.section.put(field, self.client.secret(selector));
    }

    /// The value of a key of a Secret without which there is no job.
    pub(super) fn put_needed_secret(
        &mut self,
        field: &'static str,
        credential: Credential,
        selector: Option<&SecretKeySelector>,
    ) -> Result<(), ScrapeConfigError> {
        let Some(selector) = selector else { return Ok(()) };
        let job = || self.job.to_owned();
        let value = self.client.reader.secret(selector);
        let value =
            value.map_err(|missing| ScrapeConfigError::Credential { credential, job: job(), missing })?;
        self.section.put(field, value);
        Ok(())
    }

    /// The two keys of AWS, which are only used together.
    pub(super) fn put_access_keys(
        &mut self,
        access: Option<&SecretKeySelector>,
        secret: Option<&SecretKeySelector>,
    ) -> Result<(), ScrapeConfigError> {
        if access.is_some() && secret.is_some() {
            self.put_needed_secret("access_key", Credential::AccessKey, access)?;
            self.put_needed_secret("secret_key", Credential::AccessKey, secret)?;
        }
        Ok(())
    }

    /// `basic_auth`, `authorization`, `oauth2`, then the proxy.
    pub(super) fn put_client(&mut self, client: &DiscoveryClient) {
        self.put_basic_auth(client);
        self.put_tokens(&client.tokens);
    }

    /// `authorization`, `oauth2`, then the proxy.
    pub(super) fn put_tokens(&mut self, tokens: &TokenClient) {
        self.put_authorization(tokens.authorization.as_ref());
        self.put_oauth2(tokens.oauth2.as_ref());
        self.put_proxy(&tokens.connection);
    }

    /// `basic_auth`.
    pub(super) fn put_basic_auth(&mut self, client: &DiscoveryClient) {
        self.client.put_basic_auth(&mut self.section, client.basic_auth.as_ref());
    }

    /// `authorization`.
    pub(super) fn put_authorization(&mut self, auth: Option<&SafeAuthorization>) {
        self.client.put_safe_authorization(&mut self.section, auth);
    }

    /// `oauth2`.
    pub(super) fn put_oauth2(&mut self, oauth2: Option<&OAuth2>) {
        self.client.put_oauth2(&mut self.section, oauth2);
    }

    /// `proxy_url` and its companions.
    pub(super) fn put_proxy(&mut self, connection: &Connection) {
        self.client.put_proxy(&mut self.section, &connection.proxy);
    }

    /// `follow_redirects` and `enable_http2`.
    pub(super) fn put_http(&mut self, connection: &Connection) {
        self.section.put_some("follow_redirects", connection.follow_redirects);
        self.section.put_some("enable_http2", connection.enable_http2);
    }

    /// `tls_config`.
    pub(super) fn put_tls(&mut self, tls: Option<&SafeTlsConfig>) {
        self.client.put_safe_tls(&mut self.section, tls);
    }

    /// `filters`, sorted by name, so that the same filters give the same bytes.
    pub(super) fn put_filters(&mut self, filters: &[Filter]) {
        if filters.is_empty() {
            return;
        }
        let mut filters: Vec<&Filter> = filters.iter().collect();
        filters.sort_by(|one, other| one.name.cmp(&other.name));
        let filter = |filter: &Filter| {
            Map::new().with("name", filter.name.clone()).with("values", filter.values.clone())
        };
        self.section.put("filters", filters.into_iter().map(filter).collect::<Vec<_>>());
    }
}

fn list<T: Deref<Target = str>>(texts: &[T]) -> Value {
    Value::List(texts.iter().map(|text| Value::from((**text).to_owned())).collect())
}
