//! The tokens of PromQL, and how errors describe them.

use go_syntax::quoted::Quoted;

/// A token of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// Its first byte.
    pub(crate) start: usize,
    /// The byte after its last one.
    pub(crate) end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// The end of the query.
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
    /// A name with a colon, which only metrics can have.
    MetricIdentifier,
    Operator(BinaryOperator),
    Aggregation(Aggregation),
    Keyword(Keyword),
    /// A function of time, which is also allowed as a name.
    Time(Time),
}

/// An operator between two expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum BinaryOperator {
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
    /// `</`: removes the observations above a value.
    TrimUpper,
    /// `>/`: removes the observations below a value.
    TrimLower,
    /// `and`.
    And,
    /// `or`.
    Or,
    /// `unless`.
    Unless,
}

impl BinaryOperator {
    /// The operator as text.
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

    /// How tightly it binds: a larger number binds more tightly.
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

    /// The lowest precedence of operators in the right operand.
    pub(crate) fn right_precedence(self) -> u8 {
        // Only powers are right associative.
        if self == Self::Power { self.precedence() } else { self.precedence() + 1 }
    }

    /// Whether it is a comparison operator.
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

    /// Whether it is a set operator.
    pub(crate) fn joins_sets(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Unless)
    }
}

/// An aggregation operator.
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
    /// The operator as text.
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

    /// Whether it has a parameter before its expression.
    pub(crate) fn has_parameter(self) -> bool {
        matches!(self, Self::BottomK | Self::CountValues | Self::Quantile | Self::TopK)
            || self.is_experimental()
    }

    /// Whether it must be enabled.
    pub(crate) fn is_experimental(self) -> bool {
        matches!(self, Self::LimitK | Self::LimitRatio)
    }
}

/// Keywords of modifiers.
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

/// Functions of the time of a query, and the choice between two times.
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
    /// The text of the token.
    pub(crate) fn text<'q>(&self, query: &'q str) -> &'q str {
        query.get(self.start..self.end).unwrap_or_default()
    }

    /// The token as errors describe it.
    pub(crate) fn described(&self, query: &str) -> String {
        let text = self.text(query);
        match self.kind {
            TokenKind::End => "end of input".to_owned(),
            TokenKind::Operator(_) | TokenKind::Matches | TokenKind::MatchesNot | TokenKind::At => {
                format!("<op:{text}>")
            }
            TokenKind::Aggregation(_) => format!("<aggr:{text}>"),
            TokenKind::Keyword(_) => format!("<{text}>"),
            TokenKind::Identifier => format!("identifier {}", Quoted(text)),
            TokenKind::MetricIdentifier => format!("metric identifier {}", Quoted(text)),
            TokenKind::Text => format!("string {}", shortened(text)),
            TokenKind::Number => format!("number {}", shortened(text)),
            TokenKind::Duration => format!("duration {}", shortened(text)),
            TokenKind::Comma
            | TokenKind::Colon
            | TokenKind::LeftParen
            | TokenKind::RightParen
            | TokenKind::LeftBrace
            | TokenKind::RightBrace
            | TokenKind::LeftBracket
            | TokenKind::RightBracket
            | TokenKind::Assign
            | TokenKind::Time(_) => shortened(text),
        }
    }
}

/// A quoted text of at most ten characters.
fn shortened(text: &str) -> String {
    if text.len() <= 10 {
        return Quoted(text).to_string();
    }
    let start = text.char_indices().nth(10).map_or(text, |(end, _)| &text[..end]);
    format!("{}...", Quoted(start))
}

impl Keyword {
    /// Whether it gives a value to series without a match.
    pub(crate) fn is_fill(self) -> bool {
        matches!(self, Self::Fill | Self::FillLeft | Self::FillRight)
    }
}
