//! Field ownership: which of our fields are no longer desired, and how to take over the fields of earlier field managers.
//! Pure; called by `apply`.

use serde_json::{Map, Value};

use crate::compare::is_filled_in;

/// Whether we, or an earlier field manager, own fields that `desired` does not have. Applying would remove them.
///
/// An update also owns the defaults of the server: they are not leftovers.
pub fn has_leftovers(live: &Value, manager: &str, predecessors: &[&str], desired: &Value) -> bool {
    let is_ours = |entry: &&Value| entry["manager"] == manager && entry["operation"] == "Apply";
    entries(live).filter(|entry| is_main(entry)).any(|entry| {
        let fields = &entry["fieldsV1"];
        let excused = if is_ours(&entry) {
            Excused::Nothing
        } else if is_to_be_taken(entry, manager, predecessors) {
            Excused::FilledIn
        } else {
            return false;
        };
        !is_covered(fields, desired, live, excused)
    })
}

/// The field ownership after we took over the fields of `predecessors`, and those that we once updated; `None` if there is
/// nothing to take over. Applying afterwards removes what is no longer desired.
pub fn take_over(live: &Value, manager: &str, predecessors: &[&str]) -> Option<Vec<Value>> {
    let (taken, mut kept): (Vec<&Value>, Vec<&Value>) =
        entries(live).partition(|entry| is_to_be_taken(entry, manager, predecessors));
    let mut merged = taken.first().map(|entry| (*entry).clone())?;
    merged["manager"] = manager.into();
    merged["operation"] = "Apply".into();
    let own = kept.iter().position(|entry| entry["manager"] == manager && is_main(entry));
    let own = own.map(|at| kept.remove(at));
    for entry in taken.iter().skip(1).copied().chain(own) {
        unite(&mut merged["fieldsV1"], &entry["fieldsV1"]);
    }
    Some(kept.into_iter().cloned().chain([merged]).collect())
}

/// The field manager other than ours that wrote an object last.
pub fn last_writer(live: &Value, manager: &str) -> Option<String> {
    let others = entries(live).filter(|entry| is_main(entry) && entry["manager"] != manager);
    // Times have one format, so their texts sort by time.
    let last = others.max_by_key(|entry| entry["time"].as_str().unwrap_or_default().to_owned())?;
    last["manager"].as_str().map(str::to_owned)
}

fn entries(live: &Value) -> impl Iterator<Item = &Value> {
    live["metadata"]["managedFields"].as_array().into_iter().flatten()
}

/// Whether an entry is about the object itself and not about its status or scale.
fn is_main(entry: &Value) -> bool {
    entry["subresource"].as_str().unwrap_or_default().is_empty()
}

/// Whether an entry belongs to an earlier field manager, or to an update of ours.
fn is_to_be_taken(entry: &Value, manager: &str, predecessors: &[&str]) -> bool {
    let by = entry["manager"].as_str().unwrap_or_default();
    let ours = by == manager && entry["operation"] != "Apply";
    is_main(entry) && (ours || predecessors.contains(&by))
}

/// Fields that may exist although they are not desired.
#[derive(Debug, Clone, Copy)]
enum Excused {
    Nothing,
    FilledIn,
}

fn is_covered(tree: &Value, desired: &Value, live: &Value, excused: Excused) -> bool {
    let Some(tree) = tree.as_object() else { return true };
    tree.iter().all(|(step, below)| match step.split_once(':') {
        Some(("f", name)) => {
            let present = live.get(name).unwrap_or(&Value::Null);
            match (desired.get(name), excused) {
                (Some(value), _) => is_covered(below, value, present, excused),
                (None, Excused::Nothing) => false,
                (None, Excused::FilledIn) => is_filled_in(name, desired, present),
            }
        }
        Some(("k", keys)) => {
            let keys = parse(keys);
            let present = find(live, &keys).unwrap_or(&Value::Null);
            find(desired, &keys).is_some_and(|element| is_covered(below, element, present, excused))
        }
        Some(("v", value)) => desired.as_array().is_some_and(|elements| elements.contains(&parse(value))),
        // The element or object itself, and positions in lists that are replaced as a whole.
        _ => true,
    })
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// The element with these keys. A key that the element lacks is a default of the server.
fn find<'a>(list: &'a Value, keys: &Value) -> Option<&'a Value> {
    let keys = keys.as_object()?;
    let fits = |element: &&Value| {
        keys.iter().all(|(name, value)| element.get(name).is_none_or(|wanted| wanted == value))
    };
    list.as_array()?.iter().find(fits)
}

