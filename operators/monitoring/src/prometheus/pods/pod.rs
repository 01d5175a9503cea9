//! The pods of a server or agent: the main container, the container that reloads, and what users add.

use std::collections::BTreeMap;

use crate::web::Invalid;
use crate::web::volume_name::NotAVolumeName;
use api_monitoring::pod::Argument;
use k8s_openapi::api::core::v1::{Container, ContainerPort, EnvVar, PodSpec, PodTemplateSpec};

use super::instance::Instance;
use super::probes;
use super::volumes::Volumes;
use super::{CONFIG, CONFIG_FILE, CONFIG_OUT, OUTPUT_FILE};
use crate::workload::arguments::{self, Collision};
use crate::workload::confinement::{self, MESSAGE_POLICY};
use crate::workload::defaults::given;
use crate::workload::image::ImageError;
use crate::workload::labels::Labels;
use crate::workload::merge::{self, MergeError};
use crate::workload::operator::OperatorConfig;
use crate::workload::path;
use crate::workload::pod::{self, some};
use crate::workload::reloader::{Reload, Reloader, Values};

/// How long a server may take to stop: it has much to write.
const GRACE_PERIOD: i64 = 600;

/// Pods that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PodError {
    /// There is no image.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// There is no image of the Thanos sidecar.
    #[error("failed to build image path: {0}")]
    ThanosImage(ImageError),
    /// The version of the Thanos sidecar is none.
    #[error("failed to parse Thanos version: {0}")]
    ThanosVersion(formats::version::NotAVersion),
    /// A volume cannot be named.
    #[error(transparent)]
    VolumeName(#[from] NotAVolumeName),
    /// The web server is protected in a way that cannot be.
    #[error(transparent)]
    Web(#[from] Invalid),
    /// The user sets flags of the operator.
    #[error(transparent)]
    Arguments(#[from] Collision),
    /// The user's init containers cannot be merged.
    #[error("failed to merge init containers spec: {0}")]
    InitContainers(MergeError),
    /// The user's containers cannot be merged.
    #[error("failed to merge containers spec: {0}")]
    Containers(MergeError),
}

/// What differs between servers and agents.
#[derive(Debug, Default)]
pub(crate) struct Draft<'d> {
    /// The image of the main container.
    pub(crate) image: String,
    /// Its flags.
    pub(crate) arguments: Vec<Argument>,
    /// Its environment.
    pub(crate) environment: Vec<EnvVar>,
    /// Volumes, and where containers see them.
    pub(crate) volumes: Volumes,
    /// More containers.
    pub(crate) sidecars: Vec<Container>,
    /// What is filled into the configuration.
    pub(crate) values: Values<'d>,
    /// Labels of the nodes that the pods run on.
    pub(crate) node_selector: BTreeMap<String, String>,
    /// Labels by which the pods are known.
    pub(crate) selector: Labels,
}

/// The pods.
pub(crate) fn build(
    instance: &Instance<'_>,
    operator: &OperatorConfig,
    mut draft: Draft<'_>,
) -> Result<PodTemplateSpec, PodError> {
    let spec = instance.spec;
    let init = reloader(instance, operator, &draft, true);
    let init_containers =
        merge::containers(vec![init], &spec.init_containers).map_err(PodError::InitContainers)?;
    let containers = containers(instance, operator, &mut draft)?;
    let pod = PodSpec {
        share_process_namespace: Some(instance.reloads_by_signal()),
        containers,
        init_containers: some(init_containers),
        security_context: spec.security_context.clone(),
        service_account_name: given(&spec.service_account_name),
        automount_service_account_token: Some(spec.automount_service_account_token.unwrap_or(true)),
        node_selector: (!draft.node_selector.is_empty()).then_some(draft.node_selector),
        scheduler_name: given(&spec.scheduler_name),
        priority_class_name: given(&spec.priority_class_name),
        termination_grace_period_seconds: Some(spec.termination_grace_period_seconds.unwrap_or(GRACE_PERIOD)),
        volumes: some(draft.volumes.of_pod),
        tolerations: some(spec.tolerations.clone()),
        affinity: spec.affinity.clone(),
        topology_spread_constraints: pod::spread(&spec.topology_spread_constraints, &draft.selector),
        host_aliases: pod::host_aliases(&spec.host_aliases),
        host_network: spec.host_network.then_some(true),
        enable_service_links: spec.enable_service_links,
        host_users: spec.host_users,
        dns_policy: pod::dns_policy(spec.dns_policy.as_ref(), spec.host_network),
        dns_config: pod::dns_config(spec.dns_config.as_ref()),
        image_pull_secrets: some(spec.image_pull_secrets.clone()),
        ..PodSpec::default()
    };
    let metadata = instance.pod_metadata(&draft.selector, operator);
    Ok(PodTemplateSpec { metadata: Some(metadata), spec: Some(pod) })
}

fn containers(
    instance: &Instance<'_>,
    operator: &OperatorConfig,
    draft: &mut Draft<'_>,
) -> Result<Vec<Container>, PodError> {
    let args = arguments::build(&draft.arguments, &instance.spec.additional_args)?;
    let mut containers = vec![main(instance, draft, args), reloader(instance, operator, draft, false)];
    containers.append(&mut draft.sidecars);
    merge::containers(containers, &instance.spec.containers).map_err(PodError::Containers)
}

fn main(instance: &Instance<'_>, draft: &mut Draft<'_>, args: Vec<String>) -> Container {
    let spec = instance.spec;
    let probes = probes::build(instance);
    let port = ContainerPort {
        name: Some(instance.port_name().to_owned()),
        container_port: 9090,
        protocol: Some("TCP".into()),
        ..ContainerPort::default()
    };
    Container {
        name: "prometheus".into(),
        image: Some(std::mem::take(&mut draft.image)),
        image_pull_policy: given(&spec.image_pull_policy),
        ports: (!spec.listen_local).then(|| vec![port]),
        args: Some(args),
        env: some(std::mem::take(&mut draft.environment)),
        volume_mounts: some(std::mem::take(&mut draft.volumes.mounts)),
        startup_probe: Some(probes.startup),
        readiness_probe: Some(probes.readiness),
        liveness_probe: Some(probes.liveness),
        resources: Some(spec.resources.clone()),
        termination_message_policy: Some(MESSAGE_POLICY.into()),
        security_context: Some(confinement::container()),
        ..Container::default()
    }
}

/// The container that reloads, before the main one starts or beside it.
fn reloader(instance: &Instance<'_>, operator: &OperatorConfig, draft: &Draft<'_>, init: bool) -> Container {
    let spec = instance.spec;
    let host = format!("{}:9090", operator.local_host);
    let address = |path: &str| {
        let path = path::clean(&format!("{}{path}", instance.route_prefix()));
        path::url(instance.scheme(), &host, &path)
    };
    let by_signal = instance.reloads_by_signal();
    let reload = if init {
        Reload::Never
    } else if by_signal {
        Reload::Signal(address("/api/v1/status/runtimeinfo"))
    } else {
        Reload::Request(address("/-/reload"))
    };
    let listen_local = !init && !by_signal && spec.listen_local;
    let reloader = Reloader {
        init,
        reload,
        config_file: format!("{CONFIG}/{CONFIG_FILE}"),
        output_file: format!("{CONFIG_OUT}/{OUTPUT_FILE}"),
        watched_directories: draft.volumes.watched_directories.clone(),
        web_config_file: if init { String::new() } else { draft.volumes.web_config_file.clone() },
        listen_local: listen_local.then(|| operator.local_host.clone()),
        log_level: &spec.log_level,
        log_format: &spec.log_format,
        image_pull_policy: &spec.image_pull_policy,
        mounts: draft.volumes.reloader_mounts.clone(),
        values: draft.values,
    };
    reloader.build(&operator.reloader)
}
