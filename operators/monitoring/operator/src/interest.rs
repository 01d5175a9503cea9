//! Whom a change concerns: exactly the workloads that select the object, or that read it, and nobody else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kernel::declare::Kind;
use kernel::hub::Interest;
use kernel::object::{Kept as _, Key, Object};
use kernel::store::Change;
use kernel::stores::Stores;
use monitoring_assets::{Reference, Source};
use monitoring_select::label_selector::Selector;
use serde::Deserialize as _;
use serde_json::Value;

use crate::bindings::Found;
use crate::kinds;
use crate::settings::Settings;
use crate::shared::{Readers, held};
use crate::workload::Workload;

/// What a kind of workload can select: the kind, and what the names of its selectors begin with.
pub type Selectable = &'static [(Kind, &'static str)];

/// The interests of one kind of workload.
#[derive(Debug)]
pub struct Selections {
    /// The kind of the workloads.
    primary: Kind,
    /// What they can select.
    selectable: Selectable,
    /// How their pods name their application.
    application: &'static str,
    /// The Service that all of a namespace share.
    governing: &'static str,
    /// The Secret with the configuration of one.
    configuration: fn(&str) -> (String, &'static str),
    /// Who reads what.
    readers: Arc<Readers>,
    /// Which objects have entries for which workloads.
    found: Arc<Found>,
    /// Whether objects have such entries at all.
    has_bindings: bool,
    /// What each asks for, at the version at which that was read.
    asks: Mutex<HashMap<Key, (u64, Arc<Asks>)>>,
}

/// What one workload asks for.
#[derive(Debug, Default)]
struct Asks {
    selectors: Vec<Ask>,
    /// The AlertmanagerConfig that it names as its base.
    base: Option<String>,
    /// The Service that its user brings.
    service: Option<String>,
}

#[derive(Debug)]
struct Ask {
    kind: Kind,
    namespaces: Option<LabelSelector>,
    labels: Option<LabelSelector>,
}

impl Interest for Selections {
    fn concerned(&self, kind: Kind, object: &Object, stores: &Stores) -> Option<Vec<Key>> {
        match kind {
            kinds::SECRET => {
                let mut concerned = self.concerned_by_content(Source::Secret, object);
                concerned.extend(self.configured_by(object.key(), stores));
                Some(concerned)
            }
            kinds::CONFIG_MAP => Some(self.concerned_by_content(Source::ConfigMap, object)),
            kinds::NAMESPACE => Some(self.filter(stores, |_, asks| asks.look_into(object))),
            // Claims have the labels of the pods that they are made for.
            kinds::POD | kinds::CLAIM => Some(self.pod(object)),
            kinds::SERVICE => Some(self.filter(stores, |workload, asks| {
                let wanted = asks.service.as_deref().unwrap_or(self.governing);
                workload.namespace == object.key().namespace && *object.key().name == *wanted
            })),
            kind if self.selectable.iter().any(|(selectable, _)| *selectable == kind) => {
                let namespace = stores.get(kinds::NAMESPACE, &Key::new("", &object.key().namespace));
                let labels = namespace.as_deref();
                Some(self.filter(stores, |workload, asks| asks.ask_for(workload, kind, object, labels)))
            }
            _ => None,
        }
    }

    /// What a monitor or a rule says about itself in its status concerns nobody.
    fn matters(&self, kind: Kind, change: &Change<Object>) -> bool {
        let (Some(before), Some(after)) = (&change.before, &change.after) else { return true };
        let is_selected = self.selectable.iter().any(|(selectable, _)| *selectable == kind);
        let is_counted = after.generation() != 0;
        let is_same = before.generation() == after.generation()
            && before.labels() == after.labels()
            && before.uid() == after.uid();
        !(is_selected && is_counted && is_same)
    }

    /// Workloads that are gone and that objects still speak of.
    fn at_start(&self, stores: &Stores) -> Vec<Key> {
        if !self.has_bindings {
            return Vec::new();
        }
        let found = self.found.all(self.primary, self.selectable, stores);
        found.keys().filter(|key| stores.get(self.primary, key).is_none()).cloned().collect()
    }
}

impl Selections {
    /// Those of a kind of workload.
    pub fn new<W: Workload>(readers: Arc<Readers>, found: Arc<Found>, settings: &Settings) -> Self {
        Self {
            primary: W::DECLARATION.primary,
            selectable: W::SELECTABLE,
            application: W::APPLICATION,
            governing: W::GOVERNING,
            configuration: W::configuration,
            readers,
            found,
            has_bindings: settings.bindings,
            asks: Mutex::default(),
        }
    }

    /// Who made it, and who reads it.
    fn concerned_by_content(&self, source: Source, object: &Object) -> Vec<Key> {
        let Key { namespace, name } = object.key();
        let owner = object.controller().filter(|owner| &*owner.kind == self.primary.kind);
        let maker = owner.map(|owner| Key::new(namespace, &owner.name));
        let reference = Reference { source, namespace: namespace.to_string(), name: name.to_string() };
        self.readers.of(&reference).into_iter().chain(maker).collect()
    }

    /// Whose configuration it is, going by its name: some say of their owner that he does not control them, and somebody may
    /// have taken that from them.
    fn configured_by(&self, secret: &Key, stores: &Stores) -> Option<Key> {
        let workloads = stores.all(self.primary);
        let mut keys = workloads.iter().map(|workload| workload.key());
        let is_its = |key: &&Key| {
            key.namespace == secret.namespace && *(self.configuration)(&key.name).0 == *secret.name
        };
        keys.find(is_its).cloned()
    }

