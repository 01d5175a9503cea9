//! From resources to objects: what a workload selects, what is wrong with the rest, its configuration and its children.
//! Pure, and incremental: what did not change since the last pass is not looked at again.
//!
//! | file | owns |
//! |---|---|
//! | [`context`] | the inputs, beside the workload |
//! | [`offers`] | what the API server supports |
//! | [`selection`] | the resources that a workload selects, and their references |
//! | [`rendered`] | what was made of each |
//! | `monitors`, `rules` | how something is made of resources with scrape jobs, and of rules |
//! | [`memo`], `carry` | what is remembered from one pass to the next |
//! | [`planned`], [`child`] | what is to be written |
//! | `limits` | how long names and how large objects may be |
//! | [`gaps`] | sections that cannot be written anew stay as they were written last |

mod carry;
pub mod child;
pub mod context;
pub mod gaps;
pub(crate) mod limits;
pub mod memo;
pub(crate) mod monitors;
pub mod offers;
pub mod planned;
pub mod rendered;
pub(crate) mod rules;
pub mod selection;
#[cfg(test)]
mod tests;

pub use child::Child;
pub use context::{LastWritten, LeftOut, PlanContext, Resources};
pub use planned::{Configuration, PlanError, Planned, Remark};
pub use rendered::{Judged, Rendered};
pub use selection::Selections;
