//! The configuration file as a stream: decompressed if it begins like gzip, with as many members as there are.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read, Result};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::BUFFER;

const GZIP: [u8; 3] = [0x1f, 0x8b, 0x08];

/// A stream of plain bytes.
pub(super) enum Source {
    Plain(BufReader<File>),
    Gzip(Box<MultiGzDecoder<BufReader<File>>>),
}

impl Source {
    /// Opens a file and looks at how it begins.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut file = BufReader::with_capacity(BUFFER, File::open(path)?);
        Ok(if file.fill_buf()?.starts_with(&GZIP) {
            Self::Gzip(Box::new(MultiGzDecoder::new(file)))
        } else {
            Self::Plain(file)
        })
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        match self {
            Self::Plain(file) => file.read(buffer),
            Self::Gzip(decoder) => decoder.read(buffer),
        }
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
    fn plain_and_compressed_files_give_the_same_text() {
        let text = b"global:\n  scrape_interval: 30s\n".repeat(10_000);
        assert_eq!(read(&text).unwrap(), text);
        assert_eq!(read(&member(&text)).unwrap(), text);
    }

    #[test]
    fn members_follow_each_other() {
        let texts: Vec<Vec<u8>> = (0..300).map(|n| format!("job {n}\n").repeat(n).into_bytes()).collect();
        let compressed: Vec<u8> = texts.iter().flat_map(|text| member(text)).collect();
        assert_eq!(read(&compressed).unwrap(), texts.concat());
    }

    #[test]
    fn short_files_are_plain() {
        for text in [&b""[..], b"a", b"\x1f\x8b"] {
            assert_eq!(read(text).unwrap(), text);
        }
    }

    #[test]
    fn a_file_that_was_cut_off_is_an_error() {
        let compressed = member(&b"text".repeat(1000));
        assert!(read(&compressed[..compressed.len() - 9]).is_err());
    }
}
