//! YAML, read and written. Bytes are those of version 2 of the Go library `yaml`: indentation by two, lists not indented
//! below their key, text folded at 80 columns, quotes where a reader of YAML 1.1 would take a text for something else, keys
//! of maps in natural order.
//!
//! | file | owns |
//! |---|---|
//! | [`value`] | what can be written |
//! | `emit` | blocks, indentation, keys |
//! | `scalar` | how a text is written: plain, quoted or as a block |
//! | `resolve` | what a plain text is taken for |
//! | `walk` | the way through a text |
//! | `read` | users' own files |
//! | `node` | the same with words and lines, for typed reading |
//! | [`serde`] | files as types |
//! | `number` | how numbers are written |
//! | `order` | the natural order of keys |

mod emit;
mod node;
mod number;
mod order;
mod read;
mod resolve;
mod scalar;
pub mod serde;
#[cfg(test)]
mod tests;
pub mod value;
mod walk;

pub use order::sort;
pub use read::{Document, ReadError, read};
pub use value::{Map, Value};

/// Writes a document, with a line break at its end.
pub fn write(value: &Value) -> String {
    emit::document(value)
}
