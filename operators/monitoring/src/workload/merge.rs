//! The user's containers merged into those of the operator, as the API server merges a strategic merge patch: fields that the
//! user sets have precedence, other fields are kept, and lists with a key are merged element by element.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Container, Probe};
use serde_json::{Map, Value};

/// A container that cannot be merged.
#[derive(Debug, thiserror::Error)]
#[error("failed to unmarshal merged container {name}: {reason}")]
pub struct MergeError {
    name: String,
    reason: serde_json::Error,
}

/// Lists of a container with a merge key. All other lists are replaced as a whole.
const KEYS: &[(&str, &str)] = &[
    ("ports", "containerPort"),
    ("env", "name"),
    ("volumeMounts", "mountPath"),
    ("volumeDevices", "devicePath"),
];

/// Fields whose empty value counts as unset, so that it does not remove the value of the operator.
const UNSET_IF_EMPTY: &[&str] = &[
    "apiVersion",
    "args",
    "command",
    "containerName",
    "failureThreshold",
    "host",
    "hostIP",
    "hostPort",
    "image",
    "imagePullPolicy",
    "initialDelaySeconds",
    "level",
    "path",
    "periodSeconds",
    "prefix",
    "protocol",
    "readOnly",
    "request",
    "role",
    "scheme",
    "stdin",
    "stdinOnce",
    "subPath",
    "subPathExpr",
    "successThreshold",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "timeoutSeconds",
    "tty",
    "user",
    "value",
    "workingDir",
];

/// The containers of the operator, each merged with the user's of the same name, then those that only the user has.
pub fn containers(own: Vec<Container>, users: &[Container]) -> Result<Vec<Container>, MergeError> {
    // Of several with the same name, the last one is used.
    let mut left: BTreeMap<&str, &Container> = users.iter().map(|user| (user.name.as_str(), user)).collect();
    let mut merged = Vec::with_capacity(own.len() + users.len());
    for container in own {
        merged.push(match left.remove(container.name.as_str()) {
            Some(user) => container_with(container, user)?,
            None => container,
        });
    }
    merged.extend(users.iter().filter_map(|user| left.get(user.name.as_str()).copied().cloned()));
    Ok(merged)
}

fn container_with(own: Container, user: &Container) -> Result<Container, MergeError> {
    let failed = |reason| MergeError { name: user.name.clone(), reason };
    let mut merged = serde_json::to_value(own).map_err(failed)?;
    let mut patch = serde_json::to_value(user).map_err(failed)?;
    leave_out_empty(&mut patch);
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        // The only field whose absence is a value: it removes that of the operator.
        if let Some(Value::Object(grpc)) = patch.pointer_mut(&format!("/{probe}/grpc")) {
            grpc.entry("service").or_insert(Value::Null);
        }
    }
    if let (Value::Object(merged), Value::Object(patch)) = (&mut merged, patch) {
        merge(merged, patch);
    }
    let mut merged: Container = serde_json::from_value(merged).map_err(failed)?;
    keep_one_handler(merged.startup_probe.as_mut(), user.startup_probe.as_ref());
    keep_one_handler(merged.readiness_probe.as_mut(), user.readiness_probe.as_ref());
    keep_one_handler(merged.liveness_probe.as_mut(), user.liveness_probe.as_ref());
    Ok(merged)
}

fn leave_out_empty(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|field, value| !(is_empty(value) && UNSET_IF_EMPTY.contains(&field.as_str())));
            fields.values_mut().for_each(leave_out_empty);
        }
        Value::Array(values) => values.iter_mut().for_each(leave_out_empty),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(truth) => !truth,
        Value::Number(number) => number.as_i64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(_) => false,
    }
}

fn merge(own: &mut Map<String, Value>, patch: Map<String, Value>) {
    for (field, patch) in patch {
        match (own.get_mut(&field), patch) {
            (_, Value::Null) => {
                own.remove(&field);
            }
            (Some(Value::Object(own)), Value::Object(patch)) => merge(own, patch),
            (Some(Value::Array(list)), Value::Array(patch)) => {
                match KEYS.iter().find(|(name, _)| *name == field) {
                    Some((_, key)) => *list = merge_lists(std::mem::take(list), patch, key),
                    None if patch.is_empty() => {}
                    None => *list = patch,
                }
            }
            (_, patch) => {
                own.insert(field, patch);
            }
        }
    }
}

/// Elements of the patch keep their order. Elements that only the operator has come before the elements of the patch that they
/// preceded, or last.
fn merge_lists(own: Vec<Value>, patch: Vec<Value>, key: &str) -> Vec<Value> {
    let keys_of = |list: &[Value]| list.iter().map(|element| element[key].clone()).collect::<Vec<_>>();
    let (own_order, patch_order) = (keys_of(&own), keys_of(&patch));
    let position = |order: &[Value], element: &Value| order.iter().position(|key_| *key_ == element[key]);

    let mut merged = own;
    for element in patch {
        match (merged.iter_mut().find(|candidate| candidate[key] == element[key]), element) {
            (Some(Value::Object(own)), Value::Object(patch)) => merge(own, patch),
            (_, element) => merged.push(element),
        }
    }
    let (mut patched, mut only_own): (Vec<Value>, Vec<Value>) =
        merged.into_iter().partition(|element| patch_order.contains(&element[key]));
    patched.sort_by_key(|element| position(&patch_order, element));
    // Elements with the same key stay together.
    only_own.sort_by_key(|element| position(&own_order, element));

    let mut only_own = only_own.into_iter().peekable();
    let mut all = Vec::with_capacity(only_own.len() + patched.len());
    for element in patched {
        if let Some(place) = position(&own_order, &element) {
            while let Some(before) =
                only_own.next_if(|own| position(&own_order, own).is_some_and(|own| own < place))
            {
                all.push(before);
            }
        }
        all.push(element);
    }
    all.extend(only_own);
    all
}

/// The API server rejects a probe with two handlers, so only the handler of the user is kept.
fn keep_one_handler(merged: Option<&mut Probe>, user: Option<&Probe>) {
    let (Some(merged), Some(user)) = (merged, user) else { return };
    let handlers = [
        merged.http_get.is_some(),
        merged.tcp_socket.is_some(),
        merged.exec.is_some(),
        merged.grpc.is_some(),
    ];
    if handlers.into_iter().filter(|handler| *handler).count() > 1 {
        merged.http_get.clone_from(&user.http_get);
        merged.tcp_socket.clone_from(&user.tcp_socket);
        merged.exec.clone_from(&user.exec);
        merged.grpc.clone_from(&user.grpc);
    }
}

#[cfg(test)]
mod tests;
