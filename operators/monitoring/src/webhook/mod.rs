//! What the API server asks about monitoring resources: the peer's paths, answered as the peer answers, and ours beside
//! them for monitors. The operator and the stand-alone webhook both serve [`routes`]; users register those that they want.
//!
//! | file | owns |
//! |---|---|
//! | `review` | the peer's paths: what is asked and answered over HTTP |
//! | `monitor` | ours: what can be told of a monitor without the cluster |
//! | [`registration`] | what an API server has to know to ask |
//! | [`metrics`] | what is counted |

pub mod metrics;
mod monitor;
pub mod registration;
mod review;
#[cfg(test)]
mod tests;

use crate::admission::review::{convert, mutate_rule, validate_alertmanager_config, validate_rule};
use kernel::webhook::Routes;
use monitoring_rules::Options;
use monitoring_rules::check::check;
use monitoring_rules::names::Names;

use crate::webhook::metrics::Metrics;

/// Checks a PrometheusRule.
pub const VALIDATE_RULE: &str = "/admission-prometheusrules/validate";
/// Mends a PrometheusRule.
pub const MUTATE_RULE: &str = "/admission-prometheusrules/mutate";
/// Checks an AlertmanagerConfig.
pub const VALIDATE_ALERTMANAGER_CONFIG: &str = "/admission-alertmanagerconfigs/validate";
/// Converts an AlertmanagerConfig.
pub const CONVERT: &str = "/convert";
/// Checks a ServiceMonitor.
pub const VALIDATE_SERVICE_MONITOR: &str = "/admission-servicemonitors/validate";
/// Checks a PodMonitor.
pub const VALIDATE_POD_MONITOR: &str = "/admission-podmonitors/validate";
/// Checks a Probe.
pub const VALIDATE_PROBE: &str = "/admission-probes/validate";
/// Checks a ScrapeConfig.
pub const VALIDATE_SCRAPE_CONFIG: &str = "/admission-scrapeconfigs/validate";

/// How rules are checked. By default as in the peer's operator.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RuleSettings {
    /// Which names of metrics and labels are allowed.
    pub names: Names,
    /// What queries may use that is not stable yet.
    pub queries: Options,
}

/// All webhooks.
pub fn routes(rules: RuleSettings, metrics: &Metrics) -> Routes {
    let RuleSettings { names, queries } = rules;
    let routes = Routes::default()
        .plain(
            VALIDATE_RULE,
            review::admission(metrics.path(VALIDATE_RULE), move |review| {
                validate_rule(review, &|spec| {
                    check(spec, names, queries).iter().map(ToString::to_string).collect()
                })
            }),
        )
        .plain(MUTATE_RULE, review::admission(metrics.path(MUTATE_RULE), mutate_rule))
        .plain(
            VALIDATE_ALERTMANAGER_CONFIG,
            review::admission(metrics.path(VALIDATE_ALERTMANAGER_CONFIG), validate_alertmanager_config),
        )
        .plain(CONVERT, review::conversion(metrics.path(CONVERT), convert));
    monitor::add(routes, metrics)
}
