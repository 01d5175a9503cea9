//! The inputs of one image: its programs, their files in the cache, and the layers. Reads the cache and writes nothing.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::contents;
use super::layer::Layer;
use super::reference::Digest;
use crate::programs::Builder;
use crate::shell::call;
use crate::versions::{Image, Program, Recipe, Versions, short_hash};

/// The host's certificate authorities, which every image trusts too.
const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";

/// The code that determines how an image is built from its inputs. Part of every stamp, so that images are built again
/// when it changes.
const FORM: &str = concat!(
    include_str!("inputs.rs"),
    include_str!("contents.rs"),
    include_str!("layer.rs"),
    include_str!("manifest.rs")
);

/// The programs of one image.
#[derive(Debug)]
pub(super) struct ImageInputs<'a> {
    image: &'a Image,
    shell: Option<Program>,
    libraries: Vec<Program>,
}

impl<'a> ImageInputs<'a> {
    /// The inputs of an image. Programs other than its own have their default versions.
    pub(super) fn of(image: &'a Image, versions: &Versions) -> Result<Self> {
        let default = |name: &str| versions.program(name, versions.default_version(name)?);
        let shell = match &image.program {
            _ if !image.content.shell => None,
            own if own.name == "busybox" => Some(own.clone()),
            _ => Some(default("busybox")?),
        };
        let libraries =
            if image.program.needs_libc() { vec![default("libc")?, default("libgcc")?] } else { Vec::new() };
        Ok(Self { image, shell, libraries })
    }

    /// Every program that has to be built first.
    pub(super) fn programs(&self) -> impl Iterator<Item = &Program> {
        std::iter::once(&self.image.program).chain(&self.shell).chain(&self.libraries)
    }

    /// A hash of all inputs. Fails if a binary of this workspace is not built, because its bytes are part of the hash.
    pub(super) fn stamp(&self, builder: &Builder) -> Result<String> {
        let identity = |program: &Program| match &program.recipe {
            Recipe::Cargo(recipe) => {
                Ok(Digest::of_file(&builder.directory(program).join(&recipe.binary))?.to_string())
            }
            Recipe::Go(_) | Recipe::Assembly(_) | Recipe::Debian(_) => Ok(program.key()),
        };
        let identities = self.programs().map(identity).collect::<Result<Vec<String>>>()?;
        Ok(short_hash(&serde_json::to_vec(&(FORM, self.image, identities))?))
    }

    /// The layers, from the lowest up. Its programs must be built.
    pub(super) fn layers(&self, builder: &Builder) -> Result<Vec<Layer>> {
        let certificates = std::fs::read(CERTIFICATES)
            .with_context(|| format!("cannot read {CERTIFICATES}; `cargo lab doctor --fix` installs it"))?;
        let base = contents::base(certificates);
        let mut layers = Vec::new();
        if let Some(busybox) = &self.shell {
            let binary = builder.directory(busybox).join("busybox");
            let applets = call(&binary).arg("--list").output()?;
            let applets: Vec<String> = applets.lines().map(String::from).collect();
            layers.push(contents::shell(&base, binary, &applets));
        }
        let mut libraries = Vec::new();
        for program in &self.libraries {
            libraries.extend(files_in(&builder.directory(program))?);
        }
        layers.push(contents::libraries(&base, libraries));
        let mut own = contents::program(&base, self.files(builder)?, &self.image.content.directories);
        for (path, target) in &self.image.content.links {
            own.link(path, target);
        }
        layers.push(own);
        layers.retain(|layer| !layer.is_empty());
        layers.insert(0, base);
        Ok(layers)
    }

    /// The files of the image itself, by their path in it. Older versions may lack some files, but not all.
    fn files(&self, builder: &Builder) -> Result<Vec<(String, PathBuf)>> {
        let directory = builder.directory(&self.image.program);
        let wanted = &self.image.content.files;
        let entry = |(name, path): (&String, &String)| (path.clone(), directory.join(name));
        let files: Vec<_> = wanted.iter().map(entry).filter(|(_, source)| source.is_file()).collect();
        ensure!(
            wanted.is_empty() || !files.is_empty(),
            "{} has none of the image's files",
            directory.display()
        );
        Ok(files)
    }
}

