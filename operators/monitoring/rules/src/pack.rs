//! Which rule file goes into which ConfigMap. Files stay in their ConfigMap if possible: a file that moves is missing
//! between two writes, and each ConfigMap that changes causes a reload.

use std::collections::BTreeMap;

/// The maximum size of the rule files in a ConfigMap, in bytes: half of the limit of the API server, which also counts
/// names and metadata.
pub const LARGEST: usize = 512 * 1024;

/// Files by name.
pub type Files = BTreeMap<String, String>;

/// Packs files. Existing files stay in their ConfigMap as long as they fit. New files, and those that have grown too large
/// for their ConfigMap, go to the first one with room. All files are packed again if they only shrank and then fit into
/// fewer ConfigMaps. There is at least one ConfigMap, and the last one of several is not empty.
pub fn pack(existing: &[Files], files: Files) -> Vec<Files> {
    let old = |name: &String| existing.iter().find_map(|map| map.get(name));
    let grew = files.iter().any(|(name, text)| old(name).is_none_or(|old| old.len() < text.len()));
    let shrank = existing
        .iter()
        .flatten()
        .any(|(name, old)| files.get(name).is_none_or(|text| text.len() < old.len()));
    let indexes = fill(&files);
    if existing.is_empty() || shrank && !grew && count(&indexes) < existing.len() {
        let mut maps = vec![Files::new(); count(&indexes)];
        for (index, (name, text)) in indexes.into_iter().zip(files) {
            maps[index].insert(name, text);
        }
        return maps;
    }
    kept(existing, files)
}

/// The index of the ConfigMap of each file if the ConfigMaps are filled one after the other.
fn fill(files: &Files) -> Vec<usize> {
    let (mut index, mut room) = (0, LARGEST);
    let next = |text: &String| {
        if text.len() > room {
            index += 1;
            room = LARGEST;
        }
        room = room.saturating_sub(text.len());
        index
    };
    files.values().map(next).collect()
}

fn count(indexes: &[usize]) -> usize {
    indexes.last().map_or(1, |last| last + 1)
}

/// Keeps files in their ConfigMap, and puts the others where there is room.
fn kept(existing: &[Files], mut files: Files) -> Vec<Files> {
    let mut maps: Vec<Files> =
        existing.iter().map(|map| map.keys().filter_map(|name| files.remove_entry(name)).collect()).collect();
    for (map, old) in maps.iter_mut().zip(existing) {
        while size(map) > LARGEST {
            // The file that grew most.
            let grown = |name: &String, text: &String| {
                text.len().saturating_sub(old.get(name).map_or(0, String::len))
            };
            let most = map.iter().max_by_key(|(name, text)| grown(name, text)).map(|(name, _)| name.clone());
            let Some((name, text)) = most.and_then(|name| map.remove_entry(&name)) else { break };
            files.insert(name, text);
        }
    }
    let mut room: Vec<usize> = maps.iter().map(|map| LARGEST.saturating_sub(size(map))).collect();
    for (name, text) in files {
        let index = room.iter().position(|room| text.len() <= *room).unwrap_or_else(|| {
            maps.push(Files::new());
            room.push(LARGEST);
            room.len() - 1
        });
        room[index] = room[index].saturating_sub(text.len());
        maps[index].insert(name, text);
    }
    while maps.len() > 1 && maps.last().is_some_and(BTreeMap::is_empty) {
        maps.pop();
    }
    maps
}

fn size(map: &Files) -> usize {
    map.values().map(String::len).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn files(sizes: &[(&str, usize)]) -> Files {
        sizes.iter().map(|(name, size)| ((*name).to_owned(), "a".repeat(*size))).collect()
    }

    #[test]
    fn config_maps_are_filled_one_after_the_other() {
        assert_eq!(pack(&[], Files::new()), [Files::new()]);
        let packed = pack(&[], files(&[("a", LARGEST), ("b", 1), ("c", LARGEST), ("d", 2)]));
        assert_eq!(
            packed,
            [files(&[("a", LARGEST)]), files(&[("b", 1)]), files(&[("c", LARGEST)]), files(&[("d", 2)])]
        );
    }

    #[test]
    fn a_file_that_grew_too_large_moves_alone() {
        let existing = [files(&[("a", LARGEST / 2), ("b", LARGEST / 2)]), files(&[("c", 1)])];
        let packed = pack(&existing, files(&[("a", LARGEST / 2 + 1), ("b", LARGEST / 2), ("c", 1)]));
        assert_eq!(packed, [files(&[("b", LARGEST / 2)]), files(&[("a", LARGEST / 2 + 1), ("c", 1)])]);
    }

    #[test]
    fn fewer_config_maps_are_used_when_files_shrink() {
        let existing = [files(&[("a", LARGEST)]), files(&[("b", 1)])];
        assert_eq!(pack(&existing, files(&[("a", 1), ("b", 1)])), [files(&[("a", 1), ("b", 1)])]);
        assert_eq!(pack(&existing, Files::new()), [Files::new()]);
        // An empty ConfigMap in the middle stays, so that those after it keep their names.
        let existing = [files(&[("a", LARGEST)]), files(&[("b", 9)]), files(&[("c", LARGEST)])];
        let packed = pack(&existing, files(&[("a", LARGEST), ("c", LARGEST), ("d", LARGEST)]));
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
            prop_assert!(packed.iter().all(|map| size(map) <= LARGEST));
            let all: Files = packed.into_iter().flatten().collect();
            prop_assert_eq!(all, after);
        }

        #[test]
        fn one_more_moves_no_other(mut all in some_files(), size in 0..=LARGEST) {
            let before = pack(&[], all.clone());
            all.insert("new".to_owned(), "a".repeat(size));
            let mut after = pack(&before, all);
            for map in &mut after {
                map.remove("new");
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
