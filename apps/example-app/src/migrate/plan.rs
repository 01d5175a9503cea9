//! What a migration may do, decided before it changes anything. Pure.

use crate::version::{Schema, Version};

/// Free bytes needed besides twice the size of the data: an empty store file has a size, too.
const RESERVE: u64 = 8 << 20;

/// Why a migration is not allowed, and what is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// More than one step.
    #[error("from schema {from} to version {to} is more than one step; migrate to {first} first", from = from.number())]
    TooFar {
        /// The schema of the data.
        from: Schema,
        /// The requested version.
        to: Version,
        /// The version in between.
        first: Version,
    },
    /// To an older version.
    #[error("the data has schema {from}, which is newer than that of version {to}; go back with `migrate --back --to {to}`", from = from.number())]
    Downgrade {
        /// The schema of the data.
        from: Schema,
        /// The requested version.
        to: Version,
    },
    /// The previous data were not kept.
    #[error(
        "there is nothing to go back to: the data has schema {schema}, and none of version {to} was kept"
    )]
    NothingToGoBackTo {
        /// The requested version.
        to: Version,
        /// The schema of the data.
        schema: u64,
    },
    /// The previous data belong to another version.
    #[error("the previous data belong to version {before}, not to {to}; use `--back --to {before}`")]
    OtherPrevious {
        /// The requested version.
        to: Version,
        /// The version of the previous data.
        before: Version,
    },
    /// The volume does not have enough free space.
    #[error(
        "a copy may need {needed} bytes and {free} are free; make the volume larger, or run `migrate --discard`"
    )]
    NoSpace {
        /// The bytes that the copy may need.
        needed: u64,
        /// The free bytes.
        free: u64,
    },
}

/// Allows only the next schema.
pub(super) fn one_step_ahead(from: Schema, to: Version) -> Result<(), Refusal> {
    let next = Schema::from_number(from.number() + 1);
    if to.schema() < from {
        Err(Refusal::Downgrade { from, to })
    } else if let Some(next) = next.filter(|next| *next != to.schema()) {
        Err(Refusal::TooFar { from, to, first: next.version() })
    } else {
        Ok(())
    }
}

/// Allows going back only to the version that the user expects.
pub(super) fn previous_has(schema: Schema, to: Option<Version>) -> Result<(), Refusal> {
    match to {
        Some(to) if to.schema() != schema => Err(Refusal::OtherPrevious { to, before: schema.version() }),
        _ => Ok(()),
    }
}

/// Allows a copy only if it certainly fits.
pub(super) fn enough_space(size: u64, free: u64) -> Result<(), Refusal> {
    let needed = size.saturating_mul(2).saturating_add(RESERVE);
    if free < needed { Err(Refusal::NoSpace { needed, free }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_next_schema_is_allowed() {
        use Schema::{Plain, WithChecksum, WithRevision};
        assert_eq!(one_step_ahead(Plain, Version::V0_0_2), Ok(()));
        assert_eq!(one_step_ahead(Plain, Version::V0_0_2NeverReady), Ok(()));
        assert_eq!(one_step_ahead(WithRevision, Version::V0_1_0), Ok(()));
        assert_eq!(
            one_step_ahead(Plain, Version::V0_1_0).unwrap_err().to_string(),
            "from schema 1 to version 0.1.0 is more than one step; migrate to 0.0.2 first"
        );
        assert_eq!(
            one_step_ahead(WithChecksum, Version::V0_0_2).unwrap_err().to_string(),
            "the data has schema 3, which is newer than that of version 0.0.2; go back with `migrate --back --to 0.0.2`"
        );
    }

    #[test]
    fn a_copy_needs_enough_free_space() {
        assert_eq!(enough_space(100, RESERVE + 200), Ok(()));
        let refusal = Refusal::NoSpace { needed: RESERVE + 200, free: RESERVE + 199 };
        assert_eq!(enough_space(100, RESERVE + 199), Err(refusal));
    }
}
