//! The Thanos sidecar of a server: it answers queries about the data of the server and uploads the data.

use api_monitoring::prometheus::thanos::ThanosSpec;
use k8s_openapi::api::core::v1::{
    Container, ContainerPort, EnvVar, EnvVarSource, SecretKeySelector, Volume, VolumeMount,
};

use super::DATA;
use super::compaction::{self, Compaction, UPLOADED_FILE};
use super::volumes::data_mount;
use crate::prometheus::Instance;
use crate::workload::arguments::{self, FlagVersions, Flags, since};
use crate::workload::container::restricted;
use crate::workload::defaults::{self, or_default};
use crate::workload::image::Image;
use crate::workload::operator::OperatorConfig;
use crate::workload::pod::{PodError, some};
use crate::workload::{path, thanos, volume};

/// The flags that not every version has.
const VERSIONS: &[FlagVersions] = &[
    since("prometheus.http-client-file", 0, 24),
    since("prometheus.get_config_timeout", 0, 29),
    since("prometheus.get_config_interval", 0, 29),
];

/// The directory of the configuration of the sidecar.
const DIRECTORY: &str = "/etc/thanos/config";
/// The file that configures the connections of the sidecar to the server.
pub(super) const CLIENT_FILE: &str = "prometheus.http-client-file.yaml";
/// The volume with that file, and the suffix of the name of its Secret.
pub(super) const CLIENT_VOLUME: &str = "thanos-prometheus-http-client-file";

/// The container, and the volumes that it needs.
#[derive(Debug)]
pub(super) struct Sidecar {
    pub(super) container: Container,
    pub(super) volumes: Vec<Volume>,
}

/// The name of the Secret with that file.
pub(super) fn client_secret_name(instance: &Instance<'_>) -> String {
    format!("{}-{CLIENT_VOLUME}", instance.object_name())
}

/// The sidecar.
pub(super) fn build(
    instance: &Instance<'_>,
    operator: &OperatorConfig,
    spec: &ThanosSpec,
    compaction: Compaction,
) -> Result<Sidecar, PodError> {
    let image = image(operator, spec)?;
    let version = compaction::thanos_version(spec).map_err(PodError::ThanosVersion)?;
    let mut parts = Parts {
        flags: Flags::new(&version, VERSIONS),
        environment: Vec::new(),
        mounts: spec.volume_mounts.iter().map(|one| volume::mount(&one.name, &one.mount_path)).collect(),
    };
    parts.addresses(instance, operator, spec);
    if let Some(tls) = &spec.grpc_server_tls_config {
        parts.flags.arguments.extend(thanos::grpc_tls_arguments(tls, &version));
    }
    parts.uploads(instance, spec, compaction);
    parts.tracing(spec);
    parts.settings(instance, spec);
    let volumes = parts.client(instance);
    let mut args = vec!["sidecar".to_owned()];
    args.extend(arguments::build(&parts.flags.arguments, &spec.additional_args)?);
    let port = |name: &str, container_port| ContainerPort {
        name: Some(name.into()),
        container_port,
        ..ContainerPort::default()
    };
    let container = Container {
        ports: Some(vec![port("http", 10902), port("grpc", 10901)]),
        resources: Some(spec.resources.clone()),
        volume_mounts: some(parts.mounts),
        env: some(parts.environment),
        args: Some(args),
        ..restricted("thanos-sidecar", &image, &instance.workload.image_pull_policy)
    };
    Ok(Sidecar { container, volumes })
}

fn image(operator: &OperatorConfig, spec: &ThanosSpec) -> Result<String, PodError> {
    let image = Image {
        whole: spec.image.as_deref().unwrap_or_default(),
        base: spec.base_image.as_deref().unwrap_or(&operator.thanos_image),
        version: spec.version.as_deref().unwrap_or(defaults::THANOS_VERSION),
        tag: spec.tag.as_deref().unwrap_or_default(),
        sha: spec.sha.as_deref().unwrap_or_default(),
    };
    image.build().map_err(PodError::ImagePath)
}

