//! Time intervals.

use std::collections::BTreeSet;

use api_monitoring::alertmanager_config::ApiVersion;
use api_monitoring::alertmanager_config::time::{DayOfMonthRange, MuteTimeInterval, TimeInterval};
use formats::alertmanager::time::check_days;
use monitoring_alerting::convert::time::{months, time_range, weekdays, years};
use monitoring_alerting::convert::unreadable;
use monitoring_select::Problem;
use monitoring_select::problem::{Within as _, broken};

/// Checks named time intervals and returns their names.
pub(super) fn check(intervals: &[MuteTimeInterval], version: ApiVersion) -> Result<BTreeSet<&str>, Problem> {
    let (what, days) = match version {
        ApiVersion::V1Alpha1 => ("mute time interval", "mute time interval is invalid - day of month range"),
        ApiVersion::V1Beta1 => ("time interval", "day of month range"),
    };
    for (index, interval) in intervals.iter().enumerate() {
        let place = format!("{what}[{index}] is invalid");
        if interval.name.is_empty() {
            return broken(format!("empty name field for {what}")).within(place);
        }
        for (at, times) in interval.time_intervals.iter().enumerate() {
            check_interval(times, days, at).within(&place)?;
        }
    }
    Ok(intervals.iter().map(|interval| interval.name.as_str()).collect())
}

fn check_interval(interval: &TimeInterval, days: &str, at: usize) -> Result<(), Problem> {
    let place = |what: &str| format!("{what} at {at} is invalid");
    let check_days = |range: &DayOfMonthRange| check_days(range.start, range.end).map_err(unreadable);
    interval.times.iter().try_for_each(|range| time_range(range).map(drop)).within(place("time range"))?;
    interval
        .weekdays
        .iter()
        .try_for_each(|range| weekdays(range).map(drop))
        .within(place("weekday range"))?;
    interval.days_of_month.iter().try_for_each(check_days).within(place(days))?;
    interval.months.iter().try_for_each(|range| months(range).map(drop)).within(place("month range"))?;
    interval.years.iter().try_for_each(|range| years(range).map(drop)).within(place("year range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(start: i64, end: i64) -> MuteTimeInterval {
        let days_of_month = vec![DayOfMonthRange { start, end }];
        let times = TimeInterval { days_of_month, ..TimeInterval::default() };
        MuteTimeInterval { name: "n".to_owned(), time_intervals: vec![times] }
    }

    fn outcome(interval: MuteTimeInterval, version: ApiVersion) -> String {
        check(&[interval], version).map_or_else(|problem| problem.to_string(), |_| "valid".to_owned())
    }

    #[test]
    fn days_are_counted_from_both_ends_of_a_month() {
        for (start, end, expected) in [
            (1, 31, "valid"),
            (-31, -1, "valid"),
            (1, -1, "valid"),
            (0, 1, "0 is not a valid day of the month: out of range"),
            (1, 32, "32 is not a valid day of the month: out of range"),
            (-1, 1, "end day must be negative if start day is negative"),
            (5, 4, "end day 4 is always before start day 5"),
            (20, -10, "end day -10 is always before start day 20"),
        ] {
            let found = outcome(days(start, end), ApiVersion::V1Beta1);
            let place = "time interval[0] is invalid: day of month range at 0 is invalid: ";
            assert_eq!(found.strip_prefix(place).unwrap_or(&found), expected);
        }
    }

    #[test]
    fn messages_depend_on_the_version() {
        let unnamed = MuteTimeInterval::default;
        for (interval, version, expected) in [
            (
                unnamed(),
                ApiVersion::V1Alpha1,
                "mute time interval[0] is invalid: empty name field for mute time interval",
            ),
            (
                unnamed(),
                ApiVersion::V1Beta1,
                "time interval[0] is invalid: empty name field for time interval",
            ),
            (
                days(0, 0),
                ApiVersion::V1Alpha1,
                "mute time interval[0] is invalid: mute time interval is invalid - day of month range at 0 is invalid: \
                 0 is not a valid day of the month: out of range",
            ),
            (
                days(0, 0),
                ApiVersion::V1Beta1,
                "time interval[0] is invalid: day of month range at 0 is invalid: \
                 0 is not a valid day of the month: out of range",
            ),
        ] {
            assert_eq!(outcome(interval, version), expected);
        }
    }
}
