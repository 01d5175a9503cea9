//! The command line of `mainstay`. Every option can also come from the environment.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use kernel::telemetry::Format;
use product::Product;

use crate::products;
use crate::webhook_service::ServiceName;

/// Runs operators, or shows what they would do.
#[derive(Debug, Parser)]
#[command(
    name = "mainstay",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Without a command it runs the operators until it is told to stop."
)]
pub struct Arguments {
    /// What to do instead of running.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// How to run.
    #[command(flatten)]
    pub run: RunArguments,
}

/// What to do instead of running.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print every object that the operators would apply for the resources in files, without a cluster. What they point
    /// to (Secrets, ConfigMaps, Namespaces with their labels) is read from the same files. What users should know is told
    /// on standard error; if something could not be rendered, the rest is, and the exit code says so.
    Render(RenderArguments),
    /// Print the definitions of all resources, to be piped into `kubectl apply --server-side -f -`.
    Crds,
}

/// What to render.
#[derive(Debug, Args)]
pub struct RenderArguments {
    /// A file, a directory of `.yaml`, `.yml` and `.json` files, or `-` for standard input. Can be given several times.
    #[arg(short, long, value_name = "FILE|DIR|-", required = true)]
    pub filename: Vec<PathBuf>,
    /// The namespace of resources that name none.
    #[arg(short, long, default_value = "default")]
    pub namespace: String,
    /// Print the decoded configuration of one workload and nothing else; its kind is `prometheus`, `prometheusagent`,
    /// `alertmanager` or `thanosruler`.
    #[arg(long, value_name = "KIND/NAMESPACE/NAME")]
    pub config: Option<String>,
}

impl RunArguments {
    /// The operators that run.
    pub fn operators(&self) -> Vec<&'static Product> {
        if self.operators.is_empty() { products::ALL.to_vec() } else { self.operators.clone() }
    }
}

/// When something is rolled out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Rollout {
    /// Together with the next change of the pods.
    Lazy,
    /// At once.
    Now,
}

/// How to run.
#[derive(Debug, Clone, Args)]
pub struct RunArguments {
    /// The operators to run; all if none is named. An install can be split with narrower rights.
    #[arg(long, env = "MAINSTAY_OPERATORS", value_delimiter = ',', value_parser = products::parser())]
    pub operators: Vec<&'static Product>,
    /// Look at these namespaces only: plain Roles suffice.
    #[arg(
        long,
        env = "MAINSTAY_NAMESPACES",
        value_delimiter = ',',
        value_name = "NAME",
        conflicts_with = "deny_namespaces"
    )]
    pub namespaces: Vec<String>,
    /// Look at all namespaces but these.
    #[arg(long, env = "MAINSTAY_DENY_NAMESPACES", value_delimiter = ',', value_name = "NAME")]
    pub deny_namespaces: Vec<String>,
    /// The kubeconfig to use; in a pod the pod's own account, elsewhere what `kubectl` would use.
    #[arg(long, env = "MAINSTAY_KUBECONFIG", value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Print what the operators would write now and which pods would restart for it, and end. The server is asked to check
    /// each write and keeps none, so this takes the rights that the operators have. Give the flags that they run with. The
    /// Service of all kubelets is not looked at.
    #[arg(long)]
    pub dry_run: bool,
    /// Run without asking whether another process leads. For one process only.
    #[arg(long, env = "MAINSTAY_NO_LEADER_ELECTION")]
    pub no_leader_election: bool,
    /// The namespace of the lease; in a pod the pod's own.
    #[arg(long, env = "MAINSTAY_LEASE_NAMESPACE", value_name = "NAMESPACE")]
    pub lease_namespace: Option<String>,
    /// The name of the lease.
    #[arg(long, env = "MAINSTAY_LEASE_NAME", default_value = "mainstay", value_name = "NAME")]
    pub lease_name: String,
    /// Seconds after which another process may take over from one that is silent.
    #[arg(long, env = "MAINSTAY_LEASE_DURATION", default_value_t = 15, value_name = "SECONDS")]
    pub lease_duration: u64,
    /// The name of this process in the lease and in events; in a pod the pod's name.
    #[arg(long, env = "POD_NAME", default_value = "mainstay", value_name = "NAME")]
    pub identity: String,
    /// Where metrics and health are served.
    #[arg(long, env = "MAINSTAY_LISTEN_ADDRESS", default_value = "0.0.0.0:8080", value_name = "ADDRESS")]
    pub listen_address: SocketAddr,
    /// Serve webhooks on port 9443 for this Service, with certificates that are made and renewed by the process and kept in
    /// the Secret of the same name. The API server asks when `deploy/webhooks.yaml` is applied.
    #[arg(long, env = "MAINSTAY_WEBHOOK_SERVICE", value_name = "NAMESPACE/NAME")]
    pub webhook_service: Option<ServiceName>,
    /// How log lines are written: `logfmt` or `json`.
    #[arg(long, env = "MAINSTAY_LOG_FORMAT", default_value = "logfmt")]
    pub log_format: Format,
    /// What is logged: `error`, `warn`, `info`, `debug`, `trace`, or directives such as `info,kernel=debug`.
    #[arg(long, env = "MAINSTAY_LOG_LEVEL", default_value = "info")]
    pub log_level: String,
    /// Serve the log level on this loopback address: `GET /loglevel` reads it, `PUT /loglevel` sets it until the next
    /// restart. Reach it with `kubectl port-forward`. Not available under the name of the Prometheus Operator.
    #[arg(long, env = "MAINSTAY_LOG_LEVEL_ADDRESS", value_name = "ADDRESS")]
    pub log_level_address: Option<SocketAddr>,
    /// Where traces of passes are sent by OTLP over gRPC, such as `http://collector:4317`. Only programs that were built
    /// with the cargo feature `otlp` can do that; others say so and end.
    #[arg(long, env = "MAINSTAY_OTLP_ENDPOINT", value_name = "URL")]
    pub otlp_endpoint: Option<String>,
    /// When pods of monitoring workloads get another image of the reloader, if nothing else of them changes.
    #[arg(long, env = "MAINSTAY_RELOADER_ROLLOUT", default_value = "lazy", value_name = "WHEN")]
    pub reloader_rollout: Rollout,
    /// Least seconds between two touches of a workload's pods, which bring what was written at once. The first change goes
    /// out immediately, those that follow within this time go out together.
    #[arg(long, env = "MAINSTAY_TOUCH_INTERVAL", default_value_t = 5, value_name = "SECONDS")]
    pub touch_interval: u64,
    /// How many resources of a kind are worked on at once.
    #[arg(long, env = "MAINSTAY_CONCURRENCY", default_value_t = 4, value_name = "NUMBER")]
    pub concurrency: usize,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        super::Arguments::command().debug_assert();
    }
}
