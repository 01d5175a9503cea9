//! Keywords. They are not case sensitive.

use crate::token::{Aggregation, BinaryOperator, Keyword, Time, TokenKind};

/// The length of the longest keyword.
const LONGEST: usize = "count_values".len();

/// The token of a keyword. None for a name.
pub(crate) fn kind(word: &str) -> Option<TokenKind> {
    let mut characters = [0; LONGEST];
    let characters = characters.get_mut(..word.len())?;
    characters.copy_from_slice(word.as_bytes());
    characters.make_ascii_lowercase();
    Some(match &*characters {
        b"and" => TokenKind::Operator(BinaryOperator::And),
        b"or" => TokenKind::Operator(BinaryOperator::Or),
        b"unless" => TokenKind::Operator(BinaryOperator::Unless),
        b"atan2" => TokenKind::Operator(BinaryOperator::Atan2),
        b"sum" => TokenKind::Aggregation(Aggregation::Sum),
        b"avg" => TokenKind::Aggregation(Aggregation::Avg),
        b"count" => TokenKind::Aggregation(Aggregation::Count),
        b"min" => TokenKind::Aggregation(Aggregation::Min),
        b"max" => TokenKind::Aggregation(Aggregation::Max),
        b"group" => TokenKind::Aggregation(Aggregation::Group),
        b"stddev" => TokenKind::Aggregation(Aggregation::StdDev),
        b"stdvar" => TokenKind::Aggregation(Aggregation::StdVar),
        b"topk" => TokenKind::Aggregation(Aggregation::TopK),
        b"bottomk" => TokenKind::Aggregation(Aggregation::BottomK),
        b"count_values" => TokenKind::Aggregation(Aggregation::CountValues),
        b"quantile" => TokenKind::Aggregation(Aggregation::Quantile),
        b"limitk" => TokenKind::Aggregation(Aggregation::LimitK),
        b"limit_ratio" => TokenKind::Aggregation(Aggregation::LimitRatio),
        b"offset" => TokenKind::Keyword(Keyword::Offset),
        b"smoothed" => TokenKind::Keyword(Keyword::Smoothed),
        b"anchored" => TokenKind::Keyword(Keyword::Anchored),
        b"by" => TokenKind::Keyword(Keyword::By),
        b"without" => TokenKind::Keyword(Keyword::Without),
        b"on" => TokenKind::Keyword(Keyword::On),
        b"ignoring" => TokenKind::Keyword(Keyword::Ignoring),
        b"group_left" => TokenKind::Keyword(Keyword::GroupLeft),
        b"group_right" => TokenKind::Keyword(Keyword::GroupRight),
        b"fill" => TokenKind::Keyword(Keyword::Fill),
        b"fill_left" => TokenKind::Keyword(Keyword::FillLeft),
        b"fill_right" => TokenKind::Keyword(Keyword::FillRight),
        b"bool" => TokenKind::Keyword(Keyword::Bool),
        b"start" => TokenKind::Time(Time::Start),
        b"end" => TokenKind::Time(Time::End),
        b"inf" | b"nan" => TokenKind::Number,
        other => return of_duration(other).map(TokenKind::Time),
    })
}

/// The token of a keyword between brackets, where only durations are allowed.
pub(crate) fn in_brackets(word: &str) -> Option<Time> {
    let mut characters = [0; LONGEST];
    let characters = characters.get_mut(..word.len())?;
    characters.copy_from_slice(word.as_bytes());
    characters.make_ascii_lowercase();
    of_duration(characters)
}

fn of_duration(characters: &[u8]) -> Option<Time> {
    match characters {
        b"step" => Some(Time::Step),
        b"range" => Some(Time::Range),
        b"max_of" => Some(Time::MaxOf),
        b"min_of" => Some(Time::MinOf),
        _ => None,
    }
}
