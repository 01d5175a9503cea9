//! Immutable fields, and what we do instead of changing them. Nothing is deleted silently: a table says for each kind what a
//! change permits. Pure; every row is tested against a real API server.
//!
//! A desired value that differs decides at once. A present value that is not desired decides only after the server has
//! rejected its removal: another writer may add it every time, and then recreating the object would not help.

use serde_json::Value;

use crate::compare::{is_denied, is_filled_in};
use crate::quantity::Amount;

/// How a field can be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeMethod {
    /// By writing it.
    InPlace,
    /// By deleting the object, orphaning its dependents, and recreating it: its pods keep running.
    Orphan,
    /// By deleting and recreating the object: it is missing for a moment.
    Recreate,
    /// As `Orphan`, if the operator replaces pods that the object no longer selects; else not at all, and why.
    Adopt(&'static str),
    /// Not at all, and why.
    Refuse(&'static str),
}

/// A field of a kind and what its change permits.
struct Row {
    kind: &'static str,
    /// Where it is, as a JSON pointer.
    field: &'static str,
    differs: fn(field: &str, desired: &Value, live: &Value) -> bool,
    change: ChangeMethod,
}

const NO_OWNER: &str = "its pods would have no owner; delete it with `kubectl delete --cascade=orphan` and delete the \
                        old pods manually";
const SELECTOR: ChangeMethod = ChangeMethod::Refuse(NO_OWNER);
const JOB: ChangeMethod = ChangeMethod::Refuse("Kubernetes does not permit it; create another Job");
const CLAIM: ChangeMethod =
    ChangeMethod::Refuse("a volume cannot be changed in this way; restore the data into a new one");

const TABLE: [Row; 24] = [
    Row { kind: "ConfigMap", field: "", differs: content_of_immutable, change: ChangeMethod::Recreate },
    Row { kind: "DaemonSet", field: "/spec/selector", differs: value, change: SELECTOR },
    Row { kind: "Deployment", field: "/spec/selector", differs: value, change: SELECTOR },
    Row { kind: "Job", field: "/spec/backoffLimitPerIndex", differs: value, change: JOB },
    Row { kind: "Job", field: "/spec/completionMode", differs: value, change: JOB },
    Row { kind: "Job", field: "/spec/completions", differs: value, change: JOB },
    Row { kind: "Job", field: "/spec/managedBy", differs: value, change: JOB },
    Row { kind: "Job", field: "/spec/podFailurePolicy", differs: value, change: JOB },
    Row { kind: "Job", field: "/spec/successPolicy", differs: value, change: JOB },
    Row { kind: "Job", field: "/spec/template", differs: value, change: JOB },
    Row { kind: "PersistentVolumeClaim", field: "/spec/accessModes", differs: value, change: CLAIM },
    Row { kind: "PersistentVolumeClaim", field: "/spec/dataSource", differs: value, change: CLAIM },
    Row { kind: "PersistentVolumeClaim", field: "/spec/dataSourceRef", differs: value, change: CLAIM },
    Row { kind: "PersistentVolumeClaim", field: "/spec/selector", differs: value, change: CLAIM },
    Row { kind: "PersistentVolumeClaim", field: "/spec/storageClassName", differs: other, change: CLAIM },
    Row {
        kind: "PersistentVolumeClaim",
        field: "/spec/resources/requests/storage",
        differs: is_less,
        change: ChangeMethod::Refuse("a volume cannot shrink; restore the data into a smaller one"),
    },
    Row { kind: "PersistentVolumeClaim", field: "/spec/volumeMode", differs: value, change: CLAIM },
    Row { kind: "Secret", field: "", differs: content_of_immutable, change: ChangeMethod::Recreate },
    Row { kind: "Secret", field: "/type", differs: value, change: ChangeMethod::Recreate },
    Row { kind: "Service", field: "/spec/clusterIP", differs: headless, change: ChangeMethod::Recreate },
    Row {
        kind: "StatefulSet",
        field: "/spec/podManagementPolicy",
        differs: value,
        change: ChangeMethod::Orphan,
    },
    Row {
        kind: "StatefulSet",
        field: "/spec/selector",
        differs: value,
        change: ChangeMethod::Adopt(NO_OWNER),
    },
    Row { kind: "StatefulSet", field: "/spec/serviceName", differs: value, change: ChangeMethod::Orphan },
    Row {
        kind: "StatefulSet",
        field: "/spec/volumeClaimTemplates",
        differs: value,
        change: ChangeMethod::Orphan,
    },
];

/// How `live` can become `desired`, and the field that decides it: the one that permits least.
pub fn change(kind: &str, desired: &Value, live: &Value) -> (ChangeMethod, &'static str) {
    let at = |value: &Value, field: &str| value.pointer(field).cloned().unwrap_or_default();
    least(kind, |row| (row.differs)(row.field, &at(desired, row.field), &at(live, row.field)))
}

/// As `change`, after the server has rejected a write: by what is present and not desired.
pub(super) fn removal(kind: &str, desired: &Value, live: &Value) -> (ChangeMethod, &'static str) {
    least(kind, |row| {
        if row.field.is_empty() {
            let fields = ["data", "binaryData", "immutable"];
            return live["immutable"] == true
                && fields.iter().any(|field| !is_filled_in(field, desired, &live[field]));
        }
        let (parent, name) = row.field.rsplit_once('/').unwrap_or_default();
        let present = live.pointer(row.field).unwrap_or(&Value::Null);
        !is_filled_in(name, desired.pointer(parent).unwrap_or(&Value::Null), present)
    })
}

fn least(kind: &str, differs: impl Fn(&Row) -> bool) -> (ChangeMethod, &'static str) {
    let weight = |change: ChangeMethod| match change {
        ChangeMethod::InPlace => 0,
        ChangeMethod::Orphan => 1,
        ChangeMethod::Recreate => 2,
        ChangeMethod::Adopt(_) => 3,
        ChangeMethod::Refuse(_) => 4,
    };
    let changed = TABLE.iter().filter(|row| row.kind == kind && differs(row));
    let first = changed.max_by_key(|row| weight(row.change));
    first.map_or((ChangeMethod::InPlace, ""), |row| (row.change, name(row)))
}

/// Every kind and field of the table, so that a test can check that it covers them all.
pub fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.iter().map(|row| (row.kind, name(row)))
}