fn files_in(directory: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    for entry in
        std::fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))?
    {
        let entry = entry?;
        files.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::images::layer::tests::listing;
    use crate::paths::Cache;

    fn image(id: &str) -> Image {
        Versions::built_in().select_images(&[id.into()]).unwrap().remove(0)
    }

    fn programs(id: &str) -> Vec<String> {
        let image = image(id);
        ImageInputs::of(&image, &Versions::built_in())
            .unwrap()
            .programs()
            .map(|program| program.name.clone())
            .collect()
    }

    #[test]
    fn an_image_has_a_shell_and_a_c_library_only_where_needed() {
        assert_eq!(programs("pause"), ["pause"]);
        assert_eq!(programs("prometheus:3.13.1"), ["prometheus", "busybox"]);
        assert_eq!(programs("prometheus:2.42.0"), ["prometheus", "busybox", "libc", "libgcc"]);
        assert_eq!(programs("lab"), ["lab", "libc", "libgcc"]);
        assert_eq!(programs("mainstay-reloader"), ["mainstay-reloader", "busybox"]);
    }

    #[test]
    fn the_stamp_follows_the_recipe_and_the_bytes_of_our_own_binaries() {
        let directory = tempfile::tempdir().unwrap();
        let builder = Builder::new(Cache::at(directory.path()));
        let versions = Versions::built_in();
        let stamp = |image: &Image| ImageInputs::of(image, &versions).unwrap().stamp(&builder);

        let pause = image("pause");
        let mut as_root = pause.clone();
        as_root.content.user = None;
        assert_eq!(stamp(&pause).unwrap(), stamp(&pause).unwrap());
        assert_ne!(stamp(&pause).unwrap(), stamp(&as_root).unwrap());

        let own = image("lab");
        assert!(stamp(&own).is_err(), "it is not built");
        let binary = builder.directory(&own.program).join("lab");
        std::fs::create_dir_all(binary.parent().unwrap()).unwrap();
        std::fs::write(&binary, "one").unwrap();
        let one = stamp(&own).unwrap();
        std::fs::write(&binary, "two").unwrap();
        assert_ne!(stamp(&own).unwrap(), one);
    }

    #[test]
    fn a_program_has_further_names() {
        let directory = tempfile::tempdir().unwrap();
        let builder = Builder::new(Cache::at(directory.path()));
        let mut own = image("mainstay");
        own.program.recipe = image("pause").program.recipe;
        let binary = builder.directory(&own.program).join("mainstay");
        std::fs::create_dir_all(binary.parent().unwrap()).unwrap();
        std::fs::write(&binary, "mainstay").unwrap();
        let layers = ImageInputs::of(&own, &Versions::built_in()).unwrap().layers(&builder).unwrap();
        assert_eq!(
            listing(layers.last().unwrap()),
            [
                "5 755 0 bin/",
                "2 777 0 bin/admission-webhook -> mainstay",
                "0 755 0 bin/mainstay",
                "2 777 0 bin/operator -> mainstay",
            ]
        );
    }

    #[test]
    fn a_file_that_a_version_lacks_is_left_out_but_not_all_of_them() {
        let directory = tempfile::tempdir().unwrap();
        let builder = Builder::new(Cache::at(directory.path()));
        let etcd = image("etcd:3.4.23");
        let inputs = ImageInputs::of(&etcd, &Versions::built_in()).unwrap();
        assert!(inputs.files(&builder).is_err());
        let binary = builder.directory(&etcd.program).join("etcd");
        std::fs::create_dir_all(binary.parent().unwrap()).unwrap();
        std::fs::write(&binary, "etcd").unwrap();
        assert_eq!(inputs.files(&builder).unwrap(), [("/usr/local/bin/etcd".into(), binary)]);
    }
}
