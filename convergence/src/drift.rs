//! Changes that somebody else makes to child objects. Pure: from the object before the change to the object after it.

use std::collections::BTreeMap;

use kernel::apply::Way;
use serde_json::{Value, json};

use crate::plain::Aliases;
use crate::scenario::{Change, Coverage, EndState, Scenario, Subject, UserAction, kind_name};
use crate::state::{FOREIGN_FINALIZER, Name, State, escape};

/// What somebody else does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Deletes it.
    Delete,
    /// Deletes it, with a finalizer that delays the deletion.
    DeleteSlowly,
    /// Removes all labels.
    StripLabels,
    /// Removes all owner references.
    StripOwners,
    /// Adds a label, an annotation and a finalizer, which must stay.
    Mark,
    /// Changes a field that the operator owns: a JSON pointer.
    Edit(String),
}

/// A change to a child object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// The child object.
    pub name: Name,
    /// The change.
    pub act: Act,
}

impl Act {
    /// The name of the change in the names of plans.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Delete => "delete",
            Self::DeleteSlowly => "delete-slowly",
            Self::StripLabels => "strip-labels",
            Self::StripOwners => "strip-owners",
            Self::Mark => "mark",
            Self::Edit(_) => "edit",
        }
    }

    /// Whether it deletes the child object.
    pub fn deletes(&self) -> bool {
        matches!(self, Self::Delete | Self::DeleteSlowly)
    }
}

impl Drift {
    /// The drift for any run: the namespace, UIDs and generated names are replaced by placeholders.
    #[must_use]
    pub fn for_any_run(&self, state: &State, namespace: &str) -> Self {
        let aliases = Aliases::of(state, namespace);
        self.with_pointer(|pointer| {
            let steps: Vec<String> = pointer.split('/').map(|step| alias(&aliases, step)).collect();
            steps.join("/")
        })
    }

    /// The drift for one run: the placeholders are replaced by the names of that run.
    #[must_use]
    pub fn for_run(&self, state: &State, namespace: &str) -> Self {
        let aliases = Aliases::of(state, namespace);
        let object = state.0.get(&self.name).unwrap_or(&Value::Null);
        self.with_pointer(|pointer| {
            let (mut path, mut at) = (String::new(), object);
            for step in pointer.split('/').skip(1) {
                let is_it = |(name, _): &(&String, &Value)| alias(&aliases, &escape(name)) == step;
                let found = at.as_object().and_then(|map| map.iter().find(is_it));
                let step = found.map_or_else(|| step.to_owned(), |(name, _)| escape(name));
                at = at.pointer(&format!("/{step}")).unwrap_or(&Value::Null);
                path = format!("{path}/{step}");
            }
            path
        })
    }

    fn with_pointer(&self, change: impl FnOnce(&str) -> String) -> Self {
        let mut drift = self.clone();
        if let Act::Edit(pointer) = &mut drift.act {
            *pointer = change(pointer);
        }
        drift
    }
}

/// A step of a pointer, with placeholders.
fn alias(aliases: &Aliases<'_>, step: &str) -> String {
    aliases.in_text(step).replace('/', "~1")
}

/// How many fields of one object are edited where faults take turns.
const EDITS: usize = 5;

/// The changes that somebody else may make to the child objects of a resource after a scenario. Of each list, the first one
/// that the API server accepts is tested. With a complete spec, that is every change; otherwise each kind of change once, and
/// the child objects take turns.
pub fn candidates(subject: &Subject, scenario: &Scenario, end: &State) -> Vec<Vec<Drift>> {
    match scenario.end_state {
        EndState::Gone => Vec::new(),
        EndState::Whole => all(subject, scenario, end).into_iter().map(|drift| vec![drift]).collect(),
        EndState::Running => {
            let mut acts: BTreeMap<&str, Vec<Drift>> = BTreeMap::new();
            for drift in all(subject, scenario, end) {
                acts.entry(drift.act.name()).or_default().push(drift);
            }
            for (at, drifts) in acts.values_mut().enumerate() {
                let first = (scenario.name.len() + 3 * at) % drifts.len();
                drifts.rotate_left(first);
            }
            acts.into_values().collect()
        }
    }
}

