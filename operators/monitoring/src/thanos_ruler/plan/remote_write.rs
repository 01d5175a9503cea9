//! The remote write endpoints, as far as a version of Thanos supports them. Thanos reads them like the version of Prometheus
//! that it is built from.

use api_monitoring::auth::AzureAd;
use api_monitoring::prometheus::remote::RemoteWriteSpec;
use formats::version::Version;

use crate::thanos_ruler::Instance;

/// Endpoints that Thanos cannot send to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RemoteWriteError {
    /// The version does not support remote write.
    #[error(
        "thanos remote-write configuration requires at least version \"0.24.0\": current version \"{0}\""
    )]
    TooOld(Version),
    /// The version needs a client ID.
    #[error(
        "remoteWrite[{number}]: azureAD.managedIdentity.clientId is required with Thanos < 0.40.0, current = {version}"
    )]
    NoClientId {
        /// Which endpoint.
        number: usize,
        /// The version that runs.
        version: Version,
    },
}

/// The endpoints without the settings that the version does not have, and these settings.
///
/// Only fields within a part of an endpoint are removed. A field of the endpoint itself is kept, as with the Prometheus
/// Operator, and Thanos reports that it is unknown.
pub fn fit(instance: &Instance<'_>) -> Result<(Vec<RemoteWriteSpec>, Vec<&'static str>), RemoteWriteError> {
    let mut endpoints = instance.spec.remote_write.clone();
    if !endpoints.is_empty() && !instance.at_least(0, 24) {
        return Err(RemoteWriteError::TooOld(instance.version.clone()));
    }
    let mut ignored = Vec::new();
    for (number, endpoint) in endpoints.iter_mut().enumerate() {
        if lacks_client_id(endpoint.azure_ad.as_ref()) && !instance.at_least(0, 40) {
            return Err(RemoteWriteError::NoClientId { number, version: instance.version.clone() });
        }
        remove_unsupported(instance, endpoint, &mut ignored);
    }
    Ok((endpoints, ignored))
}

fn remove_unsupported(
    instance: &Instance<'_>,
    endpoint: &mut RemoteWriteSpec,
    ignored: &mut Vec<&'static str>,
) {
    let mut ignore = |field, was_set: bool| ignored.extend(was_set.then_some(field));
    if let Some(azure) = &mut endpoint.azure_ad {
        ignore("azureAD.workloadIdentity", azure.workload_identity.take().is_some());
        ignore("azureAD.scope", azure.scope.take().is_some());
        if !instance.at_least(0, 36) {
            ignore("azureAD.sdk", azure.sdk.take().is_some());
        }
        if !instance.at_least(0, 31) {
            ignore("azureAD.oauth", azure.oauth.take().is_some());
        }
    }
    if let Some(sigv4) = &mut endpoint.sigv4 {
        ignore("sigv4.externalId", !std::mem::take(&mut sigv4.external_id).is_empty());
    }
    if let Some(queue) = endpoint.queue_config.as_mut().filter(|_| !instance.at_least(0, 32)) {
        ignore("queueConfig.sampleAgeLimit", queue.sample_age_limit.take().is_some());
    }
    if let Some(tls) = endpoint.tls_config.as_mut().map(|tls| &mut tls.safe) {
        if !instance.at_least(0, 30) {
            ignore("tlsConfig.maxVersion", tls.max_version.take().is_some());
        }
        if !instance.at_least(0, 28) {
            ignore("tlsConfig.minVersion", tls.min_version.take().is_some());
        }
    }
}

fn lacks_client_id(azure: Option<&AzureAd>) -> bool {
    let identity = azure.and_then(|azure| azure.managed_identity.as_ref());
    identity.is_some_and(|identity| identity.client_id.as_ref().is_none_or(String::is_empty))
}

#[cfg(test)]
mod tests {
    use api_monitoring::ThanosRuler;
    use api_monitoring::auth::{AzureSdk, ManagedIdentity, Sigv4};
    use api_monitoring::prometheus::remote::QueueConfig;
    use api_monitoring::tls::TlsConfig;

    use super::*;

    fn ruler(version: &str, endpoint: RemoteWriteSpec) -> ThanosRuler {
        let mut ruler = ThanosRuler::default();
        ruler.spec.version = Some(version.into());
        ruler.spec.remote_write = vec![endpoint];
        ruler
    }

    fn ignored(version: &str, endpoint: &RemoteWriteSpec) -> Vec<&'static str> {
        let ruler = ruler(version, endpoint.clone());
        fit(&Instance::new(&ruler).unwrap()).unwrap().1
    }

    fn error(version: &str, endpoint: RemoteWriteSpec) -> String {
        let ruler = ruler(version, endpoint);
        fit(&Instance::new(&ruler).unwrap()).unwrap_err().to_string()
    }

    #[test]
    fn old_versions_get_fewer_settings() {
        let mut tls = TlsConfig::default();
        tls.safe.min_version = Some("TLS12".into());
        tls.safe.max_version = Some("TLS13".into());
        let azure = AzureAd {
            sdk: Some(AzureSdk::default()),
            oauth: Some(api_monitoring::auth::AzureOAuth::default()),
            scope: Some("s".into()),
            ..AzureAd::default()
        };
        let endpoint = RemoteWriteSpec {
            azure_ad: Some(azure),
            sigv4: Some(Sigv4 { external_id: "id".into(), ..Sigv4::default() }),
            queue_config: Some(QueueConfig { sample_age_limit: Some("1h".into()), ..QueueConfig::default() }),
            tls_config: Some(tls),
            round_robin_dns: Some(true),
            ..RemoteWriteSpec::default()
        };
        let mut expected = vec!["azureAD.scope", "sigv4.externalId"];
        assert_eq!(ignored("0.36.0", &endpoint), expected);
        expected.insert(1, "azureAD.sdk");
        assert_eq!(ignored("0.35.1", &endpoint), expected);
        expected.push("queueConfig.sampleAgeLimit");
        assert_eq!(ignored("0.31.2", &endpoint), expected);
        expected.insert(2, "azureAD.oauth");
        assert_eq!(ignored("0.30.0", &endpoint), expected);
        expected.push("tlsConfig.maxVersion");
        assert_eq!(ignored("0.28.0", &endpoint), expected);
        expected.push("tlsConfig.minVersion");
        assert_eq!(ignored("0.24.0", &endpoint), expected);
    }

    #[test]
    fn unsupported_endpoints_are_rejected() {
        assert_eq!(
            error("v0.23.1", RemoteWriteSpec::default()),
            "thanos remote-write configuration requires at least version \"0.24.0\": current version \"0.23.1\""
        );
        let azure = AzureAd { managed_identity: Some(ManagedIdentity::default()), ..AzureAd::default() };
        let endpoint = RemoteWriteSpec { azure_ad: Some(azure), ..RemoteWriteSpec::default() };
        assert_eq!(
            error("v0.39.2", endpoint.clone()),
            "remoteWrite[0]: azureAD.managedIdentity.clientId is required with Thanos < 0.40.0, current = 0.39.2"
        );
        assert_eq!(ignored("0.40.0", &endpoint), Vec::<&str>::new());
    }
}
