use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::store::open_current;

type Items = BTreeMap<String, Vec<u8>>;

fn volume_with(version: Version, items: &Items) -> (tempfile::TempDir, Volume) {
    let directory = tempfile::tempdir().unwrap();
    let volume = Volume::at(directory.path());
    let (store, _) = open_current(&volume, version).unwrap();
    for (key, value) in items {
        store.put(key, value.clone()).unwrap();
    }
    store.close();
    (directory, volume)
}

fn contents(volume: &Volume, version: Version) -> (Items, u64) {
    let (store, _) = open_current(volume, version).unwrap();
    let items = store.list("", usize::MAX).unwrap();
    let revision = store.facts().unwrap().revision;
    store.close();
    (items.into_iter().map(|(key, record)| (key, record.value)).collect(), revision)
}

fn numbered(count: u64) -> Items {
    (0..count).map(|number| (format!("key-{number:04}"), number.to_string().into_bytes())).collect()
}

#[test]
fn two_migrations_forward_and_one_back() {
    let items = numbered(150);
    let (_directory, volume) = volume_with(Version::V0_0_1, &items);
    let mut migration = Migration::of(volume.clone());
    let switched = |from, to| Outcome::Switched {
        from: Generation(from),
        to: Generation(to),
        items: 150,
        revision: 150,
    };
    assert_eq!(migration.forward(Version::V0_0_2).unwrap(), switched(1, 2));
    assert_eq!(
        migration.forward(Version::V0_0_2).unwrap(),
        Outcome::AlreadyThere { generation: Generation(2) }
    );
    assert_eq!(migration.forward(Version::V0_1_0).unwrap(), switched(2, 3));
    assert_eq!(contents(&volume, Version::V0_1_0), (items.clone(), 150));
    assert_eq!(migration.back(None, false).unwrap(), switched(3, 2));
    assert_eq!(
        migration.back(None, false).unwrap(),
        Outcome::AlreadyThere { generation: Generation(2) },
        "only one step back"
    );
    assert_eq!(contents(&volume, Version::V0_0_2), (items, 150));
    assert_eq!(migration.discard().unwrap(), Outcome::Discarded { generations: vec![Generation(3)] });
    assert_eq!(migration.discard().unwrap(), Outcome::Discarded { generations: vec![] });
}

#[test]
fn going_back_keeps_new_writes_unless_they_are_dropped() {
    for drop_new_writes in [false, true] {
        let mut items = numbered(3);
        let (_directory, volume) = volume_with(Version::V0_0_1, &items);
        Migration::of(volume.clone()).forward(Version::V0_0_2).unwrap();
        let (store, _) = open_current(&volume, Version::V0_0_2).unwrap();
        let history = store.facts().unwrap().history;
        store.put("new", b"written after the upgrade".into()).unwrap();
        store.delete("key-0000").unwrap();
        store.close();
        Migration::of(volume.clone()).back(Some(Version::V0_0_1), drop_new_writes).unwrap();
        let again = Migration::of(volume.clone()).back(Some(Version::V0_0_1), drop_new_writes).unwrap();
        assert!(matches!(again, Outcome::AlreadyThere { .. }));
        if !drop_new_writes {
            items.insert("new".into(), b"written after the upgrade".into());
            items.remove("key-0000");
        }
        assert_eq!(contents(&volume, Version::V0_0_1), (items, if drop_new_writes { 3 } else { 5 }));
        let (store, _) = open_current(&volume, Version::V0_0_1).unwrap();
        assert_eq!(store.facts().unwrap().history == history, !drop_new_writes, "followers copy all items");
    }
}

#[test]
fn the_broken_version_stops_halfway_and_changes_nothing() {
    for count in [0, 1, 200] {
        let items = numbered(count);
        let (_directory, volume) = volume_with(Version::V0_0_2, &items);
        let error = Migration::of(volume.clone()).forward(Version::V0_1_0MigrationFails).unwrap_err();
        assert!(matches!(error, MigrateError::Broken { .. }), "{error}");
        assert_eq!(volume.current().unwrap(), Some(Generation(1)));
        assert_eq!(contents(&volume, Version::V0_0_2), (items.clone(), count));
        Migration::of(volume.clone()).forward(Version::V0_1_0).unwrap();
        assert_eq!(contents(&volume, Version::V0_1_0), (items, count));
    }
}

