//! The references of one resource: reads them, records them, and collects the certificates and keys that are mounted.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use api_monitoring::auth::{Authorization, AzureAd, BasicAuth, OAuth2, SafeAuthorization, Sigv4};
use api_monitoring::http::ProxyConfig;
use api_monitoring::reference::SecretOrConfigMap;
use api_monitoring::scrape_config::discovery::client::{DiscoveryClient, TokenClient};
use api_monitoring::tls::{SafeTlsConfig, TlsConfig};
use go_syntax::quoted::Quoted;
use k8s_openapi::api::core::v1::SecretKeySelector;
use monitoring_assets::{Objects, Reader, Reference, file};

use crate::problem::{Problem, Within, broken};
use crate::tls::shown;
use crate::{authentication, certificate, proxy, tls};

/// A resource that is valid.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Accepted<'o> {
    /// Certificates and keys that must be mounted, by file name.
    pub files: BTreeMap<String, &'o [u8]>,
    /// The references that were read. A change of one of these objects may change the result.
    pub references: BTreeSet<Reference>,
}

/// A resource that is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct Rejected {
    /// Why.
    pub problem: Problem,
    /// The references that were read before. A change of one of these objects may change the result.
    pub references: BTreeSet<Reference>,
}

/// Reads the references of one resource.
#[derive(Debug)]
pub struct References<'o> {
    reader: Reader<'o>,
    files: RefCell<BTreeMap<String, &'o [u8]>>,
}

impl<'o> References<'o> {
    /// Reads in the namespace of the resource.
    pub fn new(objects: &'o Objects, namespace: &str) -> Self {
        Self { reader: Reader::new(objects, namespace.to_owned()), files: RefCell::default() }
    }

