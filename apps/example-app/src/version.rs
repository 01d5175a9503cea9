//! The versions that this program can run as, and the data schema of each. All differences between versions are
//! defined here. Pure.

use std::fmt;
use std::str::FromStr;

/// The layout of the data of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Schema {
    /// The value and nothing else.
    Plain = 1,
    /// The value, and the revision that wrote it.
    WithRevision = 2,
    /// Also a checksum of the value, and an index by revision.
    WithChecksum = 3,
}

impl Schema {
    /// The number that is written into the data and shown to users.
    pub fn number(self) -> u64 {
        self as u64
    }

    /// The schema with this number.
    pub fn from_number(number: u64) -> Option<Self> {
        [Self::Plain, Self::WithRevision, Self::WithChecksum]
            .into_iter()
            .find(|schema| schema.number() == number)
    }

    /// The version that introduced it, for error messages.
    pub fn version(self) -> Version {
        match self {
            Self::Plain => Version::V0_0_1,
            Self::WithRevision => Version::V0_0_2,
            Self::WithChecksum => Version::V0_1_0,
        }
    }
}

/// A version of the application. The last two are broken on purpose, for tests of upgrades.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// The first version.
    V0_0_1,
    /// Stores the revision that wrote an item.
    V0_0_2,
    /// Verifies a checksum on every read, and lists the items written after a revision.
    V0_1_0,
    /// Starts and works, and never becomes ready.
    V0_0_2NeverReady,
    /// Its migration stops halfway.
    V0_1_0MigrationFails,
}

impl Version {
    /// Every version.
    pub const ALL: [Self; 5] =
        [Self::V0_0_1, Self::V0_0_2, Self::V0_1_0, Self::V0_0_2NeverReady, Self::V0_1_0MigrationFails];

    /// The name in `spec.appVersion` and in image tags.
    pub fn name(self) -> &'static str {
        match self {
            Self::V0_0_1 => "0.0.1",
            Self::V0_0_2 => "0.0.2",
            Self::V0_1_0 => "0.1.0",
            Self::V0_0_2NeverReady => "0.0.2-never-ready",
            Self::V0_1_0MigrationFails => "0.1.0-migration-fails",
        }
    }

    /// The layout of its data.
    pub fn schema(self) -> Schema {
        match self {
            Self::V0_0_1 => Schema::Plain,
            Self::V0_0_2 | Self::V0_0_2NeverReady => Schema::WithRevision,
            Self::V0_1_0 | Self::V0_1_0MigrationFails => Schema::WithChecksum,
        }
    }

    /// Whether it ever becomes ready.
    pub fn becomes_ready(self) -> bool {
        self != Self::V0_0_2NeverReady
    }

    /// Whether a migration to it can succeed.
    pub fn migrates(self) -> bool {
        self != Self::V0_1_0MigrationFails
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for an unknown version.
#[derive(Debug, thiserror::Error)]
#[error("there is no version {0:?}; the versions are {names}", names = Version::ALL.map(Version::name).join(", "))]
pub struct UnknownVersion(String);

impl FromStr for Version {
    type Err = UnknownVersion;

    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        Self::ALL
            .into_iter()
            .find(|version| version.name() == text)
            .ok_or_else(|| UnknownVersion(text.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_parsed_back() {
        for version in Version::ALL {
            assert_eq!(version.name().parse::<Version>().unwrap(), version);
            assert_eq!(Schema::from_number(version.schema().number()), Some(version.schema()));
            assert_eq!(version.schema().version().schema(), version.schema());
        }
        assert_eq!(Schema::from_number(4), None);
    }

    #[test]
    fn the_error_for_an_unknown_version_lists_all_versions() {
        assert_eq!(
            "0.2.0".parse::<Version>().unwrap_err().to_string(),
            "there is no version \"0.2.0\"; the versions are 0.0.1, 0.0.2, 0.1.0, 0.0.2-never-ready, 0.1.0-migration-fails"
        );
    }
}
