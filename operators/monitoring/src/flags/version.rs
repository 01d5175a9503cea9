//! Whether only the version is asked for.

use crate::flags::flag::{Fields, Flag};

/// Whether only the version is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Version {
    /// With all that is known about the build.
    pub full: bool,
    /// Only the number; it wins over [`Version::full`].
    pub short: bool,
}

impl Fields for Version {
    const TITLE: &'static str = "Version";
    const FLAGS: &'static [Flag<Self>] = &[
        Flag {
            name: "version",
            help: "Print the version and how the program was built, and end.",
            field: |version| &mut version.full,
        },
        Flag {
            name: "short-version",
            help: "Print the number of the version, and end.",
            field: |version| &mut version.short,
        },
    ];
}
