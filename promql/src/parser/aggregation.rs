//! Aggregations, and the lists of labels that they and others have.

use go_syntax::quoted::QuotedBytes;

use super::Parser;
use crate::error::Error;
use crate::lexer::is_space;
use crate::text::Text;
use crate::token::{Aggregation, Keyword, Kind, Operator, Token};
use crate::tree::{Expression, ExpressionId, Part};
use crate::unquote;

impl Parser<'_> {
    /// An aggregation after its name, with labels before or after its parentheses.
    pub(super) fn aggregate(&mut self, name: Token, aggregation: Aggregation) -> Result<ExpressionId, Error> {
        let outer = std::mem::replace(&mut self.context, "aggregation");
        let before = self.by_or_without()?;
        let arguments = self.arguments()?;
        let modifier = if before.is_some() { before } else { self.by_or_without()? };
        self.context = outer;
        let end = if modifier.is_some() { self.last_closing } else { self.closing_before_foresight() };
        let (without, labels) = modifier.unwrap_or_default();

        let given = self.pending.split_off(arguments);
        let fail = |message: String| Err(self.error(name.start, message));
        let [first, rest @ ..] = given.as_slice() else {
            return fail("no arguments for aggregate expression provided".to_owned());
        };
        if aggregation.is_experimental() && !self.options.experimental_functions {
            return fail(format!(
                "{}() is experimental and must be enabled with --enable-feature=promql-experimental-functions",
                aggregation.text()
            ));
        }
        let (parameter, operand) = match (aggregation.has_parameter(), rest) {
            (true, [operand]) => (Some(*first), *operand),
            (false, []) => (None, *first),
            (parameter, _) => {
                let wanted = 1 + usize::from(parameter);
                return fail(format!(
                    "wrong number of arguments for aggregate expression provided, expected {wanted}, got {}",
                    given.len()
                ));
            }
        };
        let expression = Expression::Aggregate { aggregation, operand, parameter, without, labels };
        Ok(self.add(expression, name.start, end))
    }

    /// Where the parentheses ended, if the foresight is a closing one too: then that one came last.
    fn closing_before_foresight(&self) -> usize {
        let query = self.lexer.query.as_bytes();
        let last = self.lexer.last;
        if last == 0 || query.get(last) != Some(&b')') {
            return self.last_closing;
        }
        let before = query[1..last].iter().rposition(|byte| !is_space(*byte));
        match before {
            Some(index) if query[1 + index] == b')' => index + 2,
            _ => self.last_closing,
        }
    }

    /// `by (…)` or `without (…)`.
    fn by_or_without(&mut self) -> Result<Option<(bool, Part)>, Error> {
        let without = match self.peek()?.kind {
            Kind::Keyword(Keyword::By) => false,
            Kind::Keyword(Keyword::Without) => true,
            _ => return Ok(None),
        };
        self.ahead = None;
        Ok(Some((without, self.labels()?)))
    }

    /// Labels between parentheses.
    pub(super) fn labels(&mut self) -> Result<Part, Error> {
        const CONTEXT: &str = "grouping opts";
        let first = self.tree.labels.len();
        self.expect(Kind::LeftParen, CONTEXT, "\"(\"")?;
        while self.accept(Kind::RightParen)?.is_none() {
            let token = self.peek()?;
            let label = match token.kind {
                Kind::Text => unquote::unquote(self.text(token)),
                kind if names_label(kind) => Text::from(self.text(token)),
                _ => return Err(self.unexpected(token, CONTEXT, "label")),
            };
            self.ahead = None;
            if label.is_empty() || str::from_utf8(&label).is_err() {
                let message = format!("invalid label name for grouping: {}", QuotedBytes(&label));
                return Err(self.error(token.start, message));
            }
            self.tree.labels.push(label);
            if self.accept(Kind::Comma)?.is_none() {
                self.expect(Kind::RightParen, CONTEXT, "\",\" or \")\"")?;
                break;
            }
        }
        Ok(Part::new(first, self.tree.labels.len()))
    }
}

/// Whether a word can be the name of a label in a list.
fn names_label(kind: Kind) -> bool {
    match kind {
        Kind::Identifier | Kind::MetricIdentifier | Kind::Aggregation(_) | Kind::Time(_) => true,
        Kind::Keyword(keyword) => keyword != Keyword::Without,
        Kind::Operator(operator) => {
            matches!(operator, Operator::And | Operator::Or | Operator::Unless | Operator::Atan2)
        }
        Kind::End
        | Kind::Comma
        | Kind::Colon
        | Kind::LeftParen
        | Kind::RightParen
        | Kind::LeftBrace
        | Kind::RightBrace
        | Kind::LeftBracket
        | Kind::RightBracket
        | Kind::Assign
        | Kind::Matches
        | Kind::MatchesNot
        | Kind::At
        | Kind::Text
        | Kind::Number
        | Kind::Duration => false,
    }
}
