//! Replaces `$(VARIABLE)` in a text that is read in pieces, as the peer's expression `\$\(([a-zA-Z_0-9]+)\)` does.
//! References to variables that are not set are left unchanged, and are counted.

use std::collections::BTreeSet;
use std::io::Result;

use memchr::memchr_iter;

use crate::environment::Environment;

/// A longer reference is text. This limits how much of one piece is kept for the next.
pub(super) const LONGEST: usize = 1024;

/// How many names are listed at most.
const NAMES: usize = 100;

/// References to variables that are not set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unset {
    /// The number of references.
    pub count: u64,
    /// The names of the variables, the first hundred.
    pub names: BTreeSet<String>,
}

/// What follows a `$`.
#[derive(Debug, PartialEq, Eq)]
enum AfterDollar {
    /// A complete reference of this length, from `$` to `)`.
    Reference(usize),
    /// Text.
    Text,
    /// Possibly a reference: the piece ends before it does.
    Incomplete,
}

/// Expands a text piece by piece.
pub(super) struct Expander<'a> {
    environment: &'a Environment,
    unset: Unset,
}

impl<'a> Expander<'a> {
    /// Uses the variables of this environment.
    pub(super) fn new(environment: &'a Environment) -> Self {
        Self { environment, unset: Unset::default() }
    }

    /// Passes `piece` to `out`, expanded, and returns how many bytes of it were used. The rest is shorter than
    /// [`LONGEST`] and has to be put in front of the next piece; there is no rest if this piece is the `last`.
    pub(super) fn expand(
        &mut self,
        piece: &[u8],
        last: bool,
        mut out: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<usize> {
        let mut done = 0;
        for dollar in memchr_iter(b'$', piece) {
            match parse(&piece[dollar..]) {
                AfterDollar::Reference(length) => {
                    let reference = &piece[dollar..dollar + length];
                    if let Some(value) = self.value(&reference[2..length - 1]) {
                        out(&piece[done..dollar])?;
                        out(value)?;
                        done = dollar + length;
                    }
                }
                AfterDollar::Incomplete if !last => {
                    out(&piece[done..dollar])?;
                    return Ok(dollar);
                }
                AfterDollar::Incomplete | AfterDollar::Text => {}
            }
        }
        out(&piece[done..])?;
        Ok(piece.len())
    }

    fn value(&mut self, name: &[u8]) -> Option<&'a [u8]> {
        let value = self.environment.get(name);
        if value.is_none() {
            self.unset.count += 1;
            if self.unset.names.len() < NAMES {
                self.unset.names.insert(String::from_utf8_lossy(name).into_owned());
            }
        }
        value
    }

    /// The references that could not be replaced.
    pub(super) fn finish(self) -> Unset {
        self.unset
    }
}

/// Parses a text that starts with `$`.
fn parse(text: &[u8]) -> AfterDollar {
    match text.get(1) {
        None => return AfterDollar::Incomplete,
        Some(b'(') => {}
        Some(_) => return AfterDollar::Text,
    }
    let part_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let name = text[2..].iter().take(LONGEST - 3).take_while(part_of_name).count();
    match text.get(2 + name) {
        Some(b')') if name > 0 => AfterDollar::Reference(name + 3),
        None if text.len() < LONGEST => AfterDollar::Incomplete,
        Some(_) | None => AfterDollar::Text,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::bytes::{Captures, Regex};

    use super::*;

    fn environment() -> Environment {
        let pairs =
            [("A", "1"), ("POD_NAME", "prometheus-0"), ("EMPTY", ""), ("LOOP", "$(A)$(LOOP)"), ("0", "zero")];
        Environment::of(pairs.map(|(name, value)| (name.into(), value.into())), "POD_NAME")
    }

    /// As the pass does it: the rest of a piece is put in front of the next one.
    fn in_pieces(text: &[u8], cuts: &[usize]) -> (Vec<u8>, Unset) {
        let environment = environment();
        let mut expander = Expander::new(&environment);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
        cuts.sort_unstable();
        let (mut out, mut rest, mut from) = (Vec::new(), Vec::new(), 0);
        for cut in cuts {
            rest.extend_from_slice(&text[from..cut]);
            from = cut;
            let done = expander
                .expand(&rest, false, |bytes| {
                    out.extend_from_slice(bytes);
                    Ok(())
                })
                .unwrap();
            rest.drain(..done);
            assert!(rest.len() < LONGEST);
        }
        rest.extend_from_slice(&text[from..]);
        let done = expander.expand(&rest, true, |bytes| {
            out.extend_from_slice(bytes);
            Ok(())
        });
        assert_eq!(done.unwrap(), rest.len());
        (out, expander.finish())
    }

    fn as_a_whole(text: &[u8]) -> (Vec<u8>, Unset) {
        let environment = environment();
        let mut unset = Unset::default();
        let expression = Regex::new(r"\$\(([a-zA-Z_0-9]+)\)").unwrap();
        let replaced = expression.replace_all(text, |found: &Captures<'_>| {
            let value = environment.get(&found[1]).map(<[u8]>::to_vec);
            value.unwrap_or_else(|| {
                unset.count += 1;
                unset.names.insert(String::from_utf8_lossy(&found[1]).into_owned());
                found[0].to_vec()
            })
        });
        (replaced.into_owned(), unset)
    }

    fn pieces_of_text() -> impl Strategy<Value = Vec<u8>> {
        let word = prop_oneof![
            Just("$(A)"),
            Just("$(POD_NAME)"),
            Just("$(EMPTY)"),
            Just("$(LOOP)"),
            Just("$(0)"),
            Just("$(UNSET)"),
            Just("$"),
            Just("("),
            Just(")"),
            Just("$("),
            Just("$()"),
            Just("$(A"),
            Just("$(a-b)"),
            Just("$$("),
            Just("$1"),
            Just("text\n"),
            Just("\u{e9}"),
        ];
        let word = prop_oneof![
            word.prop_map(|word| word.as_bytes().to_vec()),
            prop::collection::vec(any::<u8>(), 0..4)
        ];
        prop::collection::vec(word, 0..30).prop_map(|words| words.concat())
    }

    proptest! {
        #[test]
        fn pieces_are_expanded_like_the_whole_text(text in pieces_of_text(), cuts in prop::collection::vec(any::<usize>(), 0..20)) {
            prop_assert_eq!(in_pieces(&text, &cuts), as_a_whole(&text));
        }

        #[test]
        fn a_cut_at_any_position_changes_nothing(text in pieces_of_text()) {
            let whole = as_a_whole(&text);
            for cut in 0..=text.len() {
                prop_assert_eq!(&in_pieces(&text, &[cut]), &whole);
            }
        }
    }

    #[test]
    fn a_reference_that_is_too_long_is_text() {
        let text = [b"$(".as_slice(), &b"a".repeat(5 * LONGEST), b") $(A)"].concat();
        let cuts: Vec<usize> = (0..text.len()).collect();
        let (out, unset) = in_pieces(&text, &cuts);
        assert_eq!(out, [b"$(".as_slice(), &b"a".repeat(5 * LONGEST), b") 1"].concat());
        assert_eq!(unset, Unset::default());
    }
}
