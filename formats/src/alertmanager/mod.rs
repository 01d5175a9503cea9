//! The configuration of Alertmanager: the file as types, what each version of it understands, and what no version takes.
//!
//! | file | owns |
//! |---|---|
//! | [`config`] | the whole file |
//! | [`global`], [`route`], [`inhibit`], [`time`], [`http`], [`receiver`] | its parts |
//! | [`matcher`] | conditions on labels |
//! | [`secret`] | what comes from a Secret |
//! | [`url`], [`host_port`], [`duration`], [`template`] | texts of a form |
//! | [`fit`] | making a configuration fit for a version |
//! | `since` | the table: which field from which version on |
//! | [`check`] | what Alertmanager refuses |

pub mod check;
pub mod config;
pub mod duration;
pub mod fit;
pub mod global;
pub mod host_port;
pub mod http;
pub mod inhibit;
pub mod matcher;
pub mod receiver;
pub mod route;
pub mod secret;
mod since;
pub mod time;
pub mod url;

pub use config::Config;
pub use fit::{Fit, Fitting, Refusal, Warning};
