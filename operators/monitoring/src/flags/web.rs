//! The web server: metrics, health, admission.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use crate::flags::flag::{Fields, Flag};

/// The web server. The names of versions, cipher suites and curves are as they are written: [`Web::tls`] says what they
/// mean, and only if TLS is on are they looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Web {
    /// Host and port; without a host, all addresses of the machine.
    pub listen_address: String,
    /// Whether HTTP/2 is spoken.
    pub http2: bool,
    /// Whether TLS is spoken.
    pub enable_tls: bool,
    /// The certificate.
    pub certificate: Option<PathBuf>,
    /// The key of the certificate.
    pub key: Option<PathBuf>,
    /// Who signs the certificates of clients.
    pub client_authority: Option<PathBuf>,
    /// How long until the files are looked at again.
    pub reload_interval: Duration,
    /// The oldest version of TLS.
    pub min_version: String,
    /// The cipher suites of TLS 1.2; empty for the usual ones.
    pub cipher_suites: BTreeSet<String>,
    /// The curves; empty for the usual ones.
    pub curves: BTreeSet<String>,
}

impl Web {
    /// What holds unless flags say otherwise.
    pub(crate) fn new(listen_address: &str, enable_tls: bool) -> Self {
        let file = |name: &str| Some(PathBuf::from("/etc/tls/private").join(name));
        Self {
            listen_address: listen_address.to_owned(),
            http2: false,
            enable_tls,
            certificate: file("tls.crt"),
            key: file("tls.key"),
            client_authority: file("tls-ca.crt"),
            reload_interval: Duration::from_mins(1),
            min_version: "VersionTLS13".to_owned(),
            cipher_suites: BTreeSet::new(),
            curves: BTreeSet::new(),
        }
    }
}

impl Fields for Web {
    const TITLE: &'static str = "Web server";
    const FLAGS: &'static [Flag<Self>] = &[
        Flag {
            name: "web.listen-address",
            help: "Host and port; without a host, all addresses of the machine.",
            field: |web| &mut web.listen_address,
        },
        Flag { name: "web.enable-http2", help: "Speak HTTP/2.", field: |web| &mut web.http2 },
        Flag { name: "web.enable-tls", help: "Speak TLS.", field: |web| &mut web.enable_tls },
        Flag { name: "web.cert-file", help: "The certificate.", field: |web| &mut web.certificate },
        Flag { name: "web.key-file", help: "The key of the certificate.", field: |web| &mut web.key },
        Flag {
            name: "web.client-ca-file",
            help: "Who signs the certificates of clients. If there is no such file, clients need none.",
            field: |web| &mut web.client_authority,
        },
        Flag {
            name: "web.tls-reload-interval",
            help: "How long until the files are looked at again.",
            field: |web| &mut web.reload_interval,
        },
        Flag {
            name: "web.tls-min-version",
            help: "The oldest version of TLS: VersionTLS12 or VersionTLS13.",
            field: |web| &mut web.min_version,
        },
        Flag {
            name: "web.tls-cipher-suites",
            help: "The cipher suites of TLS 1.2, as Go names them; those of TLS 1.3 are fixed.",
            field: |web| &mut web.cipher_suites,
        },
        Flag {
            name: "web.tls-curves",
            help: "The curves: CurveP256, CurveP384, CurveP521, X25519, X25519MLKEM768.",
            field: |web| &mut web.curves,
        },
    ];
}
