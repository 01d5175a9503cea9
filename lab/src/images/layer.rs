//! File system layers of an image: uncompressed tar archives whose entries are sorted and have no time stamps, so that
//! the same files always give the same digest. Images share layers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use tar::{Builder, EntryType, Header};

/// One layer, from the paths in the image (without the leading slash) to what is there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Layer {
    entries: BTreeMap<String, Entry>,
    /// Directories of the layer below. Naming one again would change its mode and owner.
    below: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry {
    Directory { mode: u32, owner: u64 },
    File { content: Content, mode: u32 },
    Link { target: String },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    Bytes(Vec<u8>),
    /// Copied when the layer is written: programs are large.
    Path(PathBuf),
}

impl Layer {
    /// An empty layer on top of another.
    pub(super) fn on(below: &Self) -> Self {
        let is_directory = |entry: &Entry| matches!(entry, Entry::Directory { .. });
        let directories = below.entries.iter().filter(|(_, entry)| is_directory(entry));
        Self { entries: BTreeMap::new(), below: directories.map(|(path, _)| path.clone()).collect() }
    }

    /// Whether there is nothing in it.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a small file that all users may read.
    pub(super) fn text(&mut self, path: &str, bytes: Vec<u8>) {
        self.insert(path, Entry::File { content: Content::Bytes(bytes), mode: 0o644 });
    }

    /// Adds a copy of a file that all users may execute.
    pub(super) fn file(&mut self, path: &str, source: PathBuf) {
        self.insert(path, Entry::File { content: Content::Path(source), mode: 0o755 });
    }

    /// Adds a symbolic link.
    pub(super) fn link(&mut self, path: &str, target: &str) {
        self.insert(path, Entry::Link { target: target.into() });
    }

    /// Adds a directory.
    pub(super) fn directory(&mut self, path: &str, mode: u32, owner: u64) {
        self.insert(path, Entry::Directory { mode, owner });
    }

    fn insert(&mut self, path: &str, entry: Entry) {
        let path = path.trim_matches('/');
        for (end, _) in path.match_indices('/') {
            let parent = &path[..end];
            if !self.below.contains(parent) {
                self.entries.entry(parent.into()).or_insert(Entry::Directory { mode: 0o755, owner: 0 });
            }
        }
        self.entries.insert(path.into(), entry);
    }

    /// Writes the archive.
    pub(super) fn write(&self, output: impl Write) -> Result<()> {
        let mut archive = Builder::new(output);
        // The path of a parent is a prefix of the paths of its children, so it is sorted first.
        for (path, entry) in &self.entries {
            append(&mut archive, path, entry).with_context(|| format!("cannot add /{path} to a layer"))?;
        }
        archive.into_inner()?.flush()?;
        Ok(())
    }
}

fn append(archive: &mut Builder<impl Write>, path: &str, entry: &Entry) -> Result<()> {
    match entry {
        Entry::Directory { mode, owner } => {
            let mut header = header(EntryType::Directory, *mode);
            header.set_uid(*owner);
            header.set_gid(*owner);
            archive.append_data(&mut header, format!("{path}/"), io::empty())?;
        }
        Entry::Link { target } => {
            archive.append_link(&mut header(EntryType::Symlink, 0o777), path, target)?;
        }
        Entry::File { content: Content::Bytes(bytes), mode } => {
            let mut header = header(EntryType::Regular, *mode);
            header.set_size(bytes.len() as u64);
            archive.append_data(&mut header, path, bytes.as_slice())?;
        }
        Entry::File { content: Content::Path(source), mode } => {
            let file = File::open(source).with_context(|| format!("cannot open {}", source.display()))?;
            let mut header = header(EntryType::Regular, *mode);
            header.set_size(file.metadata()?.len());
            archive.append_data(&mut header, path, file)?;
        }
    }
    Ok(())
}

fn header(kind: EntryType, mode: u32) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(0);
    header
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Read;

    use super::*;
    use crate::images::contents::{base, libraries, program};
    use crate::versions::Directory;

    fn bytes(layer: &Layer) -> Vec<u8> {
        let mut bytes = Vec::new();
        layer.write(&mut bytes).unwrap();
        bytes
    }

    /// One line per entry: kind, mode, owner, path, and the target of a link.
    pub(in crate::images) fn listing(layer: &Layer) -> Vec<String> {
        let archive = bytes(layer);
        let mut archive = tar::Archive::new(archive.as_slice());
        let show = |entry: io::Result<tar::Entry<'_, &[u8]>>| {
            let entry = entry.unwrap();
            let header = entry.header();
            assert_eq!((header.mtime().unwrap(), header.uid().unwrap()), (0, header.gid().unwrap()));
            let kind = char::from(header.entry_type().as_byte());
            let (mode, owner) = (header.mode().unwrap(), header.uid().unwrap());
            let target = entry.link_name().unwrap().map(|target| format!(" -> {}", target.display()));
            let path = String::from_utf8(entry.path_bytes().into_owned()).unwrap();
            format!("{kind} {mode:o} {owner} {path}{}", target.unwrap_or_default())
        };
        archive.entries().unwrap().map(show).collect()
    }

    /// A directory with files of these names, each holding its own name.
    pub(in crate::images) fn files(names: &[&str]) -> (tempfile::TempDir, Vec<(String, PathBuf)>) {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &&str| {
            let path = directory.path().join(name);
            std::fs::write(&path, name).unwrap();
            ((*name).to_owned(), path)
        };
        let files = names.iter().map(write).collect();
        (directory, files)
    }

    #[test]
    fn a_file_with_a_long_path_is_complete() {
        let (_directory, mut files) = files(&["tool"]);
        let long = format!("opt/{}tool", "deep/".repeat(40));
        files[0].0.clone_from(&long);
        let archive = bytes(&program(&Layer::default(), files, &[]));
        let mut archive = tar::Archive::new(archive.as_slice());
        let mut entries = archive.entries().unwrap().map(Result::unwrap);
        let mut entry = entries.find(|entry| entry.header().entry_type() == EntryType::Regular).unwrap();
        let mut content = String::new();
        entry.read_to_string(&mut content).unwrap();
        assert_eq!(entry.path().unwrap().to_string_lossy(), long);
        assert_eq!(content, "tool");
    }

    #[test]
    fn the_order_and_the_times_of_files_do_not_change_the_bytes() {
        let names = ["etcd", "etcdctl", "etcdutl", "a", "b"];
        let directories = [("/var/lib/etcd", 0o700), ("/data", 0o755)].map(|(path, mode)| Directory {
            path: path.into(),
            mode,
            owner: 7,
        });
        let mut seen = BTreeSet::new();
        for turn in 0..names.len() {
            let mut names = names;
            names.rotate_left(turn);
            let (_directory, files) = files(&names);
            let long_ago =
                std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(turn as u64 * 1000);
            for (_, path) in &files {
                File::options().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
            }
            let mut directories = directories.clone();
            directories.rotate_left(turn % 2);
            let base = base(b"certificates".to_vec());
            seen.insert((
                bytes(&program(&base, files.clone(), &directories)),
                bytes(&libraries(&base, files)),
            ));
        }
        assert_eq!(seen.len(), 1);
    }

    #[test]
    fn a_missing_file_is_named_in_the_error() {
        let error = program(&Layer::default(), [("/bin/tool".into(), "/no/such/tool".into())], &[])
            .write(Vec::new())
            .unwrap_err();
        assert_eq!(format!("{error}"), "cannot add /bin/tool to a layer");
    }
}
