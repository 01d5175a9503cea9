//! One element of a list of discoveries while it is being written: the fields that many discoveries have in common.

use std::ops::Deref;

use api_monitoring::auth::{BasicAuth, OAuth2, SafeAuthorization};
use api_monitoring::http::ProxyConfig;
use api_monitoring::scrape_config::discovery::Filter;
use api_monitoring::tls::SafeTlsConfig;
use formats::prometheus::{Section, Writer};
use formats::yaml::{Map, Value};
use k8s_openapi::api::core::v1::SecretKeySelector;

use crate::client::Client;
use crate::scrape_config::error::{Credential, Error};

/// An element of one of the `*_sd_configs`.
#[derive(Debug)]
pub(super) struct Entry<'e, 'w, 'v> {
    pub(super) client: &'e Client<'e>,
    /// The name of the job, for people who look for what is wrong.
    pub(super) job: &'e str,
    pub(super) section: Section<'w, 'v>,
}

impl<'w, 'v> Entry<'_, 'w, 'v> {
    /// Whoever writes the file.
    pub(super) fn writer(&self) -> &'w Writer<'v> {
        self.section.writer()
    }

    /// A field that is always there.
    pub(super) fn put(&mut self, field: &'static str, value: impl Into<Value>) {
        self.section.put(field, value);
    }

    /// A field that may have no value.
    pub(super) fn put_some(&mut self, field: &'static str, value: Option<impl Into<Value>>) {
        self.section.put_some(field, value);
    }

    /// A text that is always there, even if it is empty.
    pub(super) fn put_text(&mut self, field: &'static str, text: &str) {
        self.section.put(field, text.to_owned());
    }

    /// A text that is written once the user has given it, even if it is empty.
    pub(super) fn put_some_text(&mut self, field: &'static str, text: Option<&str>) {
        self.section.put_some(field, text.map(ToOwned::to_owned));
    }

    /// A list of texts.
    pub(super) fn put_texts<T: Deref<Target = str>>(&mut self, field: &'static str, texts: &[T]) {
        self.section.put(field, list(texts));
    }

    /// A list of texts that is written only if there is one in it.
    pub(super) fn put_some_texts<T: Deref<Target = str>>(&mut self, field: &'static str, texts: &[T]) {
        if !texts.is_empty() {
            self.put_texts(field, texts);
        }
    }

    /// What a key of a Secret holds; empty, if it cannot be read.
    pub(super) fn put_secret(&mut self, field: &'static str, selector: &SecretKeySelector) {
        self.section.put(field, self.client.secret(selector));
    }

    /// What a key of a Secret holds, for discoveries that make no sense without it.
    pub(super) fn put_needed_secret(
        &mut self,
        field: &'static str,
        credential: Credential,
        selector: Option<&SecretKeySelector>,
    ) -> Result<(), Error> {
        let Some(selector) = selector else { return Ok(()) };
        let reader = self.client.reader;
        let bytes = reader.secret(selector).map_err(|missing| Error::Credential {
            credential,
            job: self.job.to_owned(),
            namespace: reader.namespace().to_owned(),
            missing,
        })?;
        self.section.put(field, bytes);
        Ok(())
    }

    /// The two keys of Amazon, which mean something only together.
    pub(super) fn put_access_keys(
        &mut self,
        access: Option<&SecretKeySelector>,
        secret: Option<&SecretKeySelector>,
    ) -> Result<(), Error> {
        if access.is_some() && secret.is_some() {
            self.put_needed_secret("access_key", Credential::AccessKey, access)?;
            self.put_needed_secret("secret_key", Credential::AccessKey, secret)?;
        }
        Ok(())
    }

    /// `basic_auth`.
    pub(super) fn put_basic_auth(&mut self, auth: Option<&BasicAuth>) {
        self.client.put_basic_auth(&mut self.section, auth);
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
    pub(super) fn put_proxy(&mut self, proxy: &ProxyConfig) {
        self.client.put_proxy(&mut self.section, proxy);
    }

    /// `tls_config`.
    pub(super) fn put_tls(&mut self, tls: Option<&SafeTlsConfig>) {
        self.client.put_safe_tls(&mut self.section, tls);
    }

    /// `filters`, by name, so that the same filters are always written alike.
    pub(super) fn put_filters(&mut self, filters: &[Filter]) {
        if filters.is_empty() {
            return;
        }
        let mut filters: Vec<&Filter> = filters.iter().collect();
        filters.sort_by(|one, other| one.name.cmp(&other.name));
        let filters: Vec<Map> = filters
            .into_iter()
            .map(|filter| Map::new().with("name", filter.name.clone()).with("values", list(&filter.values)))
            .collect();
        self.section.put("filters", filters);
    }
}

/// Texts, one a line.
fn list<T: Deref<Target = str>>(texts: &[T]) -> Value {
    Value::List(texts.iter().map(|text| Value::from((**text).to_owned())).collect())
}
