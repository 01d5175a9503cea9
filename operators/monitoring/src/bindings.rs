//! What monitors, rules and AlertmanagerConfigs say about themselves: an entry in their status for every workload that
//! selects them, and an event when a workload refuses one. Only what changed is written. Pure.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher as _};
use std::sync::Arc;

use api_monitoring::SelectableKind;
use api_monitoring::status::ConfigResourceStatus;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kernel::apply::ForeignStatus;
use kernel::declare::Kind;
use kernel::object::{Kept as _, Key, Object};
use kernel::report::{Note, Remark};
use serde::Deserialize;
use serde_json::json;

use crate::kinds;
use crate::plan::Judged;
use crate::status::binding::{self, Verdict, Workload as Name};

/// How many are written in one pass: the next follows at once, so that changes need not wait for thousands of them.
const AT_ONCE: usize = 200;

/// An object that a workload selects.
type Place = (SelectableKind, Key);

/// An object at a version, and a hash of what it should say.
type News = (u64, u64);

/// What the objects that one workload selects say. Losing it costs a look at each of them.
#[derive(Debug, Default)]
pub(crate) struct Bindings {
    /// What each object says already, at a version of it.
    said: HashMap<Place, News>,
    /// What each was asked to say at a version of it, and when, counted in tries. Where it may not be written, it comes to
    /// nothing.
    tried: HashMap<Place, (News, u64)>,
    /// How often anything was tried.
    tries: u64,
    /// Refusals that an event told of.
    refused: HashMap<Place, u64>,
}

/// The part of an object that is looked at.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Status {
    status: ConfigResourceStatus,
}

fn bindings(object: &Object) -> ConfigResourceStatus {
    object.read::<Status>().unwrap_or_default().status
}

fn name(primary: Kind, key: &Key) -> Name<'_> {
    Name { resource: primary.plural, namespace: &key.namespace, name: &key.name }
}

/// The workloads of a kind of which an object has an entry.
pub(crate) fn workloads(object: &Object, primary: Kind) -> Vec<Key> {
    let bindings = bindings(object).bindings;
    let ours = bindings.iter().filter(|binding| binding.resource == primary.plural);
    ours.map(|binding| Key::new(&binding.namespace, &binding.name)).collect()
}

/// The entry of a workload goes from these objects.
pub(crate) fn unbind(primary: Kind, workload: &Key, objects: &[(Kind, Arc<Object>)]) -> Vec<ForeignStatus> {
    let unbound = |(kind, object): &(Kind, Arc<Object>)| {
        let others = name(primary, workload).without(&bindings(object).bindings)?;
        let status = json!({ "bindings": others });
        Some(ForeignStatus { kind: *kind, object: Arc::clone(object), status })
    };
    objects.iter().filter_map(unbound).collect()
}

