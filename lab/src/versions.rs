//! The table of programs and images: `versions.toml` and `images.toml`. Pure.

mod image;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use image::Alias;
pub use image::{Directory, Image, ImageContent};

/// Both files are one table.
const TABLE: &str = concat!(include_str!("../versions.toml"), include_str!("../images.toml"));

/// A program in one version, and how to build it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Program {
    /// Name in the table.
    pub name: String,
    /// Exact version.
    pub version: String,
    /// How it is built, with every placeholder filled in.
    pub recipe: Recipe,
}

/// How a program is built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recipe {
    /// From a published Go module.
    Go(GoModules),
    /// From a generated Go module that requires published ones.
    Assembly(Assembly),
    /// From a Debian package.
    Debian(DebianPackage),
    /// From this workspace.
    Cargo(CargoBinary),
}

/// Published Go modules, which are built with their own versions of dependencies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoModules {
    /// What to build.
    pub modules: Vec<GoModule>,
    /// Modules to require in another version than their own, `path@version`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// Build tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Linker variables, `package.name=value`.
    #[serde(default)]
    pub variables: Vec<String>,
    /// Files that the published module lacks, path to content. One whose name ends in `.gz` is compressed.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// One Go module and what is built from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoModule {
    /// Module path.
    pub path: String,
    /// Module version, if it is not `v{version}`.
    #[serde(default = "same_version")]
    pub version: String,
    /// Packages to build, relative to the module.
    pub packages: Vec<String>,
    /// Name of the binary, if it is not that of the package.
    pub output: Option<String>,
}

fn same_version() -> String {
    "v{version}".into()
}

/// A generated Go module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assembly {
    /// Required modules, `path@version`.
    #[serde(default)]
    pub requires: Vec<String>,
    /// A module whose `replace` directives by directories are changed to the published modules.
    pub staging: Option<Staging>,
    /// A main file below `lab/programs`.
    pub main: Option<String>,
    /// Name of the binary built from `main`.
    pub output: Option<String>,
    /// Import paths of the commands to build, without `main`.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Linker variables.
    #[serde(default)]
    pub variables: Vec<String>,
}

/// The versions under which the modules are published that another module replaces by directories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Staging {
    /// The module whose `go.mod` lists them.
    pub module: String,
    /// Their published version.
    pub version: String,
}

/// Files from Debian packages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DebianPackage {
    /// The package whose version is checked.
    pub package: String,
    /// Further packages of the same source.
    #[serde(default)]
    pub also: Vec<String>,
    /// Files to take, as paths in the packages.
    pub files: Vec<String>,
    /// New names for files whose Debian name differs from upstream's.
    #[serde(default)]
    pub rename: BTreeMap<String, String>,
}

/// A binary of this workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CargoBinary {
    /// The crate.
    pub package: String,
    /// The binary in it.
    pub binary: String,
    /// Cargo profile.
    pub profile: String,
    /// Whether it is linked statically, so that an image needs no libraries.
    #[serde(default)]
    pub standalone: bool,
}

/// A tool that the host must have.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostTool {
    /// The Debian package that provides it.
    pub package: String,
    /// A command that must exist.
    pub command: Option<String>,
    /// A file that must exist.
    pub file: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    host: Vec<HostTool>,
    program: Vec<ProgramRow>,
    image: Vec<ImageContent>,
    #[serde(default)]
    alias: Vec<Alias>,
}

#[derive(Deserialize)]
struct ProgramRow {
    name: String,
    versions: Vec<String>,
    #[serde(flatten)]
    recipe: Recipe,
}

/// The whole table.
pub struct Versions {
    table: Table,
}

impl Versions {
    /// The table that this program was built with.
    pub fn built_in() -> Self {
        Self::parse(TABLE).expect("a unit test parses the built-in table")
    }

    fn parse(text: &str) -> Result<Self> {
        let table: Table = toml::from_str(text).context("the table of versions")?;
        Ok(Self { table })
    }

    /// What the host must have.
    pub fn host_tools(&self) -> &[HostTool] {
        &self.table.host
    }

    /// Every program, in the order of the table.
    pub fn programs(&self) -> Vec<Program> {
        let expand = |row: &ProgramRow| -> Vec<Program> {
            row.versions.iter().filter_map(|version| self.program(&row.name, version).ok()).collect()
        };
        self.table.program.iter().flat_map(expand).collect()
    }

