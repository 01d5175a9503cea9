//! From resources to objects: what a workload selects, why resources are rejected, its configuration and its child objects.
//! Pure, and incremental: resources that did not change since the last pass are not processed again.
//!
//! | file | owns |
//! |---|---|
//! | [`context`] | the inputs, in addition to the workload |
//! | [`offers`] | what the API server supports |
//! | [`selection`] | the resources that a workload selects, and their references |
//! | [`rendered`] | what each of them contributes to the configuration |
//! | `monitors`, `rules` | the contributions of resources with scrape jobs, and of rules |
//! | [`memo`], `carry` | what is remembered from one pass to the next |
//! | [`planned`], [`child`] | the objects to write |
//! | `limits` | the maximum length of names and size of objects |
//! | [`gaps`] | sections with missing references are kept as they were written last |

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
pub use context::{Excluded, LastWritten, PlanContext, Resources};
pub use planned::{PlanError, PlanRemark, Planned, PlannedConfiguration};
pub use rendered::{Judged, Rendered};
pub use selection::Selections;
