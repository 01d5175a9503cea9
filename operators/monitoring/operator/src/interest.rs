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
use monitoring_plan::candidates::candidate;
use monitoring_select::asker::CONTROLLER_ID;
use monitoring_select::asking::{Asking, SelectionError, Selectors};
use monitoring_select::label_selector::Selector;
use monitoring_select::unselected::{View, why_not};
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
    /// Only workloads that name this operator are served; empty, only those that name none.
    controller_id: String,
    /// What each asks for, at the version at which that was read.
    asks: Mutex<HashMap<Key, (u64, Arc<Asks>)>>,
}

/// What one workload asks for.
#[derive(Debug, Default)]
pub(crate) struct Asks {
    selectors: Vec<Ask>,
    /// The controller id that it names; empty, if none.
    operator: String,
    /// The Service that its user brings.
    service: Option<String>,
}

#[derive(Debug)]
struct Ask {
    kind: Kind,
    namespaces: Option<LabelSelector>,
    labels: Option<LabelSelector>,
    /// An object beside it that it names.
    named: Option<String>,
}

impl Interest for Selections {
    fn concerned(&self, kind: Kind, object: &Object, stores: &Stores) -> Option<Vec<Key>> {
        match kind {
            kinds::SECRET => {
                let mut concerned = self.concerned_by_content(Source::Secret, object, stores);
                concerned.extend(self.configured_by(object.key(), stores));
                Some(concerned)
            }
            kinds::CONFIG_MAP => Some(self.concerned_by_content(Source::ConfigMap, object, stores)),
            kinds::NAMESPACE => Some(self.filter(stores, |_, asks| asks.look_into(object))),
            // Claims have the labels of the pods that they are made for.
            kinds::POD | kinds::CLAIM => Some(self.pod(object, stores)),
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

    /// Workloads that are gone and that objects still speak of. What is not in our stores need not be gone: another operator
    /// may serve workloads that we do not look at.
    fn at_start(&self, stores: &Stores) -> Vec<Key> {
        if !self.has_bindings {
            return Vec::new();
        }
        let found = self.found.all(self.primary, self.selectable, stores);
        let is_gone = |key: &&Key| {
            stores.is_known(self.primary, &key.namespace) && stores.get(self.primary, key).is_none()
        };
        found.keys().filter(is_gone).cloned().collect()
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
            controller_id: settings.controller_id.clone(),
            asks: Mutex::default(),
        }
    }

    /// Why a workload does not select an object of a kind, in words; nothing, if it does.
    pub fn why_not(
        &self,
        workload: &Object,
        (kind, object): (Kind, &Object),
        stores: &Stores,
    ) -> Option<String> {
        let Key { namespace, .. } = object.key();
        let asks = self.asks(workload);
        let place = stores.get(kinds::NAMESPACE, &Key::new("", namespace));
        let view = View {
            operator: &self.controller_id,
            workload: &asks.operator,
            is_looked_into: stores.partition(kind, namespace).is_some(),
            namespace: place.as_deref().map(|place| place.labels().into()),
        };
        match asks.asking(&workload.key().namespace, kind) {
            Ok(asking) => why_not(&view, &asking, candidate(object)).map(|reason| reason.to_string()),
            Err(error) => Some(format!("the workload selects nothing: {error}")),
        }
    }

    /// Who made it, and who reads it.
    fn concerned_by_content(&self, source: Source, object: &Object, stores: &Stores) -> Vec<Key> {
        let Key { namespace, name } = object.key();
        let owner = object.controller().filter(|owner| owner.is_a(self.primary));
        let maker = owner.map(|owner| Key::new(namespace, &owner.name));
        let reference = Reference { source, namespace: namespace.to_string(), name: name.to_string() };
        let concerned = self.readers.of(&reference).into_iter().chain(maker);
        concerned.filter(|workload| self.is_there(workload, stores)).collect()
    }

    /// Whether we look at a workload. One that we do not see is no business of ours: it would be taken for gone.
    fn is_there(&self, workload: &Key, stores: &Stores) -> bool {
        stores.get(self.primary, workload).is_some()
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
    fn pod(&self, pod: &Object, stores: &Stores) -> Vec<Key> {
        let label = |name: &str| pod.label(name);
        let ours = label("app.kubernetes.io/name") == Some(self.application);
        let name = label("app.kubernetes.io/instance").filter(|_| ours);
        let workload = name.map(|name| Key::new(&pod.key().namespace, name));
        workload.filter(|workload| self.is_there(workload, stores)).into_iter().collect()
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
        let asks = Arc::new(Asks::read(&workload.value(), self.selectable));
        known.insert(workload.key().clone(), (version, Arc::clone(&asks)));
        asks
    }
}

impl Asks {
    pub(crate) fn read(workload: &Value, selectable: Selectable) -> Self {
        let spec = &workload["spec"];
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let selector = |name: String| LabelSelector::deserialize(&spec[name]).ok();
        let ask = |(kind, name): &(Kind, &str)| Ask {
            kind: *kind,
            namespaces: selector(format!("{name}NamespaceSelector")),
            labels: selector(format!("{name}Selector")),
            named: text(&spec["alertmanagerConfiguration"]["name"])
                .filter(|_| *kind == kinds::ALERTMANAGER_CONFIG),
        };
        Self {
            selectors: selectable.iter().map(ask).collect(),
            operator: text(&workload["metadata"]["annotations"][CONTROLLER_ID]).unwrap_or_default(),
            service: text(&spec["serviceName"]),
        }
    }

    /// What a workload in a namespace asks for of a kind: nothing of one that it cannot select.
    fn asking<'s>(&'s self, own: &'s str, kind: Kind) -> Result<Asking<'s>, SelectionError> {
        let ask = self.selectors.iter().find(|ask| ask.kind == kind);
        ask.map_or_else(|| Asking::new(own, Selectors::default()), |ask| ask.asking(own))
    }

    /// The kinds of which something may be selected.
    pub(crate) fn selected(&self) -> impl Iterator<Item = Kind> {
        self.selectors.iter().filter(|ask| ask.labels.is_some()).map(|ask| ask.kind)
    }

    /// Whether what is selected depends on labels of namespaces.
    pub(crate) fn goes_by_namespaces(&self) -> bool {
        let is_picky =
            |namespaces: &LabelSelector| Selector::new(namespaces).is_ok_and(|all| !all.takes_all());
        let goes = |ask: &Ask| ask.labels.is_some() && ask.namespaces.as_ref().is_some_and(is_picky);
        self.selectors.iter().any(goes)
    }

    /// Whether a workload looks into a namespace.
    fn look_into(&self, namespace: &Object) -> bool {
        let Key { name, .. } = namespace.key();
        self.selectors.iter().filter(|ask| ask.namespaces.is_some()).any(|ask| {
            // What is beside a workload does not depend on labels of namespaces.
            let asking = ask.asking("");
            asking.is_ok_and(|asking| asking.why_not_in(name, Some(namespace.labels().into())).is_none())
        })
    }

    /// Whether a workload asks for an object in a namespace.
    fn ask_for(&self, workload: &Key, kind: Kind, object: &Object, namespace: Option<&Object>) -> bool {
        // What cannot be read asks for nothing: the pass of the workload says why.
        let asking = self.asking(&workload.namespace, kind);
        let labels = namespace.map(|namespace| namespace.labels().into());
        asking.is_ok_and(|asking| asking.why_not(candidate(object), labels).is_none())
    }
}

impl Ask {
    /// The same of a workload in a namespace, checked.
    fn asking<'s>(&'s self, own: &'s str) -> Result<Asking<'s>, SelectionError> {
        let selectors = Selectors::new(self.namespaces.as_ref(), self.labels.as_ref());
        Asking::new(own, Selectors { named: self.named.as_deref(), ..selectors })
    }
}

#[cfg(test)]
mod tests;
