//! Container images, built from the programs of the cache without a container engine, and the registry that serves
//! them. An image that is up to date is not built again.

mod contents;
mod inputs;
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
use crate::programs::Builder;
use crate::versions::{Image, Program, Recipe, Versions};

use inputs::ImageInputs;
use manifest::Manifest;
use reference::Reference;

/// Builds those of these images that are outdated, and first the programs that they need.
pub fn build(builder: &Builder, versions: &Versions, images: &[Image]) -> Result<()> {
    let store = Store::new(builder.cache());
    build_programs(builder, versions, &store, images)?;
    let _lock = store.lock()?;
    let mut stale: Vec<&Image> =
        images.iter().filter(|image| !is_built(&store, builder, versions, image)).collect();
    let mut seen = BTreeSet::new();
    stale.retain(|image| seen.insert(image.id()));
    let whole = Stopwatch::start();
    for (done, image) in stale.iter().enumerate() {
        let manifest = build_one(builder, versions, &store, image)
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

/// Whether the image in the store is up to date with the table and the programs of the cache.
pub fn is_built(store: &Store, builder: &Builder, versions: &Versions, image: &Image) -> bool {
    current(store, builder, versions, image).is_some()
}

/// What `lab image list` shows, in columns with a heading.
pub fn list(builder: &Builder, versions: &Versions) -> Vec<Vec<String>> {
    let store = Store::new(builder.cache());
    let row = |image: &Image| {
        let manifest = current(&store, builder, versions, image);
        let built = if manifest.is_some() { "yes" } else { "no" };
        let size = manifest.map_or_else(|| "-".into(), |manifest| megabytes(manifest.size()));
        vec![image.id(), built.into(), size, image.content.names.join(", ")]
    };
    let heading = ["IMAGE", "BUILT", "SIZE", "NAMES"].map(String::from).to_vec();
    std::iter::once(heading).chain(versions.images().iter().map(row)).collect()
}

/// Only cargo knows whether binaries of this workspace are up to date, so they are always built.
fn build_programs(builder: &Builder, versions: &Versions, store: &Store, images: &[Image]) -> Result<()> {
    let mut programs: Vec<Program> = Vec::new();
    for image in images {
        let is_ours = matches!(image.program.recipe, Recipe::Cargo(_));
        if is_ours || !is_built(store, builder, versions, image) {
            programs.extend(ImageInputs::of(image, versions)?.programs().cloned());
        }
    }
    let mut seen = BTreeSet::new();
    programs.retain(|program| seen.insert(program.id()));
    builder.build(&programs)
}

fn build_one(builder: &Builder, versions: &Versions, store: &Store, image: &Image) -> Result<Manifest> {
    let inputs = ImageInputs::of(image, versions)?;
    // Taken before the layers: if a program is replaced meanwhile, the image counts as outdated.
    let stamp = inputs.stamp(builder)?;
    let layers = inputs.layers(builder)?;
    let layers = layers.iter().map(|layer| store.add_layer(layer)).collect::<Result<_>>()?;
    let manifest = store.publish(&image.content, layers)?;
    store.set_stamp(&image.id(), &stamp)?;
    Ok(manifest)
}

/// The stored image, if it is complete under every name and up to date.
fn current(store: &Store, builder: &Builder, versions: &Versions, image: &Image) -> Option<Manifest> {
    let recorded = store.stamp(&image.id())?;
    let find = |name: &String| store.complete_image(&Reference::parse(name).ok()?);
    let found = image.content.names.iter().map(find).collect::<Option<Vec<Manifest>>>()?;
    let wanted = ImageInputs::of(image, versions).ok()?.stamp(builder).ok()?;
    (recorded == wanted).then(|| found.into_iter().next()).flatten()
}

fn megabytes(size: u64) -> String {
    format!("{}.{} MB", size / 1_000_000, size / 100_000 % 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::Cache;

    /// A builder whose cache contains the pause program.
    fn with_pause(directory: &std::path::Path, content: &str) -> (Builder, Versions, Vec<Image>) {
        let builder = Builder::new(Cache::at(directory));
        let versions = Versions::built_in();
        let images = versions.select_images(&["pause".into()]).unwrap();
        let built = builder.directory(&images[0].program);
        std::fs::create_dir_all(&built).unwrap();
        std::fs::write(built.join("pause"), content).unwrap();
        (builder, versions, images)
    }

    fn digest(builder: &Builder, image: &Image) -> reference::Digest {
        Store::new(builder.cache()).resolve(&Reference::parse(&image.content.names[0]).unwrap()).unwrap()
    }

    #[test]
    fn an_image_is_built_once_and_listed() {
        let directory = tempfile::tempdir().unwrap();
        let (builder, versions, images) = with_pause(directory.path(), "binary");
        let store = Store::new(builder.cache());
        assert!(!is_built(&store, &builder, &versions, &images[0]));
        build(&builder, &versions, &images).unwrap();
        assert!(is_built(&store, &builder, &versions, &images[0]));

        let row = list(&builder, &versions).into_iter().find(|row| row[0] == "pause:1").unwrap();
        assert_eq!(row[1], "yes");
        assert_eq!(row[3], "registry.k8s.io/pause:3.10");

        let blob = store.blob(&digest(&builder, &images[0]));
        let written = std::fs::metadata(&blob).unwrap().modified().unwrap();
        build(&builder, &versions, &images).unwrap();
        assert_eq!(std::fs::metadata(&blob).unwrap().modified().unwrap(), written);
    }

    #[test]
    fn the_same_program_gives_the_same_digest_in_another_cache() {
        let digest_of = |content: &str| {
            let directory = tempfile::tempdir().unwrap();
            let (builder, versions, images) = with_pause(directory.path(), content);
            build(&builder, &versions, &images).unwrap();
            digest(&builder, &images[0])
        };
        assert_eq!(digest_of("binary"), digest_of("binary"));
        assert_ne!(digest_of("binary"), digest_of("another"));
    }

    #[test]
    fn a_lost_blob_and_a_changed_recipe_make_an_image_stale() {
        let directory = tempfile::tempdir().unwrap();
        let (builder, versions, images) = with_pause(directory.path(), "binary");
        let store = Store::new(builder.cache());
        build(&builder, &versions, &images).unwrap();
        let mut changed = images[0].clone();
        changed.content.user = None;
        assert!(!is_built(&store, &builder, &versions, &changed));
        std::fs::remove_file(store.blob(&digest(&builder, &images[0]))).unwrap();
        assert!(!is_built(&store, &builder, &versions, &images[0]));
        build(&builder, &versions, &images).unwrap();
        assert!(is_built(&store, &builder, &versions, &images[0]));
    }

    #[test]
    fn sizes_are_in_megabytes() {
        assert_eq!(megabytes(219_597), "0.2 MB");
        assert_eq!(megabytes(152_340_000), "152.3 MB");
    }
}
