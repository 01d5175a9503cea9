//! Time intervals. The admission webhook checks them with the same functions.

use api_monitoring::alertmanager_config::time::{
    MuteTimeInterval, TimeInterval as SpanSpec, TimeRange as TimeRangeSpec,
};
use formats::alertmanager::time::{
    DaysOfMonth, Months, Span, TimeInterval, TimeRange, Weekdays, Years, minute, month, weekday,
};
use go_syntax::quoted::Quoted;
use monitoring_select::Problem;
use monitoring_select::problem::{Within as _, broken};

use super::{Convert, unreadable};

impl Convert<'_> {
    /// A named time interval.
    pub(super) fn time_interval(&self, interval: &MuteTimeInterval) -> Result<TimeInterval, Problem> {
        Ok(TimeInterval {
            name: self.unique(&interval.name),
            time_intervals: interval.time_intervals.iter().map(span).collect::<Result<_, _>>()?,
        })
    }
}

fn span(interval: &SpanSpec) -> Result<Span, Problem> {
    let days = interval.days_of_month.iter();
    Ok(Span {
        times: interval.times.iter().map(time_range).collect::<Result<_, _>>()?,
        weekdays: interval.weekdays.iter().map(|range| weekdays(range)).collect::<Result<_, _>>()?,
        days_of_month: days.map(|range| DaysOfMonth { first: range.start, last: range.end }).collect(),
        months: interval.months.iter().map(|range| months(range)).collect::<Result<_, _>>()?,
        years: interval.years.iter().map(|range| years(range)).collect::<Result<_, _>>()?,
        location: None,
    })
}

/// Reads a range of times of the day.
pub fn time_range(range: &TimeRangeSpec) -> Result<TimeRange, Problem> {
    if range.start_time.is_empty() || range.end_time.is_empty() {
        return broken("start and end are required");
    }
    let start = minute(&range.start_time).map_err(unreadable).within("start time invalid")?;
    let end = minute(&range.end_time).map_err(unreadable).within("end time invalid")?;
    if start >= end {
        return broken(format!("start time {start} cannot be equal or greater than end time {end}"));
    }
    Ok(TimeRange { start, end })
}

/// Reads a range of days of the week.
pub fn weekdays(range: &str) -> Result<Weekdays, Problem> {
    let (first, last) = ends(range)?;
    let start = weekday_number(first).within("failed to parse start day from weekday range")?;
    let end = weekday_number(last).within("failed to parse end day from weekday range")?;
    if start > end {
        return broken("start day cannot be before end day");
    }
    for (day, text) in [(start, first), (end, last)] {
        if !(0..=6).contains(&day) {
            return broken(format!("{text} is not a valid day of the week: out of range"));
        }
    }
    Ok(Weekdays { first: start, last: end })
}

/// A day of the week by its name or its number; Sunday is 0.
fn weekday_number(text: &str) -> Result<i64, Problem> {
    let number = weekday(&text.to_lowercase()).ok().or_else(|| text.parse().ok());
    number.ok_or_else(|| Problem::rule(format!("{text} is an invalid weekday")))
}

/// Reads a range of months.
pub fn months(range: &str) -> Result<Months, Problem> {
    let (first, last) = ends(range)?;
    let start = month_number(first).within("failed to parse start month from month range")?;
    let end = month_number(last).within("failed to parse start month from month range")?;
    if start > end {
        return broken(format!("end month {last} is before start month {first}"));
    }
    Ok(Months { first: start, last: end })
}

/// A month by its name or its number; January is 1.
fn month_number(text: &str) -> Result<i64, Problem> {
    let number = month(&text.to_lowercase()).ok().filter(|number| (1..=12).contains(number));
    number.ok_or_else(|| Problem::rule(format!("{text} is an invalid month")))
}

/// Reads a range of years.
pub fn years(range: &str) -> Result<Years, Problem> {
    let (first, last) = ends(range)?;
    let start = number(first).within(format_args!("start year cannot be {first} parsed"))?;
    let end = number(last).within(format_args!("end year cannot be {last} parsed"))?;
    if start > end {
        return broken(format!("end year {end} is before start year {start}"));
    }
    Ok(Years { first: start, last: end })
}

