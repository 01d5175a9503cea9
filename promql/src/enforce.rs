//! Binds a query to a label: every selector gets the condition, and loses others on that label.

use crate::text::Text;
use crate::tree::{Comparison, Expression, Matcher, Part, Tree, part};

impl<'q> Tree<'q> {
    /// Every selector of the query means only series whose label has this value.
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
            selector.matchers = Part::new(first, new.len());
        }
        self.matchers = new;
    }
}
