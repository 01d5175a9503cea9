//! `tracing`: where the server sends traces.

use api_monitoring::prometheus::tracing::TracingConfig;
use formats::prometheus::{Section, SectionKind};
use monitoring_select::Server;
use monitoring_select::{Problem, tls};

use crate::client::{Client, put_texts};
use crate::quantity;

/// Why `tracing` cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TracingError {
    /// The sampling fraction is out of range.
    #[error("`samplingFraction` must be between 0 and 1")]
    Fraction,
    /// The TLS settings contradict each other.
    #[error(transparent)]
    Tls(#[from] Problem),
}

/// `tracing`, if it is configured.
pub(crate) fn put(
    section: &mut Section<'_, '_>,
    server: &Server<'_>,
    client: Client<'_>,
) -> Result<(), TracingError> {
    let Some(tracing) = &server.spec.tracing_config else { return Ok(()) };
    check(tracing)?;
    let mut part = section.writer().section(SectionKind::Tracing);
    part.put("endpoint", tracing.endpoint.clone());
    part.put_some("client_type", tracing.client_type.as_ref().map(|kind| kind.to_lowercase()));
    part.put_some("sampling_fraction", tracing.sampling_fraction.as_ref().map(quantity::number));
    part.put_some("insecure", tracing.insecure);
    put_texts(&mut part, "headers", &tracing.headers);
    part.put_some("compression", tracing.compression.as_ref().map(|kind| kind.to_lowercase()));
    part.put_some("timeout", tracing.timeout.as_ref().map(ToString::to_string));
    client.put_tls(&mut part, tracing.tls_config.as_ref());
    section.put("tracing", part);
    Ok(())
}

fn check(tracing: &TracingConfig) -> Result<(), TracingError> {
    if let Some(tls) = &tracing.tls_config {
        tls::check(tls)?;
    }
    match &tracing.sampling_fraction {
        Some(fraction) if !(0.0..=1.0).contains(&quantity::number(fraction)) => Err(TracingError::Fraction),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use api_monitoring::tls::TlsConfig;
    use k8s_openapi::api::core::v1::{ConfigMapKeySelector, SecretKeySelector};
    use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

    use super::*;

    fn rejected(change: impl FnOnce(&mut TlsConfig)) -> Option<String> {
        let mut tls = TlsConfig::default();
        change(&mut tls);
        let tracing = TracingConfig { tls_config: Some(tls), ..TracingConfig::default() };
        check(&tracing).err().map(|error| error.to_string())
    }

    #[test]
    fn contradictory_tls_settings_are_rejected() {
        assert_eq!(rejected(|_| {}), None);
        let both = rejected(|tls| {
            let secret = SecretKeySelector { name: "n".into(), key: "k".into(), optional: None };
            tls.safe.ca.secret = Some(secret);
            tls.safe.ca.config_map = Some(ConfigMapKeySelector::default());
        });
        assert_eq!(both.unwrap(), "ca <secret=n,key=k>: cannot specify both Secret and ConfigMap");
        let versions = rejected(|tls| {
            tls.safe.min_version = Some("TLS13".into());
            tls.safe.max_version = Some("TLS12".into());
        });
        assert_eq!(versions.unwrap(), "maxVersion must more than or equal to minVersion");
        let files = rejected(|tls| {
            tls.key_file = "file".into();
            tls.safe.key_secret = Some(SecretKeySelector::default());
        });
        assert_eq!(files.unwrap(), "cannot specify both 'keyFile' and 'keySecret'");
        let certificate = rejected(|tls| tls.cert_file = "file".into());
        assert_eq!(certificate.unwrap(), "cannot specify client cert without client key");
        let key = rejected(|tls| tls.key_file = "file".into());
        assert_eq!(key.unwrap(), "cannot specify client key without client cert");
    }

    #[test]
    fn a_fraction_is_between_zero_and_one() {
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