    /// Pods say whose they are.
    fn pod(&self, pod: &Object) -> Vec<Key> {
        let label = |name: &str| pod.labels().get(name).map(String::as_str);
        let ours = label("app.kubernetes.io/name") == Some(self.application);
        let name = label("app.kubernetes.io/instance").filter(|_| ours);
        name.map(|name| Key::new(&pod.key().namespace, name)).into_iter().collect()
    }

    /// Workloads that care.
    fn filter(&self, stores: &Stores, cares: impl Fn(&Key, &Asks) -> bool) -> Vec<Key> {
        let workloads = stores.all(self.primary);
        let caring = workloads.iter().filter(|workload| cares(workload.key(), &self.asks(workload)));
        caring.map(|workload| workload.key().clone()).collect()
    }

    /// What a workload asks for, read once a version.
    fn asks(&self, workload: &Object) -> Arc<Asks> {
        let version = workload.identity().version;
        let mut known = held(&self.asks);
        if let Some((_, asks)) = known.get(workload.key()).filter(|(read, _)| *read == version) {
            return Arc::clone(asks);
        }
        let asks = Arc::new(Asks::read(&workload.value()["spec"], self.selectable));
        known.insert(workload.key().clone(), (version, Arc::clone(&asks)));
        asks
    }
}

impl Asks {
    fn read(spec: &Value, selectable: Selectable) -> Self {
        let selector = |name: String| LabelSelector::deserialize(&spec[name]).ok();
        let ask = |(kind, name): &(Kind, &str)| Ask {
            kind: *kind,
            namespaces: selector(format!("{name}NamespaceSelector")),
            labels: selector(format!("{name}Selector")),
        };
        let base = spec["alertmanagerConfiguration"]["name"].as_str().map(str::to_owned);
        let service = spec["serviceName"].as_str().map(str::to_owned);
        Self { selectors: selectable.iter().map(ask).collect(), base, service }
    }

    /// Whether a workload looks into a namespace.
    fn look_into(&self, namespace: &Object) -> bool {
        self.selectors
            .iter()
            .any(|ask| ask.namespaces.is_some() && matches(ask.namespaces.as_ref(), Some(namespace)))
    }

    /// Whether a workload asks for an object in a namespace.
    fn ask_for(&self, workload: &Key, kind: Kind, object: &Object, namespace: Option<&Object>) -> bool {
        let is_near = workload.namespace == object.key().namespace;
        if is_near && self.base.as_deref() == Some(&*object.key().name) && kind == kinds::ALERTMANAGER_CONFIG
        {
            return true;
        }
        self.selectors.iter().filter(|ask| ask.kind == kind).any(|ask| {
            let there =
                if ask.namespaces.is_some() { matches(ask.namespaces.as_ref(), namespace) } else { is_near };
            there && matches(ask.labels.as_ref(), Some(object))
        })
    }
}

/// Whether labels match. What cannot be read matches nothing: the pass of the workload says why.
fn matches(selector: Option<&LabelSelector>, object: Option<&Object>) -> bool {
    let Ok(selector) = Selector::new(selector) else { return false };
    selector.matches(object.map(Object::labels))
}

#[cfg(test)]
mod tests {
    use kube::api::DynamicObject;
    use serde_json::json;

    use super::*;

    fn object(namespace: &str, name: &str, labels: &Value) -> Object {
        let object = json!({"metadata": {"namespace": namespace, "name": name, "labels": labels}});
        let dynamic: DynamicObject = serde_json::from_value(object).unwrap();
        Object::new(dynamic, &kinds::SERVICE_MONITOR.resource())
    }

    fn asks(spec: &Value) -> Asks {
        Asks::read(spec, &[(kinds::SERVICE_MONITOR, "serviceMonitor"), (kinds::RULE, "rule")])
    }

    #[test]
    fn a_workload_asks_by_labels_and_namespace() {
        let near = object("a", "m", &json!({"team": "x"}));
        let far = object("b", "m", &json!({"team": "x"}));
        let namespace = object("", "b", &json!({"kind": "far"}));
        let me = Key::new("a", "p");
        let asked = |spec: Value, object: &Object| {
            asks(&spec).ask_for(&me, kinds::SERVICE_MONITOR, object, Some(&namespace))
        };
        assert!(!asked(json!({}), &near), "no selector selects nothing");
        assert!(asked(json!({"serviceMonitorSelector": {}}), &near));
        assert!(!asked(json!({"ruleSelector": {}}), &near));
        assert!(!asked(json!({"serviceMonitorSelector": {"matchLabels": {"team": "y"}}}), &near));
        assert!(!asked(json!({"serviceMonitorSelector": {}}), &far));
        assert!(asked(json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": {}}), &far));
        let other = json!({"matchLabels": {"kind": "near"}});
        assert!(!asked(
            json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": other}),
            &far
        ));
    }

    #[test]
    fn a_namespace_concerns_those_who_look_into_it() {
        let namespace = object("", "b", &json!({"kind": "far"}));
        assert!(!asks(&json!({"serviceMonitorSelector": {}})).look_into(&namespace));
        assert!(asks(&json!({"ruleNamespaceSelector": {}})).look_into(&namespace));
        assert!(
            !asks(&json!({"ruleNamespaceSelector": {"matchLabels": {"kind": "near"}}})).look_into(&namespace)
        );
    }
}
