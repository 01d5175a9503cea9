//! The configuration of Prometheus, and the fields that each version supports.
//!
//! | file | contents |
//! |---|---|
//! | [`section`] | sections of the file: fields that the version does not support are left out and reported |
//! | `since` | the first and the last version of each field |

pub mod section;
mod since;

pub use section::{Section, SectionWriter, UnsupportedField};
pub use since::SectionKind;
