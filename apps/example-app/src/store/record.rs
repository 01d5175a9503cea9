//! The stored form of an item in each schema. Pure. What a schema cannot store is omitted.

use sha2::{Digest, Sha256};

use crate::version::Schema;

/// The value of an item, and its revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The bytes that the client wrote.
    pub value: Vec<u8>,
    /// The revision that wrote it; 0 if it was written by a version that does not store it.
    pub written_at: u64,
}

/// Stored bytes that are too short for the schema, or whose checksum is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the stored bytes are damaged: {0}")]
pub struct Damaged(&'static str);

/// The checksum of a value.
pub fn checksum(value: &[u8]) -> [u8; 32] {
    Sha256::digest(value).into()
}

/// Encodes a record for a schema.
pub fn encode(schema: Schema, record: &Record) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(record.value.len() + 40);
    if schema >= Schema::WithRevision {
        bytes.extend(record.written_at.to_be_bytes());
    }
    if schema >= Schema::WithChecksum {
        bytes.extend(checksum(&record.value));
    }
    bytes.extend(&record.value);
    bytes
}

/// Decodes a record of a schema.
pub fn decode(schema: Schema, bytes: &[u8]) -> Result<Record, Damaged> {
    let (mut written_at, mut rest) = (0, bytes);
    if schema >= Schema::WithRevision {
        let (revision, after) = rest.split_first_chunk().ok_or(Damaged("too short for a revision"))?;
        written_at = u64::from_be_bytes(*revision);
        rest = after;
    }
    if schema >= Schema::WithChecksum {
        let (expected, after) = rest.split_first_chunk::<32>().ok_or(Damaged("too short for a checksum"))?;
        if *expected != checksum(after) {
            return Err(Damaged("the checksum does not match"));
        }
        rest = after;
    }
    Ok(Record { value: rest.to_vec(), written_at })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_encoded_record_is_decoded(value: Vec<u8>, written_at: u64) {
            let record = Record { value, written_at };
            for schema in [Schema::WithRevision, Schema::WithChecksum] {
                prop_assert_eq!(decode(schema, &encode(schema, &record)), Ok(record.clone()));
            }
            let plain = decode(Schema::Plain, &encode(Schema::Plain, &record));
            prop_assert_eq!(plain, Ok(Record { written_at: 0, ..record }));
        }

        #[test]
        fn the_last_schema_detects_any_flipped_bit_of_a_value(value in prop::collection::vec(any::<u8>(), 1..64), bit: usize) {
            let mut bytes = encode(Schema::WithChecksum, &Record { value, written_at: 7 });
            let bits = (bytes.len() - 8) * 8;
            let position = 64 + bit % bits;
            bytes[position / 8] ^= 1 << (position % 8);
            prop_assert_eq!(decode(Schema::WithChecksum, &bytes), Err(Damaged("the checksum does not match")));
        }
    }
}
