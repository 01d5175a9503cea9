//! How the operator reaches the API server.

use std::path::PathBuf;

use crate::flags::flag::{Flag, Group};

/// How the operator reaches the API server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClusterFlags {
    /// The user or service account to impersonate, if not empty.
    pub user: String,
    /// The address of the API server; if empty, that of the pod's cluster.
    pub server: String,
    /// The client certificate.
    pub certificate: Option<PathBuf>,
    /// The key of the client certificate.
    pub key: Option<PathBuf>,
    /// The certificate authority of the API server.
    pub authority: Option<PathBuf>,
    /// Whether the certificate of the API server is not verified.
    pub insecure: bool,
}

impl ClusterFlags {
    pub(crate) fn group(&mut self) -> Group<'_> {
        let flags = vec![
            Flag::new("apiserver", &mut self.server)
                .help("Address of the API server, for use outside of a cluster."),
            Flag::new("as", &mut self.user).help("User or service account to impersonate."),
            Flag::new("cert-file", &mut self.certificate).help("Client certificate for the API server."),
            Flag::new("key-file", &mut self.key).help("Key of the client certificate."),
            Flag::new("ca-file", &mut self.authority).help("Certificate authority of the API server."),
            Flag::new("tls-insecure", &mut self.insecure)
                .help("Do not verify the certificate of the API server. Not for production."),
        ];
        Group { title: "API server", flags }
    }
}
