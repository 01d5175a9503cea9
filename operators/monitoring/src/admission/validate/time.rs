//! Spans of time.

use std::collections::BTreeSet;

use api_monitoring::alertmanager_config::ApiVersion;
use api_monitoring::alertmanager_config::time::{DayOfMonthRange, MuteTimeInterval, TimeInterval, TimeRange};
use go_syntax::quoted::Quoted;

use crate::admission::problem::{Problem, Within, broken};

const WEEKDAYS: [&str; 7] = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The shortest month, in days. Within it, the order of days that are counted from either end is sure.
const SHORTEST_MONTH: i64 = 28;

/// Checks named spans; gives their names.
pub(super) fn check(spans: &[MuteTimeInterval], version: ApiVersion) -> Result<BTreeSet<&str>, Problem> {
    let (what, days) = match version {
        ApiVersion::V1Alpha1 => ("mute time interval", "mute time interval is invalid - day of month range"),
        ApiVersion::V1Beta1 => ("time interval", "day of month range"),
    };
    for (index, span) in spans.iter().enumerate() {
        let place = format_args!("{what}[{index}] is invalid").to_string();
        if span.name.is_empty() {
            return broken(format!("empty name field for {what}")).within(place);
        }
        for (at, interval) in span.time_intervals.iter().enumerate() {
            check_interval(interval, days, at).within(&place)?;
        }
    }
    Ok(spans.iter().map(|span| span.name.as_str()).collect())
}

fn check_interval(interval: &TimeInterval, days: &str, at: usize) -> Result<(), Problem> {
    let place = |what: &str| format!("{what} at {at} is invalid");
    interval.times.iter().try_for_each(check_times).within(place("time range"))?;
    interval.weekdays.iter().try_for_each(|range| check_weekdays(range)).within(place("weekday range"))?;
    interval.days_of_month.iter().try_for_each(check_days).within(place(days))?;
    interval.months.iter().try_for_each(|range| check_months(range)).within(place("month range"))?;
    interval.years.iter().try_for_each(|range| check_years(range)).within(place("year range"))
}

fn check_times(range: &TimeRange) -> Result<(), Problem> {
    if range.start_time.is_empty() || range.end_time.is_empty() {
        return broken("start and end are required");
    }
    let start = minutes(&range.start_time).within("start time invalid")?;
    let end = minutes(&range.end_time).within("end time invalid")?;
    if start >= end {
        return broken(format!("start time {start} cannot be equal or greater than end time {end}"));
    }
    Ok(())
}

/// The minutes of a day up to a time from `00:00` to `24:00`.
fn minutes(time: &str) -> Result<u32, Problem> {
    let two_digits = |text: &str| {
        let good = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        good.then(|| text.parse().ok()).flatten()
    };
    let parts: Option<(u32, u32)> =
        time.split_once(':').and_then(|(hours, minutes)| Some((two_digits(hours)?, two_digits(minutes)?)));
    match parts {
        Some((hours @ 0..24, minutes @ 0..60) | (hours @ 24, minutes @ 0)) => Ok(hours * 60 + minutes),
        _ => broken(format!("couldn't parse timestamp {time}, invalid format")),
    }
}

fn check_weekdays(range: &str) -> Result<(), Problem> {
    let (first, last) = ends(range)?;
    let start = weekday(first).within("failed to parse start day from weekday range")?;
    let end = weekday(last).within("failed to parse end day from weekday range")?;
    if start > end {
        return broken("start day cannot be before end day");
    }
    for (day, text) in [(start, first), (end, last)] {
        if !(0..=6).contains(&day) {
            return broken(format!("{text} is not a valid day of the week: out of range"));
        }
    }
    Ok(())
}

/// A day of the week by its name or its number; the week begins with Sunday.
fn weekday(text: &str) -> Result<i64, Problem> {
    match position(&WEEKDAYS, text).or_else(|| text.parse().ok()) {
        Some(day) => Ok(day),
        None => broken(format!("{text} is an invalid weekday")),
    }
}

fn check_months(range: &str) -> Result<(), Problem> {
    let (first, last) = ends(range)?;
    let start = month(first).within("failed to parse start month from month range")?;
    let end = month(last).within("failed to parse start month from month range")?;
    if start > end {
        return broken(format!("end month {last} is before start month {first}"));
    }
    Ok(())
}

/// A month by its name or its number, from 1.
fn month(text: &str) -> Result<i64, Problem> {
    let named = position(&MONTHS, text).map(|index| index + 1);
    match named.or_else(|| text.parse().ok().filter(|month| (1..=12).contains(month))) {
        Some(month) => Ok(month),
        None => broken(format!("{text} is an invalid month")),
    }
}

fn check_years(range: &str) -> Result<(), Problem> {
    let (first, last) = ends(range)?;
    let start = number(first).within(format_args!("start year cannot be {first} parsed"))?;
    let end = number(last).within(format_args!("end year cannot be {last} parsed"))?;
    if start > end {
        return broken(format!("end year {end} is before start year {start}"));
    }
    Ok(())
}

fn check_days(range: &DayOfMonthRange) -> Result<(), Problem> {
    let DayOfMonthRange { start, end } = *range;
    for day in [start, end] {
        if day == 0 || !(-31..=31).contains(&day) {
            return broken(format!("{day} is not a valid day of the month: out of range"));
        }
    }
    if start < 0 && end > 0 {
        return broken("end day must be negative if start day is negative");
    }
    let from_start = |day: i64| if day < 0 { SHORTEST_MONTH + day } else { day };
    if from_start(start) > from_start(end) {
        return broken(format!("end day {end} is always before start day {start}"));
    }
    Ok(())
}

