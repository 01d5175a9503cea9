//! Which resources are suspected first when the error names none. A server has accepted what it runs, so resources that no
//! server ran come first, then those that changed since, then the others; in each group, the most recent change first.
//!
//! What was accepted is kept in memory and not recorded: it changes with every accepted change, so a record would cost one
//! more write each time. Without it the order follows from the resource versions alone, which grow with every change.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::rejections::record::ResourceState;
use crate::rejections::resource::ResourceRef;
use kernel::object::Stored as _;

use super::resource;
use crate::loaded::content::Content;
use crate::plan::Judged;

/// The content that servers accepted last.
#[derive(Debug, Clone)]
pub(crate) struct Accepted {
    content: Content,
    /// Hashes of the unique id and of the state of each resource in it: sorted, because there may be many.
    resources: Vec<(u64, u64)>,
}

/// Whether a server ran a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum History {
    Accepted,
    Changed,
    New,
}

impl Accepted {
    /// An accepted content, made from all of these resources but the excluded ones.
    pub(super) fn new(content: Content, judged: &[Judged<'_>], excluded: &BTreeSet<ResourceRef>) -> Self {
        let is_in = |one: &&Judged<'_>| {
            one.rejection.is_none() && (excluded.is_empty() || !excluded.contains(&resource(one)))
        };
        let mut resources: Vec<(u64, u64)> = judged.iter().filter(is_in).map(hashes).collect();
        resources.sort_unstable();
        Self { content, resources }
    }

    /// Whether this is the content.
    pub(super) fn is_of(&self, content: &Content) -> bool {
        self.content == *content
    }

    fn history(&self, one: &Judged<'_>) -> History {
        let (id, state) = hashes(one);
        match self.resources.binary_search_by_key(&id, |(id, _)| *id) {
            Ok(at) if self.resources[at].1 == state => History::Accepted,
            Ok(_) => History::Changed,
            Err(_) => History::New,
        }
    }
}

fn hashes(one: &Judged<'_>) -> (u64, u64) {
    let (mut id, mut state) = (DefaultHasher::new(), DefaultHasher::new());
    one.object.uid().hash(&mut id);
    one.object.generation().hash(&mut state);
    for (reference, version) in one.read {
        (&reference.namespace, &reference.name, version).hash(&mut state);
    }
    (id.finish(), state.finish())
}

/// The last change of a resource or of its references.
fn last_change(one: &Judged<'_>) -> u64 {
    let read = one.read.iter().filter_map(|(_, version)| version.as_ref()?.parse().ok());
    read.chain([one.object.identity().version]).max().unwrap_or_default()
}

/// The resources of a configuration, the most suspicious first; and those among them that no server ran.
pub(super) fn rank(
    judged: &[Judged<'_>],
    states: &BTreeMap<ResourceRef, ResourceState>,
    accepted: Option<&Accepted>,
) -> (Vec<ResourceRef>, BTreeSet<ResourceRef>) {
    let mut ranked: Vec<(History, u64, ResourceRef)> = Vec::new();
    for one in judged {
        let resource = resource(one);
        if states.contains_key(&resource) {
            let history = accepted.map_or(History::Accepted, |accepted| accepted.history(one));
            ranked.push((history, last_change(one), resource));
        }
    }
    ranked.sort_unstable_by(|one, other| other.cmp(one));
    let new = ranked.iter().filter(|(history, ..)| *history == History::New);
    let new = new.map(|(.., resource)| resource.clone()).collect();
    (ranked.into_iter().map(|(.., resource)| resource).collect(), new)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::plan::memo::Read;
    use kernel::object::Object;
    use monitoring_assets::{Reference, SourceKind};
    use monitoring_select::SelectableKind;
    use serde_json::json;

    use super::*;
    use crate::kinds;
    use crate::rejections::states;

    fn object(name: &str, generation: i64, version: u64) -> Arc<Object> {
        let object = json!({"metadata": {
            "name": name, "namespace": "team", "uid": name, "generation": generation,
            "resourceVersion": version.to_string(),
        }});
        Arc::new(Object::new(serde_json::from_value(object).unwrap(), &kinds::PROBE.resource()))
    }

    fn read(version: &str) -> [Read; 1] {
        let reference =
            Reference { source: SourceKind::Secret, namespace: "team".into(), name: "key".into() };
        [(reference, Some(version.into()))]
    }

    fn judged<'j>(object: &'j Arc<Object>, read: &'j [Read]) -> Judged<'j> {
        Judged { kind: SelectableKind::Probe, object, read, rejection: None }
    }

    fn names(ranked: &[ResourceRef]) -> Vec<&str> {
        ranked.iter().map(|resource| resource.name.as_str()).collect()
    }

    #[test]
    fn without_a_history_the_latest_changes_come_first() {
        let (a, b, c) = (object("a", 1, 5), object("b", 7, 9), object("c", 1, 2));
        let read = read("11");
        let judged = [judged(&a, &[]), judged(&b, &[]), judged(&c, &read)];
        let (ranked, new) = rank(&judged, &states(judged), None);
        assert_eq!(
            (names(&ranked), new),
            (vec!["c", "b", "a"], BTreeSet::new()),
            "the Secret of c changed last"
        );
    }

    #[test]
    fn resources_that_no_server_ran_come_first() {
        let content = Content { config: None, watched: None };
        let (a, b, out) = (object("a", 1, 5), object("b", 1, 6), object("out", 1, 1));
        let before = [judged(&a, &[]), judged(&b, &[]), judged(&out, &[])];
        let excluded = [resource(&judged(&out, &[]))].into();
        let accepted = Accepted::new(content, &before, &excluded);
        // One was edited, one has only another status, one is new.
        let (a, b, fresh) = (object("a", 2, 7), object("b", 1, 9), object("fresh", 1, 8));
        let now = [judged(&a, &[]), judged(&b, &[]), judged(&out, &[]), judged(&fresh, &[])];
        let (ranked, new) = rank(&now, &states(now), Some(&accepted));
        assert_eq!(names(&ranked), ["fresh", "out", "a", "b"]);
        assert_eq!(names(&new.into_iter().collect::<Vec<_>>()), ["fresh", "out"]);
    }
}
