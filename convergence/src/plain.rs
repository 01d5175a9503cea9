//! Makes what two runs say alike: what is packed is unpacked, and the namespace, unique ids and made-up names are called
//! by what they stand for. Pure.

use std::collections::BTreeMap;
use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::MultiGzDecoder;
use serde_json::Value;

use crate::state::State;

/// What every compressed file begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What the names of the volumes begin with that the server gives to pods.
const TOKENS: &str = "kube-api-access-";

/// What the namespace, the unique ids and the made-up names of a run are called instead.
pub(crate) struct Aliases<'a> {
    namespace: &'a str,
    made_up: BTreeMap<&'a str, String>,
}

impl<'a> Aliases<'a> {
    /// For what is there in a namespace.
    pub(crate) fn of(state: &'a State, namespace: &'a str) -> Self {
        let uid = |(name, object): (_, &'a Value)| {
            Some((object["metadata"]["uid"].as_str()?, format!("(unique id of {name})")))
        };
        let volumes = state.of_kind("pods").filter_map(|pod| pod["spec"]["volumes"].as_array()).flatten();
        let names = volumes.filter_map(|volume| volume["name"].as_str());
        let tokens = names.filter(|name| name.starts_with(TOKENS)).map(|name| (name, format!("{TOKENS}*")));
        Self { namespace, made_up: state.0.iter().filter_map(uid).chain(tokens).collect() }
    }

    /// A text with all of them.
    pub(crate) fn in_text(&self, text: &str) -> String {
        let mut text = text.replace(self.namespace, "NAMESPACE");
        for (made_up, alias) in &self.made_up {
            if text.contains(made_up) {
                text = text.replace(made_up, alias);
            }
        }
        text
    }
}

/// Replaces the data of a Secret by what they say, as far as that is text.
pub(crate) fn unpack(object: &mut Value) {
    for packed in object["data"].as_object_mut().into_iter().flat_map(serde_json::Map::values_mut) {
        if let Some(text) = packed.as_str().and_then(said) {
            *packed = text.into();
        }
    }
}

/// The text in the data of a Secret; nothing, if it is none.
pub(crate) fn said(packed: &str) -> Option<String> {
    let bytes = STANDARD.decode(packed).ok()?;
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
    fn what_is_packed_is_unpacked() {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        writer.write_all(b"a: 1").unwrap();
        let packed = STANDARD.encode(writer.finish().unwrap());
        let mut secret =
            json!({"data": {"a.gz": packed, "b": STANDARD.encode("two"), "c": STANDARD.encode([0xff, 0])}});
        unpack(&mut secret);
        assert_eq!(secret, json!({"data": {"a.gz": "a: 1", "b": "two", "c": STANDARD.encode([0xff, 0])}}));
    }

    #[test]
    fn unique_ids_are_called_by_their_objects() {
        let name = Name { kind: "rules".into(), name: "a".into() };
        let state = State([(name, json!({"metadata": {"uid": "17-4"}}))].into());
        let aliases = Aliases::of(&state, "plan-1");
        assert_eq!(aliases.in_text("plan-1-a-17-4.yaml"), "NAMESPACE-a-(unique id of rules/a).yaml");
    }
}
