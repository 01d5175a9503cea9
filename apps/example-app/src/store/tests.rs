use proptest::prelude::*;

use super::*;

fn empty(version: Version) -> (tempfile::TempDir, Volume, Store) {
    let directory = tempfile::tempdir().unwrap();
    let volume = Volume::at(directory.path());
    let (store, _) = open_current(&volume, version).unwrap();
    (directory, volume, store)
}

#[test]
fn every_write_gets_the_next_revision_and_is_read_after_reopening() {
    for version in [Version::V0_0_1, Version::V0_0_2, Version::V0_1_0] {
        let (_directory, volume, store) = empty(version);
        assert_eq!(store.put("a", b"1".into()).unwrap(), Written { revision: 1, created: true });
        assert_eq!(store.put("a", b"2".into()).unwrap(), Written { revision: 2, created: false });
        assert_eq!(store.delete("none").unwrap(), None);
        assert_eq!(store.put("b", b"3".into()).unwrap().revision, 3);
        assert_eq!(store.delete("a").unwrap(), Some(4));
        store.close();
        let (store, generation) = open_current(&volume, version).unwrap();
        assert_eq!(generation, Generation(1));
        let written_at = if version == Version::V0_0_1 { 0 } else { 3 };
        assert_eq!(store.list("", 9).unwrap(), [("b".into(), Record { value: b"3".into(), written_at })]);
        assert_eq!((store.facts().unwrap().revision, store.facts().unwrap().items), (4, 1));
    }
}

#[test]
fn another_schema_is_refused_with_advice() {
    let (_directory, volume, store) = empty(Version::V0_0_2);
    store.close();
    let refusal = |version| open_current(&volume, version).err().unwrap().to_string();
    assert_eq!(
        refusal(Version::V0_1_0),
        "the data has schema 2, version 0.1.0 needs schema 3; run version 0.0.2, or `example-app migrate --to 0.1.0 --data DIR` first"
    );
    assert_eq!(
        refusal(Version::V0_0_1),
        "the data has schema 2, version 0.0.1 needs schema 1; run version 0.0.2, or go back with `example-app migrate --back --to 0.0.1 --data DIR`"
    );
}

#[test]
fn a_held_store_can_be_read_by_others_and_not_written() {
    let (_directory, volume, store) = empty(Version::V0_1_0);
    store.put("a", b"1".into()).unwrap();
    let path = volume.store_file(Generation(1));
    assert!(matches!(Store::read_only(&path), Err(StoreError::InUse(_))));
    store.hold().unwrap();
    assert!(matches!(store.put("a", b"2".into()), Err(StoreError::Held)));
    assert_eq!(store.get("a").unwrap().unwrap().value, b"1");
    let reader = Store::read_only(&path).unwrap();
    assert!(matches!(store.resume(), Err(StoreError::InUse(_))), "not while another process reads");
    assert_eq!(reader.facts().unwrap(), store.facts().unwrap());
    reader.close();
    store.resume().unwrap();
    assert_eq!(store.put("a", b"2".into()).unwrap().revision, 2);
}

#[test]
fn an_interrupted_creation_is_repeated() {
    let directory = tempfile::tempdir().unwrap();
    let volume = Volume::at(directory.path());
    volume.begin_draft(Generation(1)).unwrap();
    volume.switch(Generation(1)).unwrap();
    let (store, generation) = open_current(&volume, Version::V0_0_1).unwrap();
    assert_eq!((generation, store.facts().unwrap().items), (Generation(1), 0));
}

#[test]
fn the_index_lists_items_in_the_order_of_writing() {
    let (_directory, _volume, store) = empty(Version::V0_1_0);
    for key in ["a", "b", "c", "a"] {
        store.put(key, Vec::new()).unwrap();
    }
    assert_eq!(store.written_after(1, 9).unwrap().unwrap(), ["b", "c", "a"]);
    store.delete("c").unwrap();
    assert_eq!(store.written_after(0, 1).unwrap().unwrap(), ["b"]);
}

/// Replicates `writer` completely, as the follower's task does, with the smallest possible pages.
fn follow(writer: &Store, follower: &Store) {
    loop {
        let facts = follower.facts().unwrap();
        let Some(delta) = writer.delta(facts.history, facts.revision, 1).unwrap() else {
            let mut after = String::new();
            let first = writer.facts().unwrap();
            loop {
                let page = writer.copy_page(&after, 1).unwrap();
                follower.apply_page(&after, &page).unwrap();
                let Some(next) = page.next else { break };
                after = next;
            }
            follower.finish_copy(first.history, first.revision).unwrap();
            continue;
        };
        follower.apply(&delta).unwrap();
        if delta.up_to == delta.revision {
            return;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn a_follower_gets_the_same_items_as_the_writer(
        writes in prop::collection::vec(("[a-d]", prop::option::of("[a-z]{0,3}"), any::<bool>()), 0..12)
    ) {
        let (_one, _, writer) = empty(Version::V0_1_0);
        let (_two, _, follower) = empty(Version::V0_0_2);
        // An item that the writer never had must be deleted.
        follower.put("b", b"stale".into()).unwrap();
        for (key, value, follow_now) in writes {
            match value {
                Some(value) => { writer.put(&key, value.into_bytes()).unwrap(); }
                None => { writer.delete(&key).unwrap(); }
            }
            if follow_now {
                follow(&writer, &follower);
            }
        }
        follow(&writer, &follower);
        prop_assert_eq!(writer.list("", 99).unwrap(), follower.list("", 99).unwrap());
        prop_assert_eq!(writer.facts().unwrap().revision, follower.facts().unwrap().revision);
    }
}