/// The first and the last element of a range. A range without a colon is a single element.
fn ends(range: &str) -> Result<(&str, &str), Problem> {
    match range.split_once(':') {
        None => Ok((range, range)),
        Some((_, last)) if last.contains(':') => broken(format!("invalid range provided {range}")),
        Some(ends) => Ok(ends),
    }
}

/// A number; errors are those of Go.
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

    fn outcome<T>(result: Result<T, Problem>) -> String {
        result.map_or_else(|problem| problem.to_string(), |_| "valid".to_owned())
    }

    #[test]
    fn ranges_are_read_by_name_or_number() {
        assert_eq!(weekdays("Monday:5"), Ok(Weekdays { first: 1, last: 5 }));
        assert_eq!(months("may"), Ok(Months { first: 5, last: 5 }));
        assert_eq!(months("1:December"), Ok(Months { first: 1, last: 12 }));
        assert_eq!(years("2024:2026"), Ok(Years { first: 2024, last: 2026 }));
    }

    #[test]
    fn times_are_from_midnight_to_midnight() {
        for (start, end, expected) in [
            ("00:00", "24:00", "valid"),
            ("23:58", "23:59", "valid"),
            ("", "24:00", "start and end are required"),
            ("08:00", "08:00", "start time 480 cannot be equal or greater than end time 480"),
            ("10:00", "09:00", "start time 600 cannot be equal or greater than end time 540"),
            ("8:00", "09:00", "start time invalid: couldn't parse timestamp 8:00, invalid format"),
            ("08:00", "24:01", "end time invalid: couldn't parse timestamp 24:01, invalid format"),
            ("08:60", "24:00", "start time invalid: couldn't parse timestamp 08:60, invalid format"),
            ("08:00:00", "24:00", "start time invalid: couldn't parse timestamp 08:00:00, invalid format"),
        ] {
            let range = TimeRangeSpec { start_time: start.into(), end_time: end.into() };
            assert_eq!(outcome(time_range(&range)), expected);
        }
    }

    #[test]
    fn weekdays_have_names_and_numbers() {
        for (range, expected) in [
            ("Monday", "valid"),
            ("sunday:SATURDAY", "valid"),
            ("1:5", "valid"),
            ("friday:monday", "start day cannot be before end day"),
            ("7", "7 is not a valid day of the week: out of range"),
            ("1:7", "7 is not a valid day of the week: out of range"),
            ("mon", "failed to parse start day from weekday range: mon is an invalid weekday"),
            ("monday:x", "failed to parse end day from weekday range: x is an invalid weekday"),
            ("1:2:3", "invalid range provided 1:2:3"),
        ] {
            assert_eq!(outcome(weekdays(range)), expected, "{range}");
        }
    }

    #[test]
    fn months_have_names_and_numbers() {
        for (range, expected) in [
            ("January:march", "valid"),
            ("1:12", "valid"),
            ("march:1", "end month 1 is before start month march"),
            ("may:march", "end month march is before start month may"),
            ("13", "failed to parse start month from month range: 13 is an invalid month"),
            ("1:x", "failed to parse start month from month range: x is an invalid month"),
        ] {
            assert_eq!(outcome(months(range)), expected, "{range}");
        }
    }

    #[test]
    fn years_are_numbers() {
        for (range, expected) in [
            ("2030:2050", "valid"),
            ("2050:2030", "end year 2030 is before start year 2050"),
            ("x", r#"start year cannot be x parsed: strconv.Atoi: parsing "x": invalid syntax"#),
            ("1:", r#"end year cannot be  parsed: strconv.Atoi: parsing "": invalid syntax"#),
            (
                "99999999999999999999",
                r#"start year cannot be 99999999999999999999 parsed: strconv.Atoi: parsing "99999999999999999999": value out of range"#,
            ),
        ] {
            assert_eq!(outcome(years(range)), expected, "{range}");
        }
    }
}
