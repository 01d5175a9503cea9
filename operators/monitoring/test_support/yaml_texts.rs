//! Texts that are hard to write as YAML. Included by the property tests of several crates.

use proptest::prelude::*;

/// Texts with special characters, spaces and line breaks more often than letters. U+2028 and U+2029 are left out: they
/// end a line for the writer, which follows YAML 1.1, and not for the reader.
pub(crate) fn texts() -> impl Strategy<Value = String> {
    let special = "[ \n\t\r:#'\"\\\\{}\\[\\],&*!|>%@`~?=<a\u{0}\u{7}\u{7f}\u{85}\u{a0}\u{feff}é-]{1,12}";
    let any = "[^\u{2028}\u{2029}]{1,20}";
    prop_oneof![
        special,
        "[a-c \n]{1,40}",
        "([a-z]{1,9} ){1,40}",
        "[0-9.eE_xobinfaNTZ:+-]{1,10}",
        "yes|No|ON|~|null|<<",
        any
    ]
}
