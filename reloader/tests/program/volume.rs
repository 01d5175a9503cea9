//! A directory that is updated as the kubelet updates the volume of a Secret.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

/// The directory of a volume.
pub(crate) struct Volume {
    path: PathBuf,
    swaps: u32,
}

impl Volume {
    /// Creates an empty directory.
    pub(crate) fn new(path: PathBuf) -> Self {
        fs::create_dir_all(&path).unwrap();
        Self { path, swaps: 0 }
    }

    /// The path of the directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Replaces all files at once.
    pub(crate) fn swap(&mut self, files: &[(&str, &[u8])]) {
        self.swaps += 1;
        let old = fs::read_link(self.path.join("..data")).ok();
        let stamp = format!("..2026_01_01_00_00_00.{:09}", self.swaps);
        fs::create_dir(self.path.join(&stamp)).unwrap();
        for (name, bytes) in files {
            fs::write(self.path.join(&stamp).join(name), bytes).unwrap();
        }
        symlink(&stamp, self.path.join("..data_tmp")).unwrap();
        fs::rename(self.path.join("..data_tmp"), self.path.join("..data")).unwrap();
        for (name, _) in files {
            // Fails if the link exists from an earlier swap.
            let _ = symlink(Path::new("..data").join(name), self.path.join(name));
        }
        if let Some(old) = old {
            fs::remove_dir_all(self.path.join(old)).unwrap();
        }
    }
}

/// Compresses a text.
pub(crate) fn gzip(text: &str, level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}
