//! What the components of Thanos share.

use api_monitoring::pod::Argument;
use api_monitoring::text::TlsVersion;
use api_monitoring::tls::GrpcServerTlsConfig;
use formats::version::Version;

use crate::workload::arguments::argument;

/// The flags that protect the gRPC server, as far as the version has them.
pub fn grpc_tls_arguments(tls: &GrpcServerTlsConfig, version: &Version) -> Vec<Argument> {
    let at_least = |minor| *version >= Version::new(0, minor, 0);
    let mut arguments = Vec::new();
    let mut put = |name: &str, value: &str| arguments.push(argument(name, value));
    for (name, file) in [
        ("grpc-server-tls-cert", &tls.tls.cert_file),
        ("grpc-server-tls-key", &tls.tls.key_file),
        ("grpc-server-tls-client-ca", &tls.tls.ca_file),
    ] {
        if !file.is_empty() {
            put(name, file);
        }
    }
    if let Some(least) = tls.tls.safe.min_version.as_ref().and_then(tls_version).filter(|_| at_least(37)) {
        put("grpc-server-tls-min-version", least);
    }
    if at_least(42) {
        tls.cipher_suites.iter().for_each(|suite| put("grpc-server-tls-ciphers", suite));
        tls.curves.iter().for_each(|curve| put("grpc-server-tls-curves", curve));
    }
    arguments
}

/// A version of TLS in the notation of Thanos; none, if Thanos does not support it.
fn tls_version(version: &TlsVersion) -> Option<&'static str> {
    match &**version {
        "TLS10" => Some("1.0"),
        "TLS11" => Some("1.1"),
        "TLS12" => Some("1.2"),
        "TLS13" => Some("1.3"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_that_the_version_does_not_have_is_left_out() {
        let mut tls = GrpcServerTlsConfig {
            cipher_suites: vec!["a".into(), "b".into()],
            curves: vec!["c".into()],
            ..GrpcServerTlsConfig::default()
        };
        tls.tls.safe.min_version = Some("TLS12".into());
        tls.tls.key_file = "/key".into();
        let key = argument("grpc-server-tls-key", "/key");
        let least = argument("grpc-server-tls-min-version", "1.2");
        let [one, other] = ["a", "b"].map(|suite| argument("grpc-server-tls-ciphers", suite));
        let curve = argument("grpc-server-tls-curves", "c");
        let all = [key, least, one, other, curve];
        for (minor, count) in [(36, 1), (37, 2), (41, 2), (42, 5)] {
            assert_eq!(grpc_tls_arguments(&tls, &Version::new(0, minor, 0)), all[..count], "{minor}");
        }
    }

    #[test]
    fn an_unknown_version_of_tls_is_left_out() {
        let mut tls = GrpcServerTlsConfig::default();
        tls.tls.safe.min_version = Some("TLS14".into());
        assert_eq!(grpc_tls_arguments(&tls, &Version::new(0, 42, 0)), []);
    }
}
