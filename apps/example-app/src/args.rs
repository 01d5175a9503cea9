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
    after_help = "Versions: 0.0.1, 0.0.2, 0.1.0; broken on purpose: 0.0.2-never-ready, 0.1.0-migration-fails.\nThe data of each version differ; `example-app migrate` goes from one to the next."
)]
pub struct Arguments {
    /// The version to be: images of all versions hold the same program.
    #[arg(long, global = true, env = "EXAMPLE_APP_VERSION", default_value = "0.1.0", value_name = "VERSION")]
    pub app_version: Version,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve items over HTTP until a signal comes.
    Serve(ServeArguments),
    /// Bring the data to another version's schema, on a copy, and switch by a rename.
    Migrate(MigrateArguments),
    /// Ask an address once; fails unless the answer is 200.
    Check {
        /// For example `http://127.0.0.1:8080/readyz`.
        #[arg(long)]
        url: String,
    },
}

/// How to serve.
#[derive(Debug, Clone, Args)]
pub struct ServeArguments {
    /// Where to listen.
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
    /// The name of this replica: the number it ends in decides, 0 (or none) writes, any other follows.
    #[arg(long, env = "HOSTNAME", default_value = "", value_name = "NAME")]
    pub host_name: String,
    /// Where the writer is, for followers: `http://NAME-0.SERVICE:8080`.
    #[arg(long, env = "EXAMPLE_APP_LEADER_URL", value_name = "URL")]
    pub leader_url: Option<String>,
    /// Seconds that a held write waits before it is refused with 503.
    #[arg(long, env = "EXAMPLE_APP_HOLD_LIMIT", default_value_t = 30, value_name = "SECONDS")]
    pub hold_limit: u64,
    /// Revisions that a follower may be behind and still be ready.
    #[arg(long, env = "EXAMPLE_APP_LAG_LIMIT", default_value_t = 100, value_name = "REVISIONS")]
    pub lag_limit: u64,
    /// Seconds that a follower stays ready without a word from the writer.
    #[arg(long, env = "EXAMPLE_APP_SILENCE_LIMIT", default_value_t = 300, value_name = "SECONDS")]
    pub silence_limit: u64,
    /// Seconds to finish requests after a signal.
    #[arg(long, env = "EXAMPLE_APP_SHUTDOWN_LIMIT", default_value_t = 20, value_name = "SECONDS")]
    pub shutdown_limit: u64,
}

/// How to migrate.
#[derive(Debug, Args)]
pub struct MigrateArguments {
    /// The directory of the data volume. Nobody may write to it meanwhile: hold writes, or stop the server.
    #[arg(long, env = "EXAMPLE_APP_DATA", value_name = "DIR")]
    pub data: PathBuf,
    /// The version whose schema is wanted; without `--back` and this, the version that this program is.
    #[arg(long, value_name = "VERSION")]
    pub to: Option<Version>,
    /// Go back to the data in use before, and take along what was written since.
    #[arg(long, conflicts_with = "discard")]
    pub back: bool,
    /// With `--back`: use the old data exactly as they were. What was written since is lost.
    #[arg(long, requires = "back")]
    pub drop_new_writes: bool,
    /// Remove the data that are not in use. There is no way back afterwards.
    #[arg(long, conflicts_with = "to")]
    pub discard: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        super::Arguments::command().debug_assert();
    }
}
