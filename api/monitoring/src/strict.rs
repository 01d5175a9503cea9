//! Reads JSON with a given shape. Errors are those of the JSON decoder of Go, which users search for. Used where the API
//! server does not check (child routes) or has not checked yet (webhooks).

use std::fmt;

use serde_json::{Map, Number, Value};

/// The shape of a value.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// Any value.
    Any,
    /// A string of this Go type.
    Text(&'static str),
    /// `true` or `false`.
    Flag,
    /// An integer of this Go type, within these limits.
    Whole(&'static str, i64, i64),
    /// A string or an integer.
    WholeOrText,
    /// A list of this Go type with these elements.
    List(&'static str, &'static Shape),
    /// A map of this Go type with these values.
    Table(&'static str, &'static Shape),
    /// Fields with names.
    Fields(&'static Structure),
}

/// Fields with names.
#[derive(Debug)]
pub struct Structure {
    /// Its Go package.
    pub package: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its fields.
    pub fields: &'static [(&'static str, Shape)],
}

/// How fields that are not in the shape are handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// They are rejected.
    Rejected,
    /// They are dropped.
    Dropped,
}

/// A value that does not have the shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch {
    /// A field is not in the shape.
    Field(String),
    /// A value is of another type.
    Type {
        /// What was found.
        found: String,
        /// The innermost structure and the path from the outermost one; empty outside of any.
        place: Option<String>,
        /// The type that was expected.
        expected: &'static str,
        /// The package of the type, if it is a structure.
        package: &'static str,
    },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, "json: unknown field {name:?}"),
            Self::Type { found, place, expected, package } => {
                write!(f, "json: cannot unmarshal {found} into Go ")?;
                match place {
                    Some(place) => write!(f, "struct field {place}")?,
                    None => f.write_str("value")?,
                }
                let dot = if package.is_empty() { "" } else { "." };
                write!(f, " of type {package}{dot}{expected}")
            }
        }
    }
}

impl std::error::Error for Mismatch {}

/// Reads a value. The result has the field names of the shape, regardless of case, and no nulls.
pub fn read(shape: &Shape, value: &Value, unknown: Unknown) -> Result<Value, Mismatch> {
    let mut reader = Reader { unknown, structure: None, path: Vec::new() };
    reader.read(shape, value)
}

/// The position of the reader.
struct Reader {
    unknown: Unknown,
    structure: Option<&'static str>,
    path: Vec<&'static str>,
}

impl Reader {
    fn read(&mut self, shape: &Shape, value: &Value) -> Result<Value, Mismatch> {
        match (shape, value) {
            (Shape::Any, _)
            | (Shape::Text(_) | Shape::WholeOrText, Value::String(_))
            | (Shape::Flag, Value::Bool(_)) => Ok(value.clone()),
            // A null leaves the empty value.
            (_, Value::Null) => Ok(empty(shape)),
            (Shape::Whole(kind, low, high), Value::Number(number)) => {
                self.whole(number, kind, *low, *high).map(|()| value.clone())
            }
            (Shape::WholeOrText, Value::Number(number)) => {
                self.whole(number, "int32", i32::MIN.into(), i32::MAX.into()).map(|()| value.clone())
            }
            (Shape::List(_, item), Value::Array(values)) => {
                values.iter().map(|value| self.read(item, value)).collect()
            }
            (Shape::Table(_, entry), Value::Object(values)) => {
                let entries = values.iter().map(|(key, value)| Ok((key.clone(), self.read(entry, value)?)));
                entries.collect::<Result<Map<_, _>, _>>().map(Value::Object)
            }
            (Shape::Fields(structure), Value::Object(values)) => self.fields(structure, values),
            (shape, found) => Err(self.mismatch(kind(found).to_owned(), shape)),
        }
    }

    fn fields(&mut self, structure: &Structure, values: &Map<String, Value>) -> Result<Value, Mismatch> {
        let outer = self.structure.replace(structure.name);
        let mut fields = Map::new();
        for (key, value) in values {
            let Some((name, shape)) = field(structure, key) else {
                if self.unknown == Unknown::Rejected {
                    return Err(Mismatch::Field(key.clone()));
                }
                continue;
            };
            self.path.push(name);
            let read = self.read(shape, value)?;
            self.path.pop();
            if !value.is_null() {
                fields.insert((*name).to_owned(), read);
            } else if matches!(shape, Shape::List(..) | Shape::Table(..)) {
                // The same field in another case came before: a null empties lists and maps and keeps other values.
                fields.remove(*name);
            }
        }
        self.structure = outer;
        Ok(Value::Object(fields))
    }

    fn whole(&self, number: &Number, kind: &'static str, low: i64, high: i64) -> Result<(), Mismatch> {
        if number.as_i64().is_some_and(|number| (low..=high).contains(&number)) {
            return Ok(());
        }
        Err(self.mismatch(format!("number {number}"), &Shape::Whole(kind, low, high)))
    }

