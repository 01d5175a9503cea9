//! The syntax tree of a query. Nodes are in a few lists and refer to each other by index: parsing needs few
//! allocations, and dropping a tree does not recurse.

use std::num::NonZero;

use crate::function::Function;
use crate::text::Text;
use crate::token::{Aggregation, BinaryOperator};

/// The index of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExpressionId(pub(crate) u32);

/// The index of a duration expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DurationId(pub(crate) u32);

/// A range of a list of the tree, or of the query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct IndexRange {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A query that was parsed and checked.
#[derive(Debug, Clone)]
pub struct Tree<'q> {
    pub(crate) query: &'q str,
    pub(crate) expressions: Vec<Node>,
    pub(crate) root: ExpressionId,
    pub(crate) texts: Vec<Text<'q>>,
    pub(crate) matchers: Vec<Matcher<'q>>,
    pub(crate) modifier_lists: Vec<Modifiers>,
    pub(crate) subqueries: Vec<Subquery>,
    pub(crate) labels: Vec<Text<'q>>,
    pub(crate) arguments: Vec<ExpressionId>,
    pub(crate) matchings: Vec<Matching>,
    pub(crate) durations: Vec<DurationNode>,
}

/// An expression and its position in the query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) expression: Expression,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Expressions. Rarely used fields are in lists of the tree, so that all expressions are small.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Expression {
    Number {
        value: f64,
        /// It was written as a duration.
        duration: bool,
    },
    /// The index in `texts`.
    Text(u32),
    Parentheses(ExpressionId),
    Sign {
        minus: bool,
        operand: ExpressionId,
    },
    Binary {
        operator: BinaryOperator,
        bool: bool,
        left: ExpressionId,
        right: ExpressionId,
        /// The index in `matchings`, if there is any vector matching.
        matching: Option<u32>,
    },
    Call {
        function: &'static Function,
        arguments: IndexRange,
    },
    Aggregate {
        aggregation: Aggregation,
        operand: ExpressionId,
        parameter: Option<ExpressionId>,
        without: bool,
        labels: IndexRange,
    },
    Selector(VectorSelector),
    /// A range vector.
    Matrix {
        selector: ExpressionId,
        range: TimeSpan,
    },
    Subquery {
        operand: ExpressionId,
        /// The index in `subqueries`.
        subquery: u32,
    },
}

/// The ranges and modifiers of a subquery.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subquery {
    pub(crate) range: TimeSpan,
    pub(crate) step: TimeSpan,
    pub(crate) modifiers: Modifiers,
}

/// A vector selector.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VectorSelector {
    /// The metric name before the braces, as a range of the query. Empty if there is none.
    pub(crate) name: IndexRange,
    pub(crate) matchers: IndexRange,
    /// The index in `modifier_lists`, from one, if there are any modifiers.
    pub(crate) modifiers: Option<NonZero<u32>>,
}

/// How values at the boundaries of a range are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edges {
    Plain,
    Anchored,
    Smoothed,
}

/// Modifiers of a selector or a subquery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Modifiers {
    pub(crate) offset: TimeSpan,
    pub(crate) at: At,
    pub(crate) edges: Edges,
}

/// The `@` modifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    Unset,
    Milliseconds(i64),
    Start,
    End,
}

/// A length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeSpan {
    /// Zero means none.
    Nanoseconds(i64),
    Computed(DurationId),
}

impl TimeSpan {
    pub(crate) const NONE: Self = Self::Nanoseconds(0);
}

impl Modifiers {
    /// No modifiers.
    pub(crate) const NONE: Self = Self { offset: TimeSpan::NONE, at: At::Unset, edges: Edges::Plain };
}

/// A label matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Matcher<'q> {
    pub(crate) name: Text<'q>,
    pub(crate) comparison: Comparison,
    pub(crate) value: Text<'q>,
    /// It matches series without the label.
    pub(crate) matches_empty: bool,
}

/// The operator of a label matcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Matches,
    MatchesNot,
}

/// Vector matching: how the series of both operands are paired.
#[derive(Debug, Clone)]
pub(crate) struct Matching {
    pub(crate) on: bool,
    pub(crate) labels: IndexRange,
    pub(crate) grouping: Grouping,
    /// Labels that the result takes from the side with one series.
    pub(crate) include: IndexRange,
    /// The values for series without a match.
    pub(crate) fill_left: Option<f64>,
    pub(crate) fill_right: Option<f64>,
}

/// Which side can have several series for one series of the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grouping {
    None,
    Left,
    Right,
}

/// A duration expression.
#[derive(Debug, Clone)]
pub(crate) struct DurationNode {
    pub(crate) duration: DurationExpression,
    pub(crate) parentheses: bool,
    pub(crate) start: usize,
}

/// How a duration is computed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DurationExpression {
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
    Binary(BinaryOperator, DurationId, DurationId),
}

impl<'q> Tree<'q> {
    /// An empty tree.
    pub(crate) fn new(query: &'q str) -> Self {
        Self {
            query,
            expressions: Vec::new(),
            root: ExpressionId(0),
            texts: Vec::new(),
            matchers: Vec::new(),
            modifier_lists: Vec::new(),
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

    /// The metric name of a selector.
    pub(crate) fn name(&self, selector: &VectorSelector) -> &'q str {
        &self.query[selector.name.start as usize..selector.name.end as usize]
    }

    /// The modifiers of a selector.
    pub(crate) fn modifiers(&self, selector: &VectorSelector) -> Modifiers {
        selector.modifiers.map_or(Modifiers::NONE, |index| self.modifier_lists[index.get() as usize - 1])
    }

    pub(crate) fn subquery(&self, index: u32) -> &Subquery {
        &self.subqueries[index as usize]
    }

    pub(crate) fn duration(&self, id: DurationId) -> &DurationNode {
        &self.durations[id.0 as usize]
    }
}

impl IndexRange {
    /// The range between two indices.
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { start: narrow(start), end: narrow(end) }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl Matching {
    /// Matching without any modifiers.
    pub(crate) const PLAIN: Self = Self {
        on: false,
        labels: IndexRange { start: 0, end: 0 },
        grouping: Grouping::None,
        include: IndexRange { start: 0, end: 0 },
        fill_left: None,
        fill_right: None,
    };

    /// Whether there are no modifiers.
    pub(crate) fn is_plain(&self) -> bool {
        !self.on
            && self.labels.is_empty()
            && self.grouping == Grouping::None
            && self.fill_left.is_none()
            && self.fill_right.is_none()
    }
}

/// The elements of a range.
pub(crate) fn part<T>(list: &[T], part: IndexRange) -> &[T] {
    &list[part.start as usize..part.end as usize]
}

/// Indices and positions fit into 32 bits, because larger queries are rejected first.
#[expect(clippy::cast_possible_truncation, reason = "queries are shorter than that")]
pub(crate) fn narrow(number: usize) -> u32 {
    number as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thousands of queries are parsed at once.
    #[test]
    fn nodes_are_small() {
        assert_eq!((size_of::<Node>(), size_of::<Matcher<'_>>()), (32, 40));
    }
}
