//! Why a command line is refused, in the words of the peer and of Go.

use go_syntax::quoted::Quoted;

use crate::flags::tls::TlsError;

/// Why a command line is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An argument begins as a flag does and is none.
    #[error("bad flag syntax: {0}")]
    Syntax(String),
    /// There is no such flag.
    #[error("flag provided but not defined: -{0}")]
    Undefined(String),
    /// The value of the last flag is missing.
    #[error("flag needs an argument: -{0}")]
    Incomplete(String),
    /// What is written behind a flag cannot be its value.
    #[error("invalid value {} for flag -{flag}: {problem}", Quoted(.value))]
    Value {
        /// Name of the flag.
        flag: String,
        /// What is written.
        value: String,
        /// What is wrong with it.
        problem: String,
    },
    /// What is written behind a flag is neither true nor false.
    #[error("invalid boolean value {} for -{flag}: parse error", Quoted(.value))]
    Switch {
        /// Name of the flag.
        flag: String,
        /// What is written.
        value: String,
    },
    /// There is no such command.
    #[error("Unknown command: {0}\nAvailable commands: crds, full-crds, start")]
    Command(String),
    /// A value can be read, and nothing can start with it; the words name the flag.
    #[error("{0}")]
    Start(String),
    /// Namespaces are both picked and left out.
    #[error(
        "-namespaces and -deny-namespaces: allow and deny lists are mutually exclusive, only one should be provided"
    )]
    Namespaces,
    /// Kubelets cannot be looked at without a pause.
    #[error("-kubelet-sync-period must be longer than nothing when -kubelet-service is given")]
    SyncPeriod,
    /// The web server cannot be protected as asked.
    #[error("failed to create TLS configuration: {0}")]
    Tls(#[from] TlsError),
}

impl Error {
    /// What the program ends with.
    pub fn exit_code(&self) -> u8 {
        if self.is_usage() { 2 } else { 1 }
    }

    /// Whether the help is shown behind the error.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Syntax(_)
            | Self::Undefined(_)
            | Self::Incomplete(_)
            | Self::Value { .. }
            | Self::Switch { .. } => true,
            Self::Command(_) | Self::Start(_) | Self::Namespaces | Self::SyncPeriod | Self::Tls(_) => false,
        }
    }
}
