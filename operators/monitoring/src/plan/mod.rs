//! From resources to objects: for each workload what it selects, what is wrong with the rest, its configuration and its
//! children. Pure, and incremental: what did not change since the last pass is not looked at again.
//!
//! | file | owns |
//! |---|---|
//! | [`prometheus`], [`agent`], [`alertmanager`], [`thanos_ruler`] | a workload: everything that follows from it |
//! | [`surroundings`] | what there is beside the workload |
//! | [`offers`] | what the server of a cluster can do |
//! | [`standing`] | what was written before |
//! | [`planned`], [`child`] | what is to be written |
//! | [`monitors`] | the four kinds of resources with scrape jobs |
//! | [`rules`] | PrometheusRules |
//! | [`candidates`] | which resources a workload asks for |
//! | [`memo`] | what is remembered from one pass to the next |
//! | `limits` | how long names and how large objects may be |
//! | [`gaps`] | sections that cannot be written anew stay as they were written last |

pub mod candidates;
pub mod child;
pub mod gaps;
pub(crate) mod limits;
pub mod memo;
pub mod monitors;
pub mod offers;
pub mod planned;
pub mod rules;
pub mod standing;
pub mod surroundings;
#[cfg(test)]
mod tests;

pub use child::Child;
pub use planned::{Configuration, Invalid, Planned, Remark};
pub use standing::Standing;
pub use surroundings::{LeftOut, Resources, Surroundings};
