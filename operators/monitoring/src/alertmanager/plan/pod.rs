//! The pods of an Alertmanager: the main container, the reloader, and what the user adds.

use k8s_openapi::api::core::v1::{Container, ContainerPort, PodSpec, PodTemplateSpec, Probe};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::{CONFIG, CONFIG_OUT, MESH_PORT, MESH_TCP, MESH_UDP, OUTPUT_FILE, WEB_PORT, arguments, volumes};
use crate::alertmanager::Instance;
use crate::workload::arguments as command_line;
use crate::workload::container::{POD_NAME, from_pod, http_probe, restricted, tcp_port};
use crate::workload::defaults::or_default;
use crate::workload::image::Image;
use crate::workload::labels::merged;
use crate::workload::operator::OperatorConfig;
use crate::workload::pod::{self, PodError, PodParts, some};
use crate::workload::reloader::{Reload, Reloader, Values};
use crate::workload::statefulset::PodInputs;
use crate::workload::volume::Volumes;

/// The pods.
pub(super) fn build(instance: &Instance<'_>, inputs: PodInputs<'_>) -> Result<PodTemplateSpec, PodError> {
    let (spec, workload, operator) = (instance.spec, instance.workload, inputs.operator);
    let image = Image {
        whole: spec.image.as_deref().unwrap_or_default(),
        base: or_default(&spec.base_image, &operator.alertmanager_image),
        version: instance.version_text,
        tag: or_default(&spec.tag, ""),
        sha: or_default(&spec.sha, ""),
    };
    let image = image.build().map_err(PodError::ImagePath)?;
    let mut flags = arguments::build(instance, operator);
    let mut volumes = volumes::build(instance, inputs.tls_secrets, &mut flags)?;
    let args = command_line::build(&flags, &workload.additional_args)?;
    let [beside, init] = [false, true].map(|init| reloader(instance, operator, &volumes, init));
    let parts = PodParts {
        containers: vec![main(instance, &image, args, &mut volumes), beside],
        init_containers: vec![init],
        volumes: volumes.of_pod,
        host_network: spec.host_network,
    };
    let spec = PodSpec {
        automount_service_account_token: spec.automount_service_account_token,
        topology_spread_constraints: some(spec.topology_spread_constraints.clone()),
        ..pod::spec(workload, parts)?
    };
    Ok(PodTemplateSpec { metadata: Some(metadata(instance, operator)), spec: Some(spec) })
}

fn metadata(instance: &Instance<'_>, operator: &OperatorConfig) -> ObjectMeta {
    let own = [&instance.version_label(), &instance.user_labels(), &instance.selector(operator)];
    instance.pod_metadata(merged(own))
}

fn main(instance: &Instance<'_>, image: &str, args: Vec<String>, volumes: &mut Volumes) -> Container {
    let workload = instance.workload;
    let mut environment = vec![from_pod("POD_IP", "status.podIP")];
    if instance.at_least(0, 30) {
        environment.push(from_pod(POD_NAME, "metadata.name"));
    }
    Container {
        args: Some(args),
        ports: Some(ports(instance)),
        volume_mounts: some(std::mem::take(&mut volumes.mounts)),
        liveness_probe: probe(instance, "/-/healthy"),
        readiness_probe: probe(instance, "/-/ready").map(|probe| Probe {
            initial_delay_seconds: Some(3),
            period_seconds: Some(5),
            ..probe
        }),
        resources: Some(workload.resources.clone()),
        env: Some(environment),
        ..restricted(instance.application.container, image, &workload.image_pull_policy)
    }
}

fn ports(instance: &Instance<'_>) -> Vec<ContainerPort> {
    let workload = instance.workload;
    let web = (!workload.listen_local).then(|| tcp_port(&workload.port_name, WEB_PORT));
    let udp = ContainerPort { protocol: Some("UDP".into()), ..tcp_port(MESH_UDP, MESH_PORT) };
    web.into_iter().chain([tcp_port(MESH_TCP, MESH_PORT), udp]).collect()
}

/// The kubelet cannot probe a server that listens on the loopback address.
fn probe(instance: &Instance<'_>, path: &str) -> Option<Probe> {
    let workload = instance.workload;
    let port = IntOrString::String(workload.port_name.clone());
    (!workload.listen_local).then(|| Probe {
        timeout_seconds: Some(3),
        failure_threshold: Some(10),
        ..http_probe(instance.path(path), port, instance.serves_tls())
    })
}

/// The reloader: the init container, or the one that runs beside the main container.
fn reloader(instance: &Instance<'_>, operator: &OperatorConfig, volumes: &Volumes, init: bool) -> Container {
    let workload = instance.workload;
    let mut reloader = Reloader {
        init,
        config_file: format!("{CONFIG}/{}", instance.naming.configuration_key),
        output_file: format!("{CONFIG_OUT}/{OUTPUT_FILE}"),
        watched_directories: volumes.watched_directories.clone(),
        log_level: &workload.log_level,
        log_format: &workload.log_format,
        image_pull_policy: &workload.image_pull_policy,
        mounts: volumes.reloader_mounts.clone(),
        values: Values { shard: Some(-1), ..Values::default() },
        ..Reloader::default()
    };
    if !init {
        reloader.reload = Reload::Request(instance.local_url(operator, instance.serves_tls(), "/-/reload"));
        reloader.listen_local = workload.listen_local.then(|| operator.local_host.clone());
        reloader.web_config_file.clone_from(&volumes.web_config_file);
    }
    reloader.build(&operator.reloader)
}

#[cfg(test)]
mod tests {
    use api_monitoring::Alertmanager;
    use serde_json::json;

    use super::*;
    use crate::alertmanager::OfAlertmanager;
    use crate::kind::Workload as _;
    use crate::workload::labels::{self, labels};

    #[test]
    fn the_reload_url_and_the_requests_to_pods_use_the_same_scheme() {
        for (version, scheme) in [("v0.21.0", "http"), ("v0.22.0", "https")] {
            let web = json!({"tlsConfig": {"keyFile": "key", "certFile": "certificate"}});
            let spec = json!({"version": version, "web": web});
            let alertmanager = json!({"metadata": {"name": "a", "namespace": "n"}, "spec": spec});
            let alertmanager: Alertmanager = serde_json::from_value(alertmanager).unwrap();
            let instance = Instance::new(&alertmanager).unwrap();
            let reloader = reloader(&instance, &OperatorConfig::default(), &Volumes::default(), false);
            let url = format!("--reload-url={scheme}://localhost:9093/-/reload");
            assert!(reloader.args.unwrap_or_default().contains(&url), "{version}");
            assert_eq!(OfAlertmanager::facts(&alertmanager).tls, scheme == "https", "{version}");
        }
    }

    #[test]
    fn the_default_container_annotation_cannot_be_overridden() {
        let mut alertmanager = Alertmanager::default();
        let users = alertmanager.spec.workload.pod_metadata.get_or_insert_default();
        users.annotations = labels([(labels::DEFAULT_CONTAINER, "other"), ("a", "1")]);
        users.labels = labels([(labels::VERSION, "mine"), ("alertmanager", "other")]);
        let instance = Instance::new(&alertmanager).unwrap();
        let pods = metadata(&instance, &OperatorConfig::default());
        assert_eq!(pods.annotations, Some(labels([(labels::DEFAULT_CONTAINER, "alertmanager"), ("a", "1")])));
        let expected = merged([&instance.common_labels(), &labels([(labels::VERSION, "mine")])]);
        assert_eq!(pods.labels, Some(expected));
    }
}
