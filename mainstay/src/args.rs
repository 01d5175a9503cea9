//! The command line of `mainstay`. Every option can also be set in the environment.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use kernel::object::Key;
use kernel::telemetry::LogFormat;
use product::Product;

use crate::products;

/// Runs Kubernetes operators, or prints what they would do.
#[derive(Debug, Parser)]
#[command(
    name = "mainstay",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Without a command, the operators run until the process receives a signal to stop."
)]
pub struct Arguments {
    /// What to do instead of running operators.
    #[command(subcommand)]
    pub command: Option<OwnCommand>,
    /// How the operators run.
    #[command(flatten)]
    pub run: RunArguments,
}

/// What to do instead of running operators.
#[derive(Debug, Subcommand)]
pub enum OwnCommand {
    /// Print every object that the operators would apply for the resources in files, without a cluster. Objects that the
    /// resources reference (Secrets, ConfigMaps, Namespaces with their labels) are read from the same files. Warnings and
    /// errors go to standard error. If a resource cannot be rendered, the others are, and the exit code is not 0.
    Render(RenderArguments),
    /// Print the CRDs of all resources, for `kubectl apply --server-side -f -`.
    Crds,
}

/// What to render.
#[derive(Debug, Args)]
pub struct RenderArguments {
    /// A file, a directory of `.yaml`, `.yml` and `.json` files, or `-` for standard input. Can be repeated.
    #[arg(short, long, value_name = "FILE|DIR|-", required = true)]
    pub filename: Vec<PathBuf>,
    /// The namespace of resources that specify none.
    #[arg(short, long, default_value = "default")]
    pub namespace: String,
    /// Print only the decoded configuration of one workload. KIND is `prometheus`, `prometheusagent`, `alertmanager` or
    /// `thanosruler`.
    #[arg(long, value_name = "KIND/NAMESPACE/NAME")]
    pub config: Option<String>,
}

impl RunArguments {
    /// The operators to run.
    pub fn operators(&self) -> Vec<&'static Product> {
        if self.operators.is_empty() { products::ALL.to_vec() } else { self.operators.clone() }
    }
}

/// When a change is rolled out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReloaderRollout {
    /// Together with the next change of the pod template.
    Lazy,
    /// Immediately.
    Now,
}

/// How the operators run.
#[derive(Debug, Clone, Args)]
pub struct RunArguments {
    /// The operators to run, all by default. An installation can be split into several with fewer permissions each.
    #[arg(long, env = "MAINSTAY_OPERATORS", value_delimiter = ',', value_parser = products::parser())]
    pub operators: Vec<&'static Product>,
    /// Watch only these namespaces. Namespaced roles are sufficient then.
    #[arg(
        long,
        env = "MAINSTAY_NAMESPACES",
        value_delimiter = ',',
        value_name = "NAME",
        conflicts_with = "deny_namespaces"
    )]
    pub namespaces: Vec<String>,
    /// Watch all namespaces except these.
    #[arg(long, env = "MAINSTAY_DENY_NAMESPACES", value_delimiter = ',', value_name = "NAME")]
    pub deny_namespaces: Vec<String>,
    /// The kubeconfig file. By default, the service account of the pod, or outside of a pod the same file as `kubectl`.
    #[arg(long, env = "MAINSTAY_KUBECONFIG", value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// Print what the operators would write now and which pods would restart, and exit. The API server checks each write
    /// and persists none, so this requires the permissions of the operators. Use the flags that the operators run with.
    /// The Service of `--kubelet-service` is not checked.
    #[arg(long)]
    pub dry_run: bool,
    /// Disable leader election. Only safe if no other process runs the same operators.
    #[arg(long, env = "MAINSTAY_NO_LEADER_ELECTION")]
    pub no_leader_election: bool,
    /// The namespace of the Lease for leader election. By default, the namespace of the pod.
    #[arg(long, env = "MAINSTAY_LEASE_NAMESPACE", value_name = "NAMESPACE")]
    pub lease_namespace: Option<String>,
    /// The name of the Lease for leader election.
    #[arg(long, env = "MAINSTAY_LEASE_NAME", default_value = "mainstay", value_name = "NAME")]
    pub lease_name: String,
    /// Seconds after which another process may take over a Lease that is not renewed.
    #[arg(long, env = "MAINSTAY_LEASE_DURATION", default_value_t = 15, value_name = "SECONDS")]
    pub lease_duration: u64,
    /// The name of this process in the Lease and in events. In a pod, use the name of the pod.
    #[arg(long, env = "POD_NAME", default_value = "mainstay", value_name = "NAME")]
    pub identity: String,
    /// The address of the server for metrics and health.
    #[arg(long, env = "MAINSTAY_LISTEN_ADDRESS", default_value = "0.0.0.0:8080", value_name = "ADDRESS")]
    pub listen_address: SocketAddr,
    /// Serve webhooks on port 9443 for this Service. The process issues and renews their certificates, and stores them in
    /// the Secret with the same name. The API server calls the webhooks once `deploy/webhooks.yaml` is applied.
    #[arg(long, env = "MAINSTAY_WEBHOOK_SERVICE", value_name = "NAMESPACE/NAME")]
    pub webhook_service: Option<Key>,
    /// The log format: `logfmt` or `json`.
    #[arg(long, env = "MAINSTAY_LOG_FORMAT", default_value = "logfmt")]
    pub log_format: LogFormat,
    /// The log level: `error`, `warn`, `info`, `debug`, `trace`, or directives such as `info,kernel=debug`.
    #[arg(long, env = "MAINSTAY_LOG_LEVEL", default_value = "info")]
    pub log_level: String,
    /// Serve the log level on this loopback address: `GET /loglevel` returns it, `PUT /loglevel` sets it until the next
    /// restart. Use `kubectl port-forward` to connect. Not available under the name of the Prometheus Operator.
    #[arg(long, env = "MAINSTAY_LOG_LEVEL_ADDRESS", value_name = "ADDRESS")]
    pub log_level_address: Option<SocketAddr>,
    /// The collector of traces, by OTLP over gRPC, such as `http://collector:4317`. Requires a program that was built with
    /// the cargo feature `otlp`.
    #[arg(long, env = "MAINSTAY_OTLP_ENDPOINT", value_name = "URL")]
    pub otlp_endpoint: Option<String>,
    /// When the pods of monitoring workloads get a new image of the configuration reloader, if nothing else changes.
    #[arg(long, env = "MAINSTAY_RELOADER_ROLLOUT", default_value = "lazy", value_name = "WHEN")]
    pub reloader_rollout: ReloaderRollout,
    /// Minimum seconds between two touches of the pods of a workload. A touch makes the kubelet update mounted
    /// configurations without delay. The first change takes effect immediately, changes within this time take effect
    /// together.
    #[arg(long, env = "MAINSTAY_TOUCH_INTERVAL", default_value_t = 5, value_name = "SECONDS")]
    pub touch_interval: u64,
    /// How many resources of a kind are reconciled concurrently.
    #[arg(long, env = "MAINSTAY_CONCURRENCY", default_value_t = 4, value_name = "NUMBER")]
    pub concurrency: usize,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_definition_of_the_command_line_is_valid() {
        super::Arguments::command().debug_assert();
    }
}
