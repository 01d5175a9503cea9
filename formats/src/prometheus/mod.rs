//! The configuration of Prometheus, and what each version of it understands.
//!
//! | file | owns |
//! |---|---|
//! | [`section`] | a part of the file that is being written: what the version does not know is left out and named |
//! | `since` | the table: which field from which version on, and until which |

pub mod section;
mod since;

pub use section::{LeftOut, Section, Writer};
pub use since::Place;
