//! Reading and writing YAML. The output is byte for byte that of version 2 of the Go library `yaml`: an indentation
//! of two, lists at the column of their key, text folded at 80 columns, quotes where a YAML 1.1 reader would resolve
//! a text to another type, and keys of maps in natural order.
//!
//! | file | contents |
//! |---|---|
//! | [`value`] | the values that can be written |
//! | `emit` | the emitter: blocks, indentation, keys |
//! | `scalar` | the style of a text: plain, quoted or literal |
//! | `resolve` | the type of a plain scalar |
//! | `walk` | the traversal of a document, with limits |
//! | `read` | users' own files as values |
//! | `node` | documents with raw scalars and lines, for typed reading |
//! | [`serde`] | files as Rust types |
//! | `number` | the notation of numbers |
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
pub use read::{ReadDocument, ReadError, read};
pub use value::{Map, Value};

/// Writes a document, which ends with a line break.
pub fn write(value: &Value) -> String {
    emit::document(value)
}
