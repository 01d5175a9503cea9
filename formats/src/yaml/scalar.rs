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

/// The key that no key can be without quotes: what follows would be taken for entries of the map.
const MERGE: &str = "<<";

/// The style of a text.
pub(super) fn style(text: &str, place: Place) -> Style {
    if place == Place::Key && text == MERGE {
        return Style::Double;
    }
    if is_word(text) && resolve::is_text(text) {
        return Style::Plain;
    }
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

/// Whether nothing in a text can be taken for a sign. Most texts are such, so that they need no closer look.
fn is_word(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'/');
    text.bytes().next().is_some_and(is_letter)
        && text.bytes().all(|byte| is_letter(byte) || matches!(byte, b'-' | b'.' | b'$' | b'(' | b')'))
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
        let mut indicates = text.starts_with("---") || text.starts_with("...");
        let (mut special, mut has_breaks) = (false, false);
        let (mut break_then_space, mut space_then_break) = (false, false);
        let mut before = None;
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            let blank_before = before.is_none_or(is_blank);
            let blank_after = letters.peek().copied().is_none_or(is_blank);
            indicates |= match letter {
                '#' => blank_before,
                ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => {
                    before.is_none()
                }
                '?' | '-' => before.is_none() && blank_after,
                ':' => blank_after,
                _ => false,
            };
            special |= !is_printable(letter);
            has_breaks |= is_break(letter);
            break_then_space |= letter == ' ' && before.is_some_and(is_break);
            space_then_break |= is_break(letter) && before == Some(' ');
            before = Some(letter);
        }
        let ends_with_space = text.ends_with(' ');
        Self {
            plain: !(special || has_breaks || indicates || ends_with_space || text.starts_with(' ')),
            single: !(special || break_then_space || space_then_break),
            block: !(special || space_then_break || ends_with_space),
            has_breaks,
        }
    }
}

/// Space, tab, the end of a line.
fn is_blank(letter: char) -> bool {
    letter == ' ' || letter == '\t' || letter == '\0' || is_break(letter)
}
