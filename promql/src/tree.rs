//! What a query means. Its parts lie side by side in a few lists and know each other by number: reading a query makes few
//! allocations, and leaving it behind walks no tree.

use std::num::NonZero;

use crate::function::Function;
use crate::text::Text;
use crate::token::{Aggregation, Operator};

/// The number of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExpressionId(pub(crate) u32);

/// The number of a duration that is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DurationId(pub(crate) u32);

/// A part of a list of the tree, or of the query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A query that was read and checked.
#[derive(Debug, Clone)]
pub struct Tree<'q> {
    pub(crate) query: &'q str,
    pub(crate) expressions: Vec<Node>,
    pub(crate) root: ExpressionId,
    pub(crate) texts: Vec<Text<'q>>,
    pub(crate) matchers: Vec<Matcher<'q>>,
    pub(crate) moments: Vec<Moment>,
    pub(crate) subqueries: Vec<Subquery>,
    pub(crate) labels: Vec<Text<'q>>,
    pub(crate) arguments: Vec<ExpressionId>,
    pub(crate) matchings: Vec<Matching>,
    pub(crate) durations: Vec<DurationNode>,
}

/// An expression and where it stands in the query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) expression: Expression,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Kinds of expressions. What few of them have lies in lists of the tree, so that all of them are small.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Expression {
    Number {
        value: f64,
        /// It was written as a duration.
        duration: bool,
    },
    /// Its place in the list of texts.
    Text(u32),
    Parentheses(ExpressionId),
    Sign {
        minus: bool,
        operand: ExpressionId,
    },
    Binary {
        operator: Operator,
        bool: bool,
        left: ExpressionId,
        right: ExpressionId,
        /// How series find each other, if that was said; the place in the list of these.
        matching: Option<u32>,
    },
    Call {
        function: &'static Function,
        arguments: Part,
    },
    Aggregate {
        aggregation: Aggregation,
        operand: ExpressionId,
        parameter: Option<ExpressionId>,
        without: bool,
        labels: Part,
    },
    Selector(Selector),
    /// Values of a selector over a time.
    Values {
        selector: ExpressionId,
        range: Span,
    },
    Subquery {
        operand: ExpressionId,
        /// Its place in the list of these.
        subquery: u32,
    },
}

/// A query over a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subquery {
    pub(crate) range: Span,
    pub(crate) step: Span,
    pub(crate) moment: Moment,
}

/// Which series are meant, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Selector {
    /// The name before the braces, in the query; empty, if there is none.
    pub(crate) name: Part,
    pub(crate) matchers: Part,
    /// Another time than that of the query; its place in the list of these, from one.
    pub(crate) moment: Option<NonZero<u32>>,
}

/// How values at the edges of a range are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edges {
    Plain,
    Anchored,
    Smoothed,
}

/// Another time than that of the query, or another way to find values at that time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) offset: Span,
    pub(crate) at: At,
    pub(crate) edges: Edges,
}

/// A fixed time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    Unset,
    Milliseconds(i64),
    Start,
    End,
}

/// A length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Span {
    /// Zero stands for none.
    Nanoseconds(i64),
    Computed(DurationId),
}

impl Span {
    pub(crate) const NONE: Self = Self::Nanoseconds(0);
}

impl Moment {
    /// The time of the query.
    pub(crate) const NOW: Self = Self { offset: Span::NONE, at: At::Unset, edges: Edges::Plain };
}

/// A condition on a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Matcher<'q> {
    pub(crate) name: Text<'q>,
    pub(crate) comparison: Comparison,
    pub(crate) value: Text<'q>,
    /// A series without the label meets it.
    pub(crate) matches_empty: bool,
}

/// How the value of a label is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Matches,
    MatchesNot,
}

/// How series of two sides find each other.
#[derive(Debug, Clone)]
pub(crate) struct Matching {
    pub(crate) on: bool,
    pub(crate) labels: Part,
    pub(crate) grouping: Grouping,
    /// Labels of the one side that the result gets.
    pub(crate) include: Part,
    /// What stands in for a missing series.
    pub(crate) fill_left: Option<f64>,
    pub(crate) fill_right: Option<f64>,
}

/// Which side may have many series for one of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grouping {
    None,
    Left,
    Right,
}

/// A duration that is computed, and whether it stands in parentheses.
#[derive(Debug, Clone)]
pub(crate) struct DurationNode {
    pub(crate) duration: Duration,
    pub(crate) parentheses: bool,
    pub(crate) start: usize,
}

/// How a duration is computed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Duration {
    Literal {
        value: f64,
        duration: bool,
    },
    /// The step of the query.
    Step,
    /// The range of the query.
    Range,
    Largest(DurationId, DurationId),
    Smallest(DurationId, DurationId),
    Negative(DurationId),
    Positive(DurationId),
    Binary(Operator, DurationId, DurationId),
}

impl<'q> Tree<'q> {
    /// Nothing yet.
    pub(crate) fn new(query: &'q str) -> Self {
        Self {
            query,
            expressions: Vec::new(),
            root: ExpressionId(0),
            texts: Vec::new(),
            matchers: Vec::new(),
            moments: Vec::new(),
            subqueries: Vec::new(),
            labels: Vec::new(),
            arguments: Vec::new(),
            matchings: Vec::new(),
            durations: Vec::new(),
        }
    }

    pub(crate) fn node(&self, id: ExpressionId) -> &Node {
        &self.expressions[id.0 as usize]
    }

    pub(crate) fn start(&self, id: ExpressionId) -> usize {
        self.node(id).start as usize
    }

    pub(crate) fn end(&self, id: ExpressionId) -> usize {
        self.node(id).end as usize
    }

    /// The name of the metric of a selector.
    pub(crate) fn name(&self, selector: &Selector) -> &'q str {
        &self.query[selector.name.start as usize..selector.name.end as usize]
    }

    /// The time of a selector.
    pub(crate) fn moment(&self, selector: &Selector) -> Moment {
        selector.moment.map_or(Moment::NOW, |index| self.moments[index.get() as usize - 1])
    }

    pub(crate) fn subquery(&self, index: u32) -> &Subquery {
        &self.subqueries[index as usize]
    }

    pub(crate) fn duration(&self, id: DurationId) -> &DurationNode {
        &self.durations[id.0 as usize]
    }
}

impl Part {
    /// What lies between two places.
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { start: narrow(start), end: narrow(end) }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl Matching {
    /// What is meant if nothing is said.
    pub(crate) const PLAIN: Self = Self {
        on: false,
        labels: Part { start: 0, end: 0 },
        grouping: Grouping::None,
        include: Part { start: 0, end: 0 },
        fill_left: None,
        fill_right: None,
    };

    /// Whether nothing was said.
    pub(crate) fn is_plain(&self) -> bool {
        !self.on
            && self.labels.is_empty()
            && self.grouping == Grouping::None
            && self.fill_left.is_none()
            && self.fill_right.is_none()
    }
}

/// A part of a list of the tree.
pub(crate) fn part<T>(list: &[T], part: Part) -> &[T] {
    &list[part.start as usize..part.end as usize]
}

/// A number of a list or a place in a query. Queries of four gigabytes are refused before.
#[expect(clippy::cast_possible_truncation, reason = "queries are shorter than that")]
pub(crate) fn narrow(number: usize) -> u32 {
    number as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thousands of queries are read at once.
    #[test]
    fn nodes_are_small() {
        assert_eq!((size_of::<Node>(), size_of::<Matcher<'_>>()), (32, 40));
    }
}
