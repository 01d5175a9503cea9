//! The pods of an Alertmanager: the main container, the container that reloads, and what users add.

use crate::web::Invalid;
use crate::web::volume_name::NotAVolumeName;
use api_monitoring::alertmanager::AlertmanagerSpec;
use k8s_openapi::api::core::v1::{Container, ContainerPort, PodSpec, PodTemplateSpec};

use super::instance::{Instance, VersionError, version_text};
use super::volumes::{self, Volumes};
use super::{
    CONFIG, CONFIG_FILE, CONFIG_OUT, MESH_PORT, MESH_TCP, MESH_UDP, OUTPUT_FILE, WEB_PORT, arguments, probes,
};
use crate::workload::arguments::Collision;
use crate::workload::confinement::{self, MESSAGE_POLICY};
use crate::workload::defaults::{given, or_default};
use crate::workload::image::{Image, ImageError};
use crate::workload::merge::{self, MergeError};
use crate::workload::operator::OperatorConfig;
use crate::workload::pod::{self, some};
use crate::workload::reloader::{POD_NAME, Reload, Reloader, Values, from_pod};
use crate::workload::statefulset::{GRACE_PERIOD, Surroundings};
use crate::workload::{arguments as command_line, path};

/// Pods that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PodError {
    /// There is no image.
    #[error("failed to build image path: {0}")]
    Image(#[source] ImageError),
    /// The version cannot be read.
    #[error(transparent)]
    Version(#[from] VersionError),
    /// A volume cannot be named.
    #[error(transparent)]
    VolumeName(#[from] NotAVolumeName),
    /// The web server is protected in a way that cannot be.
    #[error(transparent)]
    Web(#[from] Invalid),
    /// The talk between peers is protected in a way that cannot be.
    #[error("failed to create the cluster TLS configuration: {0}")]
    Cluster(#[source] Invalid),
    /// The user sets flags of the operator.
    #[error(transparent)]
    Arguments(#[from] Collision),
    /// The user's containers cannot be merged.
    #[error("failed to merge containers spec: {0}")]
    Containers(#[source] MergeError),
    /// The user's init containers cannot be merged.
    #[error("failed to merge init containers spec: {0}")]
    InitContainers(#[source] MergeError),
}

/// The image of the main container.
pub(super) fn image(spec: &AlertmanagerSpec, operator: &OperatorConfig) -> Result<String, PodError> {
    let image = Image {
        whole: spec.image.as_deref().unwrap_or_default(),
        base: or_default(&spec.base_image, &operator.alertmanager_image),
        version: version_text(spec),
        tag: or_default(&spec.tag, ""),
        sha: or_default(&spec.sha, ""),
    };
    image.build().map_err(PodError::Image)
}

/// The pods, with an image.
pub(super) fn build(
    instance: &Instance<'_>,
    surroundings: Surroundings<'_>,
    image: String,
) -> Result<PodTemplateSpec, PodError> {
    let (spec, operator) = (instance.spec, surroundings.operator);
    let mut volumes = volumes::build(instance, surroundings.tls_secrets)?;
    let mut own = arguments::build(instance, operator);
    own.append(&mut volumes.arguments);
    let args = command_line::build(&own, &spec.additional_args)?;
    let reloaders = [false, true].map(|init| reloader(instance, operator, &volumes, init));
    let [reloader, init_reloader] = reloaders;
    let main = main(instance, image, args, &mut volumes);
    let containers =
        merge::containers(vec![main, reloader], &spec.containers).map_err(PodError::Containers)?;
    let init_containers =
        merge::containers(vec![init_reloader], &spec.init_containers).map_err(PodError::InitContainers)?;
    let pod = PodSpec {
        automount_service_account_token: spec.automount_service_account_token,
        node_selector: (!spec.node_selector.is_empty()).then(|| spec.node_selector.clone()),
        scheduler_name: given(&spec.scheduler_name),
        priority_class_name: given(&spec.priority_class_name),
        termination_grace_period_seconds: Some(spec.termination_grace_period_seconds.unwrap_or(GRACE_PERIOD)),
        init_containers: some(init_containers),
        containers,
        volumes: some(volumes.of_pod),
        service_account_name: given(&spec.service_account_name),
        security_context: spec.security_context.clone(),
        tolerations: some(spec.tolerations.clone()),
        affinity: spec.affinity.clone(),
        topology_spread_constraints: some(spec.topology_spread_constraints.clone()),
        host_aliases: pod::host_aliases(&spec.host_aliases),
        enable_service_links: spec.enable_service_links,
        host_users: spec.host_users,
        host_network: spec.host_network.then_some(true),
        dns_policy: pod::dns_policy(spec.dns_policy.as_ref(), spec.host_network),
        dns_config: pod::dns_config(spec.dns_config.as_ref()),
        ..PodSpec::default()
    };
    Ok(PodTemplateSpec { metadata: Some(instance.pod_metadata(operator)), spec: Some(pod) })
}

fn main(instance: &Instance<'_>, image: String, args: Vec<String>, volumes: &mut Volumes) -> Container {
    let spec = instance.spec;
    let mut environment = vec![from_pod("POD_IP", "status.podIP")];
    if instance.at_least(30) {
        environment.push(from_pod(POD_NAME, "metadata.name"));
    }
    Container {
        name: "alertmanager".into(),
        image: Some(image),
        image_pull_policy: given(&spec.image_pull_policy),
        args: Some(args),
        ports: Some(ports(instance)),
        volume_mounts: some(std::mem::take(&mut volumes.mounts)),
        liveness_probe: probes::liveness(instance),
        readiness_probe: probes::readiness(instance),
        resources: Some(spec.resources.clone()),
        security_context: Some(confinement::container()),
        env: Some(environment),
        termination_message_policy: Some(MESSAGE_POLICY.into()),
        ..Container::default()
    }
}

fn ports(instance: &Instance<'_>) -> Vec<ContainerPort> {
    let port = |name: &str, number, protocol: &str| ContainerPort {
        name: given(name),
        container_port: number,
        protocol: Some(protocol.into()),
        ..ContainerPort::default()
    };
    let web = (!instance.spec.listen_local).then(|| port(&instance.spec.port_name, WEB_PORT, "TCP"));
    let mesh = [port(MESH_TCP, MESH_PORT, "TCP"), port(MESH_UDP, MESH_PORT, "UDP")];
    web.into_iter().chain(mesh).collect()
}

/// The container that reloads, before the main one starts or beside it.
fn reloader(instance: &Instance<'_>, operator: &OperatorConfig, volumes: &Volumes, init: bool) -> Container {
    let spec = instance.spec;
    let mut reloader = Reloader {
        init,
        config_file: format!("{CONFIG}/{CONFIG_FILE}"),
        output_file: format!("{CONFIG_OUT}/{OUTPUT_FILE}"),
        watched_directories: volumes.watched_directories.clone(),
        log_level: &spec.log_level,
        log_format: &spec.log_format,
        image_pull_policy: &spec.image_pull_policy,
        mounts: volumes.reloader_mounts.clone(),
        values: Values { shard: Some(-1), ..Values::default() },
        ..Reloader::default()
    };
    if !init {
        let scheme = if instance.has_tls() { "https" } else { "http" };
        let host = format!("{}:{WEB_PORT}", operator.local_host);
        let path = path::clean(&format!("{}/-/reload", instance.route_prefix()));
        reloader.reload = Reload::Request(path::url(scheme, &host, &path));
        reloader.listen_local = spec.listen_local.then(|| operator.local_host.clone());
        reloader.web_config_file.clone_from(&volumes.web_config_file);
    }
    reloader.build(&operator.reloader)
}
