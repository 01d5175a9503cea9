//! What monitors, rules and AlertmanagerConfigs are told about themselves: an entry in their status for every workload that
//! selects them, and an event when a workload refuses one. Only what changed is told.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hasher as _};
use std::sync::{Arc, OnceLock};

use api_monitoring::status::ConfigResourceStatus;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kernel::apply::Saying;
use kernel::declare::Kind;
use kernel::object::{Kept as _, Key, Object};
use kernel::report::{Note, Remark};
use kernel::stores::Stores;
use monitoring_status::binding::{self, Verdict, Workload as Name};
use serde::Deserialize;
use serde_json::json;

use crate::interest::Selectable;
use crate::kinds;
use crate::workload::Judged;

/// How many are told in one pass: the next follows at once, so that changes need not wait for thousands of them.
const AT_ONCE: usize = 200;

/// What was told about the objects that one workload selects. Losing it costs a look at each of them.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// What each object says already, at a version of it.
    said: HashMap<(Kind, Key), (u64, u64)>,
    /// Objects with an entry for the workload.
    bound: Option<BTreeSet<(Kind, Key)>>,
    /// Refusals that an event told of.
    refused: HashMap<(Kind, Key), u64>,
}

/// Which objects have entries for which workloads of a kind, as it was when the process began.
#[derive(Debug, Default)]
pub struct Found(OnceLock<HashMap<Key, BTreeSet<(Kind, Key)>>>);

/// The part of an object that is looked at.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Status {
    status: ConfigResourceStatus,
}

impl Found {
    /// All of them, by workload. Every object is read, once a process.
    pub(crate) fn all(
        &self,
        primary: Kind,
        selectable: Selectable,
        stores: &Stores,
    ) -> &HashMap<Key, BTreeSet<(Kind, Key)>> {
        self.0.get_or_init(|| {
            let mut found: HashMap<Key, BTreeSet<(Kind, Key)>> = HashMap::new();
            for (kind, _) in selectable {
                for object in stores.all(*kind).iter() {
                    let bindings = bindings(object).bindings;
                    let ours = bindings.iter().filter(|binding| binding.resource == primary.plural);
                    for binding in ours {
                        let workload = Key::new(&binding.namespace, &binding.name);
                        found.entry(workload).or_default().insert((*kind, object.key().clone()));
                    }
                }
            }
            found
        })
    }
}

fn bindings(object: &Object) -> ConfigResourceStatus {
    object.read::<Status>().unwrap_or_default().status
}

fn name(primary: Kind, key: &Key) -> Name<'_> {
    Name { resource: primary.plural, namespace: &key.namespace, name: &key.name }
}

/// The entry of a workload goes from these objects.
pub(crate) fn unbind(
    primary: Kind,
    workload: &Key,
    objects: &BTreeSet<(Kind, Key)>,
    stores: &Stores,
) -> Vec<Saying> {
    let unbound = |(kind, key): &(Kind, Key)| {
        let object = stores.get(*kind, key)?;
        let others = name(primary, workload).without(&bindings(&object).bindings)?;
        Some(Saying { kind: *kind, object, status: json!({ "bindings": others }) })
    };
    objects.iter().filter_map(unbound).collect()
}

impl Told {
    /// What is to be said in the status of objects, and whether there is more.
    pub(crate) fn sayings(
        &mut self,
        (primary, workload): (Kind, &Key),
        judged: &[Judged<'_>],
        found: &BTreeSet<(Kind, Key)>,
        (stores, now): (&Stores, &Time),
    ) -> (Vec<Saying>, bool) {
        let bound = self.bound.get_or_insert_with(|| found.clone());
        let selected: BTreeSet<(Kind, Key)> =
            judged.iter().map(|one| (one.kind, one.object.key().clone())).collect();
        let lost: BTreeSet<(Kind, Key)> = bound.difference(&selected).cloned().collect();
        let mut sayings = unbind(primary, workload, &lost, stores);
        bound.extend(selected.iter().cloned());
        let gone = |one: &(Kind, Key)| {
            lost.contains(one)
                && !sayings.iter().any(|saying| (saying.kind, saying.object.key()) == (one.0, &one.1))
        };
        bound.retain(|one| !gone(one));
        self.said.retain(|one, _| selected.contains(one));
        for one in judged {
            if sayings.len() >= AT_ONCE {
                return (sayings, true);
            }
            sayings.extend(self.saying(name(primary, workload), one, stores, now));
        }
        (sayings, false)
    }

    fn saying(
        &mut self,
        workload: Name<'_>,
        one: &Judged<'_>,
        stores: &Stores,
        now: &Time,
    ) -> Option<Saying> {
        // What we said in the last pass may be newer than what was judged.
        let object =
            stores.get(one.kind, one.object.key()).filter(|known| known.uid() == one.object.uid())?;
        let verdict = Verdict { refusal: one.refusal, generation: one.object.generation() };
        let (version, hash) = (object.identity().version, hashed(&verdict));
        let place = (one.kind, object.key().clone());
        if self.said.get(&place) == Some(&(version, hash)) {
            return None;
        }
        let Some(bindings) = workload.with(&bindings(&object).bindings, verdict, now) else {
            self.said.insert(place, (version, hash));
            return None;
        };
        Some(Saying { kind: one.kind, object, status: json!({ "bindings": bindings }) })
    }

    /// Objects with an entry for the workload, as far as that is known.
    pub(crate) fn bound(&self) -> BTreeSet<(Kind, Key)> {
        self.bound.clone().unwrap_or_default()
    }

    /// Events about what is refused, each told once.
    pub(crate) fn refusals(&mut self, judged: &[Judged<'_>]) -> Vec<Remark> {
        let mut remarks = Vec::new();
        let mut refused = HashMap::new();
        for one in judged {
            let Some(refusal) = one.refusal else { continue };
            let (place, hash) = ((one.kind, one.object.key().clone()), hashed(&refusal));
            if self.refused.get(&place) != Some(&hash) {
                let note = Note { alarming: true, reason: binding::REFUSED, message: refusal.to_owned() };
                let (kind, object) = (one.kind, Arc::clone(one.object));
                remarks.push(Remark { kind, object, action: action(kind), note });
            }
            refused.insert(place, hash);
        }
        self.refused = refused;
        remarks
    }
}

/// What was being done, as the Prometheus Operator calls it.
fn action(kind: Kind) -> &'static str {
    match kind {
        kinds::RULE => "SelectingPrometheusRuleResources",
        kinds::ALERTMANAGER_CONFIG => "SelectingAlertmanagerConfigResources",
        _ => "SelectingConfigurationResources",
    }
}

fn hashed(value: &impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
