//! Durations: numbers, and expressions with numbers, the step and the range of the query.

use super::{Parser, push};
use crate::error::Error;
use crate::token::{BinaryOperator, Time, Token, TokenKind};
use crate::tree::{DurationExpression, DurationId, DurationNode, TimeSpan, narrow};

/// Two to the power of 63: the smallest integer that does not fit into 64 bits with a sign.
pub(super) const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// How an error describes the construct that contains an unexpected token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    /// The construct that is being parsed.
    pub(super) construct: &'static str,
    /// The tokens that it allows.
    pub(super) expected: &'static str,
}

const OFFSET: Context = Context { construct: "offset", expected: "number, duration, step(), or range()" };

impl Parser<'_> {
    /// A duration between brackets.
    pub(super) fn positive_duration(&mut self, context: Context) -> Result<TimeSpan, Error> {
        let id = self.duration(0, context)?;
        let node = self.tree.duration(id);
        if let DurationExpression::Literal { value, .. } = node.duration
            && value <= 0.0
        {
            return Err(self.error(node.start, "duration must be greater than 0"));
        }
        Ok(self.span(id))
    }

    /// A duration after `offset`. An operator after it belongs to the query, unless the duration is in parentheses.
    pub(super) fn offset_duration(&mut self) -> Result<TimeSpan, Error> {
        let token = self.peek()?;
        let id = match token.kind {
            TokenKind::Operator(operator @ (BinaryOperator::Add | BinaryOperator::Subtract)) => {
                self.ahead = None;
                self.signed_offset(token, operator)?
            }
            TokenKind::LeftParen => self.duration(0, OFFSET)?,
            _ => self.duration_operand(OFFSET)?,
        };
        Ok(self.span(id))
    }

    fn signed_offset(&mut self, sign: Token, operator: BinaryOperator) -> Result<DurationId, Error> {
        let token = self.peek()?;
        match token.kind {
            TokenKind::LeftParen => {
                self.ahead = None;
                let inner = self.duration(0, OFFSET)?;
                self.expect(TokenKind::RightParen, OFFSET.construct, OFFSET.expected)?;
                if !matches!(self.tree.duration(inner).duration, DurationExpression::Literal { .. }) {
                    self.tree.durations[inner.0 as usize].parentheses = true;
                }
                Ok(self.apply_sign(sign, operator, inner))
            }
            TokenKind::Operator(BinaryOperator::Add | BinaryOperator::Subtract) => {
                let operand = self.duration(BinaryOperator::Power.precedence(), OFFSET)?;
                let signed = self.apply_sign(sign, operator, operand);
                self.duration_operators(signed, 0, OFFSET)
            }
            // Errors in these are reported at the position of the sign.
            TokenKind::Time(time) => {
                self.ahead = None;
                let duration = self.time_function(token, time, OFFSET)?;
                let operand = self.add_duration(duration, token.start);
                let signed = match operator {
                    BinaryOperator::Subtract => DurationExpression::Negative(operand),
                    _ => DurationExpression::Positive(operand),
                };
                self.add_experimental(signed, sign.start)
            }
            TokenKind::Number | TokenKind::Duration => {
                self.ahead = None;
                let operand = self.literal(token, sign.start)?;
                Ok(self.apply_sign(sign, operator, operand))
            }
            _ => Err(self.unexpected(token, OFFSET.construct, OFFSET.expected)),
        }
    }

    /// A duration whose operators have at least this precedence.
    fn duration(&mut self, least: u8, context: Context) -> Result<DurationId, Error> {
        self.nested(|parser| {
            let operand = parser.duration_operand(context)?;
            parser.duration_operators(operand, least, context)
        })
    }

    fn duration_operators(
        &mut self,
        mut left: DurationId,
        least: u8,
        context: Context,
    ) -> Result<DurationId, Error> {
        for depth in 0.. {
            let token = self.peek()?;
            let TokenKind::Operator(operator) = token.kind else { return Ok(left) };
            let computes = matches!(
                operator,
                BinaryOperator::Add
                    | BinaryOperator::Subtract
                    | BinaryOperator::Multiply
                    | BinaryOperator::Divide
                    | BinaryOperator::Modulo
                    | BinaryOperator::Power
            );
            if !computes || operator.precedence() < least {
                return Ok(left);
            }
            if depth > super::DEEPEST {
                return Err(self.error(token.start, "expression nests too deeply"));
            }
            self.ahead = None;
            let right = self.duration(operator.right_precedence(), context)?;
            self.experimental(left)?;
            let divisor = self.tree.duration(right).duration;
            let by_zero = matches!(divisor, DurationExpression::Literal { value, .. } if value == 0.0);
            match operator {
                BinaryOperator::Divide if by_zero => return Err(self.error(token.start, "division by zero")),
                BinaryOperator::Modulo if by_zero => return Err(self.error(token.start, "modulo by zero")),
                _ => {}
            }
            let start = self.tree.duration(left).start;
            left = self.add_duration(DurationExpression::Binary(operator, left, right), start);
        }
        Ok(left)
    }

    /// An operand of a duration.
    fn duration_operand(&mut self, context: Context) -> Result<DurationId, Error> {
        let token = self.next()?;
        match token.kind {
            TokenKind::Number | TokenKind::Duration => self.literal(token, token.start),
            TokenKind::Operator(operator @ (BinaryOperator::Add | BinaryOperator::Subtract)) => {
                let operand = self.duration(BinaryOperator::Power.precedence(), context)?;
                Ok(self.apply_sign(token, operator, operand))
            }
            TokenKind::Time(time) => {
                let duration = self.time_function(token, time, context)?;
                self.add_experimental(duration, token.start)
            }
            TokenKind::LeftParen => {
                let inner = self.duration(0, context)?;
                self.expect(TokenKind::RightParen, context.construct, context.expected)?;
                self.experimental(inner)?;
                if !matches!(self.tree.duration(inner).duration, DurationExpression::Literal { .. }) {
                    self.tree.durations[inner.0 as usize].parentheses = true;
                }
                Ok(inner)
            }
            _ => Err(self.unexpected(token, context.construct, context.expected)),
        }
    }

    /// A number. If it is too large, the error is reported at the given position.
    fn literal(&mut self, token: Token, place: usize) -> Result<DurationId, Error> {
        let value = self.number(token)?;
        if value.abs() > TWO_TO_63 / 1e9 {
            return Err(self.error(place, "duration out of range"));
        }
        let duration = token.kind == TokenKind::Duration;
        Ok(self.add_duration(DurationExpression::Literal { value, duration }, token.start))
    }

    /// `step()`, `range()`, or the larger or smaller one of two durations.
    fn time_function(
        &mut self,
        token: Token,
        time: Time,
        context: Context,
    ) -> Result<DurationExpression, Error> {
        if matches!(time, Time::Start | Time::End) {
            return Err(self.unexpected(token, context.construct, context.expected));
        }
        self.expect(TokenKind::LeftParen, context.construct, context.expected)?;
        let duration = match time {
            Time::Range => DurationExpression::Range,
            Time::MaxOf | Time::MinOf => {
                let left = self.duration(0, context)?;
                self.expect(TokenKind::Comma, context.construct, context.expected)?;
                let right = self.duration(0, context)?;
                if time == Time::MaxOf {
                    DurationExpression::Largest(left, right)
                } else {
                    DurationExpression::Smallest(left, right)
                }
            }
            Time::Step | Time::Start | Time::End => DurationExpression::Step,
        };
        self.expect(TokenKind::RightParen, context.construct, context.expected)?;
        Ok(duration)
    }

    /// A duration with a sign. The sign of a number becomes part of the number.
    fn apply_sign(&mut self, sign: Token, operator: BinaryOperator, operand: DurationId) -> DurationId {
        let minus = operator == BinaryOperator::Subtract;
        let node = &mut self.tree.durations[operand.0 as usize];
        if let DurationExpression::Literal { value, .. } = &mut node.duration {
            if minus {
                *value = -*value;
            }
            node.start = sign.start;
            return operand;
        }
        if minus { self.add_duration(DurationExpression::Negative(operand), sign.start) } else { operand }
    }

    fn add_duration(&mut self, duration: DurationExpression, start: usize) -> DurationId {
        // Errors in a comparison are reported at its first operand.
        let start = match duration {
            DurationExpression::Largest(left, _) | DurationExpression::Smallest(left, _) => {
                self.tree.duration(left).start
            }
            DurationExpression::Literal { .. }
            | DurationExpression::Step
            | DurationExpression::Range
            | DurationExpression::Negative(_)
            | DurationExpression::Positive(_)
            | DurationExpression::Binary(..) => start,
        };
        let id = DurationId(narrow(self.tree.durations.len()));
        push(&mut self.tree.durations, DurationNode { duration, parentheses: false, start });
        id
    }

    fn add_experimental(&mut self, duration: DurationExpression, start: usize) -> Result<DurationId, Error> {
        let id = self.add_duration(duration, start);
        self.experimental(id)?;
        Ok(id)
    }

    /// Duration expressions must be enabled.
    fn experimental(&self, id: DurationId) -> Result<(), Error> {
        if self.options.duration_expressions {
            return Ok(());
        }
        let start = self.tree.duration(id).start;
        Err(self.error(start, "experimental duration expression is not enabled"))
    }

    fn span(&self, id: DurationId) -> TimeSpan {
        match self.tree.duration(id).duration {
            DurationExpression::Literal { value, .. } => TimeSpan::Nanoseconds(whole((value * 1e9).round())),
            _ => TimeSpan::Computed(id),
        }
    }
}

/// The integer part of a number. A number that does not fit becomes the smallest integer, as on amd64.
pub(crate) fn whole(number: f64) -> i64 {
    if !(-TWO_TO_63..TWO_TO_63).contains(&number) {
        return i64::MIN;
    }
    #[expect(clippy::cast_possible_truncation, reason = "it fits, and the fraction is dropped on purpose")]
    let whole = number as i64;
    whole
}

/// Nanoseconds as seconds. Seconds and the rest are converted separately to keep the precision.
#[expect(clippy::cast_precision_loss, reason = "all values of PromQL are floats")]
pub(super) fn seconds(nanoseconds: i64) -> f64 {
    let (seconds, rest) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000);
    seconds as f64 + rest as f64 / 1e9
}
