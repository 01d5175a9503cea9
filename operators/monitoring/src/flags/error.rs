//! Why a command line is rejected, in the words of the peer and of Go.

use go_syntax::quoted::Quoted;

use crate::flags::tls::TlsError;

/// Why a command line is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FlagError {
    /// An argument starts like a flag but is none.
    #[error("bad flag syntax: {0}")]
    Syntax(String),
    /// There is no such flag.
    #[error("flag provided but not defined: -{0}")]
    Undefined(String),
    /// The value of the last flag is missing.
    #[error("flag needs an argument: -{0}")]
    Incomplete(String),
    /// The value of a flag cannot be parsed.
    #[error("invalid value {} for flag -{flag}: {problem}", Quoted(.value))]
    Value {
        /// The name of the flag.
        flag: String,
        /// Its value.
        value: String,
        /// What is wrong with the value.
        problem: String,
    },
    /// The value of a switch is neither true nor false.
    #[error("invalid boolean value {} for -{flag}: parse error", Quoted(.value))]
    Switch {
        /// The name of the flag.
        flag: String,
        /// Its value.
        value: String,
    },
    /// There is no such command.
    #[error("Unknown command: {0}\nAvailable commands: crds, full-crds, start")]
    Command(String),
    /// The program cannot start with a value; the text names the flag.
    #[error("{0}")]
    Start(String),
    /// Namespaces are both allowed and denied.
    #[error(
        "-namespaces and -deny-namespaces: allow and deny lists are mutually exclusive, only one should be provided"
    )]
    Namespaces,
    /// Nodes cannot be listed without a pause.
    #[error("-kubelet-sync-period must be longer than zero when -kubelet-service is given")]
    SyncPeriod,
    /// The TLS flags of the web server contradict each other, or name something unknown.
    #[error("failed to create TLS configuration: {0}")]
    Tls(#[from] TlsError),
}

impl FlagError {
    /// A switch with a value that is neither true nor false.
    pub(crate) fn switch(flag: &str, value: &str) -> Self {
        Self::Switch { flag: flag.to_owned(), value: value.to_owned() }
    }
}
