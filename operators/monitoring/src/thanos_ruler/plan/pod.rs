//! The pods of a Thanos Ruler: the main container, the reloader if there are rules, and what the user adds.

use k8s_openapi::api::core::v1::{Container, PodSpec, PodTemplateSpec};

use super::{GRPC_PORT, WEB_PORT, arguments, volumes};
use crate::thanos_ruler::Instance;
use crate::workload::arguments as command_line;
use crate::workload::container::{POD_NAME, from_pod, restricted, tcp_port};
use crate::workload::defaults::{self, or_default};
use crate::workload::image::Image;
use crate::workload::operator::OperatorConfig;
use crate::workload::pod::{self, PodError, PodParts, some};
use crate::workload::reloader::{Reload, Reloader, Values};
use crate::workload::statefulset::PodInputs;
use crate::workload::volume::Volumes;

/// The pods.
pub(super) fn build(instance: &Instance<'_>, inputs: PodInputs<'_>) -> Result<PodTemplateSpec, PodError> {
    let (spec, workload, operator) = (instance.spec, instance.workload, inputs.operator);
    let image = Image {
        whole: &spec.image,
        base: or_default(&operator.thanos_image, defaults::THANOS_IMAGE),
        version: instance.version_text,
        ..Image::default()
    };
    let image = image.build().map_err(PodError::ImagePath)?;
    let mut volumes = Volumes::default();
    let flags = arguments::build(instance, &mut volumes);
    let mut args = vec!["rule".to_owned()];
    args.append(&mut command_line::build(&flags, &workload.additional_args)?);
    volumes::put_rest(&mut volumes, instance, inputs)?;
    if !volumes.web_config_file.is_empty() {
        args.push(format!("--http.config={}", volumes.web_config_file));
    }
    let mut containers = vec![main(instance, &image, args, &mut volumes)];
    if !inputs.rule_config_maps.is_empty() {
        containers.push(reloader(instance, operator, &mut volumes));
    }
    let parts = PodParts { containers, volumes: volumes.of_pod, ..PodParts::default() };
    let spec = PodSpec {
        topology_spread_constraints: some(spec.topology_spread_constraints.clone()),
        ..pod::spec(workload, parts)?
    };
    Ok(PodTemplateSpec { metadata: Some(instance.metadata(operator)), spec: Some(spec) })
}

fn main(instance: &Instance<'_>, image: &str, args: Vec<String>, volumes: &mut Volumes) -> Container {
    let workload = instance.workload;
    let mut ports = vec![tcp_port("grpc", GRPC_PORT)];
    ports.extend((!workload.listen_local).then(|| tcp_port(&workload.port_name, WEB_PORT)));
    Container {
        args: Some(args),
        env: Some(vec![from_pod(POD_NAME, "metadata.name")]),
        volume_mounts: some(std::mem::take(&mut volumes.mounts)),
        resources: Some(workload.resources.clone()),
        ports: Some(ports),
        ..restricted(instance.application.container, image, &workload.image_pull_policy)
    }
}

/// The container that watches rules.
fn reloader(instance: &Instance<'_>, operator: &OperatorConfig, volumes: &mut Volumes) -> Container {
    let workload = instance.workload;
    let reloader = Reloader {
        reload: Reload::Request(instance.local_url(operator, instance.serves_tls(), "/-/reload")),
        watched_directories: std::mem::take(&mut volumes.watched_directories),
        web_config_file: std::mem::take(&mut volumes.web_config_file),
        listen_local: workload.listen_local.then(|| operator.local_host.clone()),
        log_level: &workload.log_level,
        log_format: &workload.log_format,
        mounts: std::mem::take(&mut volumes.reloader_mounts),
        values: Values { shard: Some(-1), ..Values::default() },
        ..Reloader::default()
    };
    reloader.build(&operator.reloader)
}

#[cfg(test)]
mod tests {
    use api_monitoring::ThanosRuler;
    use serde_json::json;

    use super::*;
    use crate::kind::Workload as _;
    use crate::thanos_ruler::OfThanosRuler;

    #[test]
    fn the_reload_url_and_the_requests_to_pods_use_the_same_scheme() {
        for (version, scheme) in [("v0.20.2", "http"), ("v0.21.0", "https")] {
            let web = json!({"tlsConfig": {"keyFile": "key", "certFile": "certificate"}});
            let spec = json!({"version": version, "web": web});
            let ruler = json!({"metadata": {"name": "a", "namespace": "n"}, "spec": spec});
            let ruler: ThanosRuler = serde_json::from_value(ruler).unwrap();
            let instance = Instance::new(&ruler).unwrap();
            let reloader = reloader(&instance, &OperatorConfig::default(), &mut Volumes::default());
            let url = format!("--reload-url={scheme}://localhost:10902/-/reload");
            assert!(reloader.args.unwrap_or_default().contains(&url), "{version}");
            assert_eq!(OfThanosRuler::facts(&ruler).tls, scheme == "https", "{version}");
        }
    }
}
