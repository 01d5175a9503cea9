//! Enforces a label: every selector gets the matcher, and loses others for that label.

use crate::text::Text;
use crate::tree::{Comparison, Expression, IndexRange, Matcher, Tree, part};

impl<'q> Tree<'q> {
    /// Restricts every selector of the query to series with this label value.
    pub fn enforce(&mut self, label: &'q str, value: &'q str) {
        let bound = Matcher {
            name: Text::from(label),
            comparison: Comparison::Equal,
            value: Text::from(value),
            matches_empty: value.is_empty(),
        };
        let old = std::mem::take(&mut self.matchers);
        let mut new = Vec::with_capacity(old.len() + self.expressions.len() / 2 + 1);
        for node in &mut self.expressions {
            let Expression::Selector(selector) = &mut node.expression else { continue };
            let first = new.len();
            let kept = part(&old, selector.matchers).iter().filter(|matcher| matcher.name != bound.name);
            new.extend(kept.cloned());
            new.push(bound.clone());
            selector.matchers = IndexRange::new(first, new.len());
        }
        self.matchers = new;
    }
}
