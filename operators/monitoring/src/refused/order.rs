//! Who is suspected first when a server names nobody. Whatever a server runs it once took: so first those that it never ran,
//! then those that changed since, then the others, and always the younger before the older.
//!
//! What it took is remembered as long as the process lives and written nowhere: it changes with every change that is
//! taken, and a note of that would be one more write for each. Without it the age decides alone, which the server of the
//! cluster keeps: the version of an object, or of what was read for it, grows with every change.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::loaded::subject::Subject;
use crate::loaded::verdicts::Stamp;
use kernel::object::Kept as _;

use super::{stamp, subject};
use crate::load::Content;
use crate::plan::Judged;

/// What servers took last.
#[derive(Debug, Clone)]
pub(crate) struct Accepted {
    content: Content,
    /// Hashes of the unique ids of what was in it, and of the states: sorted, for there may be many.
    objects: Vec<(u64, u64)>,
}

/// What is known of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    Taken,
    Changed,
    Fresh,
}

impl Accepted {
    /// A content that was taken, with all of this in it but what was left out.
    pub(super) fn new(content: Content, judged: &[Judged<'_>], left_out: &BTreeSet<Subject>) -> Self {
        let is_in = |one: &&Judged<'_>| {
            let is_out = || left_out.contains(&subject(one));
            one.refusal.is_none() && (left_out.is_empty() || !is_out())
        };
        let mut objects: Vec<(u64, u64)> = judged.iter().filter(is_in).map(marks).collect();
        objects.sort_unstable();
        Self { content, objects }
    }

    /// Whether it is about this content.
    pub(super) fn is_of(&self, content: &Content) -> bool {
        self.content == *content
    }

    fn standing(&self, one: &Judged<'_>) -> Standing {
        let (id, state) = marks(one);
        match self.objects.binary_search_by_key(&id, |(id, _)| *id) {
            Ok(at) if self.objects[at].1 == state => Standing::Taken,
            Ok(_) => Standing::Changed,
            Err(_) => Standing::Fresh,
        }
    }
}

fn marks(one: &Judged<'_>) -> (u64, u64) {
    let hash = |hasher: DefaultHasher| hasher.finish();
    let (mut id, mut state) = (DefaultHasher::new(), DefaultHasher::new());
    one.object.uid().hash(&mut id);
    one.object.generation().hash(&mut state);
    for (reference, version) in one.read {
        (&reference.namespace, &reference.name, version).hash(&mut state);
    }
    (hash(id), hash(state))
}

/// When it, or what was read for it, changed last.
fn youth(one: &Judged<'_>) -> u64 {
    let read = one.read.iter().filter_map(|(_, version)| version.as_ref()?.parse().ok());
    read.chain([one.object.identity().version]).max().unwrap_or_default()
}

/// Everything that was written, the most suspicious first; and those among them that no server ever ran.
pub(super) fn row(
    judged: &[Judged<'_>],
    objects: &BTreeMap<Subject, Stamp>,
    accepted: Option<&Accepted>,
) -> (Vec<Subject>, BTreeSet<Subject>) {
    let mut row: Vec<(Standing, u64, Subject)> = Vec::new();
    for one in judged {
        let subject = subject(one);
        if objects.get(&subject) == Some(&stamp(one)) {
            let standing = accepted.map_or(Standing::Taken, |accepted| accepted.standing(one));
            row.push((standing, youth(one), subject));
        }
    }
    row.sort_unstable_by(|one, other| other.cmp(one));
    let fresh = row.iter().filter(|(standing, ..)| *standing == Standing::Fresh);
    let fresh = fresh.map(|(.., subject)| subject.clone()).collect();
    (row.into_iter().map(|(.., subject)| subject).collect(), fresh)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::plan::memo::Read;
    use kernel::object::Object;
    use monitoring_assets::{Reference, Source};
    use monitoring_select::SelectableKind;
    use serde_json::json;

    use super::*;
    use crate::kinds;
    use crate::refused::stamps;

    fn object(name: &str, generation: i64, version: u64) -> Arc<Object> {
        let object = json!({"metadata": {
            "name": name, "namespace": "team", "uid": name, "generation": generation,
            "resourceVersion": version.to_string(),
        }});
        Arc::new(Object::new(serde_json::from_value(object).unwrap(), &kinds::PROBE.resource()))
    }

    fn read(version: &str) -> [Read; 1] {
        let reference = Reference { source: Source::Secret, namespace: "team".into(), name: "key".into() };
        [(reference, Some(version.into()))]
    }

    fn judged<'j>(object: &'j Arc<Object>, read: &'j [Read]) -> Judged<'j> {
        Judged { kind: SelectableKind::Probe, object, read, refusal: None }
    }

    fn names(row: &[Subject]) -> Vec<&str> {
        row.iter().map(|subject| subject.name.as_str()).collect()
    }

    #[test]
    fn without_more_the_youngest_come_first() {
        let (a, b, c) = (object("a", 1, 5), object("b", 7, 9), object("c", 1, 2));
        let read = read("11");
        let judged = [judged(&a, &[]), judged(&b, &[]), judged(&c, &read)];
        let (row, fresh) = row(&judged, &stamps(judged), None);
        assert_eq!(
            (names(&row), fresh),
            (vec!["c", "b", "a"], BTreeSet::new()),
            "the Secret of c is the youngest"
        );
    }

    #[test]
    fn what_a_server_ran_comes_after_what_it_did_not() {
        let content = Content { config: None, watched: None };
        let (a, b, out) = (object("a", 1, 5), object("b", 1, 6), object("out", 1, 1));
        let before = [judged(&a, &[]), judged(&b, &[]), judged(&out, &[])];
        let left_out = [subject(&judged(&out, &[]))].into();
        let accepted = Accepted::new(content, &before, &left_out);
        // One was edited, one only got another status, one is new.
        let (a, b, fresh) = (object("a", 2, 7), object("b", 1, 9), object("fresh", 1, 8));
        let now = [judged(&a, &[]), judged(&b, &[]), judged(&out, &[]), judged(&fresh, &[])];
        let (row, fresh) = row(&now, &stamps(now), Some(&accepted));
        assert_eq!(names(&row), ["fresh", "out", "a", "b"]);
        assert_eq!(names(&fresh.into_iter().collect::<Vec<_>>()), ["fresh", "out"]);
    }
}
