//! The styles of strings: which ones a string allows, and which one is used.

use super::resolve;

/// The style of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Without quotes.
    Plain,
    /// In single quotes.
    Single,
    /// In double quotes, with escape sequences.
    Double,
    /// As a literal block.
    Literal,
}

/// Where a string is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// A key on the line of its value.
    Key,
    /// Between brackets.
    Row,
    /// Anywhere else.
    Elsewhere,
}

/// The merge key. It must be quoted, or else a reader would merge its value into the map.
const MERGE: &str = "<<";

/// The style of a string at a position.
pub(super) fn style(text: &str, position: Position) -> Style {
    if position == Position::Key && text == MERGE {
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
        _ if position == Position::Key && allowed.has_breaks => Style::Double,
        Style::Literal if !allowed.block || position != Position::Elsewhere => Style::Double,
        Style::Plain if allowed.plain && (position != Position::Row || !separates(text)) => Style::Plain,
        Style::Plain if allowed.single => Style::Single,
        Style::Plain => Style::Double,
        Style::Single | Style::Double | Style::Literal => wanted,
    }
}

/// Whether a string has no character that YAML interprets. This is a fast path for most strings.
fn is_word(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'/');
    text.bytes().next().is_some_and(is_letter)
        && text.bytes().all(|byte| is_letter(byte) || matches!(byte, b'-' | b'.' | b'$' | b'(' | b')'))
}

/// Whether a string has a character that is special between brackets.
fn separates(text: &str) -> bool {
    text.contains([',', '?', '[', ']', '{', '}', ':'])
}

/// Whether a string has a line break, so that it cannot be a key on one line.
pub(super) fn has_breaks(text: &str) -> bool {
    text.chars().any(is_break)
}

/// Whether a character is a line break.
pub(super) fn is_break(character: char) -> bool {
    matches!(character, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a character needs no escape.
pub(super) fn is_printable(character: char) -> bool {
    matches!(
        character,
        '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}'
    )
}

/// The styles that a string allows.
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
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let blank_before = before.is_none_or(is_blank);
            let blank_after = characters.peek().copied().is_none_or(is_blank);
            indicates |= match character {
                '#' => blank_before,
                ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => {
                    before.is_none()
                }
                '?' | '-' => before.is_none() && blank_after,
                ':' => blank_after,
                _ => false,
            };
            special |= !is_printable(character);
            has_breaks |= is_break(character);
            break_then_space |= character == ' ' && before.is_some_and(is_break);
            space_then_break |= is_break(character) && before == Some(' ');
            before = Some(character);
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

/// Whether a character is a space, a tab or the end of a line.
fn is_blank(character: char) -> bool {
    character == ' ' || character == '\t' || character == '\0' || is_break(character)
}
