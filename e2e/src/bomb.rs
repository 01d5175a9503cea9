//! A decompression bomb: a small file that decompresses to a large one.

use std::io::Write as _;

use anyhow::Result;
use flate2::Compression;
use flate2::write::GzEncoder;

/// How many mebibytes of zeros it contains.
const MEBIBYTES: usize = 700;

/// A gzip file of less than a megabyte that decompresses to 700 MiB.
pub fn gzip() -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![0; 1 << 20])?;
    // A gzip file may have any number of members.
    Ok(encoder.finish()?.repeat(MEBIBYTES))
}