/// Every change to the child objects of a resource.
fn all(subject: &Subject, scenario: &Scenario, state: &State) -> Vec<Drift> {
    let uid = subject.resource_in(state).map(|resource| &resource["metadata"]["uid"]);
    let is_child = |object: &Value| {
        let owners = object["metadata"]["ownerReferences"].as_array();
        owners.into_iter().flatten().any(|owner| Some(&owner["uid"]) == uid)
    };
    let mut all = Vec::new();
    // Objects that users created are adopted. The operator cannot recreate them as they were.
    let is_created = |name: &Name, object: &Value| !is_created_by_user(scenario, name) && is_child(object);
    let children =
        state.0.iter().filter(|(name, object)| !(subject.is_users_own)(name) && is_created(name, object));
    for (name, object) in children {
        let way = subject.declaration.owned.iter().find(|owned| kind_name(owned.kind) == name.kind);
        let Some(way) = way.map(|owned| owned.way) else { continue };
        let whole = [Act::Delete, Act::DeleteSlowly, Act::StripLabels, Act::StripOwners, Act::Mark];
        let leaves = owned_leaves(object, mainstay::process::MANAGER, way);
        let step = match subject.coverage {
            Coverage::Each => 1,
            Coverage::InTurns => leaves.len().div_ceil(EDITS).max(1),
        };
        let edits = leaves.into_iter().step_by(step).map(Act::Edit);
        all.extend(whole.into_iter().chain(edits).map(|act| Drift { name: name.clone(), act }));
    }
    all
}

/// Whether a change of a scenario creates an object with this name.
fn is_created_by_user(scenario: &Scenario, name: &Name) -> bool {
    let created = |change: &Change| match &change.action {
        UserAction::Create(objects) => objects.clone(),
        UserAction::Patch(_) | UserAction::Delete | UserAction::Edit(_) => Vec::new(),
    };
    let objects = scenario.changes.iter().flat_map(created);
    let mut same = objects.filter(|object| object["metadata"]["name"] == name.name.as_str());
    same.any(|object| {
        let kind = object["kind"].as_str().unwrap_or_default().to_lowercase();
        name.kind.split('.').next() == Some(format!("{kind}s").as_str())
    })
}

/// Whether two objects differ in more than the metadata that the API server maintains.
pub fn differs(before: &Value, after: &Value) -> bool {
    let plain = |object: &Value| {
        let mut object = object.clone();
        for field in ["managedFields", "resourceVersion", "generation"] {
            if let Some(metadata) = object["metadata"].as_object_mut() {
                metadata.remove(field);
            }
        }
        // A list contains these once, and each object that is read alone contains them too.
        for field in ["apiVersion", "kind"] {
            if let Some(fields) = object.as_object_mut() {
                fields.remove(field);
            }
        }
        object
    };
    plain(before) != plain(after)
}

/// The object after the change; none if it is deleted. An edit sets another value if `gentle`, else it removes the field.
pub fn after(object: &Value, act: &Act, gentle: bool) -> Option<Value> {
    let mut object = object.clone();
    match act {
        Act::Delete | Act::DeleteSlowly => return None,
        Act::StripLabels => object["metadata"]["labels"] = Value::Null,
        Act::StripOwners => object["metadata"]["ownerReferences"] = Value::Null,
        Act::Mark => {
            object["metadata"]["labels"]["example.com/foreign"] = "label".into();
            object["metadata"]["annotations"]["example.com/foreign"] = "annotation".into();
            object["metadata"]["finalizers"] = json!([FOREIGN_FINALIZER]);
        }
        Act::Edit(pointer) => edit(&mut object, pointer, gentle),
    }
    Some(object)
}

/// Removes the marks, so that the rest can be compared. One line for each mark that is missing.
pub fn unmark(object: &mut Value) -> Vec<String> {
    let mut missing = Vec::new();
    for (field, value) in [("labels", "label"), ("annotations", "annotation")] {
        let map = object["metadata"][field].as_object_mut();
        let found = map.and_then(|map| map.remove("example.com/foreign"));
        if found != Some(value.into()) {
            missing.push(format!("the {value} of somebody else was removed"));
        }
        if object["metadata"][field].as_object().is_some_and(serde_json::Map::is_empty)
            && let Some(metadata) = object["metadata"].as_object_mut()
        {
            metadata.remove(field);
        }
    }
    if object["metadata"]["finalizers"] == json!([FOREIGN_FINALIZER]) {
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.remove("finalizers");
        }
    } else {
        missing.push("the finalizer of somebody else was removed".to_owned());
    }
    missing
}

