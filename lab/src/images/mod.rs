//! Container images, made without a container engine from the programs of the cache, and the registry that serves
//! them. `build` is for commands and tests; an image that is current is never touched.

mod contents;
mod ingredients;
mod layer;
mod manifest;
mod reference;
pub mod registry;
mod request;
mod store;

use std::collections::BTreeSet;

use anyhow::{Context, Result};

pub use store::Store;

use crate::clock::{Span, Stopwatch};
use crate::console::line;
use crate::programs::Workshop;
use crate::versions::{Image, Program, Recipe, Versions};

use ingredients::Ingredients;
use manifest::Manifest;
use reference::Reference;

/// Builds what is not current of these images, and before them the programs that they need.
pub fn build(workshop: &Workshop, versions: &Versions, images: &[Image]) -> Result<()> {
    let store = Store::new(workshop.cache());
    build_programs(workshop, versions, &store, images)?;
    let _held = store.lock()?;
    let mut stale: Vec<&Image> =
        images.iter().filter(|image| !is_built(&store, workshop, versions, image)).collect();
    let mut seen = BTreeSet::new();
    stale.retain(|image| seen.insert(image.id()));
    let whole = Stopwatch::start();
    for (done, image) in stale.iter().enumerate() {
        let manifest = build_one(workshop, versions, &store, image)
            .with_context(|| format!("building image {}", image.id()))?;
        line(format!(
            "built image {} ({} of {}), {}, {} in all",
            image.id(),
            done + 1,
            stale.len(),
            megabytes(manifest.size()),
            Span(whole.elapsed())
        ));
    }
    if stale.is_empty() { Ok(()) } else { store.prune() }
}

/// Whether an image is in the store as the table and the programs of the cache would have it now.
pub fn is_built(store: &Store, workshop: &Workshop, versions: &Versions, image: &Image) -> bool {
    current(store, workshop, versions, image).is_some()
}

/// What `lab image list` shows, in columns with a heading.
pub fn list(workshop: &Workshop, versions: &Versions) -> Vec<Vec<String>> {
    let store = Store::new(workshop.cache());
    let row = |image: &Image| {
        let manifest = current(&store, workshop, versions, image);
        let built = if manifest.is_some() { "yes" } else { "no" };
        let size = manifest.map_or_else(|| "-".into(), |manifest| megabytes(manifest.size()));
        vec![image.id(), built.into(), size, image.content.names.join(", ")]
    };
    let heading = ["IMAGE", "BUILT", "SIZE", "NAMES"].map(String::from).to_vec();
    std::iter::once(heading).chain(versions.images().iter().map(row)).collect()
}

/// Only cargo knows whether our own binaries are current, so those are always built.
fn build_programs(workshop: &Workshop, versions: &Versions, store: &Store, images: &[Image]) -> Result<()> {
    let mut programs: Vec<Program> = Vec::new();
    for image in images {
        let is_ours = matches!(image.program.recipe, Recipe::Cargo(_));
        if is_ours || !is_built(store, workshop, versions, image) {
            programs.extend(Ingredients::of(image, versions)?.programs().cloned());
        }
    }
    let mut seen = BTreeSet::new();
    programs.retain(|program| seen.insert(program.id()));
    workshop.build(&programs)
}

fn build_one(workshop: &Workshop, versions: &Versions, store: &Store, image: &Image) -> Result<Manifest> {
    let ingredients = Ingredients::of(image, versions)?;
    // Taken before the bytes are: should somebody replace a program meanwhile, the stamp is old and not wrong.
    let stamp = ingredients.stamp(workshop)?;
    let layers = ingredients.layers(workshop)?;
    let layers = layers.iter().map(|layer| store.add_layer(layer)).collect::<Result<_>>()?;
    let manifest = store.publish(&image.content, layers)?;
    store.set_stamp(&image.id(), &stamp)?;
    Ok(manifest)
}

