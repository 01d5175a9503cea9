//! The web server: metrics, health, admission.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use crate::flags::flag::{Flag, Group};

/// The web server. The names of versions, cipher suites and curves are as they are written: [`WebFlags::tls`] checks them, and
/// only if TLS is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebFlags {
    /// Host and port; without a host, all addresses of the machine.
    pub listen_address: String,
    /// Whether HTTP/2 is enabled.
    pub http2: bool,
    /// Whether TLS is enabled.
    pub enable_tls: bool,
    /// The server certificate.
    pub certificate: Option<PathBuf>,
    /// The key of the server certificate.
    pub key: Option<PathBuf>,
    /// The certificate authority of clients.
    pub client_authority: Option<PathBuf>,
    /// The interval at which the files are read again.
    pub reload_interval: Duration,
    /// The minimum version of TLS.
    pub min_version: String,
    /// The cipher suites of TLS 1.2; empty for the defaults.
    pub cipher_suites: BTreeSet<String>,
    /// The curves; empty for the defaults.
    pub curves: BTreeSet<String>,
}

impl WebFlags {
    /// The defaults, which differ between the programs in address and TLS.
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

    pub(crate) fn group(&mut self) -> Group<'_> {
        let flags = vec![
            Flag::new("web.listen-address", &mut self.listen_address)
                .help("Host and port to listen on; without a host, all addresses of the machine."),
            Flag::new("web.enable-http2", &mut self.http2).help("Enable HTTP/2."),
            Flag::new("web.enable-tls", &mut self.enable_tls).help("Enable TLS."),
            Flag::new("web.cert-file", &mut self.certificate).help("Server certificate."),
            Flag::new("web.key-file", &mut self.key).help("Key of the server certificate."),
            Flag::new("web.client-ca-file", &mut self.client_authority).help(
                "Certificate authority of clients. If the file does not exist, clients need no certificate.",
            ),
            Flag::new("web.tls-reload-interval", &mut self.reload_interval)
                .help("Interval at which the certificates are reloaded."),
            Flag::new("web.tls-min-version", &mut self.min_version)
                .help("Minimum version of TLS: VersionTLS12 or VersionTLS13."),
            Flag::new("web.tls-cipher-suites", &mut self.cipher_suites)
                .help("Cipher suites of TLS 1.2, by their names in Go. Those of TLS 1.3 are fixed."),
            Flag::new("web.tls-curves", &mut self.curves)
                .help("Curves: CurveP256, CurveP384, CurveP521, X25519, X25519MLKEM768."),
        ];
        Group { title: "Web server", flags }
    }
}
