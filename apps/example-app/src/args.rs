//! The command line. Every option of `serve` and the version can also come from the environment, for images.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::version::Version;

/// A small stateful HTTP service: items by key, one writer, any number of followers.
#[derive(Debug, Parser)]
#[command(
    name = "example-app",
    version,
    after_help = "Versions: 0.0.1, 0.0.2, 0.1.0; broken on purpose: 0.0.2-never-ready, 0.1.0-migration-fails.\nEach version has its own data schema; `example-app migrate` converts the data from one to the next."
)]
pub struct Arguments {
    /// The version to run as: the images of all versions contain the same program.
    #[arg(long, global = true, env = "EXAMPLE_APP_VERSION", default_value = "0.1.0", value_name = "VERSION")]
    pub app_version: Version,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve items over HTTP until SIGTERM or SIGINT.
    Serve(ServeArguments),
    /// Convert a copy of the data to another version's schema, and switch to it by a rename.
    Migrate(MigrateArguments),
    /// Send one GET request to a URL; fails unless the status code is 2xx.
    Check {
        /// For example `http://127.0.0.1:8080/readyz`.
        #[arg(long)]
        url: String,
    },
}

/// The options of `serve`.
#[derive(Debug, Clone, Args)]
pub struct ServeArguments {
    /// The address to listen on.
    #[arg(long, env = "EXAMPLE_APP_LISTEN", default_value = "0.0.0.0:8080")]
    pub listen: SocketAddr,
    /// The directory of the data volume.
    #[arg(long, env = "EXAMPLE_APP_DATA", value_name = "DIR")]
    pub data: PathBuf,
    /// The directory with the files `username` and `password`; read again when they change.
    #[arg(long, env = "EXAMPLE_APP_AUTH_DIRECTORY", value_name = "DIR")]
    pub auth_directory: PathBuf,
    /// A file of feature flags, a JSON object of booleans or lines `name=true`; read again when it changes.
    #[arg(long, env = "EXAMPLE_APP_FEATURES_FILE", value_name = "FILE")]
    pub features_file: Option<PathBuf>,
    /// The name of this replica. The replica whose name ends in 0, or in no number, is the writer; all others follow.
    #[arg(long, env = "HOSTNAME", default_value = "", value_name = "NAME")]
    pub host_name: String,
    /// The URL of the writer, for followers: `http://NAME-0.SERVICE:8080`.
    #[arg(long, env = "EXAMPLE_APP_LEADER_URL", value_name = "URL")]
    pub leader_url: Option<String>,
    /// Seconds that a held write waits before it is refused with 503.
    #[arg(long, env = "EXAMPLE_APP_HOLD_LIMIT", default_value_t = 30, value_name = "SECONDS")]
    pub hold_limit: u64,
    /// Revisions that a follower may be behind and still be ready.
    #[arg(long, env = "EXAMPLE_APP_LAG_LIMIT", default_value_t = 100, value_name = "REVISIONS")]
    pub lag_limit: u64,
    /// Seconds that a follower stays ready without an answer from the writer.
    #[arg(long, env = "EXAMPLE_APP_SILENCE_LIMIT", default_value_t = 300, value_name = "SECONDS")]
    pub silence_limit: u64,
    /// Seconds to finish requests after SIGTERM or SIGINT.
    #[arg(long, env = "EXAMPLE_APP_SHUTDOWN_LIMIT", default_value_t = 20, value_name = "SECONDS")]
    pub shutdown_limit: u64,
}

/// The options of `migrate`.
#[derive(Debug, Args)]
pub struct MigrateArguments {
    /// The directory of the data volume. Hold writes or stop the server before: nothing else may write to it.
    #[arg(long, env = "EXAMPLE_APP_DATA", value_name = "DIR")]
    pub data: PathBuf,
    /// The version whose schema the data get. Default without `--back`: the value of `--app-version`.
    #[arg(long, value_name = "VERSION")]
    pub to: Option<Version>,
    /// Go back to the data that were in use before, and keep what was written since.
    #[arg(long, conflicts_with = "discard")]
    pub back: bool,
    /// With `--back`: use the old data unchanged. What was written since is lost.
    #[arg(long, requires = "back")]
    pub drop_new_writes: bool,
    /// Remove the data that are not in use. `--back` is not possible afterwards.
    #[arg(long, conflicts_with = "to")]
    pub discard: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_valid() {
        super::Arguments::command().debug_assert();
    }
}
