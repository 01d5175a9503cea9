//! Files as types: a text is read into any type with serde's derive, and any such type becomes a value that can be
//! written.
//!
//! Reading follows the program that users come from: a field that holds a text takes any words, a field without a value
//! is as if it were not there. Writing leaves out every field that is empty, unless it is marked with [`always`]; an
//! option that holds something is written, empty or not.
//!
//! | file | owns |
//! |---|---|
//! | `error` | what is wrong with a text |
//! | `read` | text to type |
//! | `write` | type to value |
//! | `any` | values that have no type of their own |

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
    fn words_are_taken_as_they_are() {
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
    fn what_has_no_value_is_not_there_and_merges_have_their_effect() {
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
    fn what_is_empty_is_left_out_unless_it_is_an_option() {
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
    fn what_does_not_fit_is_told_with_its_line() {
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

    /// Letters, but for two that end a line to the writer, which keeps to YAML 1.1, and not to the reader.
    const TEXT: &str = "[\\PC&&[^\u{2028}\u{2029}]]*";

    proptest! {
        #[test]
        fn what_is_written_is_read_again(
            name in TEXT, list in proptest::collection::vec(TEXT, 0..4), text in proptest::option::of(TEXT),
            map in proptest::collection::btree_map(TEXT, TEXT, 0..4), count: i32, flag: Option<bool>,
        ) {
            let sample = Sample { name, count, flag, text, list, map, ..Sample::default() };
            prop_assert_eq!(read(&write(&to_value(&sample).unwrap())), Ok(sample));
        }
    }
}
