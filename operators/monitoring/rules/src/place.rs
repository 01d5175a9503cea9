//! Where a field stands in the text of a rule file, as those who look for a mistake count: lines and columns from one.

use std::fmt;

/// A line and a column; zeros, if the field is not there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Where the fields of a rule stand that mistakes are told about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RulePlaces {
    pub(crate) alert: Place,
    pub(crate) expr: Place,
    pub(crate) record: Place,
}

/// The places of all rules, group by group. The text is one that was written here, so its form is known: rules are lists
/// below `rules:`, indented by two, and continued texts are indented deeper than the fields of a rule.
pub(crate) fn find(text: &str) -> Vec<Vec<RulePlaces>> {
    let mut groups: Vec<Vec<RulePlaces>> = Vec::new();
    for (index, line) in text.split(['\n', '\u{2028}', '\u{2029}']).enumerate() {
        if line.starts_with("- ") {
            groups.push(Vec::new());
            continue;
        }
        let Some(rules) = groups.last_mut() else { continue };
        let field = if let Some(field) = line.strip_prefix("  - ") {
            rules.push(RulePlaces::default());
            field
        } else if let Some(field) = line.strip_prefix("    ") {
            field
        } else {
            continue;
        };
        let Some(rule) = rules.last_mut() else { continue };
        let Some((name, _)) = field.split_once(": ") else { continue };
        let place = Place { line: index + 1, column: 4 + name.len() + 2 + 1 };
        match name {
            "alert" => rule.alert = place,
            "expr" => rule.expr = place,
            "record" => rule.record = place,
            _ => {}
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_whatever_stands_in_texts() {
        let text = "groups:\n- labels:\n    expr: no\n  name: a\n  rules:\n  - alert: A\n    annotations:\n      expr: no\n    expr: |-\n      1\n      expr: no\n    record: r\n  - expr: b\n- name: c\n  rules:\n  - expr: d\n";
        let at = |line, column| Place { line, column };
        let first = RulePlaces { alert: at(6, 12), expr: at(9, 11), record: at(12, 13) };
        let only = |line| RulePlaces { expr: at(line, 11), ..RulePlaces::default() };
        assert_eq!(find(text), [vec![first, only(13)], vec![only(16)]]);
    }
}
