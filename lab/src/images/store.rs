//! The images on disk: blobs by digest, names that refer to manifests, and for each image a stamp of its inputs.
//! Builders write while they hold the lock; the registry reads without it, so every file is written atomically.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest as _, Sha256};

use super::layer::Layer;
use super::manifest::{Configuration, Descriptor, Manifest, to_bytes};
use super::reference::{Digest, Reference};
use crate::paths::{Cache, write_atomically};
use crate::versions::ImageContent;

/// The largest manifest that registries accept. A larger blob is not a manifest.
const LARGEST_MANIFEST: u64 = 4 << 20;

/// The images of a cache.
#[derive(Debug, Clone)]
pub struct Store {
    directory: PathBuf,
}

impl Store {
    /// The images of this cache.
    pub fn new(cache: &Cache) -> Self {
        Self { directory: cache.images() }
    }

    /// The path of a blob.
    pub(super) fn blob(&self, digest: &Digest) -> PathBuf {
        self.blobs().join(digest.digits())
    }

    fn blobs(&self) -> PathBuf {
        self.directory.join("blobs")
    }

    fn names(&self) -> PathBuf {
        self.directory.join("refs")
    }

    fn stamp_path(&self, image: &str) -> PathBuf {
        self.directory.join("stamps").join(image)
    }

    /// Locks the store against other builders until the returned file is dropped.
    pub(super) fn lock(&self) -> Result<File> {
        std::fs::create_dir_all(self.blobs())?;
        let path = self.directory.join("lock");
        let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
        file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
        Ok(file)
    }

    /// Writes a layer as a blob, without holding it in memory.
    pub(super) fn add_layer(&self, layer: &Layer) -> Result<Descriptor> {
        std::fs::create_dir_all(self.blobs())?;
        let draft = self.blobs().join(format!("draft-{}", std::process::id()));
        let file = File::create(&draft).with_context(|| format!("cannot create {}", draft.display()))?;
        let mut output = Hashed { inner: file, hasher: Sha256::new(), size: 0 };
        layer.write(BufWriter::with_capacity(1 << 18, &mut output))?;
        let (digest, size) = (Digest::finish(output.hasher), output.size);
        let blob = self.blob(&digest);
        std::fs::rename(&draft, &blob).with_context(|| format!("cannot put {} in place", blob.display()))?;
        Ok(Descriptor::of_layer(digest, size))
    }

    /// Creates an image from layers. Its names are written last.
    pub(super) fn publish(&self, content: &ImageContent, layers: Vec<Descriptor>) -> Result<Manifest> {
        let configuration = to_bytes(&Configuration::new(content, &layers));
        let manifest = Manifest::new(Descriptor::of_configuration(&configuration), layers);
        self.add_document(&configuration)?;
        let digest = self.add_document(&to_bytes(&manifest))?;
        for name in &content.names {
            write_atomically(&self.name_path(&Reference::parse(name)?), digest.to_string())?;
        }
        Ok(manifest)
    }

    fn add_document(&self, bytes: &[u8]) -> Result<Digest> {
        let digest = Digest::of(bytes);
        write_atomically(&self.blob(&digest), bytes)?;
        Ok(digest)
    }

    fn name_path(&self, reference: &Reference) -> PathBuf {
        self.names().join(reference.to_string())
    }

    /// The manifest that a name refers to.
    pub(super) fn resolve(&self, reference: &Reference) -> Option<Digest> {
        read_digest(&self.name_path(reference))
    }

    /// The bytes of a manifest; `None` for other blobs.
    pub(super) fn manifest_bytes(&self, digest: &Digest) -> Option<(Vec<u8>, Manifest)> {
        let path = self.blob(digest);
        if std::fs::metadata(&path).ok()?.len() > LARGEST_MANIFEST {
            return None;
        }
        let bytes = std::fs::read(&path).ok()?;
        let manifest = serde_json::from_slice(&bytes).ok()?;
        Some((bytes, manifest))
    }

    /// The image of a name, if all its blobs are complete. After a power failure a blob may be truncated.
    pub(super) fn complete_image(&self, reference: &Reference) -> Option<Manifest> {
        let (_, manifest) = self.manifest_bytes(&self.resolve(reference)?)?;
        let is_whole = |blob: &Descriptor| {
            std::fs::metadata(self.blob(&blob.digest)).is_ok_and(|found| found.len() == blob.size)
        };
        let complete = manifest.blobs().all(is_whole);
        complete.then_some(manifest)
    }

    /// The stamp of the last build of an image.
    pub(super) fn stamp(&self, image: &str) -> Option<String> {
        std::fs::read_to_string(self.stamp_path(image)).ok()
    }

