//! Named time intervals.

use std::fmt;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::fit::{ConfigError, Fit, Fitting};
use crate::yaml::serde::{always, row};

/// A named time interval.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TimeInterval {
    /// The name.
    #[serde(serialize_with = "always")]
    pub name: String,
    /// The time matches if any of these matches.
    #[serde(serialize_with = "always")]
    pub time_intervals: Vec<Span>,
}

/// A time matches if it is in each list that is not empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Span {
    /// Times of day.
    pub times: Vec<TimeRange>,
    /// Days of the week.
    #[serde(serialize_with = "row")]
    pub weekdays: Vec<Weekdays>,
    /// Days of the month. Negative ones count from its end.
    #[serde(serialize_with = "row")]
    pub days_of_month: Vec<DaysOfMonth>,
    /// Months of the year.
    #[serde(serialize_with = "row")]
    pub months: Vec<Months>,
    /// Years.
    #[serde(serialize_with = "row")]
    pub years: Vec<Years>,
    /// The time zone.
    pub location: Option<Location>,
}

impl Fit for TimeInterval {
    fn fit(&mut self, fitting: &Fitting<'_>) -> Result<(), ConfigError> {
        self.time_intervals.iter_mut().for_each(|span| span.leave_out_new(fitting));
        Ok(())
    }
}

/// Why a time is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadTime(String);

fn bad<T>(message: impl Into<String>) -> Result<T, BadTime> {
    Err(BadTime(message.into()))
}

/// A part of a day, in minutes since midnight, without the end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimeRange {
    /// The start.
    pub start: u32,
    /// The end.
    pub end: u32,
}

/// The notation of a time range.
#[derive(Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
struct WrittenTimeRange {
    #[serde(serialize_with = "always")]
    start_time: String,
    #[serde(serialize_with = "always")]
    end_time: String,
}

/// Minutes since midnight of `HH:MM`, up to `24:00`.
pub fn minute(text: &str) -> Result<u32, BadTime> {
    let wrong = || BadTime(format!("couldn't parse timestamp {text}, invalid format"));
    let (hour, minute) = text.split_once(':').ok_or_else(wrong)?;
    let number = |digits: &str| {
        let is_number = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<u32>().ok().filter(|_| is_number).ok_or_else(wrong)
    };
    let (hour, minute) = (number(hour)?, number(minute)?);
    if (hour < 24 && minute < 60) || (hour, minute) == (24, 0) {
        Ok(hour * 60 + minute)
    } else {
        Err(wrong())
    }
}

impl Serialize for TimeRange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let clock = |minute: u32| format!("{:02}:{:02}", minute / 60, minute % 60);
        WrittenTimeRange { start_time: clock(self.start), end_time: clock(self.end) }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for TimeRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = WrittenTimeRange::deserialize(deserializer)?;
        if written.start_time.is_empty() || written.end_time.is_empty() {
            return Err(de::Error::custom("both start and end times must be provided"));
        }
        let start = minute(&written.start_time).map_err(de::Error::custom)?;
        let end = minute(&written.end_time).map_err(de::Error::custom)?;
        if start >= end {
            return Err(de::Error::custom("start time cannot be equal or greater than end time"));
        }
        Ok(Self { start, end })
    }
}

/// Declares a range with the notation `first:last`.
macro_rules! range {
    ($(#[$about:meta])* $name:ident, $member:path, $written:path, $check:path) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct $name {
            /// The first element.
            pub first: i64,
            /// The last element.
            pub last: i64,
        }

        impl $name {
            /// Parses one element, or the first and the last one separated by a colon.
            pub fn parse(text: &str) -> Result<Self, BadTime> {
                let text = text.to_lowercase();
                let (first, last) = match text.split_once(':') {
                    Some((_, last)) if last.contains(':') => {
                        return bad(format!("couldn't parse range {text}, invalid format"));
                    }
                    Some((first, last)) => ($member(first)?, $member(last)?),
                    None => ($member(&text)?, $member(&text)?),
                };
                $check(first, last)?;
                Ok(Self { first, last })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&$written(self.first))?;
                if self.first == self.last { Ok(()) } else { write!(f, ":{}", $written(self.last)) }
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
            }
        }
    };
}

range! {
    /// Days of the week; Sunday is 0.
    Weekdays, weekday, weekday_name, check_weekdays
}

range! {
    /// Days of the month.
    DaysOfMonth, number, i64_text, check_days
}

range! {
    /// Months of the year; January is 1.
    Months, month, i64_text, check_months
}

range! {
    /// Years.
    Years, number, i64_text, check_years
}

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

/// The number of a weekday by its name.
pub fn weekday(name: &str) -> Result<i64, BadTime> {
    place(&WEEKDAYS, name).ok_or_else(|| BadTime(format!("{name} is not a valid weekday")))
}

/// The number of a month by its name or number.
pub fn month(name: &str) -> Result<i64, BadTime> {
    let by_name = place(&MONTHS, name).map(|at| at + 1);
    by_name.or_else(|| name.parse().ok()).ok_or_else(|| BadTime(format!("{name} is not a valid month")))
}

fn place(names: &[&str], name: &str) -> Option<i64> {
    names.iter().position(|known| *known == name).and_then(|at| i64::try_from(at).ok())
}

