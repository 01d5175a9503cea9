//! Values from Secrets. They are bytes, and bytes that are not UTF-8 are written in base64.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

/// A password, a token or a key.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The value is redacted.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_empty() { "Secret()" } else { "Secret(…)" })
    }
}

impl AsRef<[u8]> for Secret {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<&[u8]> for Secret {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_owned())
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Bytes)
    }
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Secret;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Secret, E> {
        self.visit_bytes(text.as_bytes())
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Secret, E> {
        Ok(Secret::from(bytes))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::yaml::serde::{from_text, to_value};
    use crate::yaml::write;

    #[test]
    fn bytes_that_are_not_utf8_are_written_in_base64() {
        let secret = |bytes: &[u8]| Secret::from(bytes);
        let map = BTreeMap::from([
            ("a".to_owned(), secret(b"yes")),
            ("b".to_owned(), secret(&[0xff, 0])),
            ("c".to_owned(), secret(b"")),
        ]);
        let text = write(&to_value(&map).unwrap());
        assert_eq!(text, "a: \"yes\"\nb: !!binary /wA=\nc: \"\"\n");
        assert_eq!(from_text::<BTreeMap<String, Secret>>(&text), Ok(map));
    }

    #[test]
    fn debug_output_is_redacted() {
        assert_eq!(
            format!("{:?}", [Secret::default(), Secret::from(b"word".as_slice())]),
            "[Secret(), Secret(…)]"
        );
    }
}
