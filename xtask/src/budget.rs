//! How long each stage of `make test` may take, on two processors that do nothing else. Pure.

use std::time::Duration;

/// What is there when a run begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cache {
    /// Nothing, or not all: tools, the lab's programs and our dependencies are compiled first.
    Empty,
    /// All but our own code.
    Full,
}

/// What a stage, or all of them, may take: whole minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    empty: u64,
    full: u64,
}

impl Budget {
    /// What it is with this cache.
    pub(crate) fn with(self, cache: Cache) -> Duration {
        let minutes = match cache {
            Cache::Empty => self.empty,
            Cache::Full => self.full,
        };
        Duration::from_secs(60 * minutes)
    }
}

/// A stage of all tests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stage {
    /// What the summary calls it.
    pub(crate) name: &'static str,
    /// What it may take.
    pub(crate) budget: Budget,
}

const fn stage(name: &'static str, empty: u64, full: u64) -> Stage {
    Stage { name, budget: Budget { empty, full } }
}

/// What all of them together may take.
pub(crate) const WHOLE: Budget = Budget { empty: 65, full: 40 };

/// Compiles this program: before there is anything to measure it.
pub(crate) const CHORES: Stage = stage("chores", 6, 3);
pub(crate) const SET_UP: Stage = stage("set-up", 2, 1);
pub(crate) const TOOLS: Stage = stage("tools", 6, 1);
pub(crate) const CHECK: Stage = stage("check", 19, 9);
pub(crate) const API: Stage = stage("API-server tests", 4, 3);
pub(crate) const CONVERGENCE: Stage = stage("convergence (slice)", 6, 4);
/// The operands' own programs judge what we write for them.
pub(crate) const CONFIGURATIONS: Stage = stage("operand configurations", 2, 1);
pub(crate) const END_TO_END: Stage = stage("end-to-end tests", 20, 18);

/// These run beside the others, and are over before the end-to-end tests.
pub(crate) const LAB_PROGRAMS: Stage = stage("lab programs (beside)", 11, 1);
pub(crate) const LAB_IMAGES: Stage = stage("lab images (beside)", 23, 6);
pub(crate) const JUDGES: Stage = stage("judges (beside)", 3, 1);

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE_END_TO_END: [Stage; 7] = [CHORES, SET_UP, TOOLS, CHECK, API, CONVERGENCE, CONFIGURATIONS];
    const BESIDE: [Stage; 5] = [CHORES, SET_UP, LAB_PROGRAMS, LAB_IMAGES, JUDGES];

    fn sum(stages: &[Stage], cache: Cache) -> Duration {
        stages.iter().map(|stage| stage.budget.with(cache)).sum()
    }

    #[test]
    fn what_runs_one_after_the_other_fits_into_the_whole() {
        for cache in [Cache::Empty, Cache::Full] {
            let last = END_TO_END.budget.with(cache);
            assert_eq!(sum(&BEFORE_END_TO_END, cache) + last, WHOLE.with(cache), "{cache:?}");
        }
    }

    #[test]
    fn what_runs_beside_is_over_before_the_end_to_end_tests() {
        for cache in [Cache::Empty, Cache::Full] {
            assert!(sum(&BESIDE, cache) <= sum(&BEFORE_END_TO_END, cache), "{cache:?}");
        }
    }
}
