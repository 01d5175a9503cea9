//! What to do about one desired object. Pure.

use serde_json::Value;

use super::immutable::{self, ChangeMethod};
use crate::compare::{missing, surplus, with_our_names};
use crate::declare::Kind;
use crate::fields;
use crate::object::{Key, Object, Owner};

/// How objects of a kind are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Server-side apply: we own the fields that we set, others keep theirs.
    Apply,
    /// Replace the whole object, except labels and annotations of others: it moves no field ownership and costs the server
    /// half.
    Replace,
}

/// A desired object.
#[derive(Debug, Clone, PartialEq)]
pub struct Desired {
    /// Its kind.
    pub kind: Kind,
    /// Its content.
    pub object: Value,
    /// How it is written.
    pub way: Way,
    /// Whether the operator replaces pods that the object no longer selects: then its selector can be changed.
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
    /// Our field manager.
    pub manager: &'a str,
    /// Earlier field managers whose fields we take over.
    pub predecessors: &'a [&'a str],
    /// The owner of the object.
    pub owner: &'a Owner,
}

/// What to do about one object.
#[derive(Debug, Clone, PartialEq)]
pub enum WriteAction {
    /// The object is as desired.
    Nothing,
    /// The object does not exist: create it, and fail if it exists after all.
    Create(Value),
    /// Apply our fields, if the object still has the version that we know.
    Apply {
        /// With the version that we know.
        object: Value,
        /// Whether fields must first be taken over from another field manager, so that those that we drop are removed.
        ownership: bool,
        /// Where it differs.
        because: String,
    },
    /// Replace the object, if it still has the version that we know.
    Replace {
        /// With the version that we know.
        object: Value,
        /// Where it differs.
        because: String,
    },
    /// Delete the object, to recreate it when it is gone.
    Delete {
        /// Whether its dependents are orphaned.
        orphan: bool,
        /// The field that cannot be changed in place.
        because: &'static str,
    },
    /// The object is being deleted: wait until it is gone.
    Wait,
    /// The write is not possible, and why.
    Refuse(String),
}

/// Fields that the server sets when it creates an object of a kind, and that cannot be changed.
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
pub fn decide(desired: &Desired, live: Option<&Object>, ownership: Ownership<'_>) -> WriteAction {
    let Some(live) = live else { return WriteAction::Create(create(desired)) };
    if live.is_deleting() {
        return WriteAction::Wait;
    }
    let kind = desired.kind.kind;
    if let Some(owner) = live.controller().filter(|owner| *owner != ownership.owner) {
        let is_namesake = (&owner.group, &owner.kind, &owner.name)
            == (&ownership.owner.group, &ownership.owner.kind, &ownership.owner.name);
        if is_namesake {
            // The owner was deleted and recreated: the garbage collector deletes the object.
            return WriteAction::Wait;
        }
        return WriteAction::Refuse(format!(
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
    let Some(because) = because else { return WriteAction::Nothing };
    match desired.way {
        // Leftovers are elements that we renamed ourselves: applying removes them.
        Way::Apply => match with_our_names(&desired.object, &present).filter(|_| !has_leftovers()) {
            Some(object) => WriteAction::Replace { object: without_managers(object), because },
            None => WriteAction::Apply {
                object: with_version(desired.object.clone(), &present),
                ownership: fields::take_over(&present, ownership.manager, ownership.predecessors).is_some(),
                because,
            },
        },
        Way::Replace => WriteAction::Replace { object: whole(), because },
    }
}

/// What to do after the server has rejected a write, if anything.
pub(super) fn decide_after_rejection(desired: &Desired, live: &Object) -> Option<WriteAction> {
    let present = live.value();
    let whole = whole(desired.object.clone(), &present);
    instead(immutable::removal(desired.kind.kind, &whole, &present), desired)
}

fn instead((change, because): (ChangeMethod, &'static str), desired: &Desired) -> Option<WriteAction> {
    match change {
        ChangeMethod::InPlace => None,
        ChangeMethod::Orphan => Some(WriteAction::Delete { orphan: true, because }),
        ChangeMethod::Recreate => Some(WriteAction::Delete { orphan: false, because }),
        ChangeMethod::Adopt(_) if desired.looks_after_pods => {
            Some(WriteAction::Delete { orphan: true, because })
        }
        ChangeMethod::Adopt(why) | ChangeMethod::Refuse(why) => {
            let (kind, key) = (desired.kind.kind, desired.key());
            Some(WriteAction::Refuse(format!("{kind} {key}: {because} cannot be changed: {why}")))
        }
    }
}

/// A version that no object has: an apply that names it creates the object, and fails if it exists.
pub(super) const NEVER: &str = "1";

fn create(desired: &Desired) -> Value {
    let mut object = with_foreign_metadata(desired.object.clone(), &Value::Null);
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

/// The stores hold only a part of the field ownership: the server keeps its own.
fn without_managers(mut object: Value) -> Value {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
    object
}

/// The whole desired object, with the labels and annotations of other writers unless we remove them, and with the fields
/// that only the server sets.
pub(super) fn whole(object: Value, present: &Value) -> Value {
    let mut object = with_foreign_metadata(object, present);
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

/// The labels and annotations of others beside ours. A null removes one.
fn with_foreign_metadata(mut object: Value, present: &Value) -> Value {
    for field in ["labels", "annotations"] {
        let of = |object: &Value| object["metadata"][field].as_object().cloned();
        let (theirs, ours) = (of(present), of(&object));
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

/// Sets the value at a JSON pointer.
fn put(object: &mut Value, pointer: &str, value: &Value) {
    let field = pointer.split('/').skip(1).fold(object, |parent, step| &mut parent[step.replace("~1", "/")]);
    *field = value.clone();
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_of_other_writers_is_kept_unless_we_remove_it() {
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
