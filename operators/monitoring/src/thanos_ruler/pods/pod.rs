//! The pods of a Thanos Ruler: the main container, the container that reloads if there are rules, and what users add.

use crate::web::Invalid;
use k8s_openapi::api::core::v1::{Container, ContainerPort, PodSpec, PodTemplateSpec};

use super::instance::{Instance, VersionError, version_text};
use super::volumes::Volumes;
use super::{GRPC_PORT, WEB_PORT, arguments};
use crate::workload::arguments::{self as command_line, Collision};
use crate::workload::confinement::{self, MESSAGE_POLICY};
use crate::workload::defaults::{self, given, or_default};
use crate::workload::image::{Image, ImageError};
use crate::workload::merge::{self, MergeError};
use crate::workload::operator::OperatorConfig;
use crate::workload::path;
use crate::workload::pod::{self, some};
use crate::workload::reloader::{POD_NAME, Reload, Reloader, Values, from_pod};
use crate::workload::statefulset::{GRACE_PERIOD, Surroundings};

/// Pods that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PodError {
    /// Nobody would answer queries.
    #[error("{0}: thanos ruler requires query config or at least one query endpoint to be specified")]
    NoQuery(String),
    /// The version cannot be read.
    #[error(transparent)]
    Version(#[from] VersionError),
    /// There is no image.
    #[error("failed to build image path: {0}")]
    Image(#[source] ImageError),
    /// The user sets flags of the operator.
    #[error(transparent)]
    Arguments(#[from] Collision),
    /// The web server is protected in a way that cannot be.
    #[error(transparent)]
    Web(#[from] Invalid),
    /// The user's containers cannot be merged.
    #[error("failed to merge containers spec: {0}")]
    Containers(#[source] MergeError),
}

/// The pods.
pub(super) fn build(
    instance: &Instance<'_>,
    surroundings: Surroundings<'_>,
    rule_config_maps: &[String],
) -> Result<PodTemplateSpec, PodError> {
    let (spec, operator) = (instance.spec, surroundings.operator);
    let image = image(instance, operator)?;
    let mut volumes = Volumes::default();
    let own = arguments::build(instance, &mut volumes);
    let mut args = vec!["rule".to_owned()];
    args.append(&mut command_line::build(&own, &spec.additional_args)?);
    volumes.put_rest(instance, surroundings.tls_secrets, rule_config_maps)?;
    if !volumes.web_config_file.is_empty() {
        args.push(format!("--http.config={}", volumes.web_config_file));
    }
    let mut containers = vec![main(instance, image, args, &mut volumes)];
    if !rule_config_maps.is_empty() {
        containers.push(reloader(instance, operator, &mut volumes));
    }
    let containers = merge::containers(containers, &spec.containers).map_err(PodError::Containers)?;
    let pod = PodSpec {
        node_selector: (!spec.node_selector.is_empty()).then(|| spec.node_selector.clone()),
        scheduler_name: given(&spec.scheduler_name),
        priority_class_name: given(&spec.priority_class_name),
        service_account_name: given(&spec.service_account_name),
        termination_grace_period_seconds: Some(spec.termination_grace_period_seconds.unwrap_or(GRACE_PERIOD)),
        containers,
        init_containers: some(spec.init_containers.clone()),
        volumes: some(volumes.of_pod),
        security_context: spec.security_context.clone(),
        tolerations: some(spec.tolerations.clone()),
        affinity: spec.affinity.clone(),
        topology_spread_constraints: some(spec.topology_spread_constraints.clone()),
        host_aliases: pod::host_aliases(&spec.host_aliases),
        enable_service_links: spec.enable_service_links,
        host_users: spec.host_users,
        dns_policy: pod::dns_policy(spec.dns_policy.as_ref(), false),
        dns_config: pod::dns_config(spec.dns_config.as_ref()),
        ..PodSpec::default()
    };
    Ok(PodTemplateSpec { metadata: Some(instance.pod_metadata(operator)), spec: Some(pod) })
}

fn image(instance: &Instance<'_>, operator: &OperatorConfig) -> Result<String, PodError> {
    let image = Image {
        whole: &instance.spec.image,
        base: or_default(&operator.thanos_image, defaults::THANOS_IMAGE),
        version: version_text(instance.spec),
        ..Image::default()
    };
    image.build().map_err(PodError::Image)
}

fn main(instance: &Instance<'_>, image: String, args: Vec<String>, volumes: &mut Volumes) -> Container {
    let spec = instance.spec;
    let port = |name: &str, number| ContainerPort {
        name: given(name),
        container_port: number,
        protocol: Some("TCP".into()),
        ..ContainerPort::default()
    };
    let mut ports = vec![port("grpc", GRPC_PORT)];
    if !spec.listen_local {
        ports.push(port(&spec.port_name, WEB_PORT));
    }
    Container {
        name: "thanos-ruler".into(),
        image: Some(image),
        image_pull_policy: given(&spec.image_pull_policy),
        args: Some(args),
        env: Some(vec![from_pod(POD_NAME, "metadata.name")]),
        volume_mounts: some(std::mem::take(&mut volumes.mounts)),
        resources: Some(spec.resources.clone()),
        ports: Some(ports),
        termination_message_policy: Some(MESSAGE_POLICY.into()),
        security_context: Some(confinement::container()),
        ..Container::default()
    }
}

/// The container that watches rules.
fn reloader(instance: &Instance<'_>, operator: &OperatorConfig, volumes: &mut Volumes) -> Container {
    let spec = instance.spec;
    let scheme = if instance.has_tls() { "https" } else { "http" };
    let host = format!("{}:{WEB_PORT}", operator.local_host);
    let path = path::clean(&format!("{}/-/reload", spec.route_prefix));
    let reloader = Reloader {
        reload: Reload::Request(path::url(scheme, &host, &path)),
        watched_directories: std::mem::take(&mut volumes.watched_directories),
        web_config_file: std::mem::take(&mut volumes.web_config_file),
        listen_local: spec.listen_local.then(|| operator.local_host.clone()),
        log_level: &spec.log_level,
        log_format: &spec.log_format,
        mounts: std::mem::take(&mut volumes.reloader_mounts),
        values: Values { shard: Some(-1), ..Values::default() },
        ..Reloader::default()
    };
    reloader.build(&operator.reloader)
}
