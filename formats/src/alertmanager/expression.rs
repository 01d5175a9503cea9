//! Regular expressions of Go in the words of our own library: a few signs mean something else there, and a few mistakes
//! are none.

/// How often something may be repeated.
const MOST: u32 = 1000;

/// The same expression for our library, or what Go would not take.
pub(super) fn translated(expression: &str) -> Result<String, String> {
    let mut translation =
        Translation { rest: expression, text: String::with_capacity(expression.len()), repeated: None };
    while let Some(letter) = translation.rest.chars().next() {
        translation.step(letter)?;
    }
    Ok(translation.text)
}

struct Translation<'e> {
    rest: &'e str,
    text: String,
    /// The repetition just before, if there is one.
    repeated: Option<&'e str>,
}

impl<'e> Translation<'e> {
    /// Takes what begins with this letter.
    fn step(&mut self, letter: char) -> Result<(), String> {
        let operator = match letter {
            '*' | '+' | '?' => Some(&self.rest[..1]),
            '{' => counted(self.rest)?,
            _ => None,
        };
        if let Some(operator) = operator {
            return self.repeat(operator);
        }
        self.repeated = None;
        match letter {
            '\\' => self.escape(),
            '[' => self.class(),
            // A brace that counts nothing stands for itself.
            '{' => self.replace(1, "\\{"),
            other => self.copy(other.len_utf8()),
        }
        Ok(())
    }

    fn copy(&mut self, length: usize) {
        let (taken, rest) = self.rest.split_at(length);
        self.text.push_str(taken);
        self.rest = rest;
    }

    fn replace(&mut self, length: usize, by: &str) {
        self.text.push_str(by);
        self.rest = &self.rest[length..];
    }

    /// A repetition, lazy perhaps; it cannot be repeated itself.
    fn repeat(&mut self, operator: &'e str) -> Result<(), String> {
        let lazy = usize::from(self.rest[operator.len()..].starts_with('?'));
        let whole = &self.rest[..operator.len() + lazy];
        if let Some(before) = self.repeated {
            return Err(format!("invalid nested repetition operator: `{before}{whole}`"));
        }
        // A question mark behind a parenthesis begins a kind of group and repeats nothing.
        let is_group = operator == "?" && self.text.ends_with('(') && !self.text.ends_with("\\(");
        self.copy(if is_group { 1 } else { whole.len() });
        self.repeated = (!is_group).then_some(whole);
        Ok(())
    }

    /// A sign behind a backslash, or a text that stands for itself between `\Q` and `\E`.
    fn escape(&mut self) {
        if let Some(quoted) = self.rest.strip_prefix("\\Q") {
            let end = quoted.find("\\E").unwrap_or(quoted.len());
            self.text.push_str(&regex::escape(&quoted[..end]));
            self.rest = quoted[end..].strip_prefix("\\E").unwrap_or_default();
            return;
        }
        let escaped = self.rest[1..].chars().next().map_or(0, char::len_utf8);
        self.copy(1 + escaped);
    }

    /// Letters between brackets, where only few signs mean something.
    fn class(&mut self) {
        self.copy(1);
        if self.rest.starts_with('^') {
            self.copy(1);
        }
        let mut is_first = true;
        while let Some(letter) = self.rest.chars().next() {
            match letter {
                ']' if !is_first => return self.copy(1),
                ']' => self.replace(1, "\\]"),
                '\\' => self.escape(),
                '[' if self.rest.starts_with("[:") => {
                    let end = self.rest.find(":]").map_or(1, |end| end + 2);
                    self.copy(end);
                }
                '[' => self.replace(1, "\\["),
                '&' => self.replace(1, "\\&"),
                '~' => self.replace(1, "\\~"),
                other => self.copy(other.len_utf8()),
            }
            is_first = false;
        }
    }
}

/// A repetition between braces, if it is one: `{2}`, `{2,}`, `{2,3}`.
fn counted(text: &str) -> Result<Option<&str>, String> {
    let Some(end) = text.find('}') else { return Ok(None) };
    let (least, most) = text[1..end].split_once(',').unwrap_or((&text[1..end], ""));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(least) || !(most.is_empty() || is_number(most)) {
        return Ok(None);
    }
    let count = |digits: &str| digits.parse::<u32>().unwrap_or(u32::MAX);
    let upper = if most.is_empty() { count(least) } else { count(most) };
    if count(least) > MOST || upper > MOST || upper < count(least) {
        return Err(format!("invalid repeat count: `{}`", &text[..=end]));
    }
    Ok(Some(&text[..=end]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    #[test]
    fn what_go_takes_is_taken() {
        for (expression, text) in [
            ("{}", "{}"),
            ("a{b}", "a{b}"),
            ("x{,2}", "x{,2}"),
            ("[[]", "["),
            ("[]a]", "]"),
            ("[a&&b]", "&"),
            ("[[:alpha:]]+", "ab"),
            ("\\Qa.b\\E+", "a.bb"),
            ("(?i)A", "a"),
            ("(?:a|b)??", "a"),
            ("a{2}", "aa"),
            ("\\{2}", "{2}"),
        ] {
            let translated = translated(expression).unwrap();
            let regex = Regex::new(&format!("^(?:{translated})$")).unwrap();
            assert!(regex.is_match(text), "{expression} is {translated}");
        }
    }

    #[test]
    fn what_go_refuses_is_refused() {
        for (expression, problem) in [
            ("x**", "invalid nested repetition operator: `**`"),
            ("x*?+", "invalid nested repetition operator: `*?+`"),
            ("x{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
            ("x{1001}", "invalid repeat count: `{1001}`"),
            ("x{2,1}", "invalid repeat count: `{2,1}`"),
        ] {
            assert_eq!(translated(expression), Err(problem.to_owned()));
        }
    }

    proptest! {
        #[test]
        fn no_text_confuses_the_reader(expression in "[a\\\\\\[\\](){}*+?^:,0-9QEé&|]{0,20}") {
            let _ = translated(&expression);
        }
    }
}
