//! Another image of the reloader alone is no reason to restart anything: it rides along with the next change of the pods.
//! Pure.

use k8s_openapi::api::apps::v1::{DaemonSet, StatefulSet};
use k8s_openapi::api::core::v1::{Container, PodTemplateSpec};
use kernel::compare::{missing, surplus};
use kernel::object::Key;
use kernel::stores::Stores;
use monitoring_plan::{Child, Planned};
use monitoring_workload::reloader;
use serde::Serialize;
use serde_json::Value;

use crate::workload::Seen;
use crate::{keep, kinds};

/// The containers of the reloader.
const RELOADERS: [&str; 2] = [reloader::NAME, reloader::INIT_NAME];

/// What keeps pods.
trait Keeper: Clone + Serialize {
    /// What its pods are made from.
    fn template(&self) -> Option<&PodTemplateSpec>;

    /// The same, to change it.
    fn template_mut(&mut self) -> Option<&mut PodTemplateSpec>;

    /// What stays of one that is there when it is written again.
    fn keep(wanted: &mut Value, present: &Value);
}

impl Keeper for StatefulSet {
    fn template(&self) -> Option<&PodTemplateSpec> {
        self.spec.as_ref().map(|spec| &spec.template)
    }

    fn template_mut(&mut self) -> Option<&mut PodTemplateSpec> {
        self.spec.as_mut().map(|spec| &mut spec.template)
    }

    fn keep(wanted: &mut Value, present: &Value) {
        keep::stateful_set(wanted, present);
    }
}

impl Keeper for DaemonSet {
    fn template(&self) -> Option<&PodTemplateSpec> {
        self.spec.as_ref().map(|spec| &spec.template)
    }

    fn template_mut(&mut self) -> Option<&mut PodTemplateSpec> {
        self.spec.as_mut().map(|spec| &mut spec.template)
    }

    fn keep(wanted: &mut Value, present: &Value) {
        keep::daemon_set(wanted, present);
    }
}

/// Leaves the images of reloaders that run where nothing else of the pods would change.
pub(crate) fn keep_reloaders(planned: &mut Planned, seen: &Seen, stores: &Stores) {
    for child in &mut planned.children {
        match child {
            Child::StatefulSet(wanted) => {
                if let Some(present) = wanted.metadata.name.as_ref().and_then(|name| seen.sets.get(name)) {
                    keep_reloader(&mut **wanted, present);
                }
            }
            Child::DaemonSet(wanted) => {
                let present = stores.get(kinds::DAEMON_SET, &Key::of(&wanted.metadata));
                if let Some(present) = present.and_then(|present| present.read::<DaemonSet>().ok()) {
                    keep_reloader(&mut **wanted, &present);
                }
            }
            Child::ConfigMap(_) | Child::Secret(_) | Child::Service(_) => {}
        }
    }
}

/// Puts the image of the reloader that runs in the place of the wanted one, if nothing else of the pods would change.
fn keep_reloader<K: Keeper>(wanted: &mut K, present: &K) {
    let (Some(template), Some(running)) = (wanted.template(), present.template()) else { return };
    if images(template) == images(running) {
        return;
    }
    let mut candidate = wanted.clone();
    if let Some(template) = candidate.template_mut() {
        take_images(template, running);
    }
    let (Ok(mut then), Ok(now)) = (serde_json::to_value(&candidate), serde_json::to_value(present)) else {
        return;
    };
    K::keep(&mut then, &now);
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
    use std::fmt::Debug;

    use kernel::object::Object;
    use kernel::store::Event;
    use kernel::stores::Namespaces;
    use serde::de::DeserializeOwned;
    use serde_json::json;

    use super::*;

    fn set<K: Keeper + DeserializeOwned>(server: &str, reloader: &str, filled_in: bool) -> K {
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
        let object = json!({"metadata": {"name": "s", "namespace": "n"}, "spec": {"serviceName": "s", "selector": {}, "template": template}});
        serde_json::from_value(object).unwrap()
    }

    fn waits_for_another_change<K: Keeper + DeserializeOwned + PartialEq + Debug>() {
        let running: K = set("p:1", "r:1", true);
        let mut wanted: K = set("p:1", "r:2", false);
        keep_reloader(&mut wanted, &running);
        assert_eq!(wanted, set("p:1", "r:1", false));
        let mut wanted: K = set("p:2", "r:2", false);
        keep_reloader(&mut wanted, &running);
        assert_eq!(wanted, set("p:2", "r:2", false));
    }

    #[test]
    fn it_waits_for_another_change_in_whatever_keeps_the_pods() {
        waits_for_another_change::<StatefulSet>();
        waits_for_another_change::<DaemonSet>();
    }

    #[test]
    fn it_is_looked_for_where_pods_are_kept() {
        let (stateful, daemon): (StatefulSet, DaemonSet) = (set("p:1", "r:1", true), set("p:1", "r:1", true));
        let scopes = Namespaces::AllBut(Vec::new()).into();
        let stores = Stores::new(&[&crate::AGENT], "test", &scopes);
        let dynamic = serde_json::from_value(serde_json::to_value(&daemon).unwrap()).unwrap();
        let known = Object::new(dynamic, &kinds::DAEMON_SET.resource());
        stores.room(kinds::DAEMON_SET, "n").unwrap().write().see(Event::Applied(known));
        let seen = Seen { sets: [("s".to_owned(), stateful)].into(), ..Seen::default() };
        let children = |reloader: &str| {
            let (stateful, daemon) = (set("p:1", reloader, false), set("p:1", reloader, false));
            vec![Child::StatefulSet(Box::new(stateful)), Child::DaemonSet(Box::new(daemon))]
        };
        let mut planned = Planned { children: children("r:2"), ..Planned::default() };
        keep_reloaders(&mut planned, &seen, &stores);
        assert_eq!(planned.children, children("r:1"));
    }
}