fn unite(one: &mut Value, other: &Value) {
    let (Some(one), Some(other)) = (one.as_object_mut(), other.as_object()) else { return };
    for (step, below) in other {
        unite(one.entry(step).or_insert_with(|| Value::Object(Map::new())), below);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn owned(manager: &str, operation: &str, fields: &Value) -> Value {
        json!({"manager": manager, "operation": operation, "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": fields})
    }

    fn live(entries: &[Value]) -> Value {
        json!({"metadata": {"managedFields": entries}})
    }

    #[test]
    fn a_field_that_we_dropped_is_a_leftover() {
        let fields = json!({
            "f:metadata": {"f:labels": {"f:a": {}}, "f:ownerReferences": {"k:{\"uid\":\"1\"}": {}}},
            "f:spec": {
                "f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}}},
                "f:finalizers": {"v:\"x\"": {}},
                "f:args": {},
            },
        });
        let live = live(&[owned("mainstay", "Apply", &fields)]);
        let desired = json!({
            "metadata": {"labels": {"a": "1"}, "ownerReferences": [{"uid": "1"}]},
            "spec": {"ports": [{"port": 80}], "finalizers": ["x"], "args": ["more"], "new": 1},
        });
        assert!(!has_leftovers(&live, "mainstay", &[], &desired));
        assert!(!has_leftovers(&live, "another", &[], &json!({})), "not ours");
        for path in [
            "/metadata/labels/a",
            "/metadata/ownerReferences/0/uid",
            "/spec/ports/0/port",
            "/spec/finalizers/0",
        ] {
            let mut less = desired.clone();
            *less.pointer_mut(path).unwrap() = "other".into();
            let gone = path.ends_with("/a");
            assert_eq!(
                has_leftovers(&live, "mainstay", &[], &less),
                !gone,
                "{path}: another value is not a leftover"
            );
        }
        for path in ["metadata", "spec"] {
            let mut less = desired.clone();
            less.as_object_mut().unwrap().remove(path);
            assert!(has_leftovers(&live, "mainstay", &[], &less));
        }
    }

    #[test]
    fn a_field_of_a_predecessor_is_a_leftover_and_a_default_is_not() {
        let fields = json!({"f:spec": {
            "f:type": {}, "f:externalName": {},
            "f:ports": {".": {}, "k:{\"port\":80,\"protocol\":\"TCP\"}": {"f:port": {}, "f:targetPort": {}}},
        }});
        let mut live = live(&[owned("before", "Update", &fields)]);
        live["spec"] =
            json!({"type": "ClusterIP", "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}]});
        let desired = json!({"spec": {"ports": [{"port": 80}]}});
        assert!(!has_leftovers(&live, "mainstay", &["before"], &desired));
        live["spec"]["externalName"] = "elsewhere".into();
        assert!(has_leftovers(&live, "mainstay", &["before"], &desired));
        assert!(!has_leftovers(&live, "mainstay", &[], &desired), "another manager's field");
        assert!(has_leftovers(&live, "before", &[], &desired), "ours, written by an update");
    }

    #[test]
    fn fields_of_predecessors_are_merged_with_ours_and_others_are_kept() {
        let status = json!({"manager": "old", "operation": "Update", "subresource": "status", "fieldsV1": {"f:status": {}}});
        let live = live(&[
            owned("old", "Update", &json!({"f:spec": {"f:a": {}}})),
            owned("mainstay", "Apply", &json!({"f:spec": {"f:b": {}}})),
            owned("mainstay", "Update", &json!({"f:data": {"f:c": {}}})),
            owned("kubectl", "Update", &json!({"f:spec": {"f:d": {}}})),
            status.clone(),
        ]);
        let after = take_over(&live, "mainstay", &["old"]).unwrap();
        let expected = [
            owned("kubectl", "Update", &json!({"f:spec": {"f:d": {}}})),
            status,
            owned("mainstay", "Apply", &json!({"f:spec": {"f:a": {}, "f:b": {}}, "f:data": {"f:c": {}}})),
        ];
        assert_eq!(after, expected);
        let settled = json!({"metadata": {"managedFields": after}});
        assert_eq!(take_over(&settled, "mainstay", &["old"]), None);
    }
}
