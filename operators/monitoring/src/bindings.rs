//! The status of monitors, rules and AlertmanagerConfigs: an entry for every workload that selects them, and an event when a
//! workload rejects one. Only what changed is written. Pure.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher as _};
use std::sync::Arc;

use api_monitoring::SelectableKind;
use api_monitoring::status::ConfigResourceStatus;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kernel::apply::ForeignStatus;
use kernel::declare::Kind;
use kernel::object::{Key, Object, Stored as _};
use kernel::report::{Note, RelatedNote};
use serde::Deserialize;
use serde_json::json;

use crate::kinds;
use crate::plan::Judged;
use crate::status::binding::{self, Acceptance, WorkloadReference as Name};

/// How many statuses are written in one pass. The next pass follows at once, so that other changes do not wait for
/// thousands of them.
const AT_ONCE: usize = 200;

/// What is remembered of the objects that one workload selects. If it is lost, each of them is read once.
#[derive(Debug, Default)]
pub(crate) struct Bindings {
    selected: HashMap<(SelectableKind, Key), BindingState>,
    /// How many writes were attempted.
    attempts: u64,
    /// The hashes of the rejections that an event has reported.
    reported: HashMap<(SelectableKind, Key), u64>,
}

/// What is remembered of a selected object.
#[derive(Debug, Default)]
struct BindingState {
    /// The version at which its status has the right entry.
    written: Option<Version>,
    /// The last attempted write, and its number. It has no effect if the operator is not permitted to write.
    attempted: Option<(Version, u64)>,
}

/// A version of an object, and a hash of the entry that it should have.
type Version = (u64, u64);

/// The part of an object that is read.
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

/// The workloads of a kind that an object has an entry for.
pub(crate) fn workloads(object: &Object, primary: Kind) -> Vec<Key> {
    let bindings = bindings(object).bindings;
    let ours = bindings.iter().filter(|binding| binding.resource == primary.plural);
    ours.map(|binding| Key::new(&binding.namespace, &binding.name)).collect()
}

/// Removes the entry of a workload from these objects.
pub(crate) fn unbind(primary: Kind, workload: &Key, objects: &[(Kind, Arc<Object>)]) -> Vec<ForeignStatus> {
    let unbound = |(kind, object): &(Kind, Arc<Object>)| {
        let others = name(primary, workload).without(&bindings(object).bindings)?;
        let status = json!({ "bindings": others });
        Some(ForeignStatus { kind: *kind, object: Arc::clone(object), status })
    };
    objects.iter().filter_map(unbound).collect()
}

