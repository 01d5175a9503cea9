//! Typed YAML: a text is read into any type with serde's derive, and any such type is converted to a value that can
//! be written.
//!
//! Reading behaves like Go's `yaml`: a field of type string takes any scalar literally, and a field without a value
//! is ignored. Writing omits empty fields, unless they are marked with [`always`]. An option with a value is always
//! written.
//!
//! | file | contents |
//! |---|---|
//! | `error` | errors |
//! | `read` | from text to type |
//! | `write` | from type to value |
//! | `any` | values of any type |

mod any;
mod error;
mod read;
mod write;

pub use error::Error;
pub use read::from_text;
pub use write::{always, row, to_value};

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ::serde::{Deserialize, Serialize};
    use proptest::prelude::*;

    use super::*;
    use crate::yaml::{Value, write};

    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Sample {
        name: String,
        #[serde(serialize_with = "always")]
        shown: String,
        count: i32,
        flag: Option<bool>,
        text: Option<String>,
        list: Vec<String>,
        #[serde(serialize_with = "row")]
        row: Vec<String>,
        map: BTreeMap<String, String>,
        inner: Option<Box<Sample>>,
        plain: Inner,
        any: Option<Value>,
    }

    #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Inner {
        word: String,
    }

    fn read(text: &str) -> Result<Sample, String> {
        from_text(text).map_err(|error| error.to_string())
    }

    #[test]
    fn strings_are_read_literally() {
        let sample = read(
            "name: 0123\nlist: [yes, 1.0, ~]\nmap: {a: null, b: 0x10}\ntext: ''\nany: {b: 010, a: on}\n",
        );
        let any = read("any: {b: 8, a: true}\n").unwrap().any;
        let expected = Sample {
            name: "0123".into(),
            list: vec!["yes".into(), "1.0".into(), String::new()],
            map: BTreeMap::from([("a".into(), String::new()), ("b".into(), "0x10".into())]),
            text: Some(String::new()),
            any,
            ..Sample::default()
        };
        assert_eq!(sample, Ok(expected));
    }

    #[test]
    fn fields_without_a_value_are_ignored_and_merges_are_applied() {
        assert_eq!(read("name:\ninner: ~\nlist:\nflag: null\n"), Ok(Sample::default()));
        assert_eq!(read(""), Ok(Sample::default()));
        let merged = read("inner: &a {name: a, count: 1e1}\n<<: *a\nname: b\n").unwrap();
        let inner = Sample { name: "a".into(), count: 10, ..Sample::default() };
        assert_eq!(
            merged,
            Sample { name: "b".into(), count: 10, inner: Some(Box::new(inner)), ..Sample::default() }
        );
    }

    #[test]
    fn empty_fields_are_omitted_unless_they_are_options() {
        let sample = Sample {
            flag: Some(false),
            text: Some(String::new()),
            inner: Some(Box::default()),
            row: vec!["a:b".into()],
            map: BTreeMap::from([("a10".into(), "1".into()), ("a9".into(), String::new())]),
            ..Sample::default()
        };
        let expected = "shown: \"\"\nflag: false\ntext: \"\"\nrow: ['a:b']\nmap:\n  a9: \"\"\n  a10: \"1\"\ninner:\n  shown: \"\"\n";
        assert_eq!(write(&to_value(&sample).unwrap()), expected);
    }

    #[test]
    fn mismatches_are_reported_with_their_line() {
        for (text, expected) in [
            (
                "invalid",
                "yaml: unmarshal errors:\n  line 1: cannot unmarshal !!str `invalid` into config.plain",
            ),
            (
                "name: a\nnope: b\n",
                "yaml: unmarshal errors:\n  line 2: field nope not found in type config.plain",
            ),
            ("flag: 'true'\n", "yaml: unmarshal errors:\n  line 1: cannot unmarshal !!str `true` into bool"),
            (
                "\nlist: a rather long text\n",
                "yaml: unmarshal errors:\n  line 2: cannot unmarshal !!str `a rathe...` into []string",
            ),
            ("name: [a]\n", "yaml: unmarshal errors:\n  line 1: cannot unmarshal !!seq into string"),
            (
                "name: a\nname: b\n",
                "yaml: unmarshal errors:\n  line 2: field name already set in type config.plain",
            ),
        ] {
            assert_eq!(read(text), Err(expected.to_owned()), "{text:?}");
        }
    }

    /// Printable characters, without the two that only YAML 1.1, and so the writer but not the reader, treats as line
    /// breaks.
    const TEXT: &str = "[\\PC&&[^\u{2028}\u{2029}]]*";

    proptest! {
        #[test]
        fn a_written_value_is_read_back(
            name in TEXT, list in proptest::collection::vec(TEXT, 0..4), text in proptest::option::of(TEXT),
            map in proptest::collection::btree_map(TEXT, TEXT, 0..4), count: i32, flag: Option<bool>,
        ) {
            let sample = Sample { name, count, flag, text, list, map, ..Sample::default() };
            prop_assert_eq!(read(&write(&to_value(&sample).unwrap())), Ok(sample));
        }
    }
}
