//! One hash over everything below the watched directories: names and contents, in the order of names. The kubelet
//! keeps what it swaps in entries that begin with `..`; they are passed over, and links into them are followed, so
//! that a swap to the same content gives the same hash.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read as _, Result};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::BUFFER;
use super::digest::{Digest, Hasher};

/// What is found under a name.
enum Kind {
    File,
    Directory,
    /// Neither; only its name counts.
    Other,
    /// A link to nothing counts as no entry: the kubelet removes a link after what it points to, and that is one change.
    Missing,
}

/// A walk over some directories.
pub(super) struct Tree {
    except: Option<PathBuf>,
    hasher: Hasher,
    buffer: Vec<u8>,
}

impl Tree {
    /// Over directories in which the file `except` does not count.
    pub(super) fn new(except: Option<PathBuf>) -> Self {
        Self { except, hasher: Hasher::default(), buffer: vec![0; BUFFER] }
    }

    /// Adds a directory.
    pub(super) fn add(&mut self, directory: &Path) -> Result<()> {
        let real = directory.canonicalize()?;
        self.entry(b'r', directory.as_os_str().as_bytes(), None);
        self.walk(&real, &mut Vec::new())
    }

    /// The hash of all that was added.
    pub(super) fn finish(self) -> Digest {
        self.hasher.finish()
    }

    /// `above` holds the directories that this one is in, because links may lead back into them.
    fn walk(&mut self, directory: &Path, above: &mut Vec<(u64, u64)>) -> Result<()> {
        let metadata = std::fs::metadata(directory)?;
        let identity = (metadata.dev(), metadata.ino());
        if above.contains(&identity) {
            return Ok(());
        }
        above.push(identity);
        let mut names = Vec::new();
        for entry in std::fs::read_dir(directory)? {
            names.push(entry?.file_name());
        }
        names.sort_unstable();
        for name in names.iter().filter(|name| !name.as_bytes().starts_with(b"..")) {
            let path = directory.join(name);
            if self.except.as_ref() == Some(&path) {
                continue;
            }
            match kind(&path)? {
                Kind::Directory => {
                    self.entry(b'd', name.as_bytes(), None);
                    self.walk(&path, above)?;
                    self.entry(b'u', b"", None);
                }
                Kind::File => {
                    if let Some(content) = self.file(&path)? {
                        self.entry(b'f', name.as_bytes(), Some(content));
                    }
                }
                Kind::Missing => {}
                Kind::Other => self.entry(b'o', name.as_bytes(), None),
            }
        }
        above.pop();
        Ok(())
    }

    /// Nothing, if it was removed since its name was read.
    fn file(&mut self, path: &Path) -> Result<Option<Digest>> {
        let mut file = match File::open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut hasher = Hasher::default();
        loop {
            match file.read(&mut self.buffer)? {
                0 => return Ok(Some(hasher.finish())),
                length => hasher.update(&self.buffer[..length]),
            }
        }
    }

    /// Lengths come first, so that no two trees look alike.
    fn entry(&mut self, kind: u8, name: &[u8], content: Option<Digest>) {
        self.hasher.update(&[kind]);
        self.hasher.update(&(name.len() as u64).to_le_bytes());
        self.hasher.update(name);
        if let Some(content) = content {
            self.hasher.update(content.as_bytes());
        }
    }
}

fn kind(path: &Path) -> Result<Kind> {
    let of = |metadata: Metadata| {
        if metadata.is_dir() {
            Kind::Directory
        } else if metadata.is_file() {
            Kind::File
        } else {
            Kind::Other
        }
    };
    match std::fs::metadata(path) {
        Ok(metadata) => Ok(of(metadata)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Kind::Missing),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
