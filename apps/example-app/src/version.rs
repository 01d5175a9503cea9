//! The versions this program can be, and the data schema of each. One table: everything that differs between
//! versions is asked of it. Pure.

use std::fmt;
use std::str::FromStr;

/// How the data of a version is laid out.
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
    /// The number written into the data and told to users.
    pub fn number(self) -> u64 {
        self as u64
    }

    /// The schema with this number.
    pub fn from_number(number: u64) -> Option<Self> {
        [Self::Plain, Self::WithRevision, Self::WithChecksum]
            .into_iter()
            .find(|schema| schema.number() == number)
    }

    /// The version that introduced it, for advice.
    pub fn version(self) -> Version {
        match self {
            Self::Plain => Version::V0_0_1,
            Self::WithRevision => Version::V0_0_2,
            Self::WithChecksum => Version::V0_1_0,
        }
    }
}

/// A version of the application. The last two are broken on purpose, for tests of whoever upgrades it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// The first.
    V0_0_1,
    /// Remembers which revision wrote an item.
    V0_0_2,
    /// Checks every value it reads and lists what changed.
    V0_1_0,
    /// Starts, works, and never says that it is ready.
    V0_0_2NeverReady,
    /// Its migration stops halfway.
    V0_1_0MigrationFails,
}

impl Version {
    /// Every version.
    pub const ALL: [Self; 5] =
        [Self::V0_0_1, Self::V0_0_2, Self::V0_1_0, Self::V0_0_2NeverReady, Self::V0_1_0MigrationFails];

    /// As it is written in `spec.appVersion` and in image tags.
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

    /// Whether it may ever say that it is ready.
    pub fn gets_ready(self) -> bool {
        self != Self::V0_0_2NeverReady
    }

    /// Whether a migration to it can end well.
    pub fn migrates(self) -> bool {
        self != Self::V0_1_0MigrationFails
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No such version.
#[derive(Debug, thiserror::Error)]
#[error("there is no version {0:?}; there are {names}", names = Version::ALL.map(Version::name).join(", "))]
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
    fn names_and_numbers_are_read_back() {
        for version in Version::ALL {
            assert_eq!(version.name().parse::<Version>().unwrap(), version);
            assert_eq!(Schema::from_number(version.schema().number()), Some(version.schema()));
            assert_eq!(version.schema().version().schema(), version.schema());
        }
        assert_eq!(Schema::from_number(4), None);
    }

    #[test]
    fn an_unknown_version_is_told_which_there_are() {
        assert_eq!(
            "0.2.0".parse::<Version>().unwrap_err().to_string(),
            "there is no version \"0.2.0\"; there are 0.0.1, 0.0.2, 0.1.0, 0.0.2-never-ready, 0.1.0-migration-fails"
        );
    }
}
