//! `tracing`: where traces of the server's own work are sent.

use api_monitoring::prometheus::tracing::TracingConfig;
use api_monitoring::reference::SecretOrConfigMap;
use api_monitoring::tls::TlsConfig;
use formats::prometheus::{Place, Section};

use crate::client::{Client, texts};
use crate::quantity;
use crate::server::Server;

/// Why `tracing` cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TracingError {
    /// The share of requests is none.
    #[error("`samplingFraction` must be between 0 and 1")]
    Fraction,
    /// A certificate comes from two kinds of object.
    #[error("{field} {selector}: cannot specify both Secret and ConfigMap")]
    TwoSources {
        /// Which certificate.
        field: &'static str,
        /// What it points to.
        selector: String,
    },
    /// No TLS version is both low and high enough.
    #[error("maxVersion must more than or equal to minVersion")]
    Versions,
    /// A file and an object are named for one thing.
    #[error("cannot specify both '{file}' and '{object}'")]
    FileAndObject {
        /// The field with the file.
        file: &'static str,
        /// The field with the object.
        object: &'static str,
    },
    /// A certificate without its key.
    #[error("cannot specify client cert without client key")]
    Key,
    /// A key without its certificate.
    #[error("cannot specify client key without client cert")]
    Certificate,
}

/// `tracing`, if traces are sent.
pub(crate) fn put(
    section: &mut Section<'_, '_>,
    server: &Server<'_>,
    client: Client<'_>,
) -> Result<(), TracingError> {
    let Some(tracing) = &server.spec.tracing_config else { return Ok(()) };
    check(tracing)?;
    let mut part = section.writer().section(Place::Tracing);
    part.put("endpoint", tracing.endpoint.clone());
    part.put_some("client_type", tracing.client_type.as_ref().map(|kind| kind.to_lowercase()));
    part.put_some("sampling_fraction", tracing.sampling_fraction.as_ref().map(quantity::number));
    part.put_some("insecure", tracing.insecure);
    if !tracing.headers.is_empty() {
        part.put("headers", texts(&tracing.headers));
    }
    part.put_some("compression", tracing.compression.as_ref().map(|kind| kind.to_lowercase()));
    part.put_some("timeout", tracing.timeout.as_ref().map(ToString::to_string));
    client.put_tls(&mut part, tracing.tls_config.as_ref());
    section.put("tracing", part);
    Ok(())
}

fn check(tracing: &TracingConfig) -> Result<(), TracingError> {
    if let Some(tls) = &tracing.tls_config {
        check_tls(tls)?;
    }
    match &tracing.sampling_fraction {
        Some(fraction) if !(0.0..=1.0).contains(&quantity::number(fraction)) => Err(TracingError::Fraction),
        Some(_) | None => Ok(()),
    }
}

fn check_tls(tls: &TlsConfig) -> Result<(), TracingError> {
    let safe = &tls.safe;
    check_source("ca", &safe.ca)?;
    check_source("cert", &safe.cert)?;
    if let (Some(lowest), Some(highest)) = (&safe.min_version, &safe.max_version)
        && highest < lowest
    {
        return Err(TracingError::Versions);
    }
    let none = SecretOrConfigMap::default();
    for (file, path, object, is_object) in [
        ("caFile", &tls.ca_file, "ca", safe.ca != none),
        ("certFile", &tls.cert_file, "cert", safe.cert != none),
        ("keyFile", &tls.key_file, "keySecret", safe.key_secret.is_some()),
    ] {
        if is_object && !path.is_empty() {
            return Err(TracingError::FileAndObject { file, object });
        }
    }
    let has_certificate = safe.cert != none || !tls.cert_file.is_empty();
    let has_key = safe.key_secret.is_some() || !tls.key_file.is_empty();
    match (has_certificate, has_key) {
        (true, false) => Err(TracingError::Key),
        (false, true) => Err(TracingError::Certificate),
        (true, true) | (false, false) => Ok(()),
    }
}

fn check_source(field: &'static str, selector: &SecretOrConfigMap) -> Result<(), TracingError> {
    match (&selector.secret, &selector.config_map) {
        (Some(secret), Some(_)) => {
            let selector = format!("<secret={},key={}>", secret.name, secret.key);
            Err(TracingError::TwoSources { field, selector })
        }
        (Some(_), None) | (None, _) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMapKeySelector, SecretKeySelector};
    use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

    use super::*;

    fn refused(change: impl FnOnce(&mut TlsConfig)) -> Option<String> {
        let mut tls = TlsConfig::default();
        change(&mut tls);
        check_tls(&tls).err().map(|error| error.to_string())
    }

    #[test]
    fn tls_that_contradicts_itself_is_refused() {
        assert_eq!(refused(|_| {}), None);
        let both = refused(|tls| {
            let secret = SecretKeySelector { name: "n".into(), key: "k".into(), optional: None };
            tls.safe.ca.secret = Some(secret);
            tls.safe.ca.config_map = Some(ConfigMapKeySelector::default());
        });
        assert_eq!(both.unwrap(), "ca <secret=n,key=k>: cannot specify both Secret and ConfigMap");
        let versions = refused(|tls| {
            tls.safe.min_version = Some("TLS13".into());
            tls.safe.max_version = Some("TLS12".into());
        });
        assert_eq!(versions.unwrap(), "maxVersion must more than or equal to minVersion");
        let files = refused(|tls| {
            tls.key_file = "file".into();
            tls.safe.key_secret = Some(SecretKeySelector::default());
        });
        assert_eq!(files.unwrap(), "cannot specify both 'keyFile' and 'keySecret'");
        let certificate = refused(|tls| tls.cert_file = "file".into());
        assert_eq!(certificate.unwrap(), "cannot specify client cert without client key");
        let key = refused(|tls| tls.key_file = "file".into());
        assert_eq!(key.unwrap(), "cannot specify client key without client cert");
    }

    #[test]
    fn a_fraction_is_between_nothing_and_all() {
        for (fraction, expected) in [
            ("0", Ok(())),
            ("1", Ok(())),
            ("1001m", Err(TracingError::Fraction)),
            ("-1", Err(TracingError::Fraction)),
        ] {
            let sampling_fraction = Some(Quantity(fraction.into()));
            assert_eq!(check(&TracingConfig { sampling_fraction, ..TracingConfig::default() }), expected);
        }
    }
}
