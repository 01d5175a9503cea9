//! Fields of existing objects that are preserved when the objects are written again.

use crate::workload::{existing, labels};
use formats::gzip;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Preserves the labels and annotations of other clients.
pub(crate) fn metadata(wanted: &mut Value, present: &Value) {
    change(&mut wanted["metadata"], &present["metadata"], |wanted: &mut ObjectMeta, present: &ObjectMeta| {
        existing::keep_metadata(wanted, present);
    });
}

/// The same for a Secret. Also preserves data with equal content that another program compressed differently.
pub(crate) fn compressed(wanted: &mut Value, present: &Value) {
    let removed = take_removed(wanted);
    change(wanted, present, |wanted: &mut Secret, present: &Secret| {
        existing::keep_metadata(&mut wanted.metadata, &present.metadata);
        let (Some(wanted), Some(present)) = (&mut wanted.data, &present.data) else { return };
        for (key, bytes) in wanted.iter_mut().filter(|(_, bytes)| gzip::is_compressed(&bytes.0)) {
            let same = present.get(key).filter(|there| gzip::have_equal_content(&bytes.0, &there.0));
            if let Some(there) = same {
                *bytes = there.clone();
            }
        }
    });
    for name in removed {
        wanted["metadata"]["annotations"][name] = Value::Null;
    }
}

/// The same for a Service, with its other owners and its addresses.
pub(crate) fn service(wanted: &mut Value, present: &Value) {
    change(wanted, present, existing::keep_service);
}

/// The same for a StatefulSet, with restarts that a user requested.
pub(crate) fn stateful_set(wanted: &mut Value, present: &Value) {
    change(wanted, present, existing::keep_stateful_set);
    let Some(existing) = present["metadata"]["annotations"].as_object() else { return };
    for name in existing.keys().filter(|name| name.starts_with(labels::RESERVED)) {
        if wanted["metadata"]["annotations"][name].is_null() {
            // An annotation of ours that is no longer set is removed.
            wanted["metadata"]["annotations"][name] = Value::Null;
        }
    }
}

/// The same for a DaemonSet.
pub(crate) fn daemon_set(wanted: &mut Value, present: &Value) {
    change(wanted, present, existing::keep_daemon_set);
}

/// Takes the annotations that must be removed out of an object: typed objects cannot represent them.
fn take_removed(wanted: &mut Value) -> Vec<String> {
    let Some(annotations) = wanted.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) else {
        return Vec::new();
    };
    let removed =
        annotations.iter().filter(|(_, value)| value.is_null()).map(|(name, _)| name.clone()).collect();
    annotations.retain(|_, value| !value.is_null());
    removed
}

/// Changes a typed object. An object that cannot be read as one is not changed: the API server reports what is wrong.
fn change<T: Serialize + DeserializeOwned>(wanted: &mut Value, present: &Value, keep: impl Fn(&mut T, &T)) {
    let (Ok(mut typed), Ok(there)) = (T::deserialize(&*wanted), T::deserialize(present)) else { return };
    keep(&mut typed, &there);
    if let Ok(mut value) = serde_json::to_value(&typed) {
        for field in ["apiVersion", "kind"] {
            if let Some(known) = wanted.get(field) {
                value[field] = known.clone();
            }
        }
        *wanted = value;
    }
}

#[cfg(test)]
mod tests {
    use formats::gzip::{Compressor, NamedPart};
    use k8s_openapi::ByteString;
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_content_that_another_program_compressed_is_preserved() {
        let parts = |texts: &[&'static str]| -> Vec<u8> {
            let texts: Vec<std::sync::Arc<str>> = texts.iter().map(|text| (*text).into()).collect();
            let parts: Vec<NamedPart<'_>> =
                texts.iter().map(|text| NamedPart { name: [text, ""], text }).collect();
            Compressor::default().file(&parts)
        };
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut writer, b"ab").unwrap();
        let theirs = writer.finish().unwrap();
        let secret = |bytes: &[u8]| json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"x.gz": ByteString(bytes.to_vec())}});
        let mut wanted = secret(&parts(&["a", "b"]));
        compressed(&mut wanted, &secret(&theirs));
        assert_eq!(wanted, secret(&theirs));
        let mut other = secret(&parts(&["a", "c"]));
        compressed(&mut other, &secret(&theirs));
        assert_eq!(other, secret(&parts(&["a", "c"])));
    }

    #[test]
    fn null_annotations_are_removed_and_those_of_others_are_preserved() {
        let secret = |annotations: Value| json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "annotations": annotations}});
        let mut wanted = secret(json!({"ours": null}));
        compressed(&mut wanted, &secret(json!({"ours": "1", "theirs": "2"})));
        assert_eq!(wanted, secret(json!({"ours": null, "theirs": "2"})));
    }

    #[test]
    fn labels_of_others_are_preserved() {
        let mut wanted = json!({"metadata": {"name": "a", "labels": {"ours": "1"}}, "data": {"a": "b"}});
        metadata(&mut wanted, &json!({"metadata": {"labels": {"theirs": "2"}, "resourceVersion": "7"}}));
        assert_eq!(
            wanted,
            json!({"metadata": {"name": "a", "labels": {"ours": "1", "theirs": "2"}, "resourceVersion": "7"}, "data": {"a": "b"}})
        );
    }
}
