//! The webhooks of the monitoring resources: those of the Prometheus Operator, which answer as it does, and ours for
//! monitors. The operator and the stand-alone webhook both serve [`routes`]; users register the ones that they want.
//!
//! | file | owns |
//! |---|---|
//! | `review` | the webhooks of the Prometheus Operator over HTTP |
//! | `monitor` | our webhooks for monitors |
//! | [`registration`] | the webhooks as they are registered at the API server |
//! | [`metrics`] | metrics |

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

use crate::webhook::metrics::WebhookMetrics;

/// Validates PrometheusRules.
const VALIDATE_RULE: &str = "/admission-prometheusrules/validate";
/// Mutates PrometheusRules.
const MUTATE_RULE: &str = "/admission-prometheusrules/mutate";
/// Validates AlertmanagerConfigs.
const VALIDATE_ALERTMANAGER_CONFIG: &str = "/admission-alertmanagerconfigs/validate";
/// Converts AlertmanagerConfigs.
pub const CONVERT: &str = "/convert";

/// How rules are checked. The default is that of the Prometheus Operator.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RuleSettings {
    /// Which names of metrics and labels are allowed.
    pub names: Names,
    /// Which experimental features of the query language are allowed.
    pub queries: Options,
}

/// All webhooks.
pub fn routes(rules: RuleSettings, metrics: &WebhookMetrics) -> Routes {
    let RuleSettings { names, queries } = rules;
    let problems = move |spec: &_| check(spec, names, queries).iter().map(ToString::to_string).collect();
    let validate_rule = move |review: &_| validate_rule(review, &problems);
    let routes = Routes::default()
        .plain(VALIDATE_RULE, review::admission(metrics.path(VALIDATE_RULE), validate_rule))
        .plain(MUTATE_RULE, review::admission(metrics.path(MUTATE_RULE), mutate_rule))
        .plain(
            VALIDATE_ALERTMANAGER_CONFIG,
            review::admission(metrics.path(VALIDATE_ALERTMANAGER_CONFIG), validate_alertmanager_config),
        )
        .plain(CONVERT, review::conversion(metrics.path(CONVERT), convert));
    monitor::add(routes, metrics)
}
