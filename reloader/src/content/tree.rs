//! One hash of everything in the watched directories: names and contents, in the order of names. The kubelet stores the
//! files of a volume in entries that start with `..` and replaces these. They are ignored, and links into them are
//! followed, so that a replacement with the same content gives the same hash.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read as _, Result};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::BUFFER;
use super::digest::{Digest, Hasher};

/// What a name refers to.
enum EntryType {
    File,
    Directory,
    /// Neither; only its name is hashed.
    Other,
    /// A dangling link, which is ignored: the kubelet removes a link after its target, and that is one change, not two.
    Missing,
}

/// Hashes directories.
pub(super) struct Tree {
    except: Option<PathBuf>,
    hasher: Hasher,
    buffer: Vec<u8>,
}

impl Tree {
    /// Ignores the file `except`.
    pub(super) fn new(except: Option<PathBuf>) -> Self {
        Self { except, hasher: Hasher::default(), buffer: vec![0; BUFFER] }
    }

    /// Adds a directory.
    pub(super) fn add(&mut self, directory: &Path) -> Result<()> {
        let real = directory.canonicalize()?;
        self.entry(b'r', directory.as_os_str().as_bytes(), None);
        self.walk(&real, &mut Vec::new())
    }

    /// The hash of all directories.
    pub(super) fn finish(self) -> Digest {
        self.hasher.finish()
    }

    /// `above` are the directories that contain this one: links can lead back to them.
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
            match entry_type(&path)? {
                EntryType::Directory => {
                    self.entry(b'd', name.as_bytes(), None);
                    self.walk(&path, above)?;
                    self.entry(b'u', b"", None);
                }
                EntryType::File => {
                    if let Some(content) = self.file(&path)? {
                        self.entry(b'f', name.as_bytes(), Some(content));
                    }
                }
                EntryType::Missing => {}
                EntryType::Other => self.entry(b'o', name.as_bytes(), None),
            }
        }
        above.pop();
        Ok(())
    }

    /// `None` if the file was removed since the directory was read.
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

    /// The length comes first, so that different trees are hashed as different bytes.
    fn entry(&mut self, tag: u8, name: &[u8], content: Option<Digest>) {
        self.hasher.update(&[tag]);
        self.hasher.update(&(name.len() as u64).to_le_bytes());
        self.hasher.update(name);
        if let Some(content) = content {
            self.hasher.update(content.as_bytes());
        }
    }
}

fn entry_type(path: &Path) -> Result<EntryType> {
    let of = |metadata: Metadata| {
        if metadata.is_dir() {
            EntryType::Directory
        } else if metadata.is_file() {
            EntryType::File
        } else {
            EntryType::Other
        }
    };
    match std::fs::metadata(path) {
        Ok(metadata) => Ok(of(metadata)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(EntryType::Missing),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
