//! The configuration of Alertmanager: the file as types, the fields that each version supports, and the checks of
//! Alertmanager.
//!
//! | file | contents |
//! |---|---|
//! | [`config`] | the whole file |
//! | [`global`], [`route`], [`inhibit`], [`time`], [`http`], [`receiver`] | its parts |
//! | [`matcher`] | matchers of labels |
//! | [`secret`] | values from Secrets |
//! | [`url`], [`host_port`], [`duration`] | types for fields |
//! | [`fit`] | adapts a configuration to a version |
//! | `since` | the first version of each field |
//! | [`check`] | the checks of Alertmanager |

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
pub use fit::{ConfigError, Fit, Fitting, Warning};
