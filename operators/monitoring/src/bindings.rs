//! What monitors, rules and AlertmanagerConfigs are told about themselves: an entry in their status for every workload that
//! selects them, and an event when a workload refuses one. Only what changed is told.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hasher as _};
use std::sync::{Arc, OnceLock};

use crate::status::binding::{self, Verdict, Workload as Name};
use api_monitoring::status::ConfigResourceStatus;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kernel::apply::ForeignStatus;
use kernel::declare::Kind;
use kernel::object::{Kept as _, Key, Object};
use kernel::report::{Note, Remark};
use kernel::stores::Stores;
use serde::Deserialize;
use serde_json::json;

use crate::interest::Selectable;
use crate::kind::Judged;
use crate::kinds;

/// How many are told in one pass: the next follows at once, so that changes need not wait for thousands of them.
const AT_ONCE: usize = 200;

/// What was told about the objects that one workload selects. Losing it costs a look at each of them.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// What each object says already, at a version of it.
    said: HashMap<(Kind, Key), (u64, u64)>,
    /// What each was asked to say at a version of it, and when, counted in tries. Where we may not, it comes to nothing.
    tried: HashMap<(Kind, Key), ((u64, u64), u64)>,
    /// How often anything was tried.
    tries: u64,
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
) -> Vec<ForeignStatus> {
    let unbound = |(kind, key): &(Kind, Key)| {
        let object = stores.get(*kind, key)?;
        let others = name(primary, workload).without(&bindings(&object).bindings)?;
        Some(ForeignStatus { kind: *kind, object, status: json!({ "bindings": others }) })
    };
    objects.iter().filter_map(unbound).collect()
}

impl Told {
    /// What is to be said in the status of objects, and whether there is more that was not tried yet. What was, comes last
    /// and is no reason for another pass.
    pub(crate) fn foreign_statuses(
        &mut self,
        (primary, workload): (Kind, &Key),
        judged: &[Judged<'_>],
        found: &BTreeSet<(Kind, Key)>,
        (stores, now): (&Stores, &Time),
    ) -> (Vec<ForeignStatus>, bool) {
        let bound = self.bound.get_or_insert_with(|| found.clone());
        let selected: BTreeSet<(Kind, Key)> =
            judged.iter().map(|one| (one.kind, one.object.key().clone())).collect();
        let lost: BTreeSet<(Kind, Key)> = bound.difference(&selected).cloned().collect();
        let mut foreign_statuses = unbind(primary, workload, &lost, stores);
        bound.extend(selected.iter().cloned());
        let gone = |one: &(Kind, Key)| {
            lost.contains(one)
                && !foreign_statuses.iter().any(|foreign_status| {
                    (foreign_status.kind, foreign_status.object.key()) == (one.0, &one.1)
                })
        };
        bound.retain(|one| !gone(one));
        self.said.retain(|one, _| selected.contains(one));
        self.tried.retain(|one, _| selected.contains(one));
        let (mut first, mut again) = (Vec::new(), Vec::new());
        let mut is_more = false;
        for one in judged {
            let Some((foreign_status, news)) = self.foreign_status(name(primary, workload), one, stores, now)
            else {
                continue;
            };
            match self.tried.get(&place(&foreign_status)) {
                Some((tried, at)) if *tried == news => again.push((*at, foreign_status, news)),
                Some(_) | None if first.len() < AT_ONCE => first.push((foreign_status, news)),
                Some(_) | None => {
                    is_more = true;
                    break;
                }
            }
        }
        again.sort_by_key(|(at, ..)| *at);
        let again = again.into_iter().map(|(_, foreign_status, news)| (foreign_status, news));
        for (foreign_status, news) in first.into_iter().chain(again).take(AT_ONCE) {
            self.tries += 1;
            self.tried.insert(place(&foreign_status), (news, self.tries));
            foreign_statuses.push(foreign_status);
        }
        (foreign_statuses, is_more)
    }

    fn foreign_status(
        &mut self,
        workload: Name<'_>,
        one: &Judged<'_>,
        stores: &Stores,
        now: &Time,
    ) -> Option<(ForeignStatus, (u64, u64))> {
        // What we said in the last pass may be newer than what was judged.
        let object =
            stores.get(one.kind, one.object.key()).filter(|known| known.uid() == one.object.uid())?;
        let verdict = Verdict { refusal: one.refusal, generation: one.object.generation() };
        let news = (object.identity().version, hashed(&verdict));
        let place = (one.kind, object.key().clone());
        if self.said.get(&place) == Some(&news) {
            return None;
        }
        let Some(bindings) = workload.with(&bindings(&object).bindings, verdict, now) else {
            self.tried.remove(&place);
            self.said.insert(place, news);
            return None;
        };
        Some((ForeignStatus { kind: one.kind, object, status: json!({ "bindings": bindings }) }, news))
    }

    /// The pass went wrong: nobody knows what came of what was tried, and it is tried again as if it were new.
    pub(crate) fn forget_tries(&mut self) {
        self.tried.clear();
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

fn place(foreign_status: &ForeignStatus) -> (Kind, Key) {
    (foreign_status.kind, foreign_status.object.key().clone())
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

#[cfg(test)]
mod tests {
    use kernel::store::Event;
    use kernel::stores::{Namespaces, Scopes};

    use super::*;
    use crate::OfPrometheus;
    use crate::kind::Workload as _;

    #[test]
    fn what_comes_to_nothing_is_tried_again_later_and_asks_for_no_pass() {
        let stores =
            Stores::new(&[OfPrometheus::DECLARATION], "test", &Scopes::from(Namespaces::AllBut(Vec::new())));
        let kind = kinds::SERVICE_MONITOR;
        let partition = stores.partition(kind, "a").unwrap();
        partition.write().see(Event::Begin);
        for number in 0..=AT_ONCE {
            let metadata = json!({"namespace": "a", "name": format!("m{number:03}"), "uid": number.to_string(), "resourceVersion": "1"});
            let object = serde_json::from_value(json!({ "metadata": metadata })).unwrap();
            partition.write().see(Event::Listed(Object::new(object, &kind.resource())));
        }
        partition.write().see(Event::Complete);
        let objects = stores.all(kind);
        let judged: Vec<Judged<'_>> =
            objects.iter().map(|object| Judged { kind, object, read: &[], refusal: None }).collect();
        let (workload, mut told) = (Key::new("a", "main"), Told::default());
        let now = Time(k8s_openapi::jiff::Timestamp::UNIX_EPOCH);
        let pass = |told: &mut Told| {
            let (foreign_statuses, is_more) = told.foreign_statuses(
                (kinds::PROMETHEUS, &workload),
                &judged,
                &BTreeSet::new(),
                (&stores, &now),
            );
            let name = |foreign_status: Option<&ForeignStatus>| {
                foreign_status.map(|foreign_status| foreign_status.object.key().name.to_string())
            };
            (foreign_statuses.len(), name(foreign_statuses.first()), is_more)
        };
        assert_eq!(pass(&mut told), (200, Some("m000".into()), true));
        // Nothing came of it. Whoever had no turn comes first.
        assert_eq!(pass(&mut told), (200, Some("m200".into()), false));
        assert_eq!(pass(&mut told), (200, Some("m199".into()), false));
        told.forget_tries();
        assert_eq!(pass(&mut told), (200, Some("m000".into()), true));
    }
}