    /// What was read for a valid resource.
    pub fn accepted(self) -> Accepted<'o> {
        Accepted { references: self.reader.references(), files: self.files.into_inner() }
    }

    /// Runs checks of a resource in a namespace, and adds what was read to the result.
    pub fn check(
        objects: &'o Objects,
        namespace: &str,
        checks: impl FnOnce(&Self) -> Result<(), Problem>,
    ) -> Result<Accepted<'o>, Rejected> {
        let references = Self::new(objects, namespace);
        match checks(&references) {
            Ok(()) => Ok(references.accepted()),
            Err(problem) => Err(Rejected { problem, references: references.reader.references() }),
        }
    }

    /// The value of a key of a Secret.
    pub fn secret(&self, selector: &SecretKeySelector) -> Result<&'o [u8], Problem> {
        self.check_namespace()?;
        Ok(self.reader.secret(selector)?)
    }

    /// The same, if there is a selector.
    pub fn optional_secret(&self, selector: Option<&SecretKeySelector>) -> Result<(), Problem> {
        selector.map_or(Ok(()), |selector| self.secret(selector).map(|_| ()))
    }

    /// The value of the key of a Secret or a ConfigMap; empty if the selector names none.
    fn either(&self, selector: &SecretOrConfigMap) -> Result<&'o [u8], Problem> {
        if tls::is_set(selector) {
            self.check_namespace()?;
        }
        Ok(self.reader.either(selector)?.unwrap_or_default())
    }

    fn check_namespace(&self) -> Result<(), Problem> {
        if self.reader.namespace().is_empty() { Err(Problem::NoNamespace) } else { Ok(()) }
    }

    /// User name and password.
    pub fn basic_auth(&self, auth: Option<&BasicAuth>) -> Result<(), Problem> {
        let Some(auth) = auth else { return Ok(()) };
        self.secret(&auth.username).within("failed to get basic auth username")?;
        self.secret(&auth.password).within("failed to get basic auth password")?;
        Ok(())
    }

    /// The content of an `Authorization` header, from a Secret. Without credentials nothing is checked.
    pub fn safe_authorization(&self, auth: Option<&SafeAuthorization>) -> Result<(), Problem> {
        let Some(auth) = auth.filter(|auth| auth.credentials.is_some()) else { return Ok(()) };
        authentication::check_safe(auth)?;
        self.credentials(auth)
    }

    /// The content of an `Authorization` header, from a Secret or a file.
    pub fn authorization(&self, auth: Option<&Authorization>) -> Result<(), Problem> {
        let Some(auth) = auth.filter(|auth| auth.safe.credentials.is_some()) else { return Ok(()) };
        authentication::check(auth)?;
        self.credentials(&auth.safe)
    }

    fn credentials(&self, auth: &SafeAuthorization) -> Result<(), Problem> {
        let named = auth.credentials.as_ref().filter(|credentials| !credentials.name.is_empty());
        let token = format_args!("failed to get authorization token of type {}", Quoted(&auth.type_));
        self.optional_secret(named).within(token)
    }

    /// ID and secret of the client, proxy and certificates of OAuth 2.0.
    pub fn oauth2(&self, oauth2: Option<&OAuth2>) -> Result<(), Problem> {
        let Some(oauth2) = oauth2 else { return Ok(()) };
        authentication::check_oauth2(oauth2)?;
        self.either(&oauth2.client_id).within("failed to get oauth2 client id")?;
        self.secret(&oauth2.client_secret).within("failed to get oauth2 client secret")?;
        self.proxy_headers(&oauth2.proxy).within("failed to get oauth2 proxyConfig")?;
        self.safe_tls(oauth2.tls_config.as_ref()).within("failed to get oauth2 tlsConfig")
    }

    /// Both keys of AWS, or none.
    pub fn sigv4(&self, sigv4: Option<&Sigv4>) -> Result<(), Problem> {
        let Some(sigv4) = sigv4 else { return Ok(()) };
        match (&sigv4.access_key, &sigv4.secret_key) {
            (None, None) => Ok(()),
            (Some(access), Some(secret)) => {
                self.secret(access).within("failed to read SigV4 access-key")?;
                self.secret(secret).within("failed to read SigV4 secret-key")?;
                Ok(())
            }
            (Some(_), None) | (None, Some(_)) => broken("both accessKey and secretKey should be provided"),
        }
    }

    /// The secret of an application of Azure.
    pub fn azure(&self, azure: Option<&AzureAd>) -> Result<(), Problem> {
        let secret = azure.and_then(|azure| azure.oauth.as_ref()).map(|oauth| &oauth.client_secret);
        self.optional_secret(secret).within("failed to read AzureOAuth clientSecret")
    }

    /// Headers for a proxy.
    pub fn proxy_headers(&self, proxy: &ProxyConfig) -> Result<(), Problem> {
        for (name, values) in proxy.proxy_connect_header.iter().flatten() {
            for (index, value) in values.iter().enumerate() {
                self.secret(value).within(format_args!("header[{name}][{index}]"))?;
            }
        }
        Ok(())
    }

    /// A proxy: rules between its fields, and headers for it.
    pub fn proxy(&self, proxy: &ProxyConfig) -> Result<(), Problem> {
        proxy::check(proxy)?;
        self.proxy_headers(proxy)
    }

    /// Certificates and key of TLS settings, from Secrets and ConfigMaps only.
    pub fn safe_tls(&self, settings: Option<&SafeTlsConfig>) -> Result<(), Problem> {
        let Some(settings) = settings else { return Ok(()) };
        tls::check_safe(settings).within("failed to validate TLS configuration")?;
        self.certificates(settings)
    }

    /// Certificates and key of TLS settings, from Secrets, ConfigMaps or files.
    pub fn tls(&self, settings: Option<&TlsConfig>) -> Result<(), Problem> {
        let Some(settings) = settings else { return Ok(()) };
        tls::check(settings).within("failed to validate TLS configuration")?;
        self.certificates(&settings.safe)
    }

    /// The references of a discovery with these options.
    pub(crate) fn client(&self, client: &DiscoveryClient) -> Result<(), Problem> {
        self.tokens(&client.tokens)?;
        self.basic_auth(client.basic_auth.as_ref())?;
        self.proxy(&client.tokens.connection.proxy)
    }

    /// `Authorization` header, OAuth 2.0, then certificates.
    pub(crate) fn tokens(&self, tokens: &TokenClient) -> Result<(), Problem> {
        self.safe_authorization(tokens.authorization.as_ref())?;
        self.oauth2(tokens.oauth2.as_ref())?;
        self.safe_tls(tokens.connection.tls_config.as_ref())
    }

    fn certificates(&self, settings: &SafeTlsConfig) -> Result<(), Problem> {
        let read = |name: &str, selector: &SecretOrConfigMap| {
            self.either(selector).within(format_args!("failed to get {name} {}", Quoted(&shown(selector))))
        };
        let authority = read("ca", &settings.ca)?;
        let certificate = read("cert", &settings.cert)?;
        let key = match &settings.key_secret {
            Some(key) => Some((
                key,
                self.secret(key).within(format_args!("failed to get key {}/{}", key.name, key.key))?,
            )),
            None => None,
        };
        if !authority.is_empty() {
            certificate::check_authority(authority).within(format_args!("ca {}", shown(&settings.ca)))?;
            self.mount(file::of_either(self.reader.namespace(), &settings.ca), authority);
        }
        if let Some((selector, key)) = key.filter(|(_, key)| !key.is_empty() && !certificate.is_empty()) {
            certificate::check_pair(certificate, key).within(format_args!(
                "cert {}, key <{}/{}>",
                shown(&settings.cert),
                selector.name,
                selector.key
            ))?;
            self.mount(file::of_either(self.reader.namespace(), &settings.cert), certificate);
            self.mount(Some(file::of_secret(self.reader.namespace(), selector)), key);
        }
        Ok(())
    }

    fn mount(&self, name: Option<String>, content: &'o [u8]) {
        if let Some(name) = name {
            self.files.borrow_mut().insert(name, content);
        }
    }
}