/// Both ends of a range; what has no colon begins and ends with itself.
fn ends(range: &str) -> Result<(&str, &str), Problem> {
    match range.split_once(':') {
        None => Ok((range, range)),
        Some((_, last)) if last.contains(':') => broken(format!("invalid range provided {range}")),
        Some(ends) => Ok(ends),
    }
}

/// The place of a name, whatever its letters.
fn position(names: &[&str], text: &str) -> Option<i64> {
    let text = text.to_lowercase();
    names.iter().position(|name| *name == text).and_then(|index| index.try_into().ok())
}

fn number(text: &str) -> Result<i64, Problem> {
    text.parse().or_else(|_| {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let fault = if is_number { "value out of range" } else { "invalid syntax" };
        broken(format!("strconv.Atoi: parsing {}: {fault}", Quoted(text)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(check: Result<(), Problem>) -> String {
        check.map_or_else(|problem| problem.to_string(), |()| "good".to_owned())
    }

    #[test]
    fn times_are_from_midnight_to_midnight() {
        for (start, end, verdict) in [
            ("00:00", "24:00", "good"),
            ("23:58", "23:59", "good"),
            ("", "24:00", "start and end are required"),
            ("08:00", "08:00", "start time 480 cannot be equal or greater than end time 480"),
            ("8:00", "09:00", "start time invalid: couldn't parse timestamp 8:00, invalid format"),
            ("08:00", "24:01", "end time invalid: couldn't parse timestamp 24:01, invalid format"),
            ("08:60", "24:00", "start time invalid: couldn't parse timestamp 08:60, invalid format"),
            ("08:00:00", "24:00", "start time invalid: couldn't parse timestamp 08:00:00, invalid format"),
        ] {
            let range = TimeRange { start_time: start.into(), end_time: end.into() };
            assert_eq!(words(check_times(&range)), verdict);
        }
    }

    #[test]
    fn weekdays_have_names_and_numbers() {
        for (range, verdict) in [
            ("Monday", "good"),
            ("sunday:SATURDAY", "good"),
            ("1:5", "good"),
            ("friday:monday", "start day cannot be before end day"),
            ("7", "7 is not a valid day of the week: out of range"),
            ("1:7", "7 is not a valid day of the week: out of range"),
            ("mon", "failed to parse start day from weekday range: mon is an invalid weekday"),
            ("monday:x", "failed to parse end day from weekday range: x is an invalid weekday"),
            ("1:2:3", "invalid range provided 1:2:3"),
        ] {
            assert_eq!(words(check_weekdays(range)), verdict, "{range}");
        }
    }

    #[test]
    fn months_have_names_and_numbers() {
        for (range, verdict) in [
            ("January:march", "good"),
            ("1:12", "good"),
            ("march:1", "end month 1 is before start month march"),
            ("13", "failed to parse start month from month range: 13 is an invalid month"),
            ("1:x", "failed to parse start month from month range: x is an invalid month"),
        ] {
            assert_eq!(words(check_months(range)), verdict, "{range}");
        }
    }

    #[test]
    fn years_are_numbers() {
        for (range, verdict) in [
            ("2030:2050", "good"),
            ("2050:2030", "end year 2030 is before start year 2050"),
            ("x", r#"start year cannot be x parsed: strconv.Atoi: parsing "x": invalid syntax"#),
            ("1:", r#"end year cannot be  parsed: strconv.Atoi: parsing "": invalid syntax"#),
            (
                "99999999999999999999",
                r#"start year cannot be 99999999999999999999 parsed: strconv.Atoi: parsing "99999999999999999999": value out of range"#,
            ),
        ] {
            assert_eq!(words(check_years(range)), verdict, "{range}");
        }
    }

    #[test]
    fn days_are_counted_from_both_ends_of_a_month() {
        for (start, end, verdict) in [
            (1, 31, "good"),
            (-31, -1, "good"),
            (1, -1, "good"),
            (0, 1, "0 is not a valid day of the month: out of range"),
            (1, 32, "32 is not a valid day of the month: out of range"),
            (-1, 1, "end day must be negative if start day is negative"),
            (5, 4, "end day 4 is always before start day 5"),
            (20, -10, "end day -10 is always before start day 20"),
        ] {
            assert_eq!(words(check_days(&DayOfMonthRange { start, end })), verdict);
        }
    }

    #[test]
    fn each_version_has_its_words() {
        let span = |name: &str, days: Vec<DayOfMonthRange>| MuteTimeInterval {
            name: name.to_owned(),
            time_intervals: vec![TimeInterval { days_of_month: days, ..TimeInterval::default() }],
        };
        let verdict = |span, version| check(&[span], version).map(|_| ()).unwrap_err().to_string();
        let wrong = || span("n", vec![DayOfMonthRange::default()]);
        assert_eq!(
            verdict(span("", vec![]), ApiVersion::V1Alpha1),
            "mute time interval[0] is invalid: empty name field for mute time interval"
        );
        assert_eq!(
            verdict(span("", vec![]), ApiVersion::V1Beta1),
            "time interval[0] is invalid: empty name field for time interval"
        );
        assert_eq!(
            verdict(wrong(), ApiVersion::V1Alpha1),
            "mute time interval[0] is invalid: mute time interval is invalid - day of month range at 0 is invalid: \
             0 is not a valid day of the month: out of range"
        );
        assert_eq!(
            verdict(wrong(), ApiVersion::V1Beta1),
            "time interval[0] is invalid: day of month range at 0 is invalid: \
             0 is not a valid day of the month: out of range"
        );
    }
}
