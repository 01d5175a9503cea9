//! From text to type.

use ::serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use ::serde::forward_to_deserialize_any;

use super::error::{Error, FIELDS};
use crate::yaml::Value;
use crate::yaml::node::{self, Entry, Kind, Node};

/// Reads the first document of a text.
pub fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    T::deserialize(&node::read(text)?)
}

/// Errors shorten longer scalars.
const LONGEST: usize = 10;
/// The number of characters that remain.
const CUT: usize = 7;

impl Node {
    /// The error that this node does not have a type.
    fn unfit(&self, wanted: &str) -> Error {
        let found = match &self.kind {
            Kind::List(_) => "!!seq".to_owned(),
            Kind::Map(_) => "!!map".to_owned(),
            Kind::Scalar { raw, resolved } => {
                let tag = match resolved {
                    Value::Null => "!!null",
                    Value::Bool(_) => "!!bool",
                    Value::Int(_) | Value::Uint(_) => "!!int",
                    Value::Float(_) => "!!float",
                    Value::Binary(_) => "!!binary",
                    Value::Text(_) | Value::List(_) | Value::Row(_) | Value::Map(_) => "!!str",
                };
                if raw.len() > LONGEST {
                    let cut: String = raw.chars().take(CUT).collect();
                    format!("{tag} `{cut}...`")
                } else {
                    format!("{tag} `{raw}`")
                }
            }
        };
        Error::Unfit { line: self.line, problem: format!("cannot unmarshal {found} into {wanted}") }
    }

    fn number<'de, V: Visitor<'de>>(&self, wanted: &str, visitor: V) -> Result<V::Value, Error> {
        let unfit = |_| self.unfit(wanted);
        match self.kind {
            Kind::Scalar { resolved: Value::Int(number), .. } => {
                visitor.visit_i64::<Error>(number).map_err(unfit)
            }
            Kind::Scalar { resolved: Value::Uint(number), .. } => {
                visitor.visit_u64::<Error>(number).map_err(unfit)
            }
            #[expect(clippy::cast_possible_truncation, reason = "the fraction is dropped, as in Go's `yaml`")]
            Kind::Scalar { resolved: Value::Float(number), .. } if number.abs() < 9e18 => {
                visitor.visit_i64::<Error>(number as i64).map_err(unfit)
            }
            Kind::Scalar { resolved: Value::Null, .. } => visitor.visit_i64(0),
            Kind::Scalar { .. } | Kind::List(_) | Kind::Map(_) => Err(self.unfit(wanted)),
        }
    }

    fn string<'de, V: Visitor<'de>>(&self, visitor: V) -> Result<V::Value, Error> {
        match &self.kind {
            Kind::Scalar { resolved: Value::Null, .. } => visitor.visit_str(""),
            Kind::Scalar { resolved: Value::Binary(bytes), .. } => visitor.visit_bytes(bytes),
            Kind::Scalar { raw, .. } => visitor.visit_str(raw),
            Kind::List(_) | Kind::Map(_) => Err(self.unfit("string")),
        }
    }
}

/// All integer types are read in the same way.
macro_rules! numbers {
    ($($method:ident => $name:literal,)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.number($name, visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for &Node {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.kind {
            Kind::List(list) => visitor.visit_seq(Items { rest: list.iter() }),
            Kind::Map(entries) => visitor.visit_map(Fields { rest: entries.iter(), value: None }),
            Kind::Scalar { raw, resolved } => match resolved {
                Value::Null => visitor.visit_unit(),
                Value::Bool(truth) => visitor.visit_bool(*truth),
                Value::Int(number) => visitor.visit_i64(*number),
                Value::Uint(number) => visitor.visit_u64(*number),
                Value::Float(number) => visitor.visit_f64(*number),
                Value::Binary(bytes) => visitor.visit_bytes(bytes),
                Value::Text(_) | Value::List(_) | Value::Row(_) | Value::Map(_) => visitor.visit_str(raw),
            },
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.kind {
            Kind::Scalar { resolved: Value::Bool(truth), .. } => visitor.visit_bool(truth),
            Kind::Scalar { resolved: Value::Null, .. } => visitor.visit_bool(false),
            Kind::Scalar { .. } | Kind::List(_) | Kind::Map(_) => Err(self.unfit("bool")),
        }
    }

    numbers! {
        deserialize_i8 => "int8", deserialize_i16 => "int16", deserialize_i32 => "int32", deserialize_i64 => "int64",
        deserialize_u8 => "uint8", deserialize_u16 => "uint16", deserialize_u32 => "uint32", deserialize_u64 => "uint64",
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.string(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.string(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.string(visitor).map_err(|error| error.at(self.line))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.kind {
            Kind::List(list) => visitor.visit_seq(Items { rest: list.iter() }),
            Kind::Scalar { resolved: Value::Null, .. } => visitor.visit_seq(Items { rest: [].iter() }),
            Kind::Scalar { .. } | Kind::Map(_) => Err(self.unfit("[]string")),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.fields(visitor, "map[string]string")
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.fields(visitor, FIELDS)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        i128 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct enum ignored_any
    }
}

impl Node {
    fn fields<'de, V: Visitor<'de>>(&self, visitor: V, wanted: &str) -> Result<V::Value, Error> {
        match &self.kind {
            Kind::Map(entries) => visitor.visit_map(Fields { rest: entries.iter(), value: None }),
            Kind::Scalar { resolved: Value::Null, .. } => {
                visitor.visit_map(Fields { rest: [].iter(), value: None })
            }
            Kind::Scalar { .. } | Kind::List(_) => Err(self.unfit(wanted)),
        }
    }
}

/// The remaining items of a list.
struct Items<'n> {
    rest: std::slice::Iter<'n, Node>,
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(node) = self.rest.next() else { return Ok(None) };
        seed.deserialize(node).map(Some).map_err(|error| error.at(node.line))
    }
}

/// The remaining entries of a map, and the value of the last key.
struct Fields<'n> {
    rest: std::slice::Iter<'n, Entry>,
    value: Option<&'n Node>,
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(entry) = self.rest.next() else { return Ok(None) };
        self.value = Some(&entry.value);
        seed.deserialize(&entry.key).map(Some).map_err(|error| error.at(entry.key.line))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let Some(node) = self.value.take() else {
            return Err(Error::Refused("a value was requested before its key".into()));
        };
        seed.deserialize(node).map_err(|error| error.at(node.line))
    }
}