fn edit(object: &mut Value, pointer: &str, gentle: bool) {
    let is_secret = object["kind"] == "Secret" || pointer.starts_with("/data/") && object["type"].is_string();
    let is_scalar = |value: &&mut Value| !value.is_object() && !value.is_array();
    if let Some(value) = object.pointer_mut(pointer).filter(is_scalar).filter(|_| gentle) {
        let other = match &*value {
            Value::String(_) if is_secret => "ZHJpZnQ=".into(),
            // The same version: pods may run it before it is corrected, and another version would start an upgrade.
            Value::String(image) if pointer.ends_with("/image") => format!("drift/{image}").into(),
            Value::String(text) => other_text(text).into(),
            // Fewer replicas, not more: additional instances would leave volumes behind, which is correct.
            Value::Number(number) => number.as_i64().map_or(1, |n| if n > 1 { n - 1 } else { n + 1 }).into(),
            Value::Bool(holds) => (!holds).into(),
            Value::Null | Value::Array(_) | Value::Object(_) => Value::Null,
        };
        *value = other;
        return;
    }
    let Some((parent, last)) = pointer.rsplit_once('/') else { return };
    let last = last.replace("~1", "/").replace("~0", "~");
    match object.pointer_mut(parent) {
        Some(Value::Object(map)) => drop(map.remove(&last)),
        Some(Value::Array(list)) => {
            if let Some(at) = last.parse::<usize>().ok().filter(|at| *at < list.len()) {
                list.remove(at);
            }
        }
        _ => {}
    }
}

/// Another text that is likely to be valid where this one is.
fn other_text(text: &str) -> String {
    let number = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    match (text, text[..number].parse::<u64>()) {
        ("RollingUpdate", _) => "OnDelete".into(),
        ("IfNotPresent" | "OnRootMismatch", _) => "Always".into(),
        ("Retain", _) => "Delete".into(),
        ("FallbackToLogsOnError", _) => "File".into(),
        ("RuntimeDefault", _) => "Unconfined".into(),
        (_, Ok(amount)) => format!("{}{}", amount + 1, &text[number..]),
        _ => format!("{text}-drift"),
    }
}

/// The leaves of an object that a field manager owns by writing it in this way, as JSON pointers.
pub fn owned_leaves(object: &Value, manager: &str, way: Way) -> Vec<String> {
    let operation = match way {
        Way::Apply => "Apply",
        Way::Replace => "Update",
    };
    let entries = object["metadata"]["managedFields"].as_array();
    let mut leaves = Vec::new();
    for entry in entries.into_iter().flatten() {
        if entry["manager"] == manager && entry["operation"] == operation && entry["subresource"].is_null() {
            walk(&entry["fieldsV1"], object, String::new(), &mut leaves);
        }
    }
    leaves
}

fn walk(fields: &Value, object: &Value, path: String, leaves: &mut Vec<String>) {
    let steps: Vec<(&String, &Value)> =
        fields.as_object().into_iter().flatten().filter(|(step, _)| *step != ".").collect();
    if steps.is_empty() {
        leaves.push(path);
        return;
    }
    for (step, below) in steps {
        let found = match step.split_once(':') {
            Some(("f", name)) => object.get(name).map(|value| (escape(name), value)),
            Some(("k", keys)) => element(object, keys),
            _ => None,
        };
        if let Some((step, value)) = found {
            walk(below, value, format!("{path}/{step}"), leaves);
        }
    }
}

fn element<'a>(list: &'a Value, keys: &str) -> Option<(String, &'a Value)> {
    let keys: Value = serde_json::from_str(keys).ok()?;
    let fits = |element: &Value| {
        keys.as_object().is_some_and(|keys| keys.iter().all(|(key, value)| &element[key] == value))
    };
    let at = list.as_array()?.iter().position(fits)?;
    Some((at.to_string(), &list[at]))
}

#[cfg(test)]
mod tests;
