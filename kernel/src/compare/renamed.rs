//! Elements of lists that another writer renamed. Applying ours would leave two of them: a second container, a second port.

use serde_json::Value;

use super::{Additional, is_namesake, keys_of, lacks};

/// The present object with our names, where another writer renamed an element of a list and changed nothing else of it;
/// `None` if there is none. Elements that others added keep their names.
pub fn with_our_names(desired: &Value, live: &Value) -> Option<Value> {
    let mut renamed = live.clone();
    let (wanted, present) = (desired.as_object()?, renamed.as_object_mut()?);
    let mut found = false;
    for (name, value) in wanted.iter().filter(|(name, _)| *name != "metadata") {
        found |= present.get_mut(name).is_some_and(|present| rename(name, value, present));
    }
    found.then_some(renamed)
}

fn rename(name: &str, desired: &Value, live: &mut Value) -> bool {
    match (desired, live) {
        (Value::Object(wanted), Value::Object(present)) => {
            wanted.iter().fold(false, |found, (step, value)| {
                present.get_mut(step).is_some_and(|present| rename(step, value, present)) || found
            })
        }
        (Value::Array(wanted), Value::Array(present)) => rename_list(name, wanted, present),
        _ => false,
    }
}

fn rename_list(name: &str, wanted: &[Value], present: &mut [Value]) -> bool {
    let keys = keys_of(name, wanted, present);
    if keys.is_empty() {
        return false;
    }
    let mut found = false;
    for element in wanted {
        if let Some(namesake) = present.iter_mut().find(|present| is_namesake(element, present, keys)) {
            found |= rename("", element, namesake);
            continue;
        }
        let is_foreign = |present: &Value| !wanted.iter().any(|wanted| is_namesake(wanted, present, keys));
        let renamed = present.iter_mut().find_map(|present| {
            let as_ours = named_like(element, present, keys).filter(|_| is_foreign(present))?;
            Some((present, as_ours))
        });
        if let Some((present, as_ours)) = renamed {
            *present = as_ours;
            found = true;
        }
    }
    found
}

/// A present element with our name, if that makes it equal to ours. Elements that have only a name are never matched.
fn named_like(ours: &Value, present: &Value, keys: &[&str]) -> Option<Value> {
    let has_more = ours.as_object()?.keys().any(|field| !keys.contains(&field.as_str()));
    let mut named = present.clone();
    for key in keys.iter().filter(|_| has_more) {
        if let Some(value) = ours.get(key) {
            named[key] = value.clone();
        }
    }
    (has_more && lacks("", ours, &named, Additional::Differs).is_none()).then_some(named)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wanted() -> Value {
        json!({"spec": {
            "containers": [{"name": "app", "image": "i", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]}],
            "ports": [{"port": 80}], "rules": [{"from": "x"}],
        }})
    }

    #[test]
    fn a_renamed_element_gets_its_name_back() {
        for (pointer, other) in [("/spec/containers/0/name", "x"), ("/spec/containers/0/env/1/name", "C")] {
            let mut live = wanted();
            live["spec"]["containers"][0]["imagePullPolicy"] = "Always".into();
            let expected = live.clone();
            *live.pointer_mut(pointer).unwrap() = other.into();
            assert_eq!(with_our_names(&wanted(), &live), Some(expected), "{pointer}");
        }
    }

    #[test]
    fn an_added_element_keeps_its_name() {
        let sidecar = json!({"name": "sidecar", "image": "other"});
        let (mut added, mut instead) = (wanted(), wanted());
        added["spec"]["containers"].as_array_mut().unwrap().push(sidecar.clone());
        instead["spec"]["containers"] = json!([sidecar]);
        let mut port = wanted();
        port["spec"]["ports"] = json!([{"port": 81}]);
        for live in [wanted(), added, instead, port, json!({})] {
            assert_eq!(with_our_names(&wanted(), &live), None, "{live}");
        }
    }
}
