//! The rejected resources of a workload. They are recorded in an annotation of the configuration Secret, so that they
//! stay excluded after a restart of the operator. A rejection holds for one state of the resource and one
//! [`OperandState`]. Records of older versions lack these states and hold for none: their resources are tried again once.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::rejections::operand::OperandState;
use crate::rejections::resource::ResourceRef;

/// The annotation of the Secret.
pub const ANNOTATION: &str = "mainstay.dev/refused-objects";

/// How many rejections the annotation holds: its size is limited.
const MOST_RECORDED: usize = 200;

/// The state of a resource. What a configuration gets from the resource depends on it and on the workload.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceState {
    /// Its unique id. The generations of a resource that replaces it start at one again.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// Its generation.
    pub generation: i64,
    /// A hash of the versions of the Secrets and ConfigMaps that it references; empty, if there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub read: String,
}

/// Why a resource is excluded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejection {
    /// The state that was rejected. Another state is tried again.
    #[serde(flatten)]
    pub state: ResourceState,
    /// The operand that rejected it. Another one is tried again.
    #[serde(flatten)]
    pub operand: OperandState,
    /// The message, without secrets.
    #[serde(rename = "words")]
    pub message: String,
}

/// The rejected resources of a workload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rejections(BTreeMap<ResourceRef, Rejection>);

/// An entry of the annotation.
#[derive(Serialize, Deserialize)]
struct Entry {
    #[serde(flatten)]
    resource: ResourceRef,
    #[serde(flatten)]
    rejection: Rejection,
}

impl Rejections {
    /// Adds the rejection of a resource that has none yet.
    pub fn insert_new(&mut self, resource: &ResourceRef, rejection: impl FnOnce() -> Rejection) {
        self.0.entry(resource.clone()).or_insert_with(rejection);
    }

    /// Why a resource is excluded; none, if it is not.
    pub fn get(&self, resource: &ResourceRef) -> Option<&Rejection> {
        self.0.get(resource)
    }

    /// Removes the rejections that do not hold for this operand and for the current states of the resources. Returns those
    /// of the removed resources that still exist.
    pub fn retain(
        &mut self,
        operand: &OperandState,
        current: &BTreeMap<ResourceRef, ResourceState>,
    ) -> BTreeSet<ResourceRef> {
        let holds = |resource: &ResourceRef, rejection: &Rejection| {
            rejection.operand == *operand && current.get(resource) == Some(&rejection.state)
        };
        let mut removed = self.resources();
        self.0.retain(|resource, rejection| holds(resource, rejection));
        removed.retain(|resource| !self.0.contains_key(resource) && current.contains_key(resource));
        removed
    }

    /// The excluded resources.
    pub fn resources(&self) -> BTreeSet<ResourceRef> {
        self.0.keys().cloned().collect()
    }

    /// Whether nothing is rejected.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of the annotation; none, if there is nothing to record.
    pub fn annotation(&self) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let entries = self.0.clone().into_iter().take(MOST_RECORDED);
        let entries: Vec<Entry> =
            entries.map(|(resource, rejection)| Entry { resource, rejection }).collect();
        serde_json::to_string(&entries).ok()
    }

    /// Reads the annotation. A value that cannot be read is ignored: the search finds the causes again.
    pub fn from_annotation(text: &str) -> Self {
        let entries: Vec<Entry> = serde_json::from_str(text).unwrap_or_default();
        entries.into_iter().map(|Entry { resource, rejection }| (resource, rejection)).collect()
    }
}

impl FromIterator<(ResourceRef, Rejection)> for Rejections {
    fn from_iter<I: IntoIterator<Item = (ResourceRef, Rejection)>>(rejections: I) -> Self {
        Self(rejections.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use monitoring_select::SelectableKind;

    fn resource(name: &str) -> ResourceRef {
        ResourceRef::new(SelectableKind::ServiceMonitor, "team", name)
    }

    fn state(uid: &str, generation: i64, read: &str) -> ResourceState {
        ResourceState { uid: uid.into(), generation, read: read.into() }
    }

    fn operand(by: &str, workload: &str) -> OperandState {
        OperandState { by: by.into(), workload: workload.into() }
    }

    fn prometheus() -> OperandState {
        operand("Prometheus 2.42.0", "w")
    }

    fn rejection() -> Rejection {
        let message = "unknown relabel action \"…\"".into();
        Rejection { state: state("u", 3, "a"), operand: prometheus(), message }
    }

    #[test]
    fn rejections_of_other_states_are_removed() {
        let names = ["same", "changed", "gone", "reads another", "recreated"];
        let all = Rejections::from_iter(names.map(|name| (resource(name), rejection())));
        let now = BTreeMap::from([
            (resource("same"), state("u", 3, "a")),
            (resource("changed"), state("u", 4, "a")),
            (resource("reads another"), state("u", 3, "b")),
            (resource("recreated"), state("v", 3, "a")),
        ]);
        let mut left = all.clone();
        let removed = left.retain(&prometheus(), &now);
        assert_eq!(left, Rejections::from_iter([(resource("same"), rejection())]));
        assert_eq!(removed, ["changed", "reads another", "recreated"].map(resource).into());
        for other in [operand("Prometheus 3.13.1", "w"), operand("Prometheus 2.42.0", "v")] {
            let mut none = all.clone();
            assert_eq!(none.retain(&other, &now), now.keys().cloned().collect());
            assert_eq!(none, Rejections::default());
        }
    }

    #[test]
    fn records_of_older_versions_are_read_and_retried() {
        let old = "[{\"kind\":\"ServiceMonitor\",\"namespace\":\"team\",\"name\":\"bad\",\"generation\":3,\
                   \"by\":\"Prometheus 2.42.0\",\"words\":\"no\"}]";
        let mut rejections = Rejections::from_annotation(old);
        assert_eq!(rejections.resources(), [resource("bad")].into());
        let now = BTreeMap::from([(resource("bad"), state("u", 3, ""))]);
        assert_eq!(rejections.retain(&prometheus(), &now), [resource("bad")].into());
        assert!(rejections.is_empty());
    }

    #[test]
    fn the_annotation_restores_all_rejections() {
        let rejections = Rejections::from_iter([(resource("bad"), rejection())]);
        let text = "[{\"kind\":\"ServiceMonitor\",\"namespace\":\"team\",\"name\":\"bad\",\"uid\":\"u\",\
                    \"generation\":3,\"read\":\"a\",\"by\":\"Prometheus 2.42.0\",\"workload\":\"w\",\"words\":\"unknown relabel action \\\"…\\\"\"}]";
        assert_eq!(rejections.annotation().as_deref(), Some(text));
        assert_eq!(Rejections::from_annotation(text), rejections);
        assert_eq!(Rejections::from_annotation("nonsense"), Rejections::default());
        assert_eq!(Rejections::default().annotation(), None);
    }

    proptest! {
        #[test]
        fn no_rejection_is_lost_in_the_annotation(generation in 0..i64::MAX, words in "\\PC{0,40}", names in prop::collection::btree_set("[a-z]{1,8}", 0..20)) {
            let rejection = Rejection { state: state("u", generation, ""), operand: prometheus(), message: words };
            let rejections: Rejections = names.iter().map(|name| (resource(name), rejection.clone())).collect();
            prop_assert_eq!(Rejections::from_annotation(&rejections.annotation().unwrap_or_default()), rejections);
        }
    }
}
