//! Cipher suites and curves, by their names in Go. Pure: names in, algorithms and warnings out.
//!
//! Our TLS library supports only the secure algorithms of Go. Other names are ignored with a warning, as long as one name is
//! supported.

use std::collections::BTreeSet;

use tokio_rustls::rustls::crypto::aws_lc_rs::{ALL_CIPHER_SUITES, ALL_KX_GROUPS};
use tokio_rustls::rustls::crypto::{CryptoProvider, SupportedKxGroup};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{NamedGroup, SupportedCipherSuite, SupportedProtocolVersion};

use super::identity::provider;

/// A version of TLS that is still safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TlsVersion {
    /// TLS 1.2.
    Tls12,
    /// TLS 1.3.
    Tls13,
}

/// Why the TLS settings cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AlgorithmError {
    /// No cipher suite is supported.
    #[error("none of the cipher suites {0} is supported: name one of {1}, or none for the defaults")]
    CipherSuites(String, String),
    /// No curve is supported.
    #[error("none of the curves {0} is supported: name one of {1}, or none for the defaults")]
    Curves(String, String),
}

/// The algorithms of a server.
#[derive(Debug, Clone)]
pub(super) struct Algorithms {
    /// Suites and curves.
    pub(super) provider: CryptoProvider,
    /// Versions of TLS.
    pub(super) versions: Vec<&'static SupportedProtocolVersion>,
}

/// Curves, as Go names them.
const CURVES: [(&str, NamedGroup); 5] = [
    ("CurveP256", NamedGroup::secp256r1),
    ("CurveP384", NamedGroup::secp384r1),
    ("CurveP521", NamedGroup::secp521r1),
    ("X25519", NamedGroup::X25519),
    ("X25519MLKEM768", NamedGroup::X25519MLKEM768),
];

/// Names that Go keeps from before its suites were standardized.
const FORMER: [(&str, &str); 2] = [
    ("TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
    ("TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"),
];

impl Algorithms {
    /// The named algorithms, and warnings for the user. No names stand for the defaults.
    pub(super) fn choose(
        oldest: TlsVersion,
        cipher_suites: &BTreeSet<String>,
        curves: &BTreeSet<String>,
    ) -> Result<(Self, Vec<String>), AlgorithmError> {
        let (mut provider, mut warnings) = (provider(), Vec::new());
        let mut versions = vec![&TLS13];
        if oldest == TlsVersion::Tls12 {
            versions.push(&TLS12);
        }
        if !cipher_suites.is_empty() {
            match oldest {
                TlsVersion::Tls13 => warnings.push(
                    "the cipher suites have no effect: those of TLS 1.3 are fixed, and no older version is enabled"
                        .to_owned(),
                ),
                TlsVersion::Tls12 => provider.cipher_suites = chosen_suites(cipher_suites, &mut warnings)?,
            }
        }
        if provider.cipher_suites.iter().all(is_tls13) {
            versions.retain(|version| **version == TLS13);
        }
        if !curves.is_empty() {
            provider.kx_groups = chosen_curves(curves, &mut warnings)?;
        }
        Ok((Self { provider, versions }, warnings))
    }
}

/// The suites of TLS 1.3 cannot be chosen: they are always enabled.
fn chosen_suites(
    names: &BTreeSet<String>,
    warnings: &mut Vec<String>,
) -> Result<Vec<SupportedCipherSuite>, AlgorithmError> {
    let standard = |name: &str| {
        let known = FORMER.iter().find(|(former, _)| *former == name);
        known.map_or_else(|| name.to_owned(), |(_, standard)| (*standard).to_owned())
    };
    let wanted: BTreeSet<String> = names.iter().map(|name| standard(name)).collect();
    let known: BTreeSet<String> = ALL_CIPHER_SUITES.iter().map(suite_name).collect();
    if wanted.is_disjoint(&known) {
        return Err(AlgorithmError::CipherSuites(list(names), list(&known)));
    }
    let unknown: BTreeSet<String> =
        names.iter().filter(|name| !known.contains(&standard(name))).cloned().collect();
    warn("cipher suites", &unknown, warnings);
    let suites: Vec<SupportedCipherSuite> = ALL_CIPHER_SUITES
        .iter()
        .filter(|suite| is_tls13(suite) || wanted.contains(&suite_name(suite)))
        .copied()
        .collect();
    if suites.iter().all(is_tls13) {
        warnings.push("only TLS 1.3 is enabled: no cipher suite of TLS 1.2 is named".to_owned());
    }
    Ok(suites)
}

fn chosen_curves(
    names: &BTreeSet<String>,
    warnings: &mut Vec<String>,
) -> Result<Vec<&'static dyn SupportedKxGroup>, AlgorithmError> {
    let known = || ALL_KX_GROUPS.iter().filter_map(|group| Some((curve_name(group.name())?, *group)));
    let chosen: Vec<_> = known().filter(|(name, _)| names.contains(*name)).map(|(_, group)| group).collect();
    if chosen.is_empty() {
        let known = known().map(|(name, _)| name.to_owned()).collect();
        return Err(AlgorithmError::Curves(list(names), list(&known)));
    }
    let unknown =
        names.iter().filter(|name| known().all(|(known, _)| known != name.as_str())).cloned().collect();
    warn("curves", &unknown, warnings);
    Ok(chosen)
}