/// What the container is made from.
#[derive(Debug)]
struct Parts<'v> {
    flags: Flags<'v>,
    environment: Vec<EnvVar>,
    mounts: Vec<VolumeMount>,
}

impl Parts<'_> {
    /// The address of the server, and those that the sidecar listens on.
    fn addresses(&mut self, instance: &Instance<'_>, operator: &OperatorConfig, spec: &ThanosSpec) {
        let prefix = path::clean(instance.route_prefix());
        let scheme = if instance.has_tls() { "https" } else { "http" };
        let server = format!("{scheme}://{}:9090{prefix}", operator.local_host);
        self.flags.put("prometheus.url", server);
        let host = |local| if local { "127.0.0.1" } else { "" };
        self.flags
            .put("grpc-address", format!("{}:10901", host(spec.listen_local || spec.grpc_listen_local)));
        self.flags
            .put("http-address", format!("{}:10902", host(spec.listen_local || spec.http_listen_local)));
    }

    /// The upload of blocks.
    fn uploads(&mut self, instance: &Instance<'_>, spec: &ThanosSpec, compaction: Compaction) {
        match (&spec.object_storage_config_file, &spec.object_storage_config) {
            (Some(file), _) => self.flags.put("objstore.config-file", file),
            (None, Some(secret)) => self.put_secret("objstore.config", "OBJSTORE_CONFIG", secret),
            (None, None) => return,
        }
        self.flags.put("tsdb.path", DATA);
        self.mounts.push(data_mount(instance));
        if compaction == Compaction::Delayed {
            self.flags.put("shipper.meta-file-name", UPLOADED_FILE);
            self.flags.flag("shipper.ignore-unequal-block-size");
        }
    }

    /// Traces.
    fn tracing(&mut self, spec: &ThanosSpec) {
        if !spec.tracing_config_file.is_empty() {
            self.flags.put("tracing.config-file", &spec.tracing_config_file);
        } else if let Some(secret) = &spec.tracing_config {
            self.put_secret("tracing.config", "TRACING_CONFIG", secret);
        }
    }

    /// A flag whose value comes from a Secret.
    fn put_secret(&mut self, name: &str, variable: &str, secret: &SecretKeySelector) {
        self.flags.put(name, format!("$({variable})"));
        let source = EnvVarSource { secret_key_ref: Some(secret.clone()), ..EnvVarSource::default() };
        self.environment.push(EnvVar {
            name: variable.to_owned(),
            value_from: Some(source),
            ..EnvVar::default()
        });
    }

    /// Logs, by default as the server logs, and times.
    fn settings(&mut self, instance: &Instance<'_>, spec: &ThanosSpec) {
        let flags = &mut self.flags;
        flags.put_text("log.level", or_default(&spec.log_level, &instance.workload.log_level));
        flags.put_text("log.format", or_default(&spec.log_format, &instance.workload.log_format));
        flags.put_text("min-time", &spec.min_time);
        flags.put_text("prometheus.ready_timeout", &spec.ready_timeout);
        flags.put_text("prometheus.get_config_timeout", &spec.get_config_timeout);
        flags.put_text("prometheus.get_config_interval", &spec.get_config_interval);
    }

    /// How the sidecar connects to the server, if the version reads a file for it. Returns the volume with the file.
    fn client(&mut self, instance: &Instance<'_>) -> Vec<Volume> {
        let flag = "prometheus.http-client-file";
        if !self.flags.has(flag) {
            return Vec::new();
        }
        self.flags.put(flag, format!("{DIRECTORY}/{CLIENT_FILE}"));
        self.mounts.push(volume::mount(CLIENT_VOLUME, DIRECTORY));
        vec![volume::secret(CLIENT_VOLUME, &client_secret_name(instance))]
    }
}
