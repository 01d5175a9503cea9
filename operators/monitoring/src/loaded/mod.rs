//! Whether each pod runs the configuration that was written, and when pods are touched so that they get it. Pure, except
//! for `ask`, which asks pods over HTTP.
//!
//! | file | owns |
//! |---|---|
//! | [`content`], [`fingerprint`] | the hashes of what was written, as our reloader reports them |
//! | [`pod`] | the observed state of a pod |
//! | [`ask`] | requests to pods |
//! | [`reach`] | which pods to ask, where some do not answer |
//! | [`answer`], [`exposition`] | what a reloader reports, ours and the peer's |
//! | [`offset`] | how far the clock of a pod is from ours |
//! | [`load_state`] | whether one pod runs the written content |
//! | `loading` | the same for all pods of a workload, over time |
//! | [`pace`] | when pods are touched |
//! | [`condition`] | the condition `ConfigurationLoaded` |

pub mod answer;
pub mod ask;
pub mod condition;
pub mod content;
pub mod exposition;
pub mod fingerprint;
pub mod load_state;
pub(crate) mod loading;
pub mod offset;
pub mod pace;
pub mod pod;
pub mod reach;
