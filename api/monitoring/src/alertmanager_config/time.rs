//! Time intervals of Alertmanager.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::text::text;

/// Named set of times that routes can refer to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("required" = ["name"]))]
pub struct MuteTimeInterval {
    /// Name that routes use for these times.
    pub name: String,
    /// Times in this set; a moment inside any of them counts.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub time_intervals: Vec<TimeInterval>,
}

/// Span of time; a moment must fit every list that is set.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TimeInterval {
    /// Times of the day, in UTC.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub times: Vec<TimeRange>,
    /// Days of the week.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub weekdays: Vec<WeekdayRange>,
    /// Days of the month.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub days_of_month: Vec<DayOfMonthRange>,
    /// Months of the year.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub months: Vec<MonthRange>,
    /// Years.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub years: Vec<YearRange>,
}

text! {
    /// Time of the day as `HH:MM`, from `00:00` to `24:00`.
    #[schemars(extend("pattern" = "^((([01][0-9])|(2[0-3])):[0-5][0-9])$|(^24:00$)"))]
    Time
}

/// Part of a day, from a start time up to an end time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct TimeRange {
    /// Time at which the range begins, as `HH:MM`.
    pub start_time: Time,
    /// Time at which the range ends, as `HH:MM`; not part of the range itself.
    pub end_time: Time,
}

text! {
    /// Day of the week, or an inclusive range such as `monday:friday`.
    #[schemars(extend("pattern" = "^((?i)sun|mon|tues|wednes|thurs|fri|satur)day(?:((:(sun|mon|tues|wednes|thurs|fri|satur)day)$)|$)"))]
    WeekdayRange
}

/// Inclusive range of days of the month.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DayOfMonthRange {
    /// First day of the range; negative numbers count from the end of the month.
    #[schemars(range(min = -31, max = 31), extend("format" = Value::Null))]
    pub start: i64,
    /// Last day of the range; negative numbers count from the end of the month.
    #[schemars(range(min = -31, max = 31), extend("format" = Value::Null))]
    pub end: i64,
}

text! {
    /// Month by name or number, or an inclusive range such as `january:march` or `1:3`.
    #[schemars(extend("pattern" = "^((?i)january|february|march|april|may|june|july|august|september|october|november|december|1[0-2]|[1-9])(?:((:((?i)january|february|march|april|may|june|july|august|september|october|november|december|1[0-2]|[1-9]))$)|$)"))]
    MonthRange
}

text! {
    /// Year, or an inclusive range such as `2024:2026`.
    #[schemars(extend("pattern" = r"^2\d{3}(?::2\d{3}|$)"))]
    YearRange
}
