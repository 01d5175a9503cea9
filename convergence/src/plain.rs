//! Makes the objects of two runs comparable: Secrets are decoded, and the namespace, UIDs and generated names are replaced by
//! placeholders. Pure.

use std::collections::BTreeMap;
use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::MultiGzDecoder;
use serde_json::Value;

use crate::state::State;

/// The first bytes of every gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The prefix of the names of the volumes that the API server adds to pods.
const TOKENS: &str = "kube-api-access-";

/// The placeholders for the namespace, the UIDs and the generated names of a run.
pub(crate) struct Aliases<'a> {
    namespace: &'a str,
    generated: BTreeMap<&'a str, String>,
}

impl<'a> Aliases<'a> {
    /// The placeholders for the objects in a namespace.
    pub(crate) fn of(state: &'a State, namespace: &'a str) -> Self {
        let uid = |(name, object): (_, &'a Value)| {
            Some((object["metadata"]["uid"].as_str()?, format!("(UID of {name})")))
        };
        let volumes = state.of_kind("pods").filter_map(|pod| pod["spec"]["volumes"].as_array()).flatten();
        let names = volumes.filter_map(|volume| volume["name"].as_str());
        let tokens = names.filter(|name| name.starts_with(TOKENS)).map(|name| (name, format!("{TOKENS}*")));
        Self { namespace, generated: state.0.iter().filter_map(uid).chain(tokens).collect() }
    }

    /// Replaces all of them in a text.
    pub(crate) fn in_text(&self, text: &str) -> String {
        let mut text = text.replace(self.namespace, "NAMESPACE");
        for (generated, alias) in &self.generated {
            if text.contains(generated) {
                text = text.replace(generated, alias);
            }
        }
        text
    }
}

/// Decodes and decompresses the data of a Secret where the result is text.
pub(crate) fn decode(object: &mut Value) {
    for value in object["data"].as_object_mut().into_iter().flat_map(serde_json::Map::values_mut) {
        if let Some(text) = value.as_str().and_then(text_of) {
            *value = text.into();
        }
    }
}

/// The text in a value of a Secret, decompressed; none if it is no text.
pub(crate) fn text_of(data: &str) -> Option<String> {
    let bytes = STANDARD.decode(data).ok()?;
    if !bytes.starts_with(&GZIP) {
        return String::from_utf8(bytes).ok();
    }
    let mut text = String::new();
    MultiGzDecoder::new(bytes.as_slice()).read_to_string(&mut text).ok().map(|_| text)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use serde_json::json;

    use super::*;
    use crate::state::Name;

    #[test]
    fn data_of_secrets_is_decoded() {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        writer.write_all(b"a: 1").unwrap();
        let compressed = STANDARD.encode(writer.finish().unwrap());
        let mut secret = json!({"data": {"a.gz": compressed, "b": STANDARD.encode("two"), "c": STANDARD.encode([0xff, 0])}});
        decode(&mut secret);
        assert_eq!(secret, json!({"data": {"a.gz": "a: 1", "b": "two", "c": STANDARD.encode([0xff, 0])}}));
    }

    #[test]
    fn uids_are_replaced_by_the_names_of_their_objects() {
        let name = Name { kind: "rules".into(), name: "a".into() };
        let state = State([(name, json!({"metadata": {"uid": "17-4"}}))].into());
        let aliases = Aliases::of(&state, "plan-1");
        assert_eq!(aliases.in_text("plan-1-a-17-4.yaml"), "NAMESPACE-a-(UID of rules/a).yaml");
    }
}
