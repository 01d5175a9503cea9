//! From type to value.

use ::serde::ser::{
    Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple, SerializeTupleStruct,
    Serializer,
};

use super::error::Error;
use crate::yaml::{Map, Value, sort};

/// Marks a field that is written even if it is empty.
const ALWAYS: &str = "$always";
/// Marks a list that is written in one line.
const ROW: &str = "$row";

/// The value that represents a type. Keys of maps are in natural order, fields in the order of the type.
pub fn to_value<T: Serialize>(value: &T) -> Result<Value, Error> {
    value.serialize(ToValue).map(|written| written.value)
}

/// A field that is written even if it is empty: `#[serde(serialize_with = "always")]`.
pub fn always<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_newtype_struct(ALWAYS, value)
}

/// A list of strings that is written in one line: `#[serde(serialize_with = "row")]`.
pub fn row<T: Serialize, S: Serializer>(list: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_newtype_struct(ROW, list)
}

/// A value, and whether a field with this value is omitted.
struct Written {
    value: Value,
    empty: bool,
}

impl Written {
    fn new(value: impl Into<Value>, empty: bool) -> Self {
        Self { value: value.into(), empty }
    }

    fn list(list: Vec<Value>) -> Self {
        Self { empty: list.is_empty(), value: Value::List(list) }
    }

    fn map(map: Map) -> Self {
        Self { empty: map.0.is_empty(), value: map.into() }
    }
}

/// The strings of a list that is written in one line.
fn to_row(written: Written) -> Result<Written, Error> {
    let Value::List(list) = written.value else {
        return Err(Error::Refused("only a list can be written in one line".into()));
    };
    let texts = list.into_iter().map(|item| match item {
        Value::Text(text) => Ok(text.into_owned()),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Float(_)
        | Value::Binary(_)
        | Value::List(_)
        | Value::Row(_)
        | Value::Map(_) => Err(Error::Refused("only strings can be written in one line".into())),
    });
    Ok(Written { value: Value::Row(texts.collect::<Result<_, _>>()?), empty: written.empty })
}

struct ToValue;

/// All integer types are written in the same way.
macro_rules! numbers {
    ($($method:ident($number:ty) as $wide:ty,)*) => {
        $(fn $method(self, number: $number) -> Result<Written, Error> {
            Ok(Written::new(<$wide>::from(number), number == <$number>::default()))
        })*
    };
}

impl Serializer for ToValue {
    type Error = Error;
    type Ok = Written;
    type SerializeMap = Entries;
    type SerializeSeq = Items;
    type SerializeStruct = Fields;
    type SerializeStructVariant = Impossible<Written, Error>;
    type SerializeTuple = Items;
    type SerializeTupleStruct = Items;
    type SerializeTupleVariant = Impossible<Written, Error>;

    numbers! {
        serialize_i8(i8) as i64, serialize_i16(i16) as i64, serialize_i32(i32) as i64, serialize_i64(i64) as i64,
        serialize_u8(u8) as u64, serialize_u16(u16) as u64, serialize_u32(u32) as u64, serialize_u64(u64) as u64,
    }

    fn serialize_f32(self, number: f32) -> Result<Written, Error> {
        self.serialize_f64(number.into())
    }

    fn serialize_f64(self, number: f64) -> Result<Written, Error> {
        Ok(Written::new(number, number.abs().total_cmp(&0.0).is_eq()))
    }

    fn serialize_bool(self, truth: bool) -> Result<Written, Error> {
        Ok(Written::new(truth, !truth))
    }

    fn serialize_char(self, character: char) -> Result<Written, Error> {
        Ok(Written::new(character.to_string(), false))
    }

    fn serialize_str(self, text: &str) -> Result<Written, Error> {
        Ok(Written::new(text.to_owned(), text.is_empty()))
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<Written, Error> {
        Ok(Written::new(bytes, bytes.is_empty()))
    }

    fn serialize_none(self) -> Result<Written, Error> {
        Ok(Written { value: Value::Null, empty: true })
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Written, Error> {
        Ok(Written { empty: false, ..value.serialize(self)? })
    }

    fn serialize_unit(self) -> Result<Written, Error> {
        self.serialize_none()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Written, Error> {
        self.serialize_none()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Written, Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Written, Error> {
        let written = value.serialize(self)?;
        match name {
            ALWAYS => Ok(Written { empty: false, ..written }),
            ROW => to_row(written),
            _ => Ok(written),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Result<Written, Error> {
        value.serialize(self)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Items, Error> {
        Ok(Items(Vec::with_capacity(length.unwrap_or_default())))
    }

    fn serialize_tuple(self, length: usize) -> Result<Items, Error> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Items, Error> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        Err(Error::Refused("a variant with values cannot be written".into()))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Entries, Error> {
        Ok(Entries { map: Map::new(), key: None })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields, Error> {
        Ok(Fields(Map::new()))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        Err(Error::Refused("a variant with values cannot be written".into()))
    }
}

/// The items of a list so far.
struct Items(Vec<Value>);

impl SerializeSeq for Items {
    type Error = Error;
    type Ok = Written;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.0.push(value.serialize(ToValue)?.value);
        Ok(())
    }

    fn end(self) -> Result<Written, Error> {
        Ok(Written::list(self.0))
    }
}

impl SerializeTuple for Items {
    type Error = Error;
    type Ok = Written;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> Result<Written, Error> {
        SerializeSeq::end(self)
    }
}

impl SerializeTupleStruct for Items {
    type Error = Error;
    type Ok = Written;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> Result<Written, Error> {
        SerializeSeq::end(self)
    }
}

/// The entries of a map so far, and a key without its value.
struct Entries {
    map: Map,
    key: Option<Value>,
}

impl SerializeMap for Entries {
    type Error = Error;
    type Ok = Written;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.key = Some(key.serialize(ToValue)?.value);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let key = self.key.take().unwrap_or(Value::Null);
        self.map.push(key, value.serialize(ToValue)?.value);
        Ok(())
    }

    fn end(mut self) -> Result<Written, Error> {
        sort(&mut self.map);
        Ok(Written::map(self.map))
    }
}

/// The fields of a struct so far, without those that are omitted.
struct Fields(Map);

impl SerializeStruct for Fields {
    type Error = Error;
    type Ok = Written;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Error> {
        let written = value.serialize(ToValue)?;
        if !written.empty {
            self.0.push(name, written.value);
        }
        Ok(())
    }

    fn end(self) -> Result<Written, Error> {
        Ok(Written::map(self.0))
    }
}