fn number(text: &str) -> Result<i64, BadTime> {
    text.parse().map_err(|_| BadTime(format!("strconv.Atoi: parsing {text:?}: invalid syntax")))
}

fn weekday_name(day: i64) -> String {
    let name = usize::try_from(day).ok().and_then(|day| WEEKDAYS.get(day));
    name.map_or_else(|| day.to_string(), ToString::to_string)
}

fn i64_text(number: i64) -> String {
    number.to_string()
}

fn check_weekdays(first: i64, last: i64) -> Result<(), BadTime> {
    if first > last { bad("start day cannot be before end day") } else { Ok(()) }
}

/// Rejects days that no month has, and ranges that are empty in every month.
pub fn check_days(first: i64, last: i64) -> Result<(), BadTime> {
    for day in [first, last] {
        if day == 0 || !(-31..=31).contains(&day) {
            return bad(format!("{day} is not a valid day of the month: out of range"));
        }
    }
    if first < 0 && last > 0 {
        return bad("end day must be negative if start day is negative");
    }
    // The shortest month has 28 days.
    let from_start = |day: i64| if day < 0 { 28 + day } else { day };
    if from_start(first) > from_start(last) {
        return bad(format!("end day {last} is always before start day {first}"));
    }
    Ok(())
}

fn check_months(first: i64, last: i64) -> Result<(), BadTime> {
    let name = |month: i64| {
        usize::try_from(month - 1).ok().and_then(|at| MONTHS.get(at)).copied().unwrap_or_default()
    };
    if first > last {
        return bad(format!("end month {} is before start month {}", name(last), name(first)));
    }
    Ok(())
}

fn check_years(first: i64, last: i64) -> Result<(), BadTime> {
    if first > last { bad(format!("end year {last} is before start year {first}")) } else { Ok(()) }
}

/// The names of all time zones of the IANA database, one on each line, sorted by bytes.
const ZONES: &str = include_str!("time_zones.txt");

/// Whether a time zone exists.
fn is_zone(name: &str) -> bool {
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| ZONES.lines().collect());
    name == "UTC" || name == "Local" || NAMES.binary_search(&name).is_ok()
}

/// A time zone by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Location(String);

impl<'de> Deserialize<'de> for Location {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let is_path = name.contains("..") || name.starts_with(['/', '\\']) || name.contains('\\');
        match name.as_str() {
            "" => Ok(Self("UTC".into())),
            _ if is_path => Err(de::Error::custom("time: invalid location name")),
            zone if is_zone(zone) => Ok(Self(name)),
            unknown => Err(de::Error::custom(format!("unknown time zone {unknown}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::serde::{from_text, to_value};
    use crate::yaml::write;

    fn rewritten(text: &str) -> Result<String, String> {
        let read: TimeInterval = from_text(text).map_err(|error| error.to_string())?;
        Ok(write(&to_value(&read).unwrap()))
    }

    #[test]
    fn times_are_written_in_a_canonical_form() {
        let text = "name: a\ntime_intervals:\n- times:\n  - {start_time: 09:00, end_time: '24:00'}\n  weekdays: [Monday:friday, \
                    sunday]\n  days_of_month: [1:5, '-3:-1', 7]\n  months: [January:3, december]\n  years: ['2020:2022', 2030]\n  \
                    location: Europe/Berlin\n";
        let expected = "name: a\ntime_intervals:\n- times:\n  - start_time: \"09:00\"\n    end_time: \"24:00\"\n  weekdays: \
                        ['monday:friday', sunday]\n  days_of_month: [\"1:5\", '-3:-1', \"7\"]\n  months: [\"1:3\", \"12\"]\n  years: \
                        ['2020:2022', \"2030\"]\n  location: Europe/Berlin\n";
        assert_eq!(rewritten(text), Ok(expected.to_owned()));
    }

    #[test]
    fn invalid_times_are_rejected() {
        for (text, expected) in [
            ("times: [{start_time: '10:00'}]", "both start and end times must be provided"),
            (
                "times: [{start_time: '10:00', end_time: '09:00'}]",
                "start time cannot be equal or greater than end time",
            ),
            (
                "times: [{start_time: '9:00', end_time: '10:00'}]",
                "couldn't parse timestamp 9:00, invalid format",
            ),
            (
                "times: [{start_time: '09:00', end_time: '24:01'}]",
                "couldn't parse timestamp 24:01, invalid format",
            ),
            ("weekdays: [friday:monday]", "start day cannot be before end day"),
            ("weekdays: [someday]", "someday is not a valid weekday"),
            ("weekdays: ['a:b:c']", "couldn't parse range a:b:c, invalid format"),
            ("days_of_month: ['0']", "0 is not a valid day of the month: out of range"),
            ("days_of_month: ['-1:5']", "end day must be negative if start day is negative"),
            ("days_of_month: ['28:-5']", "end day -5 is always before start day 28"),
            ("months: ['march:january']", "end month january is before start month march"),
            ("years: ['2022:2020']", "end year 2020 is before start year 2022"),
            ("location: ../etc", "time: invalid location name"),
            ("location: Europe/Nowhere", "unknown time zone Europe/Nowhere"),
        ] {
            let document = format!("name: a\ntime_intervals:\n- {text}\n");
            assert_eq!(rewritten(&document), Err(expected.to_owned()));
        }
    }
}
