//! The container that expands a configuration, watches it and triggers a reload of its application.

use k8s_openapi::api::core::v1::{Container, EnvVar, Probe, VolumeMount};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::workload::container::{POD_NAME, exec_probe, from_pod, http_probe, restricted, tcp_port};
use crate::workload::operator::ReloaderConfig;
use crate::workload::path;
use crate::workload::pod::some;

/// The container that runs beside the application.
pub const NAME: &str = "config-reloader";
/// The container that runs before the application.
pub const INIT_NAME: &str = "init-config-reloader";

const PORT: i32 = 8080;
/// Another port, because the API server warns if two containers of a pod have the same one.
const INIT_PORT: i32 = 8081;

/// The settings of the reloader. Empty texts set no flag.
#[derive(Debug, Clone, Default)]
pub struct Reloader<'r> {
    /// Whether it expands the configuration once, before the application starts.
    pub init: bool,
    /// How it triggers a reload.
    pub reload: Reload,
    /// The configuration, before variables are expanded.
    pub config_file: String,
    /// The configuration with expanded variables.
    pub output_file: String,
    /// Directories with other files of the application.
    pub watched_directories: Vec<String>,
    /// The web configuration file of its own web server.
    pub web_config_file: String,
    /// The host whose address it listens on, if not on all.
    pub listen_local: Option<String>,
    /// Level of its log.
    pub log_level: &'r str,
    /// Format of its log.
    pub log_format: &'r str,
    /// When its image is pulled.
    pub image_pull_policy: &'r str,
    /// Its volume mounts.
    pub mounts: Vec<VolumeMount>,
    /// The values of the variables.
    pub values: Values<'r>,
}

/// How a reload of an application is triggered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Reload {
    /// Not at all.
    #[default]
    Never,
    /// By a request to this address.
    Request(String),
    /// By a signal; this address answers whether it was received.
    Signal(String),
}

/// The values of the variables of a configuration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Values<'r> {
    /// The name of the node.
    pub node: bool,
    /// The number of the shard.
    pub shard: Option<i32>,
    /// The zone of the shard; empty, if it has none.
    pub zone: &'r str,
    /// The number of the shard within its zone.
    pub shard_in_zone: Option<i32>,
}

impl Reloader<'_> {
    /// The container.
    pub fn build(self, config: &ReloaderConfig) -> Container {
        let probe = (!self.init && config.probes).then(|| self.probe());
        let (name, port) = if self.init { (INIT_NAME, "reloader-init") } else { (NAME, "reloader-web") };
        Container {
            env: Some(self.values.environment()),
            command: Some(vec!["/bin/prometheus-config-reloader".into()]),
            args: Some(self.arguments()),
            ports: self.listen_local.is_none().then(|| vec![tcp_port(port, self.port())]),
            volume_mounts: some(self.mounts),
            resources: Some(config.resources()),
            liveness_probe: probe.clone(),
            readiness_probe: probe.clone(),
            startup_probe: probe,
            ..restricted(name, &config.image, self.image_pull_policy)
        }
    }

    /// The port that it listens on. Ports on the loopback address are not declared, so they cannot collide.
    fn port(&self) -> i32 {
        if self.init && self.listen_local.is_none() { INIT_PORT } else { PORT }
    }

    fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        let mut put = |flag: &str, value: &str| {
            if !value.is_empty() {
                arguments.push(format!("--{flag}={value}"));
            }
        };
        if self.init {
            put("watch-interval", "0");
        }
        let host = self.listen_local.as_deref().unwrap_or_default();
        put("listen-address", &format!("{host}:{}", self.port()));
        put("web-config-file", &self.web_config_file);
        match &self.reload {
            Reload::Never => {}
            Reload::Request(url) => put("reload-url", url),
            Reload::Signal(url) => {
                put("reload-method", "signal");
                put("runtimeinfo-url", url);
            }
        }
        put("config-file", &self.config_file);
        put("config-envsubst-file", &self.output_file);
        self.watched_directories.iter().for_each(|directory| put("watched-dir", directory));
        // Otherwise the reloader would notice a change only after the watch interval of several minutes.
        let own = path::directory(&self.config_file);
        if !self.config_file.is_empty() && !self.watched_directories.contains(&own) {
            put("watched-dir", &own);
        }
        put("log-level", if self.log_level == "info" { "" } else { self.log_level });
        put("log-format", if self.log_format == "logfmt" { "" } else { self.log_format });
        arguments
    }

    fn probe(&self) -> Probe {
        if self.listen_local.is_some() {
            exec_probe(&path::url("http", &format!("localhost:{PORT}"), "/healthz"))
        } else {
            http_probe("/healthz", IntOrString::Int(PORT), false)
        }
    }
}

