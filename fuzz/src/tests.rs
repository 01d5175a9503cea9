//! Runs all targets with the seeds and with variations of them, so that they keep working.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use crate::{TARGETS, Target};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds")
}

fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let directory = directory().join(target.name);
    let entries = std::fs::read_dir(&directory).unwrap_or_else(|error| panic!("{directory:?}: {error}"));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

#[test]
fn every_target_holds_for_its_seeds() {
    for target in TARGETS {
        let seeds = seeds(&target);
        assert!(!seeds.is_empty(), "{}", target.name);
        for seed in &seeds {
            (target.attempt)(seed);
        }
    }
}

#[test]
fn every_seed_has_a_target() {
    let mut found: Vec<String> = std::fs::read_dir(directory())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    assert_eq!(found, TARGETS.map(|target| target.name));
}

/// A target, and one of its seeds with some bytes replaced.
fn mutated_seed() -> impl Strategy<Value = (Target, Vec<u8>)> {
    let target = prop::sample::select(TARGETS.to_vec());
    let seed = target.prop_flat_map(|target| (Just(target), prop::sample::select(seeds(&target))));
    let splice = prop_oneof!["[ \n:#'\"{}\\[\\],&*!|>%@`~?=-]{0,4}", "[a-z0-9.]{0,4}", any::<String>()];
    (seed, any::<prop::sample::Index>(), 0..8_usize, splice).prop_map(|((target, seed), at, cut, new)| {
        let at = at.index(seed.len() + 1);
        let rest = seed.iter().skip(at + cut).copied();
        (target, seed[..at].iter().copied().chain(new.into_bytes()).chain(rest).collect())
    })
}

proptest! {
    #[test]
    fn every_target_holds_for_mutated_seeds((target, input) in mutated_seed()) {
        (target.attempt)(&input);
    }
}
