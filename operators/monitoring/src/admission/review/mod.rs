//! Answers to the API server: an `AdmissionReview` or a `ConversionReview` goes in with a request and comes out with a
//! response.
//!
//! | file | owns |
//! |---|---|
//! | `rule` | PrometheusRule: checked, mended |
//! | `patch` | what mends a PrometheusRule |
//! | `alertmanager_config` | AlertmanagerConfig: checked |
//! | `conversion` | AlertmanagerConfig: converted |
//! | `response` | the form of an answer |
//! | `resource` | what a request is about |
//! | `settled` | what was there before, and is let be |

mod alertmanager_config;
mod conversion;
mod patch;
mod resource;
mod response;
mod rule;
mod settled;

pub use alertmanager_config::validate as validate_alertmanager_config;
pub use conversion::{NotAReview, convert};
pub use rule::{mutate as mutate_rule, validate as validate_rule};
pub use settled::is_settled;

#[cfg(test)]
mod tests;