fn curve_name(group: NamedGroup) -> Option<&'static str> {
    CURVES.iter().find(|(_, known)| *known == group).map(|(name, _)| *name)
}

fn is_tls13(suite: &SupportedCipherSuite) -> bool {
    suite.tls13().is_some()
}

/// Its name in Go: without the version.
fn suite_name(suite: &SupportedCipherSuite) -> String {
    suite.suite().as_str().unwrap_or_default().replacen("TLS13_", "TLS_", 1)
}

fn warn(what: &str, unknown: &BTreeSet<String>, warnings: &mut Vec<String>) {
    if !unknown.is_empty() {
        warnings.push(format!("these {what} are not supported and are ignored: {}", list(unknown)));
    }
}

fn list(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chosen algorithms, and the warnings.
    #[derive(Debug, PartialEq, Eq)]
    struct Choice {
        versions: Vec<&'static str>,
        suites: Vec<String>,
        curves: Vec<&'static str>,
        warnings: Vec<String>,
    }

    fn choice(oldest: TlsVersion, suites: &[&str], curves: &[&str]) -> Result<Choice, String> {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let (algorithms, warnings) =
            Algorithms::choose(oldest, &set(suites), &set(curves)).map_err(|error| error.to_string())?;
        let versions = algorithms.versions.iter();
        let older = |suite: &&SupportedCipherSuite| !is_tls13(suite);
        Ok(Choice {
            versions: versions.map(|version| if **version == TLS13 { "1.3" } else { "1.2" }).collect(),
            suites: algorithms.provider.cipher_suites.iter().filter(older).map(suite_name).collect(),
            curves: algorithms.provider.kx_groups.iter().filter_map(|g| curve_name(g.name())).collect(),
            warnings,
        })
    }

    const CURVES_OF_OURS: [&str; 4] = ["X25519", "CurveP256", "CurveP384", "X25519MLKEM768"];

    fn texts(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn without_names_everything_safe_is_used() {
        let all = choice(TlsVersion::Tls12, &[], &[]).unwrap();
        assert_eq!((all.versions, all.suites.len(), all.warnings), (vec!["1.3", "1.2"], 6, vec![]));
        assert_eq!(all.curves, CURVES_OF_OURS);
        assert_eq!(choice(TlsVersion::Tls13, &[], &[]).unwrap().versions, ["1.3"]);
    }

    #[test]
    fn named_algorithms_that_are_supported_are_used() {
        let names = [
            "TLS_RSA_WITH_AES_128_CBC_SHA",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        ];
        let expected = Choice {
            versions: vec!["1.3", "1.2"],
            suites: texts(&[
                "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
            ]),
            curves: vec!["CurveP256"],
            warnings: texts(&[
                "these cipher suites are not supported and are ignored: TLS_RSA_WITH_AES_128_CBC_SHA",
                "these curves are not supported and are ignored: CurveP521",
            ]),
        };
        assert_eq!(choice(TlsVersion::Tls12, &names, &["CurveP521", "CurveP256"]), Ok(expected));
    }

    #[test]
    fn the_suites_of_the_newest_version_are_fixed() {
        let expected = Choice {
            versions: vec!["1.3"],
            suites: vec![],
            curves: CURVES_OF_OURS.to_vec(),
            warnings: texts(&["only TLS 1.3 is enabled: no cipher suite of TLS 1.2 is named"]),
        };
        assert_eq!(choice(TlsVersion::Tls12, &["TLS_AES_128_GCM_SHA256"], &[]), Ok(expected));
        let warning =
            "the cipher suites have no effect: those of TLS 1.3 are fixed, and no older version is enabled";
        assert_eq!(choice(TlsVersion::Tls13, &["TLS_X"], &[]).unwrap().warnings, [warning]);
    }

    #[test]
    fn no_supported_algorithm_is_an_error() {
        let message = choice(TlsVersion::Tls12, &["TLS_RSA_WITH_RC4_128_SHA"], &[]).unwrap_err();
        assert!(
            message.starts_with(
                "none of the cipher suites TLS_RSA_WITH_RC4_128_SHA is supported: name one of TLS_"
            ),
            "{message}"
        );
        assert_eq!(
            choice(TlsVersion::Tls13, &[], &["CurveP521"]).unwrap_err(),
            "none of the curves CurveP521 is supported: name one of CurveP256, CurveP384, X25519, X25519MLKEM768, \
             or none for the defaults"
        );
    }
}
