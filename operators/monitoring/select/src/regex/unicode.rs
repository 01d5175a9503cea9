//! Sets of characters that are named, as in `\p{Greek}`.

use promql::regexp::is_group;

use super::{Fault, Invalid};

/// What comes after a set such as `\pL` or `\p{Greek}`, if the text begins with one.
pub(super) fn skip(text: &str) -> Result<Option<&str>, Invalid> {
    if !text.starts_with(r"\p") && !text.starts_with(r"\P") {
        return Ok(None);
    }
    let length = match text[2..].chars().next() {
        Some('{') => text.find('}').ok_or_else(|| Fault::CharacterRange.at(text))? + 1,
        Some(letter) => 2 + letter.len_utf8(),
        None => 2,
    };
    let (set, rest) = text.split_at(length);
    let name = set[2..].strip_prefix('{').map_or(&set[2..], |name| name.strip_suffix('}').unwrap_or(name));
    if is_group(name.strip_prefix('^').unwrap_or(name)) {
        Ok(Some(rest))
    } else {
        Err(Fault::CharacterRange.at(set))
    }
}