/// The image as it is stored, if it is whole under every name and made from what it should be made from.
fn current(store: &Store, workshop: &Workshop, versions: &Versions, image: &Image) -> Option<Manifest> {
    let recorded = store.stamp(&image.id())?;
    let find = |name: &String| store.whole_image(&Reference::parse(name).ok()?);
    let found = image.content.names.iter().map(find).collect::<Option<Vec<Manifest>>>()?;
    let wanted = Ingredients::of(image, versions).ok()?.stamp(workshop).ok()?;
    (recorded == wanted).then(|| found.into_iter().next()).flatten()
}

fn megabytes(size: u64) -> String {
    format!("{}.{} MB", size / 1_000_000, size / 100_000 % 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::Cache;

    /// A workshop where these files of the pause program are already built.
    fn with_pause(directory: &std::path::Path, content: &str) -> (Workshop, Versions, Vec<Image>) {
        let workshop = Workshop::new(Cache::at(directory));
        let versions = Versions::built_in();
        let images = versions.select_images(&["pause".into()]).unwrap();
        let built = workshop.directory(&images[0].program);
        std::fs::create_dir_all(&built).unwrap();
        std::fs::write(built.join("pause"), content).unwrap();
        (workshop, versions, images)
    }

    fn digest(workshop: &Workshop, image: &Image) -> reference::Digest {
        Store::new(workshop.cache()).resolve(&Reference::parse(&image.content.names[0]).unwrap()).unwrap()
    }

    #[test]
    fn an_image_is_built_once_and_listed() {
        let directory = tempfile::tempdir().unwrap();
        let (workshop, versions, images) = with_pause(directory.path(), "binary");
        let store = Store::new(workshop.cache());
        assert!(!is_built(&store, &workshop, &versions, &images[0]));
        build(&workshop, &versions, &images).unwrap();
        assert!(is_built(&store, &workshop, &versions, &images[0]));

        let row = list(&workshop, &versions).into_iter().find(|row| row[0] == "pause:1").unwrap();
        assert_eq!(row[1], "yes");
        assert_eq!(row[3], "registry.k8s.io/pause:3.10");

        let blob = store.blob(&digest(&workshop, &images[0]));
        let written = std::fs::metadata(&blob).unwrap().modified().unwrap();
        build(&workshop, &versions, &images).unwrap();
        assert_eq!(std::fs::metadata(&blob).unwrap().modified().unwrap(), written);
    }

    #[test]
    fn the_same_program_gives_the_same_digest_in_another_cache() {
        let digest_of = |content: &str| {
            let directory = tempfile::tempdir().unwrap();
            let (workshop, versions, images) = with_pause(directory.path(), content);
            build(&workshop, &versions, &images).unwrap();
            digest(&workshop, &images[0])
        };
        assert_eq!(digest_of("binary"), digest_of("binary"));
        assert_ne!(digest_of("binary"), digest_of("another"));
    }

    #[test]
    fn a_lost_blob_and_a_changed_recipe_make_an_image_stale() {
        let directory = tempfile::tempdir().unwrap();
        let (workshop, versions, images) = with_pause(directory.path(), "binary");
        let store = Store::new(workshop.cache());
        build(&workshop, &versions, &images).unwrap();
        let mut changed = images[0].clone();
        changed.content.user = None;
        assert!(!is_built(&store, &workshop, &versions, &changed));
        std::fs::remove_file(store.blob(&digest(&workshop, &images[0]))).unwrap();
        assert!(!is_built(&store, &workshop, &versions, &images[0]));
        build(&workshop, &versions, &images).unwrap();
        assert!(is_built(&store, &workshop, &versions, &images[0]));
    }

    #[test]
    fn sizes_are_in_megabytes() {
        assert_eq!(megabytes(219_597), "0.2 MB");
        assert_eq!(megabytes(152_340_000), "152.3 MB");
    }
}
