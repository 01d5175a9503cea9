//! Trimming: of objects of others only what an operator needs is kept.

use kube::api::DynamicObject;
use serde_json::Value;

use crate::declare::{Declaration, Kind};

/// Removes the parts of an object that one operator does not need.
pub(super) type Trim = fn(&mut DynamicObject);

/// The trims of a kind, one for each operator; empty if all of it is needed.
pub(super) fn trims(declarations: &[&'static Declaration], kind: Kind) -> Vec<Trim> {
    let mut trims: Vec<Trim> = Vec::new();
    for known in declarations {
        if known.primary == kind || known.owned.iter().any(|owned| owned.kind == kind) {
            return Vec::new();
        }
        for watched in known.watched.iter().filter(|watched| watched.kind == kind) {
            // The same function may have two addresses: calling it twice costs time and changes nothing.
            if !trims.iter().any(|trim| std::ptr::fn_addr_eq(*trim, watched.trim)) {
                trims.push(watched.trim);
            }
        }
    }
    trims
}

/// An object with what any of the trims keeps.
pub(super) fn trimmed(mut object: DynamicObject, trims: &[Trim]) -> DynamicObject {
    let (first, others) = match trims {
        [] => return object,
        [only] => {
            only(&mut object);
            return object;
        }
        [first, others @ ..] => (first, others),
    };
    let cut = |trim: &Trim| {
        let mut object = object.clone();
        trim(&mut object);
        object
    };
    let needed = others.iter().try_fold(cut(first), |needed, trim| together(needed, cut(trim)));
    needed.unwrap_or(object)
}

fn together(one: DynamicObject, other: DynamicObject) -> Option<DynamicObject> {
    let metadata = |of: DynamicObject| serde_json::to_value(of.metadata).ok();
    let data = either(one.data.clone(), other.data.clone());
    let types = one.types.clone();
    let metadata = either(metadata(one)?, metadata(other)?);
    Some(DynamicObject { types, metadata: serde_json::from_value(metadata).ok()?, data })
}

/// The union of two parts of the same value: lists have the same elements in the same positions.
fn either(one: Value, other: Value) -> Value {
    match (one, other) {
        (Value::Object(mut one), Value::Object(other)) => {
            for (name, value) in other {
                let before = one.remove(&name).unwrap_or_default();
                one.insert(name, either(before, value));
            }
            Value::Object(one)
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            one.into_iter().zip(other).map(|(one, other)| either(one, other)).collect()
        }
        (Value::Null, other) => other,
        (one, _) => one,
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
    use serde_json::json;

    use super::*;
    use crate::apply::Way;
    use crate::declare::{Detail, Owned, Prune, Watched, keep_nothing};

    const POD: Kind = Kind::of::<Pod>();

    fn without_spec(object: &mut DynamicObject) {
        object.data["spec"].take();
        object.metadata.managed_fields = None;
    }

    /// Keeps only the names of the list.
    fn only_names(object: &mut DynamicObject) {
        let list = object.data["spec"]["list"].take();
        let names: Vec<Value> =
            list.as_array().into_iter().flatten().map(|one| json!({"name": one["name"]})).collect();
        object.data = json!({"spec": {"list": names}});
    }

    fn only_sizes(object: &mut DynamicObject) {
        let list = object.data["spec"]["list"].take();
        let sizes: Vec<Value> =
            list.as_array().into_iter().flatten().map(|one| json!({"size": one["size"]})).collect();
        object.data = json!({"spec": {"list": sizes}});
        object.metadata.annotations = None;
    }

    const fn pods(trim: Trim) -> Watched {
        Watched {
            kind: POD,
            concerns: |_| None,
            selector: None,
            detail: Detail::Full,
            trim,
            optional: true,
            why: "a test",
        }
    }

    const ONE: Declaration = Declaration {
        name: "one",
        primary: Kind::of::<ConfigMap>(),
        finalizer: "test",
        owned: &[],
        watched: &[pods(without_spec)],
        permissions: &[],
        predecessors: &[],
        status_manager: None,
    };
    static FIRST: Declaration = ONE;
    static ALIKE: Declaration =
        Declaration { name: "alike", primary: Kind::of::<Secret>(), watched: &[pods(without_spec)], ..ONE };
    static NAMES: Declaration = Declaration { name: "names", watched: &[pods(only_names)], ..ONE };
    static SIZES: Declaration = Declaration { name: "sizes", watched: &[pods(only_sizes)], ..ONE };
    static OWNER: Declaration = Declaration {
        name: "owner",
        owned: &[Owned {
            kind: POD,
            way: Way::Apply,
            selector: None,
            detail: Detail::Full,
            prune: Prune::Unnamed,
            keeps: keep_nothing,
            optional: false,
            why: "a test",
        }],
        watched: &[],
        ..ONE
    };

    fn pod() -> DynamicObject {
        let pod = json!({
            "metadata": {"name": "a", "uid": "1", "annotations": {"b": "c"}, "managedFields": [{"manager": "m"}]},
            "spec": {"list": [{"name": "x", "size": 1, "more": true}, {"name": "y", "size": 2}], "more": true},
            "status": {"ready": false},
        });
        serde_json::from_value(pod).unwrap()
    }

    #[test]
    fn only_what_no_operator_needs_is_removed() {
        let without_spec = json!({"spec": null, "status": {"ready": false}});
        let names = json!({"spec": {"list": [{"name": "x"}, {"name": "y"}]}});
        let both = json!({"spec": {"list": [{"name": "x", "size": 1}, {"name": "y", "size": 2}]}});
        let all = json!({"spec": both["spec"], "status": {"ready": false}});
        let rows: [(&[&'static Declaration], Value); 6] = [
            (&[&FIRST], without_spec.clone()),
            (&[&FIRST, &ALIKE], without_spec),
            (&[&NAMES], names),
            (&[&NAMES, &SIZES], both),
            (&[&FIRST, &NAMES, &ALIKE, &SIZES], all),
            (&[&FIRST, &NAMES, &OWNER], pod().data),
        ];
        for (declarations, expected) in rows {
            let names: Vec<&str> = declarations.iter().map(|one| one.name).collect();
            assert_eq!(trimmed(pod(), &trims(declarations, POD)).data, expected, "{names:?}");
        }
    }

    #[test]
    fn metadata_that_any_operator_needs_is_kept() {
        let both = trimmed(pod(), &[without_spec, only_sizes]).metadata;
        assert_eq!(both, pod().metadata);
        assert_eq!(trimmed(pod(), &[without_spec]).metadata.managed_fields, None);
    }
}
