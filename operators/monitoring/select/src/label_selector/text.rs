//! Selectors as text, such as `a=b,c in (d,e),!f`: whether Kubernetes accepts one.

use std::collections::BTreeSet;

use go_syntax::quoted::Quoted;

use super::InvalidSelector;
use super::name::problem_of_key;
use super::requirement::{LabelSelectorOperator, Requirement};

/// Checks a selector.
pub fn check(selector: &str) -> Result<(), InvalidSelector> {
    let mut parser = Parser { tokens: tokens(selector), at: 0 };
    let begins_requirement = |token: &str| is_word(token) || token == "!";
    let syntax = |token: &str, expected: &str| {
        Err(InvalidSelector::Syntax(format!("found '{token}', expected: {expected}")))
    };
    loop {
        match parser.peek() {
            "" => return Ok(()),
            token if begins_requirement(token) => {}
            other => return syntax(other, "!, identifier, or 'end of string'"),
        }
        parser.requirement().map_err(InvalidSelector::RequirementSyntax)?;
        match parser.next() {
            "" => return Ok(()),
            "," if begins_requirement(parser.peek()) => {}
            "," => return syntax(parser.peek(), "identifier after ','"),
            other => return syntax(other, "',' or 'end of string'"),
        }
    }
}

/// Walks over tokens: symbols, and words between them. After the last token there are only empty ones.
#[derive(Debug)]
struct Parser<'t> {
    tokens: Vec<&'t str>,
    at: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> &'t str {
        self.tokens.get(self.at).copied().unwrap_or_default()
    }

    fn next(&mut self) -> &'t str {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn requirement(&mut self) -> Result<(), String> {
        let mut key = self.next();
        let negated = key == "!";
        if negated {
            key = self.next();
        }
        if !is_word(key) {
            return Err(format!("found '{key}', expected: identifier"));
        }
        if let Some(problem) = problem_of_key(key) {
            return Err(format!("<nil>: Invalid value: {}: {problem}", Quoted(key)));
        }
        let (operator, values) = if negated {
            (LabelSelectorOperator::DoesNotExist, BTreeSet::new())
        } else if matches!(self.peek(), "" | ",") {
            (LabelSelectorOperator::Exists, BTreeSet::new())
        } else {
            let operator = self.operator()?;
            let is_set = matches!(operator, LabelSelectorOperator::In | LabelSelectorOperator::NotIn);
            (operator, if is_set { self.values()? } else { self.value()? })
        };
        let requirement = Requirement::new(key, operator, values.into_iter().collect());
        requirement.map(|_| ()).map_err(|problem| problem.to_string())
    }

    fn operator(&mut self) -> Result<LabelSelectorOperator, String> {
        match self.next() {
            "in" => Ok(LabelSelectorOperator::In),
            "notin" => Ok(LabelSelectorOperator::NotIn),
            "=" | "==" => Ok(LabelSelectorOperator::Equals),
            "!=" => Ok(LabelSelectorOperator::NotEquals),
            ">" => Ok(LabelSelectorOperator::GreaterThan),
            "<" => Ok(LabelSelectorOperator::LessThan),
            other => Err(format!("found '{other}', expected: in, notin, =, ==, !=, gt, lt")),
        }
    }

    /// One value, which can be empty.
    fn value(&mut self) -> Result<BTreeSet<&'t str>, String> {
        match self.peek() {
            "" | "," => Ok(BTreeSet::from([""])),
            word if is_word(word) => {
                self.at += 1;
                Ok(BTreeSet::from([word]))
            }
            other => Err(format!("found '{other}', expected: identifier")),
        }
    }

    /// Values between parentheses.
    fn values(&mut self) -> Result<BTreeSet<&'t str>, String> {
        let open = self.next();
        if open != "(" {
            return Err(format!("found '{open}' expected: '('"));
        }
        match self.peek() {
            ")" => {
                self.at += 1;
                Ok(BTreeSet::from([""]))
            }
            token if is_word(token) || token == "," => {
                let values = self.list()?;
                self.at += 1;
                Ok(values)
            }
            other => Err(format!("found '{other}', expected: ',', ')' or identifier")),
        }
    }

    /// Values with commas between them, up to the closing parenthesis. A missing value is empty.
    fn list(&mut self) -> Result<BTreeSet<&'t str>, String> {
        let mut values = BTreeSet::new();
        loop {
            match self.next() {
                "," => {
                    let next = self.peek();
                    if values.is_empty() || matches!(next, ")" | ",") {
                        values.insert("");
                    }
                    if next == ")" {
                        return Ok(values);
                    }
                }
                word if is_word(word) => {
                    values.insert(word);
                    match self.peek() {
                        "," => {}
                        ")" => return Ok(values),
                        other => return Err(format!("found '{other}', expected: ',' or ')'")),
                    }
                }
                other => return Err(format!("found '{other}', expected: ',', or identifier")),
            }
        }
    }
}

fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start_matches(is_blank);
    while !rest.is_empty() {
        let length = if rest.starts_with("==") || rest.starts_with("!=") {
            2
        } else if rest.starts_with(is_sign) {
            1
        } else {
            rest.find(|character| is_sign(character) || is_blank(character)).unwrap_or(rest.len())
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after.trim_start_matches(is_blank);
    }
    tokens
}

fn is_word(token: &str) -> bool {
    !token.is_empty() && !token.starts_with(is_sign)
}

fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n')
}

fn is_sign(character: char) -> bool {
    matches!(character, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_selectors_are_accepted() {
        for good in [
            "",
            " ",
            "a",
            "!a",
            "a=b",
            "a==b,c!=d",
            "a=",
            "a in (b,c), d notin (e)",
            "a in ()",
            "a in (,b,)",
            "a in (in,notin)",
            "in in (in)",
            "a>1,b<2",
            "a=in",
            "example.com/a = b",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn invalid_selectors_are_rejected() {
        for (bad, words) in [
            ("=", "found '=', expected: !, identifier, or 'end of string'"),
            ("a,", "found '', expected: identifier after ','"),
            ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
            ("a=b c", "found 'c', expected: ',' or 'end of string'"),
            ("!", "unable to parse requirement: found '', expected: identifier"),
            ("!a=b", "found '=', expected: ',' or 'end of string'"),
            ("a in b", "unable to parse requirement: found 'b' expected: '('"),
            ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
            ("a in (b,", "unable to parse requirement: found '', expected: ',', or identifier"),
            ("a in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"),
            ("a=(", "unable to parse requirement: found '(', expected: identifier"),
            (
                "a>b",
                "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
            ),
        ] {
            assert_eq!(check(bad).unwrap_err().to_string(), words, "{bad}");
        }
    }
}
