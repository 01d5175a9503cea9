//! How the API server is reached. Without any of these it is that of the pod.

use std::path::PathBuf;

use crate::flags::flag::{Fields, Flag};

/// How the API server is reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cluster {
    /// Who to act as, instead of oneself.
    pub user: Option<String>,
    /// Where the API server is.
    pub server: Option<String>,
    /// The certificate to show to it.
    pub certificate: Option<PathBuf>,
    /// The key of that certificate.
    pub key: Option<PathBuf>,
    /// Who signs the certificate of the API server.
    pub authority: Option<PathBuf>,
    /// Any certificate of the API server will do.
    pub insecure: bool,
}

impl Fields for Cluster {
    const TITLE: &'static str = "API server";
    const FLAGS: &'static [Flag<Self>] = &[
        Flag {
            name: "apiserver",
            help: "Where the API server is, for use outside of a cluster.",
            field: |cluster| &mut cluster.server,
        },
        Flag {
            name: "as",
            help: "A user or service account to act as instead of one's own.",
            field: |cluster| &mut cluster.user,
        },
        Flag {
            name: "cert-file",
            help: "The certificate to show to the API server.",
            field: |cluster| &mut cluster.certificate,
        },
        Flag { name: "key-file", help: "The key of that certificate.", field: |cluster| &mut cluster.key },
        Flag {
            name: "ca-file",
            help: "Who signs the certificate of the API server.",
            field: |cluster| &mut cluster.authority,
        },
        Flag {
            name: "tls-insecure",
            help: "Take any certificate of the API server. Not for production.",
            field: |cluster| &mut cluster.insecure,
        },
    ];
}
