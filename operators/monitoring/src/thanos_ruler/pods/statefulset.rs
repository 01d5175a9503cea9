//! The StatefulSet of a Thanos Ruler.

use api_monitoring::ThanosRuler;
use k8s_openapi::api::apps::v1::{StatefulSet, StatefulSetSpec};

use super::instance::Instance;
use super::pod::{self, PodError};
use crate::workload::labels::Labels;
use crate::workload::statefulset::{self, Additions, Pods, Surroundings};

/// The StatefulSet, with rules in some ConfigMaps.
pub fn build(
    ruler: &ThanosRuler,
    surroundings: Surroundings<'_>,
    rule_config_maps: &[String],
    input_hash: &str,
) -> Result<StatefulSet, PodError> {
    let mut ruler = ruler.clone();
    statefulset::put_memory(&mut ruler.spec.resources);
    let spec = spec(&ruler, surroundings, rule_config_maps)?;
    let instance = Instance::new(&ruler)?;
    let additions = Additions {
        labels: &Labels::new(),
        storage: ruler.spec.storage.as_ref(),
        volume_name: &instance.volume_name(),
        volumes: &ruler.spec.volumes,
        image_pull_secrets: &ruler.spec.image_pull_secrets,
    };
    let owner = (instance.owner(), surroundings.operator);
    Ok(statefulset::assemble(owner, &instance.object_name(), input_hash, spec, additions))
}

/// The StatefulSet without what the user adds to it.
pub fn spec(
    ruler: &ThanosRuler,
    surroundings: Surroundings<'_>,
    rule_config_maps: &[String],
) -> Result<StatefulSetSpec, PodError> {
    let spec = &ruler.spec;
    if spec.query_config.is_none() && spec.query_endpoints.is_empty() {
        return Err(PodError::NoQuery(ruler.metadata.name.clone().unwrap_or_default()));
    }
    let instance = Instance::new(ruler)?;
    let template = pod::build(&instance, surroundings, rule_config_maps)?;
    Ok(statefulset::spec(Pods {
        service_name: instance.service_name(),
        replicas: spec.replicas,
        min_ready_seconds: spec.min_ready_seconds,
        management: spec.pod_management_policy.as_ref(),
        update_strategy: spec.update_strategy.as_ref(),
        selector: instance.selector(surroundings.operator),
        template,
    }))
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
        ruler.spec.route_prefix = "/ruler/".into();
        let operator = OperatorConfig::default();
        let surroundings = Surroundings { operator: &operator, tls_secrets: &[] };
        let set = build(&ruler, surroundings, rules, "").unwrap();
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
    fn somebody_must_answer_queries() {
        let mut ruler = ThanosRuler::default();
        ruler.metadata.name = Some("main".into());
        let operator = OperatorConfig::default();
        let surroundings = Surroundings { operator: &operator, tls_secrets: &[] };
        assert_eq!(
            spec(&ruler, surroundings, &[]).unwrap_err().to_string(),
            "main: thanos ruler requires query config or at least one query endpoint to be specified"
        );
    }
}
