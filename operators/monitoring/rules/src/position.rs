//! Positions of fields in the text of a rule file.

use std::fmt;

/// A line and a column, counted from one; zeros if the field is missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// The positions of the fields of a rule that messages refer to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RulePositions {
    pub(crate) alert: Position,
    pub(crate) expr: Position,
    pub(crate) record: Position,
}

/// The positions of all rules, group by group. The text was written by this crate, so its form is known: rules are list
/// items below `rules:`, indented by two, and continued texts are indented deeper than the fields of a rule.
pub(crate) fn find(text: &str) -> Vec<Vec<RulePositions>> {
    let mut groups: Vec<Vec<RulePositions>> = Vec::new();
    for (index, line) in text.split(['\n', '\u{2028}', '\u{2029}']).enumerate() {
        if line.starts_with("- ") {
            groups.push(Vec::new());
            continue;
        }
        let Some(rules) = groups.last_mut() else { continue };
        let field = if let Some(field) = line.strip_prefix("  - ") {
            rules.push(RulePositions::default());
            field
        } else if let Some(field) = line.strip_prefix("    ") {
            field
        } else {
            continue;
        };
        let Some(rule) = rules.last_mut() else { continue };
        let Some((name, _)) = field.split_once(": ") else { continue };
        let position = Position { line: index + 1, column: 4 + name.len() + 2 + 1 };
        match name {
            "alert" => rule.alert = position,
            "expr" => rule.expr = position,
            "record" => rule.record = position,
            _ => {}
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_whatever_texts_contain() {
        let text = "groups:\n- labels:\n    expr: no\n  name: a\n  rules:\n  - alert: A\n    annotations:\n      expr: no\n    expr: |-\n      1\n      expr: no\n    record: r\n  - expr: b\n- name: c\n  rules:\n  - expr: d\n";
        let at = |line, column| Position { line, column };
        let first = RulePositions { alert: at(6, 12), expr: at(9, 11), record: at(12, 13) };
        let only = |line| RulePositions { expr: at(line, 11), ..RulePositions::default() };
        assert_eq!(find(text), [vec![first, only(13)], vec![only(16)]]);
    }
}
