//! How a text can be written: what of it forbids which style, and which style is taken.

use super::resolve;

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// As it is.
    Plain,
    /// Between single quotes.
    Single,
    /// Between double quotes, with escapes.
    Double,
    /// Line by line, as it is.
    Literal,
}

/// Where a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A key that is followed by its value in the same line.
    Key,
    /// Between brackets.
    Row,
    /// Anywhere else.
    Elsewhere,
}

/// The style of a text.
pub(super) fn style(text: &str, place: Place) -> Style {
    let allowed = Allowed::of(text);
    let wanted = if text.contains('\n') {
        Style::Literal
    } else if resolve::is_text(text) {
        Style::Plain
    } else {
        Style::Double
    };
    match wanted {
        _ if place == Place::Key && allowed.has_breaks => Style::Double,
        Style::Literal if !allowed.block || place != Place::Elsewhere => Style::Double,
        Style::Plain if allowed.plain && (place != Place::Row || !separates(text)) => Style::Plain,
        Style::Plain if allowed.single => Style::Single,
        Style::Plain => Style::Double,
        Style::Single | Style::Double | Style::Literal => wanted,
    }
}

/// Whether a text has a sign that separates values between brackets.
fn separates(text: &str) -> bool {
    text.contains([',', '?', '[', ']', '{', '}', ':'])
}

/// Whether a text has a line break, so that it cannot be a key in one line.
pub(super) fn has_breaks(text: &str) -> bool {
    text.chars().any(is_break)
}

/// What ends a line.
pub(super) fn is_break(letter: char) -> bool {
    matches!(letter, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// What can stand for itself.
pub(super) fn is_printable(letter: char) -> bool {
    matches!(letter, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
}

/// The styles that a text allows.
#[derive(Debug, PartialEq, Eq)]
struct Allowed {
    plain: bool,
    single: bool,
    block: bool,
    has_breaks: bool,
}

impl Allowed {
    fn of(text: &str) -> Self {
        let letters: Vec<char> = text.chars().collect();
        let is_blank = |at: usize| letters.get(at).is_none_or(|letter| is_blank(*letter));
        let pairs = || letters.iter().zip(letters.iter().skip(1));
        let ends = |test: fn(char) -> bool| {
            [letters.first(), letters.last()].into_iter().flatten().any(|letter| test(*letter))
        };
        let is_space = |letter: char| letter == ' ';
        let indicates = |(at, letter): (usize, &char)| match letter {
            '#' => at == 0 || is_blank(at - 1),
            ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => {
                at == 0
            }
            '?' | '-' => at == 0 && is_blank(at + 1),
            ':' => is_blank(at + 1),
            _ => false,
        };
        let indicates =
            text.starts_with("---") || text.starts_with("...") || letters.iter().enumerate().any(indicates);
        let special = letters.iter().any(|letter| !is_printable(*letter));
        let has_breaks = letters.iter().any(|letter| is_break(*letter));
        let break_then_space = pairs().any(|(one, other)| is_break(*one) && is_space(*other));
        let space_then_break = pairs().any(|(one, other)| is_space(*one) && is_break(*other));
        Self {
            plain: !(special || has_breaks || indicates || ends(is_space)),
            single: !(special || break_then_space || space_then_break),
            block: !(special || space_then_break || letters.last() == Some(&' ')),
            has_breaks,
        }
    }
}

/// Space, tab, the end of a line.
fn is_blank(letter: char) -> bool {
    letter == ' ' || letter == '\t' || letter == '\0' || is_break(letter)
}
