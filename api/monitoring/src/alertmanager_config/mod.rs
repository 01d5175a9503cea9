//! AlertmanagerConfig, as it is stored (`v1alpha1`).

pub mod child_route;
pub mod convert;
pub mod receiver;
pub mod route;
pub mod time;

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::alertmanager_config::convert::ApiVersion;
use crate::alertmanager_config::receiver::Receiver;
use crate::alertmanager_config::route::Route;
use crate::alertmanager_config::time::MuteTimeInterval;
use crate::status::ConfigResourceStatus;
use crate::text::text;

/// Wanted routing, receivers, inhibition rules and mute times.
#[derive(CustomResource, Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "monitoring.coreos.com",
    version = "v1alpha1",
    kind = "AlertmanagerConfig",
    plural = "alertmanagerconfigs",
    shortname = "amcfg",
    category = "prometheus-operator",
    namespaced,
    status = "ConfigResourceStatus",
    derive = "PartialEq",
    derive = "Default",
    doc = "A part of the configuration of an Alertmanager: routes, receivers, inhibitions."
)]
#[serde(rename_all = "camelCase", default)]
pub struct AlertmanagerConfigSpec {
    /// Route that decides which receiver gets which alerts of this object.
    pub route: Option<Route>,
    /// Receivers that the routes can name.
    #[schemars(extend("x-kubernetes-list-type" = "map"), extend("x-kubernetes-list-map-keys" = ["name"]))]
    pub receivers: Vec<Receiver>,
    /// Rules that silence some alerts while other alerts are firing.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub inhibit_rules: Vec<InhibitRule>,
    /// Named times that routes can use to mute or activate notifications.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub mute_time_intervals: Vec<MuteTimeInterval>,
}

/// Rule that silences target alerts while a source alert is firing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct InhibitRule {
    /// Label conditions that alerts must meet to be silenced.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub target_match: Vec<Matcher>,
    /// Label conditions of the firing alerts that silence the targets.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub source_match: Vec<Matcher>,
    /// Labels that must have the same value in the source and the target alert.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub equal: Vec<String>,
}

/// Condition on one label of an alert.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["name"]))]
pub struct Matcher {
    /// Name of the label.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Value or regular expression to compare the label with.
    pub value: String,
    /// How to compare: `=`, `!=`, or `=~` and `!~` for regular expressions.
    #[schemars(extend("enum" = ["!=", "=", "=~", "!~"]))]
    pub match_type: MatchType,
    /// Deprecated: use `matchType` instead; whether `value` is a regular expression.
    pub regex: bool,
}

text! {
    /// How a label is compared: `=`, `!=`, `=~` or `!~`.
    MatchType
}
