//! Named times.

use api_monitoring::alertmanager_config::time::{
    MuteTimeInterval, TimeInterval as Resource, TimeRange as Range,
};
use formats::alertmanager::time::{
    DaysOfMonth, Months, Span, TimeInterval, TimeRange, Weekdays, Years, minute,
};
use formats::alertmanager::time::{month, weekday};

use super::{Convert, Error};

impl Convert<'_> {
    /// A name with its times.
    pub(super) fn time_interval(&self, interval: &MuteTimeInterval) -> Result<TimeInterval, Error> {
        Ok(TimeInterval {
            name: self.unique(&interval.name),
            time_intervals: interval.time_intervals.iter().map(span).collect::<Result<_, _>>()?,
        })
    }
}

fn span(interval: &Resource) -> Result<Span, Error> {
    Ok(Span {
        times: interval.times.iter().map(time_range).collect::<Result<_, _>>()?,
        weekdays: interval.weekdays.iter().map(|days| weekdays(days)).collect::<Result<_, _>>()?,
        days_of_month: interval
            .days_of_month
            .iter()
            .map(|days| DaysOfMonth { first: days.start, last: days.end })
            .collect(),
        months: interval.months.iter().map(|span| months(span)).collect::<Result<_, _>>()?,
        years: interval.years.iter().map(|span| years(span)).collect::<Result<_, _>>()?,
        location: None,
    })
}

fn time_range(range: &Range) -> Result<TimeRange, Error> {
    if range.start_time.is_empty() || range.end_time.is_empty() {
        return Err(Error::rule("start and end are required"));
    }
    let read = |which: &str, text: &str| {
        minute(text).map_err(|error| Error::rule(format!("{which} time invalid: {error}")))
    };
    let (start, end) = (read("start", &range.start_time)?, read("end", &range.end_time)?);
    if start >= end {
        return Err(Error::rule(format!(
            "start time {start} cannot be equal or greater than end time {end}"
        )));
    }
    Ok(TimeRange { start, end })
}

fn weekdays(range: &str) -> Result<Weekdays, Error> {
    let (first, last) = ends(range)?;
    let read = |which: &str, name: &str| {
        let lower = name.to_lowercase();
        let number = weekday(&lower).ok().or_else(|| lower.parse().ok());
        let invalid =
            || format!("failed to parse {which} day from weekday range: {name} is an invalid weekday");
        number.ok_or_else(|| Error::rule(invalid()))
    };
    let (start, end): (i64, i64) = (read("start", first)?, read("end", last)?);
    if start > end {
        return Err(Error::rule("start day cannot be before end day"));
    }
    for (number, name) in [(start, first), (end, last)] {
        if !(0..=6).contains(&number) {
            return Err(Error::rule(format!("{name} is not a valid day of the week: out of range")));
        }
    }
    Ok(Weekdays { first: start, last: end })
}

fn months(range: &str) -> Result<Months, Error> {
    let (first, last) = ends(range)?;
    let read = |name: &str| {
        let number = month(&name.to_lowercase()).ok().filter(|number| (1..=12).contains(number));
        let invalid = || format!("failed to parse start month from month range: {name} is an invalid month");
        number.ok_or_else(|| Error::rule(invalid()))
    };
    let (start, end) = (read(first)?, read(last)?);
    if start > end {
        return Err(Error::rule(format!("end month {last} is before start month {first}")));
    }
    Ok(Months { first: start, last: end })
}

fn years(range: &str) -> Result<Years, Error> {
    let (first, last) = ends(range)?;
    let read = |which: &str, year: &str| {
        let invalid = |_| {
            let problem = format!("strconv.Atoi: parsing {year:?}: invalid syntax");
            Error::rule(format!("{which} year cannot be {year} parsed: {problem}"))
        };
        year.parse::<i64>().map_err(invalid)
    };
    let (start, end) = (read("start", first)?, read("end", last)?);
    if start > end {
        return Err(Error::rule(format!("end year {end} is before start year {start}")));
    }
    Ok(Years { first: start, last: end })
}

/// The first and the last of a range; one alone is both.
fn ends(range: &str) -> Result<(&str, &str), Error> {
    match range.split_once(':') {
        None => Ok((range, range)),
        Some((_, last)) if last.contains(':') => Err(Error::rule(format!("invalid range provided {range}"))),
        Some(ends) => Ok(ends),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_by_name_or_number() {
        assert_eq!(weekdays("Monday:5"), Ok(Weekdays { first: 1, last: 5 }));
        assert_eq!(months("may"), Ok(Months { first: 5, last: 5 }));
        assert_eq!(months("1:December"), Ok(Months { first: 1, last: 12 }));
        assert_eq!(years("2024:2026"), Ok(Years { first: 2024, last: 2026 }));
    }

    #[test]
    fn ranges_that_are_none_are_told() {
        let told = |error: Error| error.to_string();
        assert_eq!(weekdays("a:b:c").map_err(told), Err("invalid range provided a:b:c".into()));
        assert_eq!(
            weekdays("someday").map_err(told),
            Err("failed to parse start day from weekday range: someday is an invalid weekday".into())
        );
        assert_eq!(weekdays("7").map_err(told), Err("7 is not a valid day of the week: out of range".into()));
        assert_eq!(weekdays("friday:monday").map_err(told), Err("start day cannot be before end day".into()));
        assert_eq!(
            months("13").map_err(told),
            Err("failed to parse start month from month range: 13 is an invalid month".into())
        );
        assert_eq!(
            months("may:march").map_err(told),
            Err("end month march is before start month may".into())
        );
        assert_eq!(years("2026:2024").map_err(told), Err("end year 2024 is before start year 2026".into()));
        assert_eq!(
            years("x").map_err(told),
            Err("start year cannot be x parsed: strconv.Atoi: parsing \"x\": invalid syntax".into())
        );
        let range =
            |start: &str, end: &str| time_range(&Range { start_time: start.into(), end_time: end.into() });
        assert_eq!(range("", "10:00").map_err(told), Err("start and end are required".into()));
        assert_eq!(
            range("10:00", "09:00").map_err(told),
            Err("start time 600 cannot be equal or greater than end time 540".into())
        );
    }
}
