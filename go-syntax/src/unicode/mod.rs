//! Go's classes of characters. Its tables are of another Unicode version than those of Rust's standard library.

mod alphanumeric;
mod printable;

/// Whether a character is printable (`strconv.IsPrint`). Of all spaces, only the ASCII space is.
pub(crate) fn is_printable(character: char) -> bool {
    if character.is_ascii() { matches!(character, ' '..='~') } else { contains(printable::RUNS, character) }
}

/// Whether it is a letter or a digit of any script.
pub(crate) fn is_alphanumeric(character: char) -> bool {
    if character.is_ascii() {
        character.is_ascii_alphanumeric()
    } else {
        contains(alphanumeric::RUNS, character)
    }
}

/// Whether a character is in a class. The numbers are the starts of runs, alternately inside and outside of the class.
fn contains(runs: &[u32], character: char) -> bool {
    runs.partition_point(|first| *first <= u32::from(character)) % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_sorted() {
        assert!(printable::RUNS.is_sorted());
        assert!(alphanumeric::RUNS.is_sorted());
    }

    #[test]
    fn letters_and_digits_are_of_any_script() {
        assert!(['a', '0', 'é', 'ſ', '測', '٣'].into_iter().all(is_alphanumeric));
        // A number that is not a digit, and a combining character.
        assert!(!['_', ' ', '²', '\u{345}', '“'].into_iter().any(is_alphanumeric));
    }
}