impl Bindings {
    /// The statuses to write, and whether there are more without an attempt. Those with an attempt come last and cause no
    /// further pass.
    pub(crate) fn foreign_statuses(
        &mut self,
        primary: Kind,
        workload: &Key,
        judged: &[Judged<'_>],
        now: &Time,
    ) -> (Vec<ForeignStatus>, bool) {
        self.forget_unselected(judged);
        let (mut first, mut again) = (Vec::new(), Vec::new());
        let mut is_more = false;
        for one in judged {
            let selected = self.selected.entry(key(one)).or_default();
            let Some((status, version)) = selected.foreign_status(name(primary, workload), one, now) else {
                continue;
            };
            match selected.attempted {
                Some((attempted, number)) if attempted == version => {
                    again.push((number, one, version, status));
                }
                Some(_) | None if first.len() < AT_ONCE => first.push((0, one, version, status)),
                Some(_) | None => {
                    is_more = true;
                    break;
                }
            }
        }
        again.sort_by_key(|(number, ..)| *number);
        let mut statuses = Vec::new();
        for (_, one, version, status) in first.into_iter().chain(again).take(AT_ONCE) {
            self.attempts += 1;
            self.selected.entry(key(one)).or_default().attempted = Some((version, self.attempts));
            statuses.push(status);
        }
        (statuses, is_more)
    }

    fn forget_unselected(&mut self, judged: &[Judged<'_>]) {
        if self.selected.len() > judged.len() {
            let selected: HashSet<_> = judged.iter().map(key).collect();
            self.selected.retain(|one, _| selected.contains(one));
        }
    }

    /// After a failed pass the results of the attempted writes are not known: they count as not attempted.
    pub(crate) fn forget_attempts(&mut self) {
        self.selected.values_mut().for_each(|selected| selected.attempted = None);
    }

    /// Events about rejected objects, each posted once.
    pub(crate) fn rejection_events(&mut self, judged: &[Judged<'_>]) -> Vec<RelatedNote> {
        let mut remarks = Vec::new();
        let mut reported = HashMap::new();
        for one in judged {
            let Some(rejection) = one.rejection else { continue };
            let (key, hash) = (key(one), hashed(&rejection));
            if self.reported.get(&key) != Some(&hash) {
                let note = Note { alarming: true, reason: binding::REJECTED, message: rejection.to_owned() };
                let (kind, object) = (kinds::selectable(one.kind), Arc::clone(one.object));
                remarks.push(RelatedNote { kind, object, action: action(one.kind), note });
            }
            reported.insert(key, hash);
        }
        self.reported = reported;
        remarks
    }
}

impl BindingState {
    /// The status that the object should have, if it has another one.
    fn foreign_status(
        &mut self,
        workload: Name<'_>,
        one: &Judged<'_>,
        now: &Time,
    ) -> Option<(ForeignStatus, Version)> {
        let acceptance = Acceptance { rejection: one.rejection, generation: one.object.generation() };
        let version = (one.object.identity().version, hashed(&acceptance));
        if self.written == Some(version) {
            return None;
        }
        let Some(bindings) = workload.with(&bindings(one.object).bindings, acceptance, now) else {
            (self.attempted, self.written) = (None, Some(version));
            return None;
        };
        let (kind, object) = (kinds::selectable(one.kind), Arc::clone(one.object));
        Some((ForeignStatus { kind, object, status: json!({ "bindings": bindings }) }, version))
    }
}

fn key(one: &Judged<'_>) -> (SelectableKind, Key) {
    (one.kind, one.object.key().clone())
}

/// The action of the event, as the Prometheus Operator calls it.
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
    fn writes_without_effect_are_retried_last_and_cause_no_pass() {
        let kind = SelectableKind::ServiceMonitor;
        let object = |number: usize| {
            let metadata = json!({"namespace": "a", "name": format!("m{number:03}"), "uid": number.to_string(), "resourceVersion": "1"});
            let object = serde_json::from_value(json!({ "metadata": metadata })).unwrap();
            Arc::new(Object::new(object, &kinds::selectable(kind).resource()))
        };
        let objects: Vec<Arc<Object>> = (0..=AT_ONCE).map(object).collect();
        let judged: Vec<Judged<'_>> =
            objects.iter().map(|object| Judged { kind, object, read: &[], rejection: None }).collect();
        let (workload, mut bindings) = (Key::new("a", "main"), Bindings::default());
        let now = Time(k8s_openapi::jiff::Timestamp::UNIX_EPOCH);
        let pass = |bindings: &mut Bindings| {
            let (foreign_statuses, is_more) =
                bindings.foreign_statuses(kinds::PROMETHEUS, &workload, &judged, &now);
            let name = |foreign_status: Option<&ForeignStatus>| {
                foreign_status.map(|foreign_status| foreign_status.object.key().name.to_string())
            };
            (foreign_statuses.len(), name(foreign_statuses.first()), is_more)
        };
        assert_eq!(pass(&mut bindings), (200, Some("m000".into()), true));
        // The writes had no effect. Objects without an attempt come first.
        assert_eq!(pass(&mut bindings), (200, Some("m200".into()), false));
        assert_eq!(pass(&mut bindings), (200, Some("m199".into()), false));
        bindings.forget_attempts();
        assert_eq!(pass(&mut bindings), (200, Some("m000".into()), true));
    }

    #[test]
    fn unselected_objects_are_forgotten() {
        let kind = SelectableKind::Probe;
        let object = |name: &str| {
            let object =
                json!({"metadata": {"namespace": "a", "name": name, "uid": name, "resourceVersion": "1"}});
            Arc::new(Object::new(serde_json::from_value(object).unwrap(), &kinds::PROBE.resource()))
        };
        let (a, b) = (object("a"), object("b"));
        let judged = |object| Judged { kind, object, read: &[], rejection: None };
        let (workload, now) = (Key::new("a", "main"), Time(k8s_openapi::jiff::Timestamp::UNIX_EPOCH));
        let mut bindings = Bindings::default();
        for these in [&[judged(&a), judged(&b)][..], &[judged(&b)], &[]] {
            bindings.foreign_statuses(kinds::PROMETHEUS, &workload, these, &now);
            assert_eq!(bindings.selected.len(), these.len());
        }
    }
}
