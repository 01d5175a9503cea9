//! PrometheusRule.

pub mod shape;

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::status::ConfigResourceStatus;
use crate::text::{Duration, NonEmptyDuration};

/// Groups of recording and alerting rules.
#[derive(CustomResource, Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "monitoring.coreos.com",
    version = "v1",
    kind = "PrometheusRule",
    plural = "prometheusrules",
    shortname = "promrule",
    category = "prometheus-operator",
    namespaced,
    status = "ConfigResourceStatus",
    derive = "PartialEq",
    derive = "Default",
    doc = "Recording and alerting rules."
)]
#[serde(rename_all = "camelCase", default)]
pub struct PrometheusRuleSpec {
    /// Groups of rules; each name must be unique.
    #[schemars(extend("x-kubernetes-list-type" = "map"), extend("x-kubernetes-list-map-keys" = ["name"]))]
    pub groups: Vec<RuleGroup>,
}

/// Rules that are evaluated one after the other at the same interval.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["name"]))]
pub struct RuleGroup {
    /// Name of the rule group.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Labels added to the results of all rules; those of a rule take precedence.
    pub labels: BTreeMap<String, String>,
    /// Time between two evaluations; unset means the global interval.
    pub interval: Option<Duration>,
    /// How far into the past the evaluation time of the rules is shifted.
    #[serde(rename = "query_offset")]
    pub query_offset: Option<Duration>,
    /// Recording and alerting rules, evaluated in order.
    pub rules: Vec<Rule>,
    /// What Thanos Ruler does with partial results: `abort` or `warn`.
    #[serde(rename = "partial_response_strategy")]
    #[schemars(extend("pattern" = "^(?i)(abort|warn)?$"))]
    pub partial_response_strategy: String,
    /// How many alerts or series one rule may produce; 0 means no limit.
    #[schemars(extend("format" = Value::Null))]
    pub limit: Option<i64>,
}

/// A recording or an alerting rule; set either `record` or `alert`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["expr"]))]
pub struct Rule {
    /// Name of the metric that the result is stored under.
    pub record: String,
    /// Name of the alert.
    pub alert: String,
    /// PromQL expression to evaluate.
    pub expr: IntOrString,
    /// How long the expression must hold before the alert fires.
    #[serde(rename = "for")]
    pub for_: Option<Duration>,
    /// How long the alert keeps firing after its expression no longer holds.
    #[serde(rename = "keep_firing_for")]
    pub keep_firing_for: Option<NonEmptyDuration>,
    /// Labels to add to the result or to overwrite in it.
    pub labels: BTreeMap<String, String>,
    /// Annotations of the alert; only for alerting rules.
    pub annotations: BTreeMap<String, String>,
}
