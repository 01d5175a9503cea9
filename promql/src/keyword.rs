//! Which words are more than names. Upper and lower case are the same.

use crate::token::{Aggregation, Keyword, Kind, Operator, Time};

/// The longest of them.
const LONGEST: usize = "count_values".len();

/// What a word is, if it is more than a name.
pub(crate) fn kind(word: &str) -> Option<Kind> {
    let mut letters = [0; LONGEST];
    let letters = letters.get_mut(..word.len())?;
    letters.copy_from_slice(word.as_bytes());
    letters.make_ascii_lowercase();
    Some(match &*letters {
        b"and" => Kind::Operator(Operator::And),
        b"or" => Kind::Operator(Operator::Or),
        b"unless" => Kind::Operator(Operator::Unless),
        b"atan2" => Kind::Operator(Operator::Atan2),
        b"sum" => Kind::Aggregation(Aggregation::Sum),
        b"avg" => Kind::Aggregation(Aggregation::Avg),
        b"count" => Kind::Aggregation(Aggregation::Count),
        b"min" => Kind::Aggregation(Aggregation::Min),
        b"max" => Kind::Aggregation(Aggregation::Max),
        b"group" => Kind::Aggregation(Aggregation::Group),
        b"stddev" => Kind::Aggregation(Aggregation::StdDev),
        b"stdvar" => Kind::Aggregation(Aggregation::StdVar),
        b"topk" => Kind::Aggregation(Aggregation::TopK),
        b"bottomk" => Kind::Aggregation(Aggregation::BottomK),
        b"count_values" => Kind::Aggregation(Aggregation::CountValues),
        b"quantile" => Kind::Aggregation(Aggregation::Quantile),
        b"limitk" => Kind::Aggregation(Aggregation::LimitK),
        b"limit_ratio" => Kind::Aggregation(Aggregation::LimitRatio),
        b"offset" => Kind::Keyword(Keyword::Offset),
        b"smoothed" => Kind::Keyword(Keyword::Smoothed),
        b"anchored" => Kind::Keyword(Keyword::Anchored),
        b"by" => Kind::Keyword(Keyword::By),
        b"without" => Kind::Keyword(Keyword::Without),
        b"on" => Kind::Keyword(Keyword::On),
        b"ignoring" => Kind::Keyword(Keyword::Ignoring),
        b"group_left" => Kind::Keyword(Keyword::GroupLeft),
        b"group_right" => Kind::Keyword(Keyword::GroupRight),
        b"fill" => Kind::Keyword(Keyword::Fill),
        b"fill_left" => Kind::Keyword(Keyword::FillLeft),
        b"fill_right" => Kind::Keyword(Keyword::FillRight),
        b"bool" => Kind::Keyword(Keyword::Bool),
        b"start" => Kind::Time(Time::Start),
        b"end" => Kind::Time(Time::End),
        b"inf" | b"nan" => Kind::Number,
        other => return of_duration(other).map(Kind::Time),
    })
}

/// What a word is between brackets, where only durations are.
pub(crate) fn in_brackets(word: &str) -> Option<Time> {
    let mut letters = [0; LONGEST];
    let letters = letters.get_mut(..word.len())?;
    letters.copy_from_slice(word.as_bytes());
    letters.make_ascii_lowercase();
    of_duration(letters)
}

fn of_duration(letters: &[u8]) -> Option<Time> {
    match letters {
        b"step" => Some(Time::Step),
        b"range" => Some(Time::Range),
        b"max_of" => Some(Time::MaxOf),
        b"min_of" => Some(Time::MinOf),
        _ => None,
    }
}
