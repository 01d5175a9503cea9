//! Texts as the standard library of Go and the common types of Prometheus read and write them. The programs that the
//! operators run are written in Go: what they take is taken here, and what they refuse is refused in the same words. It
//! knows no product and no cluster; what differs from one product to the other is an argument.
//!
//! | file | owns |
//! |---|---|
//! | [`quoted`] | how texts and letters are shown between quotes |
//! | [`literal`] | texts and numbers as the language writes them |
//! | [`regexp`] | whether a regular expression is one |
//! | [`template`] | whether a template can be read |
//! | [`url`], [`host_port`] | addresses |
//! | [`duration`] | durations |
//! | [`byte_size`], [`quantity`] | sizes in bytes, and amounts |
//! | `unicode` | what letters are to Go |

pub mod byte_size;
pub mod duration;
pub mod host_port;
pub mod literal;
pub mod quantity;
pub mod quoted;
pub mod regexp;
pub mod template;
mod unicode;
pub mod url;
