//! What stands between an operator and its right side: how series of both sides find each other.

use super::{Parser, expression};
use crate::error::Error;
use crate::token::{Keyword, Kind, Operator};
use crate::tree::{Grouping, Matching};

impl Parser<'_> {
    /// Whether a comparison gives zero and one, and how series find each other.
    pub(super) fn matching(&mut self) -> Result<(bool, Matching), Error> {
        let mut matching = Matching::PLAIN;
        let bool = self.accept_keyword(Keyword::Bool)?;
        matching.on = self.accept_keyword(Keyword::On)?;
        if matching.on || self.accept_keyword(Keyword::Ignoring)? {
            matching.labels = self.labels()?;
            matching.grouping = self.grouping()?;
            if matching.grouping != Grouping::None {
                let kind = self.peek()?.kind;
                // A parenthesis begins labels here, not the right side.
                if kind == Kind::LeftParen || !expression::begins(kind) {
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
        Ok(self.accept(Kind::Keyword(keyword))?.is_some())
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

    /// A number between parentheses.
    fn fill(&mut self) -> Result<f64, Error> {
        self.expect(Kind::LeftParen, self.context, "")?;
        let mut token = self.next()?;
        let minus = token.kind == Kind::Operator(Operator::Subtract);
        if minus || token.kind == Kind::Operator(Operator::Add) {
            token = self.next()?;
        }
        if !matches!(token.kind, Kind::Number | Kind::Duration) {
            return Err(self.unexpected(token, self.context, ""));
        }
        let value = self.number(token)?;
        self.expect(Kind::RightParen, self.context, "")?;
        Ok(if minus { -value } else { value })
    }
}