impl Bindings {
    /// What is to be written into the status of objects, and whether there is more that was not tried yet. What was tried,
    /// comes last and is no reason for another pass.
    pub(crate) fn foreign_statuses(
        &mut self,
        (primary, workload): (Kind, &Key),
        judged: &[Judged<'_>],
        now: &Time,
    ) -> (Vec<ForeignStatus>, bool) {
        self.forget_unselected(judged);
        let (mut first, mut again) = (Vec::new(), Vec::new());
        let mut is_more = false;
        for one in judged {
            let Some((foreign_status, news)) = self.foreign_status(name(primary, workload), one, now) else {
                continue;
            };
            let place = place(one);
            match self.tried.get(&place) {
                Some((tried, at)) if *tried == news => again.push((*at, place, foreign_status, news)),
                Some(_) | None if first.len() < AT_ONCE => first.push((place, foreign_status, news)),
                Some(_) | None => {
                    is_more = true;
                    break;
                }
            }
        }
        again.sort_by_key(|(at, ..)| *at);
        let again = again.into_iter().map(|(_, place, foreign_status, news)| (place, foreign_status, news));
        let mut foreign_statuses = Vec::new();
        for (place, foreign_status, news) in first.into_iter().chain(again).take(AT_ONCE) {
            self.tries += 1;
            self.tried.insert(place, (news, self.tries));
            foreign_statuses.push(foreign_status);
        }
        (foreign_statuses, is_more)
    }

    fn forget_unselected(&mut self, judged: &[Judged<'_>]) {
        if self.said.len().max(self.tried.len()) <= judged.len() {
            return;
        }
        let selected: HashSet<Place> = judged.iter().map(place).collect();
        self.said.retain(|one, _| selected.contains(one));
        self.tried.retain(|one, _| selected.contains(one));
    }

    fn foreign_status(
        &mut self,
        workload: Name<'_>,
        one: &Judged<'_>,
        now: &Time,
    ) -> Option<(ForeignStatus, News)> {
        let verdict = Verdict { refusal: one.refusal, generation: one.object.generation() };
        let news = (one.object.identity().version, hashed(&verdict));
        let place = place(one);
        if self.said.get(&place) == Some(&news) {
            return None;
        }
        let Some(bindings) = workload.with(&bindings(one.object).bindings, verdict, now) else {
            self.tried.remove(&place);
            self.said.insert(place, news);
            return None;
        };
        let (kind, object) = (kinds::selectable(one.kind), Arc::clone(one.object));
        Some((ForeignStatus { kind, object, status: json!({ "bindings": bindings }) }, news))
    }

    /// The pass went wrong: it is not known what came of what was tried, and it is tried again as if it were new.
    pub(crate) fn forget_tries(&mut self) {
        self.tried.clear();
    }

    /// Events about what is refused, each posted once.
    pub(crate) fn refusals(&mut self, judged: &[Judged<'_>]) -> Vec<Remark> {
        let mut remarks = Vec::new();
        let mut refused = HashMap::new();
        for one in judged {
            let Some(refusal) = one.refusal else { continue };
            let (place, hash) = (place(one), hashed(&refusal));
            if self.refused.get(&place) != Some(&hash) {
                let note = Note { alarming: true, reason: binding::REFUSED, message: refusal.to_owned() };
                let (kind, object) = (kinds::selectable(one.kind), Arc::clone(one.object));
                remarks.push(Remark { kind, object, action: action(one.kind), note });
            }
            refused.insert(place, hash);
        }
        self.refused = refused;
        remarks
    }
}

fn place(one: &Judged<'_>) -> Place {
    (one.kind, one.object.key().clone())
}

/// What was being done, as the Prometheus Operator calls it.
fn action(kind: SelectableKind) -> &'static str {
    match kind {
        SelectableKind::PrometheusRule => "SelectingPrometheusRuleResources",
        SelectableKind::AlertmanagerConfig => "SelectingAlertmanagerConfigResources",
        SelectableKind::ServiceMonitor
        | SelectableKind::PodMonitor
        | SelectableKind::Probe
        | SelectableKind::ScrapeConfig => "SelectingConfigurationResources",
    }
}

fn hashed(value: &impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_to_nothing_is_tried_again_later_and_asks_for_no_pass() {
        let kind = SelectableKind::ServiceMonitor;
        let object = |number: usize| {
            let metadata = json!({"namespace": "a", "name": format!("m{number:03}"), "uid": number.to_string(), "resourceVersion": "1"});
            let object = serde_json::from_value(json!({ "metadata": metadata })).unwrap();
            Arc::new(Object::new(object, &kinds::selectable(kind).resource()))
        };
        let objects: Vec<Arc<Object>> = (0..=AT_ONCE).map(object).collect();
        let judged: Vec<Judged<'_>> =
            objects.iter().map(|object| Judged { kind, object, read: &[], refusal: None }).collect();
        let (workload, mut bindings) = (Key::new("a", "main"), Bindings::default());
        let now = Time(k8s_openapi::jiff::Timestamp::UNIX_EPOCH);
        let pass = |bindings: &mut Bindings| {
            let (foreign_statuses, is_more) =
                bindings.foreign_statuses((kinds::PROMETHEUS, &workload), &judged, &now);
            let name = |foreign_status: Option<&ForeignStatus>| {
                foreign_status.map(|foreign_status| foreign_status.object.key().name.to_string())
            };
            (foreign_statuses.len(), name(foreign_statuses.first()), is_more)
        };
        assert_eq!(pass(&mut bindings), (200, Some("m000".into()), true));
        // Nothing came of it. Those that had no turn come first.
        assert_eq!(pass(&mut bindings), (200, Some("m200".into()), false));
        assert_eq!(pass(&mut bindings), (200, Some("m199".into()), false));
        bindings.forget_tries();
        assert_eq!(pass(&mut bindings), (200, Some("m000".into()), true));
    }

    #[test]
    fn what_is_no_longer_selected_is_forgotten() {
        let kind = SelectableKind::Probe;
        let object = |name: &str| {
            let object =
                json!({"metadata": {"namespace": "a", "name": name, "uid": name, "resourceVersion": "1"}});
            Arc::new(Object::new(serde_json::from_value(object).unwrap(), &kinds::PROBE.resource()))
        };
        let (a, b) = (object("a"), object("b"));
        let judged = |object| Judged { kind, object, read: &[], refusal: None };
        let (workload, now) = (Key::new("a", "main"), Time(k8s_openapi::jiff::Timestamp::UNIX_EPOCH));
        let mut bindings = Bindings::default();
        for these in [&[judged(&a), judged(&b)][..], &[judged(&b)], &[]] {
            bindings.foreign_statuses((kinds::PROMETHEUS, &workload), these, &now);
            assert_eq!(bindings.tried.len(), these.len());
        }
    }
}
