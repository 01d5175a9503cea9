//! What to do about one object that we want: pure, from what is wanted and what is there.

use kube::api::ApiResource;
use serde_json::Value;

use super::immutable::{self, Change};
use crate::compare::{missing, surplus, with_our_names};
use crate::fields;
use crate::object::{Key, Object, Owner};

/// How objects of a kind are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Server-side apply: we own the fields that we say, others keep theirs.
    Apply,
    /// The whole object, except labels and annotations of others: it moves no ownership and costs the server half.
    Replace,
}

/// An object that we want.
#[derive(Debug, Clone, PartialEq)]
pub struct Desired {
    /// Its kind.
    pub resource: ApiResource,
    /// All that we say about it.
    pub object: Value,
    /// How it is written.
    pub way: Way,
    /// Whether whoever wants it looks after pods that it would not know any more: then its selector can be changed.
    pub looks_after_pods: bool,
}

impl Desired {
    /// Its name.
    pub fn key(&self) -> Key {
        let text = |field: &str| self.object["metadata"][field].as_str().unwrap_or_default();
        Key::new(text("namespace"), text("name"))
    }
}

/// Who writes.
#[derive(Debug, Clone, Copy)]
pub struct Ownership<'a> {
    /// Our name among the owners of fields.
    pub manager: &'a str,
    /// Names under which somebody wrote before whose work we carry on.
    pub predecessors: &'a [&'a str],
    /// The object on whose behalf we write.
    pub owner: &'a Owner,
}

/// What to do about one object.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// All is as it should be.
    Nothing,
    /// It is not there: create it, and fail if it is there after all.
    Create(Value),
    /// Write what we say, if it still is as we know it.
    Apply {
        /// With the version that we know.
        object: Value,
        /// Whether fields must first be taken over from somebody, so that what we drop really goes.
        ownership: bool,
        /// Where it differs.
        because: String,
    },
    /// Write the whole object, if it still is as we know it.
    Replace {
        /// With the version that we know.
        object: Value,
        /// Where it differs.
        because: String,
    },
    /// Delete it, to create it anew when it is gone.
    Delete {
        /// Whether what it made lives on.
        orphan: bool,
        /// The field that cannot be changed otherwise.
        because: &'static str,
    },
    /// It is on its way out: look again when it is gone.
    Wait,
    /// It cannot be done, and why.
    Refuse(String),
}

/// What the server decided when it made an object of this kind, and does not let go.
const KEPT: [(&str, &[&str]); 3] = [
    (
        "Job",
        &[
            "/spec/selector",
            "/spec/template/metadata/labels/batch.kubernetes.io~1controller-uid",
            "/spec/template/metadata/labels/batch.kubernetes.io~1job-name",
            "/spec/template/metadata/labels/controller-uid",
            "/spec/template/metadata/labels/job-name",
        ],
    ),
    ("PersistentVolumeClaim", &["/spec/storageClassName", "/spec/volumeMode", "/spec/volumeName"]),
    ("Service", &["/spec/clusterIP", "/spec/clusterIPs", "/spec/healthCheckNodePort"]),
];

/// What to do about `desired` when `live` is what we know of it.
pub fn decide(desired: &Desired, live: Option<&Object>, ownership: Ownership<'_>) -> Action {
    let Some(live) = live else { return Action::Create(create(desired)) };
    if live.is_deleting() {
        return Action::Wait;
    }
    let kind = &desired.resource.kind;
    if let Some(owner) = live.controller().filter(|owner| *owner != ownership.owner) {
        let is_namesake = (&owner.group, &owner.kind, &owner.name)
            == (&ownership.owner.group, &ownership.owner.kind, &ownership.owner.name);
        if is_namesake {
            // Its owner was deleted and made again: the collector of garbage comes for it.
            return Action::Wait;
        }
        return Action::Refuse(format!(
            "{kind} {} belongs to {} {}; rename or delete one of them",
            live.key(),
            owner.kind,
            owner.name
        ));
    }
    let present = live.value();
    let whole = || whole(with_version(desired.object.clone(), &present), &present);
    let has_leftovers =
        || fields::has_leftovers(&present, ownership.manager, ownership.predecessors, &desired.object);
    let because = match desired.way {
        Way::Apply => missing(&desired.object, &present)
            .or_else(|| has_leftovers().then(|| "fields to be removed".into())),
        Way::Replace => missing(&desired.object, &present).or_else(|| surplus(&whole(), &present)),
    };
    if let Some(instead) = instead(immutable::change(kind, &desired.object, &present), desired) {
        return instead;
    }
    let Some(because) = because else { return Action::Nothing };
    match desired.way {
        // An element of ours under an old name was renamed by us, and goes by itself.
        Way::Apply => match with_our_names(&desired.object, &present).filter(|_| !has_leftovers()) {
            Some(object) => Action::Replace { object: without_managers(object), because },
            None => Action::Apply {
                object: with_version(desired.object.clone(), &present),
                ownership: fields::take_over(&present, ownership.manager, ownership.predecessors).is_some(),
                because,
            },
        },
        Way::Replace => Action::Replace { object: whole(), because },
    }
}

