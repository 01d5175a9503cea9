//! The container of Thanos beside a server: it answers queries about the server's data and uploads it.

use api_monitoring::pod::Argument;
use api_monitoring::prometheus::thanos::ThanosSpec;
use formats::version::Version;
use k8s_openapi::api::core::v1::{
    Container, ContainerPort, EnvVar, EnvVarSource, SecretKeySelector, Volume, VolumeMount,
};

use super::DATA;
use super::compaction::{self, Compaction, UPLOADED_FILE};
use super::instance::Instance;
use super::pod::PodError;
use super::volumes::data_mount;
use crate::workload::arguments::{self, argument, flag};
use crate::workload::confinement::{self, MESSAGE_POLICY};
use crate::workload::defaults::{self, given};
use crate::workload::image::Image;
use crate::workload::operator::OperatorConfig;
use crate::workload::pod::some;
use crate::workload::{path, thanos, volume};

/// Where the sidecar sees its own configuration.
const DIRECTORY: &str = "/etc/thanos/config";
/// The file that says how the sidecar asks the server.
pub(super) const CLIENT_FILE: &str = "prometheus.http-client-file.yaml";
/// The volume with that file; names of Secrets end with it.
pub(super) const CLIENT_VOLUME: &str = "thanos-prometheus-http-client-file";

/// The container, and the volumes that it needs.
#[derive(Debug)]
pub(super) struct Sidecar {
    pub(super) container: Container,
    pub(super) volumes: Vec<Volume>,
}

/// The name of the Secret that says how the sidecar asks the server.
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
    let mut parts = Parts::new(spec);
    parts.addresses(instance, operator, spec);
    if let Some(tls) = &spec.grpc_server_tls_config {
        parts.arguments.extend(thanos::grpc_tls_arguments(tls, &version));
    }
    parts.uploads(instance, spec, compaction);
    parts.tracing(spec);
    parts.settings(instance, spec, &version);
    parts.client(instance, &version);
    let mut args = vec!["sidecar".to_owned()];
    args.extend(arguments::build(&parts.arguments, &spec.additional_args)?);
    let port = |name: &str, container_port| ContainerPort {
        name: Some(name.into()),
        container_port,
        ..ContainerPort::default()
    };
    let container = Container {
        name: "thanos-sidecar".into(),
        image: Some(image),
        image_pull_policy: given(&instance.spec.image_pull_policy),
        termination_message_policy: Some(MESSAGE_POLICY.into()),
        security_context: Some(confinement::container()),
        ports: Some(vec![port("http", 10902), port("grpc", 10901)]),
        resources: Some(spec.resources.clone()),
        volume_mounts: some(parts.mounts),
        env: some(parts.environment),
        args: Some(args),
        ..Container::default()
    };
    Ok(Sidecar { container, volumes: parts.volumes })
}

fn image(operator: &OperatorConfig, spec: &ThanosSpec) -> Result<String, PodError> {
    let image = Image {
        whole: spec.image.as_deref().unwrap_or_default(),
        base: spec.base_image.as_deref().unwrap_or(&operator.thanos_image),
        version: spec.version.as_deref().unwrap_or(defaults::THANOS_VERSION),
        tag: spec.tag.as_deref().unwrap_or_default(),
        sha: spec.sha.as_deref().unwrap_or_default(),
    };
    image.build().map_err(PodError::ThanosImage)
}

/// What the container is made from.
#[derive(Debug)]
struct Parts {
    arguments: Vec<Argument>,
    environment: Vec<EnvVar>,
    mounts: Vec<VolumeMount>,
    volumes: Vec<Volume>,
}

impl Parts {
    /// With the mounts that the user wants, of which only the place counts.
    fn new(spec: &ThanosSpec) -> Self {
        let mounts = &spec.volume_mounts;
        Self {
            arguments: Vec::new(),
            environment: Vec::new(),
            mounts: mounts.iter().map(|mount| volume::mount(&mount.name, &mount.mount_path)).collect(),
            volumes: Vec::new(),
        }
    }

    fn put(&mut self, name: &str, value: impl Into<String>) {
        self.arguments.push(argument(name, value));
    }

    fn put_text(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.put(name, value);
        }
    }

    /// Where the server is, and where the sidecar listens.
    fn addresses(&mut self, instance: &Instance<'_>, operator: &OperatorConfig, spec: &ThanosSpec) {
        let prefix = path::clean(instance.route_prefix());
        let server = format!("{}://{}:9090{prefix}", instance.scheme(), operator.local_host);
        self.put("prometheus.url", server);
        let host = |local| if local { "127.0.0.1" } else { "" };
        self.put("grpc-address", format!("{}:10901", host(spec.listen_local || spec.grpc_listen_local)));
        self.put("http-address", format!("{}:10902", host(spec.listen_local || spec.http_listen_local)));
    }

    /// Where blocks are uploaded to.
    fn uploads(&mut self, instance: &Instance<'_>, spec: &ThanosSpec, compaction: Compaction) {
        match (&spec.object_storage_config_file, &spec.object_storage_config) {
            (Some(file), _) => self.put("objstore.config-file", file),
            (None, Some(secret)) => self.put_secret("objstore.config", "OBJSTORE_CONFIG", secret),
            (None, None) => return,
        }
        self.put("tsdb.path", DATA);
        self.mounts.push(data_mount(instance));
        if compaction == Compaction::Delayed {
            self.put("shipper.meta-file-name", UPLOADED_FILE);
            self.arguments.push(flag("shipper.ignore-unequal-block-size"));
        }
    }

    /// Where traces are sent.
    fn tracing(&mut self, spec: &ThanosSpec) {
        if !spec.tracing_config_file.is_empty() {
            self.put("tracing.config-file", &spec.tracing_config_file);
        } else if let Some(secret) = &spec.tracing_config {
            self.put_secret("tracing.config", "TRACING_CONFIG", secret);
        }
    }

    /// A setting whose value comes from a Secret.
    fn put_secret(&mut self, name: &str, variable: &str, secret: &SecretKeySelector) {
        self.put(name, format!("$({variable})"));
        let source = EnvVarSource { secret_key_ref: Some(secret.clone()), ..EnvVarSource::default() };
        self.environment.push(EnvVar {
            name: variable.to_owned(),
            value_from: Some(source),
            ..EnvVar::default()
        });
    }

    /// Logs like the server unless the user says otherwise, and times.
    fn settings(&mut self, instance: &Instance<'_>, spec: &ThanosSpec, version: &Version) {
        let or_server =
            |own: &str, server: &str| if own.is_empty() { server.into() } else { String::from(own) };
        self.put_text("log.level", &or_server(&spec.log_level, &instance.spec.log_level));
        self.put_text("log.format", &or_server(&spec.log_format, &instance.spec.log_format));
        self.put_text("min-time", &spec.min_time);
        self.put_text("prometheus.ready_timeout", &spec.ready_timeout);
        if *version >= Version::new(0, 29, 0) {
            self.put_text("prometheus.get_config_timeout", &spec.get_config_timeout);
            self.put_text("prometheus.get_config_interval", &spec.get_config_interval);
        }
    }

    /// How the sidecar asks the server.
    fn client(&mut self, instance: &Instance<'_>, version: &Version) {
        if *version < Version::new(0, 24, 0) {
            return;
        }
        self.put("prometheus.http-client-file", format!("{DIRECTORY}/{CLIENT_FILE}"));
        self.mounts.push(volume::mount(CLIENT_VOLUME, DIRECTORY));
        self.volumes.push(volume::secret(CLIENT_VOLUME, client_secret_name(instance)));
    }
}