fn name(row: &Row) -> &'static str {
    if row.field.is_empty() { "its content" } else { row.field }
}

/// A value is desired and differs. What is not desired may be a default of the server.
fn value(field: &str, desired: &Value, live: &Value) -> bool {
    let name = field.rsplit('/').next().unwrap_or_default();
    !desired.is_null() && is_denied(name, desired, live)
}

/// As `value`, where the server permits to set a field that is unset.
fn other(field: &str, desired: &Value, live: &Value) -> bool {
    !live.is_null() && value(field, desired, live)
}

fn is_less(_: &str, desired: &Value, live: &Value) -> bool {
    let amount = |value: &Value| Amount::parse(value.as_str()?);
    matches!((amount(desired), amount(live)), (Some(desired), Some(live)) if desired < live)
}

/// Only whether there is an address matters: the server chooses it.
fn headless(_: &str, desired: &Value, live: &Value) -> bool {
    !live.is_null() && (desired == "None") != (live == "None")
}

fn content_of_immutable(_: &str, desired: &Value, live: &Value) -> bool {
    let fields = ["data", "binaryData", "immutable"];
    live["immutable"] == true
        && fields
            .iter()
            .any(|field| !desired[field].is_null() && is_denied(field, &desired[field], &live[field]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_most_restrictive_field_decides() {
        let live = json!({"spec": {"serviceName": "a", "selector": {"matchLabels": {"a": "1"}}, "podManagementPolicy": "Parallel", "replicas": 1}});
        let mut desired = live.clone();
        desired["spec"]["replicas"] = 2.into();
        assert_eq!(change("StatefulSet", &desired, &live), (ChangeMethod::InPlace, ""));
        desired["spec"]["serviceName"] = "b".into();
        assert_eq!(change("StatefulSet", &desired, &live), (ChangeMethod::Orphan, "/spec/serviceName"));
        desired["spec"]["selector"]["matchLabels"]["a"] = "2".into();
        assert_eq!(change("StatefulSet", &desired, &live), (ChangeMethod::Adopt(NO_OWNER), "/spec/selector"));
        assert_eq!(change("Deployment", &desired, &live), (SELECTOR, "/spec/selector"));
        assert_eq!(change("Gadget", &desired, &live), (ChangeMethod::InPlace, ""));
    }

    #[test]
    fn volumes_grow_and_do_not_shrink() {
        let claim = |size: &str| json!({"spec": {"resources": {"requests": {"storage": size}}}});
        assert_eq!(change("PersistentVolumeClaim", &claim("2Gi"), &claim("1Gi")).0, ChangeMethod::InPlace);
        assert_eq!(change("PersistentVolumeClaim", &claim("1024Mi"), &claim("1Gi")).0, ChangeMethod::InPlace);
        let shrink = change("PersistentVolumeClaim", &claim("1Gi"), &claim("2Gi")).0;
        assert!(matches!(shrink, ChangeMethod::Refuse(_)));
    }

    #[test]
    fn a_storage_class_can_be_set_once() {
        let claim = |class: Value| json!({"spec": {"storageClassName": class}});
        assert_eq!(
            change("PersistentVolumeClaim", &claim(json!("a")), &claim(json!(null))).0,
            ChangeMethod::InPlace
        );
        assert_eq!(change("PersistentVolumeClaim", &claim(json!("a")), &claim(json!("b"))).0, CLAIM);
    }

    #[test]
    fn immutable_content_is_compared_as_a_whole() {
        let object = |immutable: Value, data: Value| json!({"immutable": immutable, "data": data});
        let live = object(json!(true), json!({"a": "1", "b": "2"}));
        for (desired, at_first, after_rejection) in [
            (object(json!(true), json!({"a": "1", "b": "2"})), ChangeMethod::InPlace, ChangeMethod::InPlace),
            (object(json!(true), json!({"a": "2", "b": "2"})), ChangeMethod::Recreate, ChangeMethod::InPlace),
            (
                object(json!(false), json!({"a": "1", "b": "2"})),
                ChangeMethod::Recreate,
                ChangeMethod::InPlace,
            ),
            (object(json!(true), json!({"a": "1"})), ChangeMethod::InPlace, ChangeMethod::Recreate),
            (object(json!(null), json!({"a": "1", "b": "2"})), ChangeMethod::InPlace, ChangeMethod::Recreate),
        ] {
            assert_eq!(change("Secret", &desired, &live).0, at_first, "{desired}");
            assert_eq!(removal("Secret", &desired, &live).0, after_rejection, "{desired}");
        }
    }

    #[test]
    fn a_value_that_is_not_desired_decides_only_after_a_rejection() {
        let claim = |more: Value| {
            let mut spec = json!({"accessModes": ["ReadWriteOnce"]});
            spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            json!({"spec": {"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": spec}]}})
        };
        let live = claim(json!({"storageClassName": "fast", "volumeMode": "Filesystem"}));
        let desired = claim(json!({}));
        assert_eq!(change("StatefulSet", &desired, &live).0, ChangeMethod::InPlace);
        assert_eq!(
            removal("StatefulSet", &desired, &live),
            (ChangeMethod::Orphan, "/spec/volumeClaimTemplates")
        );
        let filled = claim(json!({"volumeMode": "Filesystem"}));
        assert_eq!(removal("StatefulSet", &desired, &filled).0, ChangeMethod::InPlace);
    }

    #[test]
    fn a_service_keeps_its_cluster_ip() {
        let with = |address: Value| json!({"spec": {"clusterIP": address}});
        for (desired, live, expected) in [
            (json!(null), json!("10.0.0.1"), ChangeMethod::InPlace),
            (json!("None"), json!("None"), ChangeMethod::InPlace),
            (json!("None"), json!("10.0.0.1"), ChangeMethod::Recreate),
            (json!(null), json!("None"), ChangeMethod::Recreate),
        ] {
            assert_eq!(change("Service", &with(desired), &with(live)).0, expected);
        }
    }
}
