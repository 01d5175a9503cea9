//! What the peer tells its garbage collector. There is none here, so it is accepted and changes nothing.

use crate::flags::flag::{Fields, Flag};

/// What the peer tells its garbage collector.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Memory {
    /// How much of the memory of the container the collector may let grow.
    pub limit_ratio: f64,
}

impl Fields for Memory {
    const TITLE: &'static str = "Memory";
    const FLAGS: &'static [Flag<Self>] = &[Flag {
        name: "auto-gomemlimit-ratio",
        help: "Accepted and without effect: there is no garbage collector to limit.",
        field: |memory| &mut memory.limit_ratio,
    }];
}
