//! The natural order of keys: numbers by their value, signs before letters.

use std::cmp::Ordering;

use super::value::{Map, Value};

/// Puts the entries of a map into natural order.
///
/// The order that users' files have is none among some names (`a2` is before `a10`, that before `a1b`, and that before
/// `a2`). So an entry goes before the first one that it belongs before, beginning from the order of bytes: whatever the
/// order was before, the result is one.
pub fn sort(map: &mut Map) {
    let mut entries = std::mem::take(&mut map.0);
    entries.sort_by(|(one, _), (other, _)| bytes(one).cmp(bytes(other)));
    for entry in entries {
        let before = |(other, _): &(Value, Value)| is_before(bytes(&entry.0), bytes(other));
        let at = map.0.iter().position(before).unwrap_or(map.0.len());
        map.0.insert(at, entry);
    }
}

fn bytes(key: &Value) -> &str {
    match key {
        Value::Text(text) => text,
        // Only readers of other people's files meet these, and they keep the order that they find.
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Float(_)
        | Value::Binary(_)
        | Value::List(_)
        | Value::Row(_)
        | Value::Map(_) => "",
    }
}

/// Whether a key is written before another.
fn is_before(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let Some(at) = one.iter().zip(&other).position(|(one, other)| one != other) else {
        return one.len() < other.len();
    };
    let letters = (one[at].is_alphabetic(), other[at].is_alphabetic());
    match letters {
        (true, true) => one[at] < other[at],
        (true, false) => false,
        (false, true) => true,
        (false, false) => {
            let inside = (one[at] == '0' || other[at] == '0') && follows_a_digit(&one[..at]);
            let (first, second) = (number(&one[at..], inside), number(&other[at..], inside));
            first.cmp(&second).then_with(|| one[at].cmp(&other[at])) == Ordering::Less
        }
    }
}

/// Whether these end with a number other than zeros.
fn follows_a_digit(before: &[char]) -> bool {
    before.iter().rev().take_while(|letter| letter.is_ascii_digit()).any(|digit| *digit != '0')
}

/// The number at the beginning, and how many digits it has. Inside of a number its first digits count too.
fn number(text: &[char], inside: bool) -> (u128, usize) {
    let digits = text.iter().take_while(|letter| letter.is_ascii_digit()).count();
    let value = text[..digits]
        .iter()
        .filter_map(|digit| digit.to_digit(10))
        .fold(u128::from(inside), |value, digit| value.saturating_mul(10).saturating_add(digit.into()));
    (value, digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(keys: &[&str]) -> Vec<String> {
        let mut map = Map(keys.iter().map(|key| ((*key).to_owned().into(), Value::Null)).collect());
        sort(&mut map);
        map.0.iter().map(|(key, _)| bytes(key).to_owned()).collect()
    }

    #[test]
    fn numbers_count_and_signs_are_before_letters() {
        let expected = ["_", "9", "10", "A", "Z", "a-b", "a.b", "a_b", "a2", "a10", "a1b", "b", "é"];
        let mut keys = expected;
        for _ in 0..keys.len() {
            keys.rotate_left(1);
            assert_eq!(sorted(&keys), expected);
        }
        assert_eq!(sorted(&["a101", "a100", "a99"]), ["a99", "a100", "a101"]);
        assert_eq!(sorted(&["a02", "a2", "a1"]), ["a1", "a2", "a02"]);
    }
}
