//! Texts as Go reads them.
//!
//! | file | owns |
//! |---|---|
//! | [`argument`] | one argument of a command line |
//! | [`duration`] | durations such as `1m30s`; to be replaced by the crate that reads all syntaxes of Go |
//! | [`number`] | truth and numbers |
//! | [`quantity`] | amounts of Kubernetes |

pub(crate) mod argument;
pub(crate) mod duration;
pub(crate) mod number;
pub(crate) mod quantity;
