//! Responses to the API server: an `AdmissionReview` or a `ConversionReview` with a request becomes one with a response.
//!
//! | file | owns |
//! |---|---|
//! | `rule` | validation and mutation of PrometheusRules |
//! | `patch` | the patch for a PrometheusRule |
//! | `alertmanager_config` | validation of AlertmanagerConfigs |
//! | `conversion` | conversion of AlertmanagerConfigs |
//! | `request`, `response` | the parts of a review |

mod alertmanager_config;
mod conversion;
mod patch;
mod request;
mod response;
mod rule;

pub use alertmanager_config::validate as validate_alertmanager_config;
pub use conversion::{NoRequest, convert};
pub use request::is_exempt;
pub use rule::{mutate as mutate_rule, validate as validate_rule};

#[cfg(test)]
mod tests;
