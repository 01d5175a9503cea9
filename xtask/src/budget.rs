//! How long each stage of `make test` may take on two processors without other load. Pure.

use std::time::Duration;

/// What exists when a run begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CacheState {
    /// Nothing, or not everything: tools, programs of the lab and dependencies are compiled first.
    Empty,
    /// Everything except the code of this workspace.
    Full,
}

/// How many minutes a stage, or all of them, may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    empty: u64,
    full: u64,
}

impl Budget {
    /// The budget with this cache.
    pub(crate) fn with(self, cache: CacheState) -> Duration {
        let minutes = match cache {
            CacheState::Empty => self.empty,
            CacheState::Full => self.full,
        };
        Duration::from_secs(60 * minutes)
    }
}

/// A stage of `make test`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stage {
    /// Its name in the summary.
    pub(crate) name: &'static str,
    /// How long it may take.
    pub(crate) budget: Budget,
}

const fn stage(name: &'static str, empty: u64, full: u64) -> Stage {
    Stage { name, budget: Budget { empty, full } }
}

/// The budget of all stages together.
pub(crate) const TOTAL: Budget = Budget { empty: 65, full: 40 };

/// The compilation of this program, before it can measure anything.
pub(crate) const CHORES: Stage = stage("chores", 4, 2);
pub(crate) const SET_UP: Stage = stage("set-up", 1, 1);
pub(crate) const TOOLS: Stage = stage("tools", 6, 1);
pub(crate) const CHECK: Stage = stage("check", 16, 7);
pub(crate) const API: Stage = stage("API-server tests", 6, 4);
pub(crate) const CONVERGENCE: Stage = stage("convergence (slice)", 10, 7);
/// The operands' own programs check our configurations.
pub(crate) const CONFIGURATIONS: Stage = stage("operand configurations", 2, 1);
pub(crate) const END_TO_END: Stage = stage("end-to-end tests", 20, 17);

/// These run at the same time as the others, and end before the end-to-end tests.
pub(crate) const LAB_PROGRAMS: Stage = stage("lab programs (concurrent)", 13, 1);
pub(crate) const LAB_IMAGES: Stage = stage("lab images (concurrent)", 21, 6);
pub(crate) const CHECKERS: Stage = stage("checkers (concurrent)", 3, 1);

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE_END_TO_END: [Stage; 7] = [CHORES, SET_UP, TOOLS, CHECK, API, CONVERGENCE, CONFIGURATIONS];
    const CONCURRENT: [Stage; 5] = [CHORES, SET_UP, LAB_PROGRAMS, LAB_IMAGES, CHECKERS];

    fn sum(stages: &[Stage], cache: CacheState) -> Duration {
        stages.iter().map(|stage| stage.budget.with(cache)).sum()
    }

    #[test]
    fn the_budgets_of_sequential_stages_add_up_to_the_total() {
        for cache in [CacheState::Empty, CacheState::Full] {
            let last = END_TO_END.budget.with(cache);
            assert_eq!(sum(&BEFORE_END_TO_END, cache) + last, TOTAL.with(cache), "{cache:?}");
        }
    }

    #[test]
    fn concurrent_stages_end_before_the_end_to_end_tests() {
        for cache in [CacheState::Empty, CacheState::Full] {
            assert!(sum(&CONCURRENT, cache) <= sum(&BEFORE_END_TO_END, cache), "{cache:?}");
        }
    }
}
