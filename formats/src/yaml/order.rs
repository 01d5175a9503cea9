//! The natural order of keys: numbers by their value, and punctuation before letters.

use std::cmp::Ordering;

use super::value::{Map, Value};

/// Up to how many entries each one is compared with all others.
const FEW: usize = 1000;

/// Sorts the entries of a map into natural order.
///
/// The order of the Go library is not transitive: `a2` is before `a10`, which is before `a1b`, which is before `a2`.
/// To be independent of the original order, entries are first sorted by bytes. Then each one is inserted before the
/// first entry that it precedes. Among many entries that one is found by binary search, which is much faster and finds
/// the same unless the order is not transitive there.
pub fn sort(map: &mut Map) {
    let mut entries = std::mem::take(&mut map.0);
    entries.sort_by(|(one, _), (other, _)| bytes(one).cmp(bytes(other)));
    let keys: Vec<Vec<char>> = entries.iter().map(|(key, _)| bytes(key).chars().collect()).collect();
    let mut order: Vec<usize> = Vec::with_capacity(keys.len());
    for (next, key) in keys.iter().enumerate() {
        let precedes = |other: &usize| is_before(key, &keys[*other]);
        let at = if keys.len() <= FEW {
            order.iter().position(precedes).unwrap_or(next)
        } else {
            order.partition_point(|other| !precedes(other))
        };
        order.insert(at, next);
    }
    let mut ranks = vec![0; order.len()];
    for (rank, entry) in order.into_iter().enumerate() {
        ranks[entry] = rank;
    }
    let mut ranked: Vec<_> = ranks.into_iter().zip(entries).collect();
    ranked.sort_unstable_by_key(|(rank, _)| *rank);
    map.0 = ranked.into_iter().map(|(_, entry)| entry).collect();
}

fn bytes(key: &Value) -> &str {
    match key {
        Value::Text(text) => text,
        // Only files of users have such keys, and their order is kept.
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

/// Whether a key precedes another one.
fn is_before(one: &[char], other: &[char]) -> bool {
    let Some(at) = one.iter().zip(other).position(|(one, other)| one != other) else {
        return one.len() < other.len();
    };
    let characters = (one[at].is_alphabetic(), other[at].is_alphabetic());
    match characters {
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

/// Whether the text ends with a number other than zeros.
fn follows_a_digit(before: &[char]) -> bool {
    before.iter().rev().take_while(|character| character.is_ascii_digit()).any(|digit| *digit != '0')
}

/// The leading number, and the number of its digits. Within a number, the digits before it count too.
fn number(text: &[char], inside: bool) -> (u128, usize) {
    let digits = text.iter().take_while(|character| character.is_ascii_digit()).count();
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
    fn numbers_are_compared_by_value_and_punctuation_is_first() {
        let expected = ["_", "9", "10", "A", "Z", "a-b", "a.b", "a_b", "a2", "a10", "a1b", "b", "é"];
        let mut keys = expected;
        for _ in 0..keys.len() {
            keys.rotate_left(1);
            assert_eq!(sorted(&keys), expected);
        }
        assert_eq!(sorted(&["a101", "a100", "a99"]), ["a99", "a100", "a101"]);
        assert_eq!(sorted(&["a02", "a2", "a1"]), ["a1", "a2", "a02"]);
    }

    #[test]
    fn many_entries_are_sorted_in_the_same_order_without_comparing_each_with_all() {
        let keys: Vec<String> = (0..50_000).rev().map(|number| format!("key-{number}")).collect();
        let expected: Vec<String> = (0..50_000).map(|number| format!("key-{number}")).collect();
        assert_eq!(sorted(&keys.iter().map(String::as_str).collect::<Vec<_>>()), expected);
    }
}