impl Values<'_> {
    fn environment(&self) -> Vec<EnvVar> {
        let mut environment = vec![from_pod(POD_NAME, "metadata.name")];
        if self.node {
            environment.push(from_pod("NODE_NAME", "spec.nodeName"));
        }
        let mut put = |name: &str, value: String| {
            environment.push(EnvVar { name: name.into(), value: Some(value), ..EnvVar::default() });
        };
        if let Some(shard) = self.shard {
            put("SHARD", shard.to_string());
        }
        if !self.zone.is_empty() {
            put("TOPOLOGY_ZONE", self.zone.into());
        }
        if let Some(shard) = self.shard_in_zone {
            put("INZONE_SHARD", shard.to_string());
        }
        environment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(reloader: Reloader<'_>) -> Vec<String> {
        reloader.build(&ReloaderConfig::default()).args.unwrap_or_default()
    }

    #[test]
    fn the_directory_of_the_configuration_is_watched_once() {
        let reloader = Reloader {
            config_file: "/etc/config/file.gz".into(),
            watched_directories: vec!["/etc/config".into(), "/etc/rules".into()],
            ..Reloader::default()
        };
        assert_eq!(
            arguments(reloader),
            [
                "--listen-address=:8080",
                "--config-file=/etc/config/file.gz",
                "--watched-dir=/etc/config",
                "--watched-dir=/etc/rules"
            ]
        );
    }

    #[test]
    fn a_signal_needs_no_reload_url() {
        let reloader = Reloader {
            reload: Reload::Signal("http://localhost/info".into()),
            log_level: "debug",
            log_format: "logfmt",
            ..Reloader::default()
        };
        assert_eq!(
            arguments(reloader),
            [
                "--listen-address=:8080",
                "--reload-method=signal",
                "--runtimeinfo-url=http://localhost/info",
                "--log-level=debug"
            ]
        );
    }

    #[test]
    fn an_init_container_on_the_loopback_address_has_no_port_of_its_own() {
        let reloader = Reloader { init: true, listen_local: Some("localhost".into()), ..Reloader::default() };
        let built = reloader.build(&ReloaderConfig { probes: true, ..ReloaderConfig::default() });
        assert_eq!(built.name, INIT_NAME);
        assert_eq!((built.ports, built.liveness_probe), (None, None));
        assert_eq!(built.args.unwrap_or_default(), ["--watch-interval=0", "--listen-address=localhost:8080"]);
    }

    #[test]
    fn all_variables_are_set_in_order() {
        let values = Values { node: true, shard: Some(-1), zone: "a", shard_in_zone: Some(2) };
        let value = |name: &str, value: &str| EnvVar {
            name: name.into(),
            value: Some(value.into()),
            ..EnvVar::default()
        };
        assert_eq!(
            values.environment(),
            [
                from_pod("POD_NAME", "metadata.name"),
                from_pod("NODE_NAME", "spec.nodeName"),
                value("SHARD", "-1"),
                value("TOPOLOGY_ZONE", "a"),
                value("INZONE_SHARD", "2"),
            ]
        );
    }
}
