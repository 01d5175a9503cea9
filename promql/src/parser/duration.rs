//! Durations: numbers, and what is computed from them, from the step and from the range of the query.

use super::{Parser, push};
use crate::error::Error;
use crate::token::{Kind, Operator, Time, Token};
use crate::tree::{Duration, DurationId, DurationNode, Span, narrow};

/// Two to the power of 63: the first whole number that 64 bits with a sign do not hold.
pub(super) const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// What is being read and what is expected, as it is named when something unexpected comes.
type Context = (&'static str, &'static str);

/// The context of `offset`.
const OFFSET: Context = ("offset", "number, duration, step(), or range()");

impl Parser<'_> {
    /// A duration between brackets.
    pub(super) fn positive_duration(&mut self, context: Context) -> Result<Span, Error> {
        let id = self.duration(0, context)?;
        let node = self.tree.duration(id);
        if let Duration::Literal { value, .. } = node.duration
            && value <= 0.0
        {
            return Err(self.error(node.start, "duration must be greater than 0"));
        }
        Ok(self.span(id))
    }

    /// A duration after `offset`. Operators after a number, after `step()` and the like are those of the query.
    pub(super) fn offset_duration(&mut self) -> Result<Span, Error> {
        let token = self.peek()?;
        let id = match token.kind {
            Kind::Operator(operator @ (Operator::Add | Operator::Subtract)) => {
                self.ahead = None;
                self.signed_offset(token, operator)?
            }
            Kind::LeftParen => self.duration(0, OFFSET)?,
            _ => self.duration_operand(OFFSET)?,
        };
        Ok(self.span(id))
    }

    fn signed_offset(&mut self, sign: Token, operator: Operator) -> Result<DurationId, Error> {
        let token = self.peek()?;
        match token.kind {
            Kind::LeftParen => {
                self.ahead = None;
                let inner = self.duration(0, OFFSET)?;
                self.expect(Kind::RightParen, OFFSET.0, OFFSET.1)?;
                if !matches!(self.tree.duration(inner).duration, Duration::Literal { .. }) {
                    self.tree.durations[inner.0 as usize].parentheses = true;
                }
                Ok(self.apply_sign(sign, operator, inner))
            }
            Kind::Operator(Operator::Add | Operator::Subtract) => {
                let operand = self.duration(Operator::Power.precedence(), OFFSET)?;
                let signed = self.apply_sign(sign, operator, operand);
                self.duration_operators(signed, 0, OFFSET)
            }
            // What is wrong with these is told where the sign stands.
            Kind::Time(time) => {
                self.ahead = None;
                let duration = self.time_of_query(token, time, OFFSET)?;
                let operand = self.add_duration(duration, token.start);
                let signed = match operator {
                    Operator::Subtract => Duration::Negative(operand),
                    _ => Duration::Positive(operand),
                };
                self.add_experimental(signed, sign.start)
            }
            Kind::Number | Kind::Duration => {
                self.ahead = None;
                let operand = self.literal(token, sign.start)?;
                Ok(self.apply_sign(sign, operator, operand))
            }
            _ => Err(self.unexpected(token, OFFSET.0, OFFSET.1)),
        }
    }

    /// A duration whose operators bind at least so tightly.
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
            let Kind::Operator(operator) = token.kind else { return Ok(left) };
            let computes = matches!(
                operator,
                Operator::Add
                    | Operator::Subtract
                    | Operator::Multiply
                    | Operator::Divide
                    | Operator::Modulo
                    | Operator::Power
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
            let by_zero =
                matches!(self.tree.duration(right).duration, Duration::Literal { value, .. } if value == 0.0);
            match operator {
                Operator::Divide if by_zero => return Err(self.error(token.start, "division by zero")),
                Operator::Modulo if by_zero => return Err(self.error(token.start, "modulo by zero")),
                _ => {}
            }
            let start = self.tree.duration(left).start;
            left = self.add_duration(Duration::Binary(operator, left, right), start);
        }
        Ok(left)
    }

    /// What stands between the operators of a duration.
    fn duration_operand(&mut self, context: Context) -> Result<DurationId, Error> {
        let token = self.next()?;
        match token.kind {
            Kind::Number | Kind::Duration => self.literal(token, token.start),
            Kind::Operator(operator @ (Operator::Add | Operator::Subtract)) => {
                let operand = self.duration(Operator::Power.precedence(), context)?;
                Ok(self.apply_sign(token, operator, operand))
            }
            Kind::Time(time) => {
                let duration = self.time_of_query(token, time, context)?;
                self.add_experimental(duration, token.start)
            }
            Kind::LeftParen => {
                let inner = self.duration(0, context)?;
                self.expect(Kind::RightParen, context.0, context.1)?;
                self.experimental(inner)?;
                if !matches!(self.tree.duration(inner).duration, Duration::Literal { .. }) {
                    self.tree.durations[inner.0 as usize].parentheses = true;
                }
                Ok(inner)
            }
            _ => Err(self.unexpected(token, context.0, context.1)),
        }
    }

    /// A number. That it is too large is told at the given place.
    fn literal(&mut self, token: Token, place: usize) -> Result<DurationId, Error> {
        let value = self.number(token)?;
        if value.abs() > TWO_TO_63 / 1e9 {
            return Err(self.error(place, "duration out of range"));
        }
        let duration = token.kind == Kind::Duration;
        Ok(self.add_duration(Duration::Literal { value, duration }, token.start))
    }

    /// What the query itself lasts, or the larger or smaller of two durations.
    fn time_of_query(&mut self, token: Token, time: Time, context: Context) -> Result<Duration, Error> {
        if matches!(time, Time::Start | Time::End) {
            return Err(self.unexpected(token, context.0, context.1));
        }
        self.expect(Kind::LeftParen, context.0, context.1)?;
        let duration = match time {
            Time::Range => Duration::Range,
            Time::MaxOf | Time::MinOf => {
                let left = self.duration(0, context)?;
                self.expect(Kind::Comma, context.0, context.1)?;
                let right = self.duration(0, context)?;
                if time == Time::MaxOf {
                    Duration::Largest(left, right)
                } else {
                    Duration::Smallest(left, right)
                }
            }
            Time::Step | Time::Start | Time::End => Duration::Step,
        };
        self.expect(Kind::RightParen, context.0, context.1)?;
        Ok(duration)
    }

    /// A duration with a sign before it. A number takes the sign into itself.
    fn apply_sign(&mut self, sign: Token, operator: Operator, operand: DurationId) -> DurationId {
        let minus = operator == Operator::Subtract;
        let node = &mut self.tree.durations[operand.0 as usize];
        if let Duration::Literal { value, .. } = &mut node.duration {
            if minus {
                *value = -*value;
            }
            node.start = sign.start;
            return operand;
        }
        if minus { self.add_duration(Duration::Negative(operand), sign.start) } else { operand }
    }

    fn add_duration(&mut self, duration: Duration, start: usize) -> DurationId {
        // Where two are compared, mistakes are told at the first of them.
        let start = match duration {
            Duration::Largest(left, _) | Duration::Smallest(left, _) => self.tree.duration(left).start,
            Duration::Literal { .. }
            | Duration::Step
            | Duration::Range
            | Duration::Negative(_)
            | Duration::Positive(_)
            | Duration::Binary(..) => start,
        };
        let id = DurationId(narrow(self.tree.durations.len()));
        push(&mut self.tree.durations, DurationNode { duration, parentheses: false, start });
        id
    }

    fn add_experimental(&mut self, duration: Duration, start: usize) -> Result<DurationId, Error> {
        let id = self.add_duration(duration, start);
        self.experimental(id)?;
        Ok(id)
    }

    /// Durations that are computed must be asked for.
    fn experimental(&self, id: DurationId) -> Result<(), Error> {
        if self.options.duration_expressions {
            return Ok(());
        }
        let start = self.tree.duration(id).start;
        Err(self.error(start, "experimental duration expression is not enabled"))
    }

    fn span(&self, id: DurationId) -> Span {
        match self.tree.duration(id).duration {
            Duration::Literal { value, .. } => Span::Nanoseconds(whole((value * 1e9).round())),
            _ => Span::Computed(id),
        }
    }
}

/// A number without its fraction. What 64 bits do not hold becomes the lowest number, as processors do it.
pub(crate) fn whole(number: f64) -> i64 {
    if !(-TWO_TO_63..TWO_TO_63).contains(&number) {
        return i64::MIN;
    }
    #[expect(clippy::cast_possible_truncation, reason = "it fits, and the fraction is meant to go")]
    let whole = number as i64;
    whole
}

/// Seconds of nanoseconds. The parts are divided apart, so that few digits are lost.
#[expect(clippy::cast_precision_loss, reason = "every value of the language is a float")]
pub(super) fn seconds(nanoseconds: i64) -> f64 {
    let (seconds, rest) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000);
    seconds as f64 + rest as f64 / 1e9
}
