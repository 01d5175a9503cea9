//! The configuration file as a stream, decompressed if it is gzip with any number of members. Its size is limited: a
//! megabyte of gzip can decompress to a gigabyte.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Error, ErrorKind, Read, Result};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::BUFFER;

const GZIP: [u8; 3] = [0x1f, 0x8b, 0x08];

/// The largest size of a configuration in bytes, decompressed, and after expansion. The operator has the same limit.
pub const LARGEST: u64 = 64 << 20;

/// A stream of decompressed bytes, up to the limit.
pub(super) struct Source {
    format: Format,
    bound: Bound,
}

enum Format {
    Plain(BufReader<File>),
    Gzip(Box<MultiGzDecoder<BufReader<File>>>),
}

impl Source {
    /// Opens a file, and detects gzip by its first bytes.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut file = BufReader::with_capacity(BUFFER, File::open(path)?);
        let format = if file.fill_buf()?.starts_with(&GZIP) {
            Format::Gzip(Box::new(MultiGzDecoder::new(file)))
        } else {
            Format::Plain(file)
        };
        Ok(Self { format, bound: Bound::default() })
    }
}

/// Counts bytes, and fails when there are too many.
pub(super) struct Bound {
    remaining: u64,
}

impl Default for Bound {
    fn default() -> Self {
        Self { remaining: LARGEST }
    }
}

impl Bound {
    /// Counts `bytes` more.
    pub(super) fn count(&mut self, bytes: usize) -> Result<()> {
        let too_large = || {
            let limit = LARGEST >> 20;
            let text = format!("larger than {limit} MiB; the previous configuration stays in use");
            Error::new(ErrorKind::FileTooLarge, text)
        };
        self.remaining = self.remaining.checked_sub(bytes as u64).ok_or_else(too_large)?;
        Ok(())
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let length = match &mut self.format {
            Format::Plain(file) => file.read(buffer)?,
            Format::Gzip(decoder) => decoder.read(buffer)?,
        };
        self.bound.count(length)?;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn member(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn read(bytes: &[u8]) -> Result<Vec<u8>> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("config");
        std::fs::write(&path, bytes)?;
        let mut text = Vec::new();
        Source::open(&path)?.read_to_end(&mut text)?;
        Ok(text)
    }

    #[test]
    fn plain_and_compressed_files_are_read_as_the_same_text() {
        let text = b"global:\n  scrape_interval: 30s\n".repeat(10_000);
        assert_eq!(read(&text).unwrap(), text);
        assert_eq!(read(&member(&text)).unwrap(), text);
    }

    #[test]
    fn gzip_members_are_concatenated() {
        let texts: Vec<Vec<u8>> = (0..300).map(|n| format!("job {n}\n").repeat(n).into_bytes()).collect();
        let compressed: Vec<u8> = texts.iter().flat_map(|text| member(text)).collect();
        assert_eq!(read(&compressed).unwrap(), texts.concat());
    }

    #[test]
    fn a_file_that_is_too_large_is_an_error() {
        let member = member(&vec![0; 1 << 20]);
        let largest = member.repeat(64);
        assert_eq!(read(&largest).unwrap().len() as u64, LARGEST);
        let error = read(&[largest, member].concat()).unwrap_err();
        assert_eq!(error.to_string(), "larger than 64 MiB; the previous configuration stays in use");
    }

    #[test]
    fn short_files_are_plain() {
        for text in [&b""[..], b"a", b"\x1f\x8b"] {
            assert_eq!(read(text).unwrap(), text);
        }
    }

    #[test]
    fn a_truncated_file_is_an_error() {
        let compressed = member(&b"text".repeat(1000));
        assert!(read(&compressed[..compressed.len() - 9]).is_err());
    }
}
