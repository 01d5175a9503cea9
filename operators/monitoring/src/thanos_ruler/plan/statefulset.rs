//! The StatefulSet of a Thanos Ruler.

use api_monitoring::ThanosRuler;
use k8s_openapi::api::apps::v1::{StatefulSet, StatefulSetSpec};

use super::pod;
use crate::thanos_ruler::Instance;
use crate::workload::pod::PodError;
use crate::workload::statefulset::{self, PodInputs};

/// The StatefulSet.
pub fn build(ruler: &ThanosRuler, inputs: PodInputs<'_>) -> Result<StatefulSet, PodError> {
    let mut ruler = ruler.clone();
    statefulset::put_memory(&mut ruler.spec.workload.resources);
    let instance = Instance::new(&ruler)?;
    let spec = spec(&instance, inputs)?;
    Ok(statefulset::assemble(&instance, inputs.operator, instance.object_name(), spec, None))
}

/// The StatefulSet without the storage and the volumes that the user adds.
pub fn spec(instance: &Instance<'_>, inputs: PodInputs<'_>) -> Result<StatefulSetSpec, PodError> {
    if instance.spec.query_config.is_none() && instance.spec.query_endpoints.is_empty() {
        return Err(PodError::NoQueryEndpoint(instance.owner.name().to_owned()));
    }
    let template = pod::build(instance, inputs)?;
    let selector = instance.selector(inputs.operator);
    Ok(statefulset::spec(instance, instance.workload.replicas, selector, template))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{Container, PodSpec};

    use super::*;
    use crate::workload::operator::OperatorConfig;

    fn pod(version: &str, rules: &[String]) -> PodSpec {
        let mut ruler = ThanosRuler::default();
        ruler.metadata.name = Some("main".into());
        ruler.spec.version = Some(version.into());
        ruler.spec.query_endpoints = vec!["query".into()];
        ruler.spec.workload.route_prefix = "/ruler/".into();
        let operator = OperatorConfig::default();
        let inputs = PodInputs { operator: &operator, tls_secrets: &[], rule_config_maps: rules };
        let set = build(&ruler, inputs).unwrap();
        set.spec.and_then(|spec| spec.template.spec).unwrap_or_default()
    }

    fn mounts(container: &Container) -> Vec<(&str, &str, bool)> {
        let mounts = container.volume_mounts.iter().flatten();
        mounts.map(|one| (one.name.as_str(), one.mount_path.as_str(), one.read_only == Some(true))).collect()
    }

    #[test]
    fn rules_are_watched_by_a_second_container() {
        let rules = ["rules-0".to_owned(), "rules-1".to_owned()];
        let pod = pod("v0.21.0", &rules);
        let [main, reloader] = pod.containers.as_slice() else { panic!("{:?}", pod.containers) };
        let web = ("web-config", "/etc/thanos/web_config/web-config.yaml", true);
        assert_eq!(
            mounts(main),
            [
                ("remote-write-config", "/etc/thanos/config/remote-write-config", true),
                ("tls-assets", "/etc/thanos/certs", true),
                web,
                ("thanos-ruler-main-data", "/thanos/data", false),
                ("rules-0", "/etc/thanos/rules/rules-0", true),
                ("rules-1", "/etc/thanos/rules/rules-1", true),
            ]
        );
        assert_eq!(
            mounts(reloader),
            [
                ("rules-0", "/etc/thanos/rules/rules-0", false),
                ("rules-1", "/etc/thanos/rules/rules-1", false),
                web,
            ]
        );
        assert_eq!(
            reloader.args.iter().flatten().map(String::as_str).collect::<Vec<_>>(),
            [
                "--listen-address=:8080",
                "--web-config-file=/etc/thanos/web_config/web-config.yaml",
                "--reload-url=http://localhost:10902/ruler/-/reload",
                "--watched-dir=/etc/thanos/rules/rules-0",
                "--watched-dir=/etc/thanos/rules/rules-1",
            ]
        );
        let args: Vec<&String> = main.args.iter().flatten().collect();
        assert_eq!(args.first().map(|first| first.as_str()), Some("rule"));
        assert_eq!(
            args.last().map(|last| last.as_str()),
            Some("--http.config=/etc/thanos/web_config/web-config.yaml")
        );
        let volumes: Vec<&str> = pod.volumes.iter().flatten().map(|volume| volume.name.as_str()).collect();
        assert_eq!(
            volumes,
            [
                "remote-write-config",
                "tls-assets",
                "web-config",
                "rules-0",
                "rules-1",
                "thanos-ruler-main-data"
            ]
        );
    }

    #[test]
    fn without_rules_there_is_one_container() {
        let pod = pod("v0.21.0", &[]);
        assert_eq!(pod.containers.len(), 1);
        assert!(!pod.volumes.iter().flatten().any(|volume| volume.name == "web-config"));
    }

    #[test]
    fn an_old_version_has_no_web_configuration() {
        let pod = pod("v0.20.0", &["rules-0".to_owned()]);
        assert_eq!(pod.containers.len(), 2);
        assert!(!pod.volumes.iter().flatten().any(|volume| volume.name == "web-config"));
    }

    #[test]
    fn a_query_endpoint_is_required() {
        let mut ruler = ThanosRuler::default();
        ruler.metadata.name = Some("main".into());
        let operator = OperatorConfig::default();
        let inputs = PodInputs { operator: &operator, tls_secrets: &[], rule_config_maps: &[] };
        assert_eq!(
            build(&ruler, inputs).unwrap_err().to_string(),
            "main: thanos ruler requires query config or at least one query endpoint to be specified"
        );
    }
}
