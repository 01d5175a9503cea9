//! Modifiers of binary operators: `bool` and vector matching.

use super::{Parser, expression};
use crate::error::Error;
use crate::token::{BinaryOperator, Keyword, TokenKind};
use crate::tree::{Grouping, Matching};

impl Parser<'_> {
    /// Whether there is a `bool` modifier, and the vector matching.
    pub(super) fn matching(&mut self) -> Result<(bool, Matching), Error> {
        let mut matching = Matching::PLAIN;
        let bool = self.accept_keyword(Keyword::Bool)?;
        matching.on = self.accept_keyword(Keyword::On)?;
        if matching.on || self.accept_keyword(Keyword::Ignoring)? {
            matching.labels = self.labels()?;
            matching.grouping = self.grouping()?;
            if matching.grouping != Grouping::None {
                let kind = self.peek()?.kind;
                // A parenthesis starts a list of labels here, not the right operand.
                if kind == TokenKind::LeftParen || !expression::begins(kind) {
                    matching.include = self.labels()?;
                }
            }
        }
        if self.accept_keyword(Keyword::Fill)? {
            matching.fill_left = Some(self.fill()?);
            matching.fill_right = matching.fill_left;
        } else if self.accept_keyword(Keyword::FillLeft)? {
            matching.fill_left = Some(self.fill()?);
            if self.accept_keyword(Keyword::FillRight)? {
                matching.fill_right = Some(self.fill()?);
            }
        } else if self.accept_keyword(Keyword::FillRight)? {
            matching.fill_right = Some(self.fill()?);
            if self.accept_keyword(Keyword::FillLeft)? {
                matching.fill_left = Some(self.fill()?);
            }
        }
        Ok((bool, matching))
    }

    fn accept_keyword(&mut self, keyword: Keyword) -> Result<bool, Error> {
        Ok(self.accept(TokenKind::Keyword(keyword))?.is_some())
    }

    fn grouping(&mut self) -> Result<Grouping, Error> {
        Ok(if self.accept_keyword(Keyword::GroupLeft)? {
            Grouping::Left
        } else if self.accept_keyword(Keyword::GroupRight)? {
            Grouping::Right
        } else {
            Grouping::None
        })
    }

    /// A number in parentheses.
    fn fill(&mut self) -> Result<f64, Error> {
        self.expect(TokenKind::LeftParen, self.context, "")?;
        let mut token = self.next()?;
        let minus = token.kind == TokenKind::Operator(BinaryOperator::Subtract);
        if minus || token.kind == TokenKind::Operator(BinaryOperator::Add) {
            token = self.next()?;
        }
        if !matches!(token.kind, TokenKind::Number | TokenKind::Duration) {
            return Err(self.unexpected(token, self.context, ""));
        }
        let value = self.number(token)?;
        self.expect(TokenKind::RightParen, self.context, "")?;
        Ok(if minus { -value } else { value })
    }
}