#[test]
fn a_failed_upgrade_keeps_the_previous_generation() {
    let items = numbered(3);
    let (_directory, volume) = volume_with(Version::V0_0_1, &items);
    let mut migration = Migration::of(volume.clone());
    migration.forward(Version::V0_0_2).unwrap();
    migration.forward(Version::V0_1_0MigrationFails).unwrap_err();
    migration.back(Some(Version::V0_0_1), false).unwrap();
    assert_eq!(contents(&volume, Version::V0_0_1), (items, 3));
}

#[test]
fn a_writer_excludes_a_migration_and_an_empty_volume_needs_none() {
    let (_directory, volume) = volume_with(Version::V0_0_1, &numbered(1));
    let (store, _) = open_current(&volume, Version::V0_0_1).unwrap();
    let refused = Migration::of(volume.clone()).forward(Version::V0_0_2).unwrap_err();
    assert!(matches!(refused, MigrateError::Store(StoreError::InUse(_))), "{refused}");
    store.hold().unwrap();
    Migration::of(volume.clone()).forward(Version::V0_0_2).unwrap();
    assert_eq!(volume.current().unwrap(), Some(Generation(2)));
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(Migration::of(Volume::at(empty.path())).forward(Version::V0_1_0).unwrap(), Outcome::Empty);
}

#[test]
fn going_back_without_a_previous_generation_is_refused() {
    let (_directory, volume) = volume_with(Version::V0_0_2, &numbered(1));
    let error = Migration::of(volume).back(Some(Version::V0_0_1), false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is nothing to go back to: the data has schema 2, and none of version 0.0.1 was kept"
    );
}

/// Interrupts `work` before each step, each time on a new volume, and then runs it to its end.
fn interrupted_everywhere(
    prepare: impl Fn() -> (tempfile::TempDir, Volume),
    work: impl Fn(&mut Migration),
    end: impl Fn(&Volume, usize),
    before: impl Fn(&Volume, usize),
) {
    for step in 1.. {
        let (_directory, volume) = prepare();
        let mut migration = Migration::stopping_before(volume.clone(), step);
        work(&mut migration);
        let finished = migration.steps < step;
        if !finished {
            before(&volume, step);
            work(&mut Migration::of(volume.clone()));
        }
        end(&volume, step);
        if finished {
            assert!(step > 2, "there were steps to interrupt");
            return;
        }
    }
}

fn check_interruptions(items: &Items) {
    interrupted_everywhere(
        || volume_with(Version::V0_0_1, items),
        |migration| drop(migration.forward(Version::V0_0_2)),
        |volume, step| {
            assert_eq!(contents(volume, Version::V0_0_2), (items.clone(), items.len() as u64), "step {step}");
            assert_eq!(volume.current().unwrap(), Some(Generation(2)));
        },
        |volume, step| {
            let switched = volume.current().unwrap() == Some(Generation(2));
            let version = if switched { Version::V0_0_2 } else { Version::V0_0_1 };
            assert_eq!(contents(volume, version), (items.clone(), items.len() as u64), "step {step}");
        },
    );
    let upgraded_and_written = || {
        let (directory, volume) = volume_with(Version::V0_0_1, items);
        Migration::of(volume.clone()).forward(Version::V0_0_2).unwrap();
        let (store, _) = open_current(&volume, Version::V0_0_2).unwrap();
        store.put("new", b"new".into()).unwrap();
        store.close();
        (directory, volume)
    };
    let mut with_new = items.clone();
    with_new.insert("new".into(), b"new".into());
    let wanted = (with_new, items.len() as u64 + 1);
    interrupted_everywhere(
        upgraded_and_written,
        |migration| drop(migration.back(Some(Version::V0_0_1), false)),
        |volume, step| assert_eq!(contents(volume, Version::V0_0_1), wanted, "step {step}"),
        |volume, step| assert_eq!(contents(volume, Version::V0_0_2), wanted, "step {step}"),
    );
}

#[test]
fn a_crash_before_any_step_loses_nothing_and_the_next_run_completes() {
    check_interruptions(&numbered(130));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn a_migration_keeps_every_item(
        items in prop::collection::btree_map("[a-f/ ü]{1,6}", prop::collection::vec(any::<u8>(), 0..40), 0..12)
    ) {
        let (_directory, volume) = volume_with(Version::V0_0_1, &items);
        for version in [Version::V0_0_2, Version::V0_1_0] {
            Migration::of(volume.clone()).forward(version).unwrap();
            prop_assert_eq!(contents(&volume, version), (items.clone(), items.len() as u64));
        }
        Migration::of(volume.clone()).back(Some(Version::V0_0_2), false).unwrap();
        prop_assert_eq!(contents(&volume, Version::V0_0_2), (items.clone(), items.len() as u64));
    }
}