    /// The programs with these names: `promtool` or `promtool@3.13.2`.
    pub fn select_programs(&self, names: &[String]) -> Result<Vec<Program>> {
        let programs = self.programs();
        let mut chosen = Vec::new();
        for word in names {
            let before = chosen.len();
            chosen.extend(programs.iter().filter(|one| one.name == *word || one.id() == *word).cloned());
            if chosen.len() == before {
                let known: Vec<String> = programs.iter().map(Program::id).collect();
                bail!("no program `{word}`; there are: {}", known.join(", "));
            }
        }
        Ok(chosen)
    }

    /// A program in one version. A version that is not in the table is built like those that are.
    pub fn program(&self, name: &str, version: &str) -> Result<Program> {
        let rows = || self.table.program.iter().filter(|row| row.name == name);
        let listed = rows().find(|row| row.versions.iter().any(|listed| listed == version));
        let Some(row) = listed.or_else(|| rows().next()) else {
            let known: BTreeSet<&str> = self.table.program.iter().map(|row| row.name.as_str()).collect();
            bail!("no program `{name}`; there are: {}", known.into_iter().collect::<Vec<_>>().join(", "));
        };
        Ok(Program { name: name.into(), version: version.into(), recipe: fill_in(&row.recipe, version)? })
    }

    /// The default version of a program, which is listed first.
    pub fn default_version(&self, name: &str) -> Result<&str> {
        let row = self
            .table
            .program
            .iter()
            .find(|row| row.name == name)
            .with_context(|| format!("no program `{name}`"))?;
        row.versions.first().map(String::as_str).with_context(|| format!("program `{name}` has no version"))
    }

    /// Every image, in the order of the table, including those of groups.
    pub fn images(&self) -> Vec<Image> {
        let programs = self.programs();
        let mut images = Vec::new();
        for content in &self.table.image {
            for program in programs.iter().filter(|program| program.name == content.program) {
                if let Ok(content) = fill_in(content, &program.version) {
                    images.push(Image { program: program.clone(), content });
                }
            }
        }
        let aliases: Vec<Image> = self.table.alias.iter().filter_map(|alias| alias.image(&images)).collect();
        images.extend(aliases);
        images
    }

    /// The images with these names: `all`, a group, `prometheus`, `prometheus:3.13.1` or a full name.
    pub fn select_images(&self, names: &[String]) -> Result<Vec<Image>> {
        let images = self.images();
        let mut chosen = Vec::new();
        for word in names {
            let before = chosen.len();
            chosen.extend(images.iter().filter(|image| image.is_selected_by(word)).cloned());
            if chosen.len() == before {
                let known: Vec<String> = images.iter().map(Image::id).collect();
                bail!("no image `{word}`; there are: all, {}", known.join(", "));
            }
        }
        Ok(chosen)
    }
}

impl Program {
    /// `name@version`.
    pub fn id(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    /// A hash that changes whenever the recipe changes.
    pub fn key(&self) -> String {
        short_hash(&serde_json::to_vec(self).expect("a recipe is plain data"))
    }

    /// Whether its binaries need the C library of Debian in the image.
    pub fn needs_libc(&self) -> bool {
        match self.recipe {
            Recipe::Debian(_) => self.name != "busybox",
            Recipe::Cargo(ref recipe) => !recipe.standalone,
            Recipe::Go(_) | Recipe::Assembly(_) => false,
        }
    }
}

/// The first twelve hexadecimal digits of a SHA-256.
pub(crate) fn short_hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))[..12].to_owned()
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).expect("four bits are one digit");
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Fills the placeholders of every text in a recipe.
fn fill_in<T: Serialize + for<'de> Deserialize<'de>>(recipe: &T, version: &str) -> Result<T> {
    let mut parts = version.split('.');
    let mut next = || parts.next().unwrap_or_default();
    let (major, minor, patch) = (next(), next(), next());
    let fill = |text: &str| {
        text.replace("{version}", version)
            .replace("{major}", major)
            .replace("{minor}", minor)
            .replace("{patch}", patch)
    };
    let mut value = serde_json::to_value(recipe)?;
    fill_value(&mut value, &fill);
    Ok(serde_json::from_value(value)?)
}

fn fill_value(value: &mut serde_json::Value, fill: &impl Fn(&str) -> String) {
    match value {
        serde_json::Value::String(text) => *text = fill(text),
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| fill_value(item, fill)),
        serde_json::Value::Object(fields) => fields.values_mut().for_each(|field| fill_value(field, fill)),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
}
