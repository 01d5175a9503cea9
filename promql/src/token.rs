//! The words of the language, and how a word is named to a person who wrote one too many.

use go_syntax::quoted::Quoted;

/// A word of a query and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// Its first byte.
    pub(crate) start: usize,
    /// The byte after its last one.
    pub(crate) end: usize,
}

/// Kinds of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing comes after it.
    End,
    Comma,
    Colon,
    LeftParen,
    RightParen,
    LeftBrace,
    RightBrace,
    LeftBracket,
    RightBracket,
    /// A single `=`.
    Assign,
    /// `=~`.
    Matches,
    /// `!~`.
    MatchesNot,
    /// `@`.
    At,
    Text,
    Number,
    Duration,
    Identifier,
    /// A name with a colon, which no label can have.
    MetricIdentifier,
    Operator(Operator),
    Aggregation(Aggregation),
    Keyword(Keyword),
    /// A name that means the time of the query in some places.
    Time(Time),
}

/// What stands between two expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operator {
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `%`.
    Modulo,
    /// `^`.
    Power,
    /// `atan2`.
    Atan2,
    /// `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
    /// `</`: leaves out what is above.
    TrimUpper,
    /// `>/`: leaves out what is below.
    TrimLower,
    /// `and`.
    And,
    /// `or`.
    Or,
    /// `unless`.
    Unless,
}

impl Operator {
    /// As it is written.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
            Self::Power => "^",
            Self::Atan2 => "atan2",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::TrimUpper => "</",
            Self::TrimLower => ">/",
            Self::And => "and",
            Self::Or => "or",
            Self::Unless => "unless",
        }
    }

    /// How tightly it binds: a larger number binds tighter.
    pub(crate) fn precedence(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And | Self::Unless => 2,
            Self::Equal
            | Self::NotEqual
            | Self::Less
            | Self::LessOrEqual
            | Self::Greater
            | Self::GreaterOrEqual
            | Self::TrimUpper
            | Self::TrimLower => 3,
            Self::Add | Self::Subtract => 4,
            Self::Multiply | Self::Divide | Self::Modulo | Self::Atan2 => 5,
            Self::Power => 6,
        }
    }

    /// The least precedence that its right side may have.
    pub(crate) fn right_precedence(self) -> u8 {
        // Only powers group to the right.
        if self == Self::Power { self.precedence() } else { self.precedence() + 1 }
    }

    /// Whether it says yes or no about two values.
    pub(crate) fn compares(self) -> bool {
        matches!(
            self,
            Self::Equal
                | Self::NotEqual
                | Self::Less
                | Self::LessOrEqual
                | Self::Greater
                | Self::GreaterOrEqual
        )
    }

    /// Whether it joins sets of series.
    pub(crate) fn joins_sets(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Unless)
    }
}

/// What makes one value of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Aggregation {
    Avg,
    BottomK,
    Count,
    CountValues,
    Group,
    LimitK,
    LimitRatio,
    Max,
    Min,
    Quantile,
    StdDev,
    StdVar,
    Sum,
    TopK,
}

impl Aggregation {
    /// As it is written.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Avg => "avg",
            Self::BottomK => "bottomk",
            Self::Count => "count",
            Self::CountValues => "count_values",
            Self::Group => "group",
            Self::LimitK => "limitk",
            Self::LimitRatio => "limit_ratio",
            Self::Max => "max",
            Self::Min => "min",
            Self::Quantile => "quantile",
            Self::StdDev => "stddev",
            Self::StdVar => "stdvar",
            Self::Sum => "sum",
            Self::TopK => "topk",
        }
    }

    /// Whether it takes a parameter before its expression.
    pub(crate) fn has_parameter(self) -> bool {
        matches!(self, Self::BottomK | Self::CountValues | Self::Quantile | Self::TopK)
            || self.is_experimental()
    }

    /// Whether it must be asked for.
    pub(crate) fn is_experimental(self) -> bool {
        matches!(self, Self::LimitK | Self::LimitRatio)
    }
}

/// Words that change what stands beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyword {
    Anchored,
    Bool,
    By,
    Fill,
    FillLeft,
    FillRight,
    GroupLeft,
    GroupRight,
    Ignoring,
    Offset,
    On,
    Smoothed,
    Without,
}

/// Words that mean the time of the query, or choose between times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Time {
    Start,
    End,
    Step,
    Range,
    MaxOf,
    MinOf,
}

impl Token {
    /// What the query says here.
    pub(crate) fn text<'q>(&self, query: &'q str) -> &'q str {
        query.get(self.start..self.end).unwrap_or_default()
    }

    /// How it is named to a person.
    pub(crate) fn described(&self, query: &str) -> String {
        let text = self.text(query);
        match self.kind {
            Kind::End => "end of input".to_owned(),
            Kind::Operator(_) | Kind::Matches | Kind::MatchesNot | Kind::At => format!("<op:{text}>"),
            Kind::Aggregation(_) => format!("<aggr:{text}>"),
            Kind::Keyword(_) => format!("<{text}>"),
            Kind::Identifier => format!("identifier {}", Quoted(text)),
            Kind::MetricIdentifier => format!("metric identifier {}", Quoted(text)),
            Kind::Text => format!("string {}", shortened(text)),
            Kind::Number => format!("number {}", shortened(text)),
            Kind::Duration => format!("duration {}", shortened(text)),
            Kind::Comma
            | Kind::Colon
            | Kind::LeftParen
            | Kind::RightParen
            | Kind::LeftBrace
            | Kind::RightBrace
            | Kind::LeftBracket
            | Kind::RightBracket
            | Kind::Assign
            | Kind::Time(_) => shortened(text),
        }
    }
}

/// In quotes, and no more than ten letters of it.
fn shortened(text: &str) -> String {
    if text.len() <= 10 {
        return Quoted(text).to_string();
    }
    let start = text.char_indices().nth(10).map_or(text, |(end, _)| &text[..end]);
    format!("{}...", Quoted(start))
}

impl Keyword {
    /// Whether it gives a value to what has no partner.
    pub(crate) fn is_fill(self) -> bool {
        matches!(self, Self::Fill | Self::FillLeft | Self::FillRight)
    }
}