    /// Stores the stamp of an image.
    pub(super) fn set_stamp(&self, image: &str, stamp: &str) -> Result<()> {
        write_atomically(&self.stamp_path(image), stamp)
    }

    /// Removes the blobs that no name refers to: each build of our own binaries leaves a large one behind. The caller
    /// holds the lock and has no unpublished layer.
    pub(super) fn prune(&self) -> Result<()> {
        let mut used = BTreeSet::new();
        for digest in named(&self.names())? {
            if let Some((_, manifest)) = self.manifest_bytes(&digest) {
                used.extend(manifest.blobs().map(|blob| blob.digest.digits().to_owned()));
            }
            used.insert(digest.digits().to_owned());
        }
        for entry in std::fs::read_dir(self.blobs())? {
            let entry = entry?;
            if !used.contains(&*entry.file_name().to_string_lossy()) {
                std::fs::remove_file(entry.path())
                    .with_context(|| format!("cannot remove {}", entry.path().display()))?;
            }
        }
        Ok(())
    }
}

fn read_digest(path: &Path) -> Option<Digest> {
    Digest::parse(std::fs::read_to_string(path).ok()?.trim())
}

/// The digests that the names below a directory refer to.
fn named(directory: &Path) -> Result<Vec<Digest>> {
    let mut found = Vec::new();
    for entry in
        std::fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))?
    {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.extend(named(&entry.path())?);
        } else {
            found.extend(read_digest(&entry.path()));
        }
    }
    Ok(found)
}

/// A file that is hashed as it is written.
struct Hashed {
    inner: File,
    hasher: Sha256,
    size: u64,
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::images::contents;
    use crate::versions::Versions;

    /// A store with busybox in it, whose base layer holds this certificate.
    pub(in crate::images) fn with_busybox(directory: &Path, certificate: &str) -> (Store, Manifest) {
        let store = Store::new(&Cache::at(directory));
        let layer = store.add_layer(&contents::base(certificate.into())).unwrap();
        let content = Versions::built_in().select_images(&["busybox".into()]).unwrap().remove(0).content;
        let manifest = store.publish(&content, vec![layer]).unwrap();
        (store, manifest)
    }

    fn latest() -> Reference {
        Reference::parse("docker.io/library/busybox:latest").unwrap()
    }

    fn blobs(store: &Store) -> BTreeSet<String> {
        let name = |entry: io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        std::fs::read_dir(store.blobs()).unwrap().map(name).collect()
    }

    #[test]
    fn a_published_image_is_complete_under_each_of_its_names() {
        let directory = tempfile::tempdir().unwrap();
        let (store, manifest) = with_busybox(directory.path(), "one");
        assert_eq!(store.complete_image(&latest()), Some(manifest.clone()));
        let versioned = Reference::parse("docker.io/library/busybox:1.35.0").unwrap();
        assert_eq!(store.resolve(&versioned), store.resolve(&latest()));
        for blob in manifest.blobs() {
            assert_eq!(Digest::of_file(&store.blob(&blob.digest)).unwrap(), blob.digest);
        }
    }

    #[test]
    fn the_same_image_has_the_same_digest_in_every_store() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (one, _) = with_busybox(one.path(), "one");
        let (other, _) = with_busybox(other.path(), "one");
        assert_eq!(blobs(&one), blobs(&other));
        assert_eq!(one.resolve(&latest()), other.resolve(&latest()));
    }

    #[test]
    fn an_image_with_a_truncated_blob_is_incomplete() {
        let directory = tempfile::tempdir().unwrap();
        let (store, manifest) = with_busybox(directory.path(), "one");
        let layer = manifest.blobs().last().unwrap();
        File::options().write(true).open(store.blob(&layer.digest)).unwrap().set_len(layer.size - 1).unwrap();
        assert_eq!(store.complete_image(&latest()), None);
    }

    #[test]
    fn pruning_keeps_only_what_a_name_refers_to() {
        let directory = tempfile::tempdir().unwrap();
        with_busybox(directory.path(), "one");
        let (store, manifest) = with_busybox(directory.path(), "two");
        std::fs::write(store.blobs().join("draft-1"), "left by a crash").unwrap();
        assert_eq!(blobs(&store).len(), 7);
        store.prune().unwrap();
        assert_eq!(blobs(&store).len(), 3);
        assert_eq!(store.complete_image(&latest()), Some(manifest));
    }

    #[test]
    fn a_layer_is_not_a_manifest() {
        let directory = tempfile::tempdir().unwrap();
        let (store, manifest) = with_busybox(directory.path(), "one");
        for blob in manifest.blobs() {
            assert_eq!(store.manifest_bytes(&blob.digest), None);
        }
    }
}
