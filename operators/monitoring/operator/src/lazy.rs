//! Another image of the reloader alone is no reason to restart anything: it rides along with the next change of the pods.
//! Pure.

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{Container, PodTemplateSpec};
use kernel::compare::{missing, surplus};
use monitoring_workload::reloader;
use serde_json::Value;

use crate::keep;

/// The containers of the reloader.
const RELOADERS: [&str; 2] = [reloader::NAME, reloader::INIT_NAME];

/// Puts the image of the reloader that runs in the place of the wanted one, if nothing else of the pods would change.
pub(crate) fn keep_reloader(wanted: &mut StatefulSet, present: &StatefulSet) {
    let (Some(spec), Some(there)) = (&wanted.spec, &present.spec) else { return };
    let running = &there.template;
    if images(&spec.template) == images(running) {
        return;
    }
    let mut candidate = wanted.clone();
    if let Some(spec) = &mut candidate.spec {
        take_images(&mut spec.template, running);
    }
    let (Ok(mut then), Ok(now)) = (serde_json::to_value(&candidate), serde_json::to_value(present)) else {
        return;
    };
    keep::stateful_set(&mut then, &now);
    let template = |object: &Value| object["spec"]["template"].clone();
    let (then, now) = (template(&then), template(&now));
    if missing(&then, &now).is_none() && surplus(&then, &now).is_none() {
        *wanted = candidate;
    }
}

fn reloaders(template: &PodTemplateSpec) -> impl Iterator<Item = &Container> {
    let spec = template.spec.as_ref();
    let all = spec.map(|spec| spec.containers.iter().chain(spec.init_containers.iter().flatten()));
    all.into_iter().flatten().filter(|container| RELOADERS.contains(&container.name.as_str()))
}

fn images(template: &PodTemplateSpec) -> Vec<(&str, Option<&str>)> {
    reloaders(template).map(|container| (container.name.as_str(), container.image.as_deref())).collect()
}

fn take_images(template: &mut PodTemplateSpec, running: &PodTemplateSpec) {
    let Some(spec) = &mut template.spec else { return };
    for container in spec.containers.iter_mut().chain(spec.init_containers.iter_mut().flatten()) {
        if let Some(there) = reloaders(running).find(|there| there.name == container.name) {
            container.image.clone_from(&there.image);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set(server: &str, reloader: &str, filled_in: bool) -> StatefulSet {
        let mut template = json!({
            "metadata": {"labels": {"a": "b"}},
            "spec": {
                "containers": [
                    {"name": "prometheus", "image": server, "args": ["x"]},
                    {"name": "config-reloader", "image": reloader},
                ],
                "initContainers": [{"name": "init-config-reloader", "image": reloader}],
            },
        });
        if filled_in {
            template["spec"]["restartPolicy"] = "Always".into();
            template["metadata"]["annotations"] = json!({"kubectl.kubernetes.io/restartedAt": "noon"});
        }
        let object = json!({"metadata": {"name": "s"}, "spec": {"serviceName": "s", "selector": {}, "template": template}});
        serde_json::from_value(object).unwrap()
    }

    #[test]
    fn it_waits_for_another_change() {
        let running = set("p:1", "r:1", true);
        let mut wanted = set("p:1", "r:2", false);
        keep_reloader(&mut wanted, &running);
        assert_eq!(wanted, set("p:1", "r:1", false));
        let mut wanted = set("p:2", "r:2", false);
        keep_reloader(&mut wanted, &running);
        assert_eq!(wanted, set("p:2", "r:2", false));
    }
}