/// What to do when the server has refused a write, if anything.
pub(super) fn decide_anew(desired: &Desired, live: &Object) -> Option<Action> {
    let present = live.value();
    let whole = whole(desired.object.clone(), &present);
    instead(immutable::removal(&desired.resource.kind, &whole, &present), desired)
}

fn instead((change, because): (Change, &'static str), desired: &Desired) -> Option<Action> {
    match change {
        Change::InPlace => None,
        Change::Orphan => Some(Action::Delete { orphan: true, because }),
        Change::Recreate => Some(Action::Delete { orphan: false, because }),
        Change::Adopt(_) if desired.looks_after_pods => Some(Action::Delete { orphan: true, because }),
        Change::Adopt(why) | Change::Refuse(why) => {
            let (kind, key) = (&desired.resource.kind, desired.key());
            Some(Action::Refuse(format!("{kind} {key}: {because} cannot be changed: {why}")))
        }
    }
}

/// A version that no object has: an apply that names it makes the object, and fails if there is one.
pub(super) const NEVER: &str = "1";

fn create(desired: &Desired) -> Value {
    let mut object = with_foreign_words(desired.object.clone(), &Value::Null);
    if desired.way == Way::Apply {
        object["metadata"]["resourceVersion"] = NEVER.into();
    }
    object
}

fn with_version(mut object: Value, present: &Value) -> Value {
    for field in ["resourceVersion", "uid"] {
        object["metadata"][field] = present["metadata"][field].clone();
    }
    object
}

/// Who owns which field is for the server to say; we know only our own part.
fn without_managers(mut object: Value) -> Value {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
    object
}

/// The whole object as it is to be: ours, with what others said in metadata unless we take it away, and with what only the
/// server decides.
pub(super) fn whole(object: Value, present: &Value) -> Value {
    let mut object = with_foreign_words(object, present);
    for field in ["finalizers", "ownerReferences"] {
        if object["metadata"][field].is_null() && !present["metadata"][field].is_null() {
            object["metadata"][field] = present["metadata"][field].clone();
        }
    }
    let kept = KEPT.iter().find(|(kind, _)| present["kind"] == *kind).map_or(&[][..], |(_, fields)| fields);
    for field in kept {
        let Some(value) = present.pointer(field).filter(|_| object.pointer(field).is_none()) else {
            continue;
        };
        put(&mut object, field, value);
    }
    object
}

/// The labels and annotations of others beside ours. Nothing in place of a value takes it away.
fn with_foreign_words(mut object: Value, present: &Value) -> Value {
    for field in ["labels", "annotations"] {
        let words = |of: &Value| of["metadata"][field].as_object().cloned();
        let (theirs, ours) = (words(present), words(&object));
        if theirs.is_none() && ours.is_none() {
            continue;
        }
        let mut all = theirs.unwrap_or_default();
        all.extend(ours.unwrap_or_default());
        all.retain(|_, value| !value.is_null());
        object["metadata"][field] = all.into();
    }
    object
}

/// Puts a value where a pointer leads.
fn put(object: &mut Value, pointer: &str, value: &Value) {
    let place = pointer.split('/').skip(1).fold(object, |place, step| &mut place[step.replace("~1", "/")]);
    *place = value.clone();
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_others_said_stays_unless_we_take_it_away() {
        let present = json!({"metadata": {"annotations": {"theirs": "1", "old": "2", "ours": "3"}}});
        let ours = json!({"metadata": {"annotations": {"ours": "4", "old": null}}});
        let expected = json!({"metadata": {"annotations": {"theirs": "1", "ours": "4"}}});
        assert_eq!(whole(ours.clone(), &present), expected);
        assert_eq!(missing(&ours, &present), Some("metadata.annotations.old".into()));
        assert_eq!(missing(&ours, &expected), None);
        let nothing = json!({"metadata": {}});
        assert_eq!(whole(ours, &nothing), json!({"metadata": {"annotations": {"ours": "4"}}}));
        assert_eq!(whole(nothing.clone(), &nothing), nothing);
    }
}
