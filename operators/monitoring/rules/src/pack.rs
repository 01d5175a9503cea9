//! Which rule file goes into which ConfigMap. Files stay where they are: a file that moves is missing for the moment
//! between two writes, and every ConfigMap that changes is a reload.

use std::collections::BTreeMap;

/// The most that a ConfigMap holds of rules, in bytes: half of what the server takes, since names and metadata count too.
pub const LARGEST: usize = 512 * 1024;

/// Files by name.
pub type Files = BTreeMap<String, String>;

/// Packs files. Those that stand somewhere stay there, as long as they fit; new ones and those that grew out of their
/// place go to the first place with room. When only less is left than before and it fits into fewer places, everything
/// is packed anew. There is always one place, and none at the end is empty.
pub fn pack(standing: &[Files], files: Files) -> Vec<Files> {
    let stands = |name: &String| standing.iter().find_map(|place| place.get(name));
    if standing.is_empty() {
        return anew(files);
    }
    let more = files.iter().any(|(name, text)| stands(name).is_none_or(|old| old.len() < text.len()));
    let less = standing
        .iter()
        .flatten()
        .any(|(name, old)| files.get(name).is_none_or(|text| text.len() < old.len()));
    if less && !more && count_anew(&files) < standing.len() {
        return anew(files);
    }
    kept(standing, files)
}

/// Files in the order of their names, a place after the other.
fn anew(files: Files) -> Vec<Files> {
    let mut places = vec![Files::new()];
    let mut room = LARGEST;
    for (name, text) in files {
        if text.len() > room {
            places.push(Files::new());
            room = LARGEST;
        }
        room = room.saturating_sub(text.len());
        if let Some(place) = places.last_mut() {
            place.insert(name, text);
        }
    }
    places
}

/// How many places packing anew would take.
fn count_anew(files: &Files) -> usize {
    let (mut count, mut room) = (1, LARGEST);
    for text in files.values() {
        if text.len() > room {
            count += 1;
            room = LARGEST;
        }
        room = room.saturating_sub(text.len());
    }
    count
}

/// Files where they stand; the others where there is room.
fn kept(standing: &[Files], mut files: Files) -> Vec<Files> {
    let mut places: Vec<Files> = standing
        .iter()
        .map(|place| place.keys().filter_map(|name| files.remove_entry(name)).collect())
        .collect();
    for (place, old) in places.iter_mut().zip(standing) {
        while size(place) > LARGEST {
            // Of those that grew, the one that grew most; it made the place too small.
            let grown = |name: &String, text: &String| {
                text.len().saturating_sub(old.get(name).map_or(0, String::len))
            };
            let most =
                place.iter().max_by_key(|(name, text)| grown(name, text)).map(|(name, _)| name.clone());
            let Some((name, text)) = most.and_then(|name| place.remove_entry(&name)) else { break };
            files.insert(name, text);
        }
    }
    let mut room: Vec<usize> = places.iter().map(|place| LARGEST.saturating_sub(size(place))).collect();
    for (name, text) in files {
        let index = room.iter().position(|room| text.len() <= *room).unwrap_or_else(|| {
            places.push(Files::new());
            room.push(LARGEST);
            room.len() - 1
        });
        room[index] = room[index].saturating_sub(text.len());
        places[index].insert(name, text);
    }
    while places.len() > 1 && places.last().is_some_and(BTreeMap::is_empty) {
        places.pop();
    }
    places
}

fn size(place: &Files) -> usize {
    place.values().map(String::len).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn files(sizes: &[(&str, usize)]) -> Files {
        sizes.iter().map(|(name, size)| ((*name).to_owned(), "a".repeat(*size))).collect()
    }

    #[test]
    fn from_nothing_one_place_after_the_other_is_filled() {
        assert_eq!(pack(&[], Files::new()), [Files::new()]);
        let packed = pack(&[], files(&[("a", LARGEST), ("b", 1), ("c", LARGEST), ("d", 2)]));
        assert_eq!(
            packed,
            [files(&[("a", LARGEST)]), files(&[("b", 1)]), files(&[("c", LARGEST)]), files(&[("d", 2)])]
        );
    }

    #[test]
    fn what_grows_out_of_its_place_moves_alone() {
        let standing = [files(&[("a", LARGEST / 2), ("b", LARGEST / 2)]), files(&[("c", 1)])];
        let packed = pack(&standing, files(&[("a", LARGEST / 2 + 1), ("b", LARGEST / 2), ("c", 1)]));
        assert_eq!(packed, [files(&[("b", LARGEST / 2)]), files(&[("a", LARGEST / 2 + 1), ("c", 1)])]);
    }

    #[test]
    fn fewer_places_are_used_when_less_is_left() {
        let standing = [files(&[("a", LARGEST)]), files(&[("b", 1)])];
        assert_eq!(pack(&standing, files(&[("a", 1), ("b", 1)])), [files(&[("a", 1), ("b", 1)])]);
        assert_eq!(pack(&standing, Files::new()), [Files::new()]);
        // A place in the middle that became empty stays, so that those after it keep their names.
        let standing = [files(&[("a", LARGEST)]), files(&[("b", 9)]), files(&[("c", LARGEST)])];
        let packed = pack(&standing, files(&[("a", LARGEST), ("c", LARGEST), ("d", LARGEST)]));
        assert_eq!(packed, [files(&[("a", LARGEST)]), files(&[("d", LARGEST)]), files(&[("c", LARGEST)])]);
    }

    fn some_files() -> impl Strategy<Value = Files> {
        prop::collection::btree_map("[a-h]", (0..=LARGEST).prop_map(|size| "a".repeat(size)), 0..8)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn nothing_is_lost_and_all_fits(before in some_files(), after in some_files()) {
            let packed = pack(&pack(&[], before), after.clone());
            prop_assert!(packed.iter().all(|place| size(place) <= LARGEST));
            let all: Files = packed.into_iter().flatten().collect();
            prop_assert_eq!(all, after);
        }

        #[test]
        fn one_more_moves_no_other(mut all in some_files(), size in 0..=LARGEST) {
            let before = pack(&[], all.clone());
            all.insert("new".to_owned(), "a".repeat(size));
            let mut after = pack(&before, all);
            for place in &mut after {
                place.remove("new");
            }
            after.truncate(before.len());
            prop_assert_eq!(after, before);
        }

        #[test]
        fn packing_again_changes_nothing(all in some_files()) {
            let once = pack(&[], all.clone());
            prop_assert_eq!(pack(&once, all), once);
        }
    }
}
