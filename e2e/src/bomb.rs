//! A small file that unpacks to much: what an attacker would put where something is decompressed.

use std::io::Write as _;

use anyhow::Result;
use flate2::Compression;
use flate2::write::GzEncoder;

/// How many mebibytes of zeros it holds.
const MEBIBYTES: usize = 700;

/// A gzip file of under a megabyte that unpacks to 700 MiB.
pub fn gzip() -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![0; 1 << 20])?;
    // A file may have any number of members.
    Ok(encoder.finish()?.repeat(MEBIBYTES))
}
