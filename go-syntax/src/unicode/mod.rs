//! What letters are to Go, whose tables are of another version of Unicode than ours.

mod alphanumeric;
mod printable;

/// Whether a letter shows on paper; of the spaces only the common one does.
pub(crate) fn is_printable(letter: char) -> bool {
    if letter.is_ascii() { matches!(letter, ' '..='~') } else { contains(printable::RUNS, letter) }
}

/// Whether it is a letter or a digit of any script.
pub(crate) fn is_alphanumeric(letter: char) -> bool {
    if letter.is_ascii() { letter.is_ascii_alphanumeric() } else { contains(alphanumeric::RUNS, letter) }
}

/// Whether a letter is in a run that counts. Each number is the first of a run: those that count and those that do not take
/// turns.
fn contains(runs: &[u32], letter: char) -> bool {
    runs.partition_point(|first| *first <= u32::from(letter)) % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_in_order() {
        assert!(printable::RUNS.is_sorted());
        assert!(alphanumeric::RUNS.is_sorted());
    }

    #[test]
    fn letters_and_digits_are_of_any_script() {
        assert!(['a', '0', 'é', 'ſ', '測', '٣'].into_iter().all(is_alphanumeric));
        // A number that is no digit, and a sign that only goes with a letter.
        assert!(!['_', ' ', '²', '\u{345}', '“'].into_iter().any(is_alphanumeric));
    }
}
