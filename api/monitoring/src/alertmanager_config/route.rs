//! Routes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::alertmanager_config::Matcher;
use crate::text::NonEmptyDuration;

/// Node of the routing tree: which alerts it matches and how they are sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Route {
    /// Name of the receiver for alerts of this route; must be in `receivers`.
    pub receiver: String,
    /// Labels that group alerts into one notification; `...` alone disables grouping.
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub group_by: Vec<String>,
    /// How long a new group waits for more alerts before its first notification.
    pub group_wait: Option<NonEmptyDuration>,
    /// How long to wait before notifying about new alerts in a group already sent.
    pub group_interval: Option<NonEmptyDuration>,
    /// How long to wait before sending an unchanged notification again.
    pub repeat_interval: Option<NonEmptyDuration>,
    /// Label conditions that an alert must all meet to match this route.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub matchers: Vec<Matcher>,
    /// Whether an alert that matched also tries the sibling routes that follow.
    #[serde(rename = "continue")]
    pub continue_: bool,
    /// Child routes, each with the same fields as a route.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub routes: Vec<Value>,
    /// Names of time intervals during which this route sends nothing.
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub mute_time_intervals: Vec<String>,
    /// Names of time intervals outside of which this route sends nothing.
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub active_time_intervals: Vec<String>,
}
