//! The output file. It is compared with the expanded configuration, and written only if it differs: to a temporary file
//! that is then renamed, so that a reader sees either the complete old content or the complete new one. The new content
//! is made from the configuration only, never from the old content, because another process may be writing to that.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, BufWriter, ErrorKind, Result, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::BUFFER;

/// The existing output file, compared with the expected content while it is read.
pub(super) struct Existing {
    file: BufReader<File>,
    differs: bool,
}

impl Existing {
    /// Opens the file, if it exists.
    pub(super) fn open(path: &Path) -> Result<Option<Self>> {
        match File::open(path) {
            Ok(file) => Ok(Some(Self { file: BufReader::with_capacity(BUFFER, file), differs: false })),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Compares the next bytes with the file.
    pub(super) fn compare(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !self.differs && !bytes.is_empty() {
            let existing = self.file.fill_buf()?;
            let length = existing.len().min(bytes.len());
            self.differs = length == 0 || existing[..length] != bytes[..length];
            self.file.consume(length);
            bytes = &bytes[length..];
        }
        Ok(())
    }

    /// Whether a difference was found.
    pub(super) fn differs(&self) -> bool {
        self.differs
    }

    /// Returns whether the file has exactly the bytes that it was compared with.
    pub(super) fn finish(mut self) -> Result<bool> {
        Ok(!self.differs && self.file.fill_buf()?.is_empty())
    }
}

/// The temporary file with the new content.
pub(super) struct Draft {
    path: PathBuf,
    temporary: PathBuf,
    file: BufWriter<File>,
    finished: bool,
}

impl Draft {
    /// Creates an empty temporary file.
    pub(super) fn create(path: &Path) -> Result<Self> {
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(".tmp");
        let temporary = PathBuf::from(temporary);
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o644).open(&temporary)?;
        let file = BufWriter::with_capacity(BUFFER, file);
        Ok(Self { path: path.into(), temporary, file, finished: false })
    }

    /// Appends bytes.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes)
    }

    /// Replaces the output file.
    pub(super) fn finish(mut self) -> Result<()> {
        self.file.flush()?;
        std::fs::rename(&self.temporary, &self.path)?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.finished {
            // If this fails, the next pass overwrites the file.
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_file_is_equal_to_the_pieces_or_differs(
            existing_bytes in prop::collection::vec(0..3_u8, 0..8),
            pieces in prop::collection::vec(prop::collection::vec(0..3_u8, 0..4), 0..4),
        ) {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("out.yaml");
            std::fs::write(&path, &existing_bytes).unwrap();
            let mut existing = Existing::open(&path).unwrap().unwrap();
            for piece in &pieces {
                existing.compare(piece).unwrap();
            }
            prop_assert!(!existing.differs() || existing_bytes != pieces.concat());
            prop_assert_eq!(existing.finish().unwrap(), existing_bytes == pieces.concat());
        }
    }

    #[test]
    fn a_difference_at_the_end_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out.yaml");
        assert!(Existing::open(&path).unwrap().is_none());
        let beginning = b"0123456789abcdef".repeat(20_000);
        std::fs::write(&path, [&beginning[..], b"old"].concat()).unwrap();
        for (end, same) in [(&b"old"[..], true), (b"new", false), (b"ol", false), (b"older", false)] {
            let mut existing = Existing::open(&path).unwrap().unwrap();
            existing.compare(&beginning).unwrap();
            assert!(!existing.differs());
            existing.compare(end).unwrap();
            assert_eq!(existing.finish().unwrap(), same);
        }
    }

    #[test]
    fn only_a_finished_draft_replaces_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out.yaml");
        for (text, finish) in [("first", true), ("second", false), ("third", true)] {
            let before = std::fs::read_to_string(&path).unwrap_or_default();
            let mut draft = Draft::create(&path).unwrap();
            draft.write(text.as_bytes()).unwrap();
            if finish {
                draft.finish().unwrap();
            } else {
                drop(draft);
            }
            let expected = if finish { text } else { &before };
            assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
            assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o644);
            assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
        }
    }
}
