//! Reviews of conversion: objects in one version of a kind become the same objects in another. Pure.

use kube::core::Status;
use kube::core::conversion::{ConversionRequest, ConversionResponse, ConversionReview};
use serde_json::Value;

/// Converts one object to a version (`group/version`). The error is for the user.
pub type Convert = dyn Fn(&str, Value) -> Result<Value, String> + Send + Sync;

/// The question in a review.
pub(super) fn read(body: &[u8]) -> Result<ConversionRequest, String> {
    let review: ConversionReview =
        serde_json::from_slice(body).map_err(|error| format!("this is no review: {error}"))?;
    ConversionRequest::from_review(review).map_err(|error| error.to_string())
}

/// Converts every object, in order. One that fails fails all: so the server wants it.
pub(super) fn convert_all(
    desired: &str,
    objects: Vec<Value>,
    convert: &Convert,
) -> Result<Vec<Value>, String> {
    objects.into_iter().map(|object| convert_one(desired, object, convert)).collect()
}

fn convert_one(desired: &str, object: Value, convert: &Convert) -> Result<Value, String> {
    if object["apiVersion"] == desired {
        return Ok(object);
    }
    let before = (object["kind"].clone(), object["metadata"].clone());
    let named = |problem: &str| format!("{} {}: {problem}", text(&before.0), text(&before.1["name"]));
    let converted = convert(desired, object).map_err(|problem| named(&problem))?;
    check(&before.0, &before.1, desired, &converted).map_err(|problem| named(&problem))?;
    Ok(converted)
}

/// A conversion may touch labels and annotations, and nothing else of what identifies an object: the server refuses it
/// otherwise, with words that help nobody.
fn check(kind: &Value, metadata: &Value, desired: &str, converted: &Value) -> Result<(), String> {
    if converted["apiVersion"] != desired {
        return Err(format!("the conversion to {desired} gave {}", text(&converted["apiVersion"])));
    }
    if converted["kind"] != *kind {
        return Err(format!("the conversion changed the kind to {}", text(&converted["kind"])));
    }
    let (before, after) = (fixed(metadata), fixed(&converted["metadata"]));
    let fields: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).copied().collect();
    match fields.into_iter().find(|field| before.get(*field) != after.get(*field)) {
        Some(field) => Err(format!("the conversion changed metadata.{field}")),
        None => Ok(()),
    }
}

/// The parts of the metadata that must stay.
fn fixed(metadata: &Value) -> std::collections::BTreeMap<&String, &Value> {
    let fields = metadata.as_object().into_iter().flatten();
    fields.filter(|(field, _)| !["labels", "annotations"].contains(&field.as_str())).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("an object without one")
}

/// The review that answers.
pub(super) fn answer(request: ConversionRequest, converted: Result<Vec<Value>, String>) -> ConversionReview {
    let response = ConversionResponse::for_request(request);
    let response = match converted {
        Ok(objects) => response.success(objects),
        Err(problem) => response.failure(Status::failure(&problem, "ConversionFailed")),
    };
    response.into_review()
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    pub(in super::super) fn review(objects: &[Value]) -> Value {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "ConversionReview",
            "request": {"uid": "u-2", "desiredAPIVersion": "toys.example/v2", "objects": objects},
        })
    }

    pub(in super::super) fn toy(version: &str, name: &str) -> Value {
        json!({
            "apiVersion": format!("toys.example/{version}"),
            "kind": "Toy",
            "metadata": {"name": name, "namespace": "d", "uid": "u", "labels": {"a": "b"}},
        })
    }

    fn with(pointer: &str, value: &Value) -> impl Fn(&str, Value) -> Result<Value, String> + use<> {
        let (pointer, value) = (pointer.to_owned(), value.clone());
        move |desired, mut object| {
            object["apiVersion"] = desired.into();
            object[pointer.split('/').next().unwrap()][pointer.split('/').nth(1).unwrap()] = value.clone();
            Ok(object)
        }
    }

    fn converted(convert: &Convert) -> Result<Vec<Value>, String> {
        convert_all("toys.example/v2", vec![toy("v1", "one"), toy("v2", "two")], convert)
    }

    #[test]
    fn labels_and_annotations_may_change_and_nothing_else() {
        for field in ["labels", "annotations"] {
            converted(&with(&format!("metadata/{field}"), &json!({"x": "y"}))).unwrap();
        }
        for field in ["name", "namespace", "uid", "finalizers", "resourceVersion"] {
            let problem = converted(&with(&format!("metadata/{field}"), &json!("x"))).unwrap_err();
            assert_eq!(problem, format!("Toy one: the conversion changed metadata.{field}"));
        }
        let idle = |_: &str, object| Ok(object);
        let problem = converted(&idle).unwrap_err();
        assert_eq!(problem, "Toy one: the conversion to toys.example/v2 gave toys.example/v1");
        let problem = converted(&|_, _| Err("it has no wheels".into())).unwrap_err();
        assert_eq!(problem, "Toy one: it has no wheels");
    }

    #[test]
    fn what_has_the_version_already_is_left_alone_and_the_order_stays() {
        let objects = converted(&with("spec/wheels", &json!(4))).unwrap();
        let names: Vec<&str> = objects.iter().map(|object| text(&object["metadata"]["name"])).collect();
        assert_eq!(names, ["one", "two"]);
        assert_eq!(objects[1], toy("v2", "two"));
    }

    #[test]
    fn the_answer_carries_the_question_s_uid() {
        let request = read(review(&[]).to_string().as_bytes()).unwrap();
        let failed = serde_json::to_value(answer(request, Err("no".into()))).unwrap();
        assert_eq!(failed["response"]["uid"], "u-2");
        assert_eq!(failed["response"]["result"]["status"], "Failure");
        assert_eq!(failed["response"]["result"]["message"], "no");
        assert!(read(b"[]").is_err());
    }
}