    fn mismatch(&self, found: String, expected: &Shape) -> Mismatch {
        let (package, expected) = match expected {
            Shape::Any => ("", "interface {}"),
            Shape::Flag => ("", "bool"),
            Shape::WholeOrText => ("", "int32"),
            Shape::Text(kind) | Shape::Whole(kind, _, _) | Shape::List(kind, _) | Shape::Table(kind, _) => {
                ("", *kind)
            }
            Shape::Fields(structure) => (structure.package, structure.name),
        };
        let place = self.structure.map(|structure| format!("{structure}.{}", self.path.join(".")));
        Mismatch::Type { found, place, expected, package }
    }
}

/// A field by its name, or by its name in another case.
fn field<'s>(structure: &'s Structure, key: &str) -> Option<&'s (&'static str, Shape)> {
    let fields = structure.fields;
    let exact = fields.iter().find(|(name, _)| *name == key);
    exact.or_else(|| fields.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)))
}

/// The empty value of a shape.
fn empty(shape: &Shape) -> Value {
    match shape {
        Shape::Any => Value::Null,
        Shape::Text(_) | Shape::WholeOrText => Value::String(String::new()),
        Shape::Flag => Value::Bool(false),
        Shape::Whole(..) => Value::from(0),
        Shape::List(..) => Value::Array(Vec::new()),
        Shape::Table(..) | Shape::Fields(_) => Value::Object(Map::new()),
    }
}

/// A value by its JSON type.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TEXTS: Shape = Shape::List("[]string", &Shape::Text("string"));
    const INNER: Structure = Structure {
        package: "v1",
        name: "Inner",
        fields: &[("name", Shape::Text("string")), ("on", Shape::Flag), ("expr", Shape::WholeOrText)],
    };
    const OUTER: Shape = Shape::Fields(&Structure {
        package: "v1",
        name: "Outer",
        fields: &[
            ("count", Shape::Whole("int", i64::MIN, i64::MAX)),
            ("texts", TEXTS),
            ("inner", Shape::Fields(&INNER)),
            ("many", Shape::List("[]v1.Inner", &Shape::Fields(&INNER))),
            ("labels", Shape::Table("map[string]string", &Shape::Text("string"))),
            ("any", Shape::Any),
        ],
    });

    fn rejection(value: &Value) -> String {
        read(&OUTER, value, Unknown::Rejected).unwrap_err().to_string()
    }

    #[test]
    fn mismatches_have_the_messages_of_go() {
        for (value, words) in [
            (json!("x"), "json: cannot unmarshal string into Go value of type v1.Outer"),
            (json!({"more": 1}), r#"json: unknown field "more""#),
            (
                json!({"count": 1.5}),
                "json: cannot unmarshal number 1.5 into Go struct field Outer.count of type int",
            ),
            (
                json!({"count": "1"}),
                "json: cannot unmarshal string into Go struct field Outer.count of type int",
            ),
            (
                json!({"texts": ["a", 1]}),
                "json: cannot unmarshal number into Go struct field Outer.texts of type string",
            ),
            (
                json!({"texts": {}}),
                "json: cannot unmarshal object into Go struct field Outer.texts of type []string",
            ),
            (
                json!({"inner": []}),
                "json: cannot unmarshal array into Go struct field Outer.inner of type v1.Inner",
            ),
            (
                json!({"inner": {"on": "x"}}),
                "json: cannot unmarshal string into Go struct field Inner.inner.on of type bool",
            ),
            (
                json!({"many": [{"name": true}]}),
                "json: cannot unmarshal bool into Go struct field Inner.many.name of type string",
            ),
            (
                json!({"many": [{"expr": 1.5}]}),
                "json: cannot unmarshal number 1.5 into Go struct field Inner.many.expr of type int32",
            ),
            (
                json!({"many": [{"expr": true}]}),
                "json: cannot unmarshal bool into Go struct field Inner.many.expr of type int32",
            ),
            (
                json!({"labels": {"a": 1}}),
                "json: cannot unmarshal number into Go struct field Outer.labels of type string",
            ),
        ] {
            assert_eq!(rejection(&value), words);
        }
    }

    #[test]
    fn case_and_nulls_are_ignored() {
        let value = json!({"Count": 1, "texts": null, "Inner": {"ON": true, "name": null}, "any": {"x": [null]}, "more": 1});
        assert_eq!(
            read(&OUTER, &value, Unknown::Dropped),
            Ok(json!({"count": 1, "inner": {"on": true}, "any": {"x": [null]}}))
        );
        assert_eq!(read(&OUTER, &Value::Null, Unknown::Rejected), Ok(json!({})));
    }
}
