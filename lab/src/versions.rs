//! The table of programs and images (`versions.toml`), typed. Pure: a text in, recipes out.

mod image;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use image::Alias;
pub use image::{Directory, Image, ImageContent};

/// One binary set at one version, and how to make it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Program {
    /// Name in the table.
    pub name: String,
    /// Exact version.
    pub version: String,
    /// How it is made, with every placeholder filled in.
    pub recipe: Recipe,
}

/// How a program is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recipe {
    /// From a published Go module.
    Go(GoModules),
    /// From a Go module of ours that requires published ones.
    Assembly(Assembly),
    /// Out of a Debian package.
    Debian(DebianPackage),
    /// From this workspace.
    Cargo(CargoBinary),
}

/// Published Go modules that are built with the dependencies they chose themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoModules {
    /// What to build.
    pub modules: Vec<GoModule>,
    /// Modules to require at another version than their own choice, `path@version`.
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

/// One Go module and what is built of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoModule {
    /// Module path.
    pub path: String,
    /// Module version, where it is not `v{version}`.
    #[serde(default = "same_version")]
    pub version: String,
    /// Packages to build, relative to the module.
    pub packages: Vec<String>,
    /// Name of the binary, where a single package should not name it.
    pub output: Option<String>,
}

fn same_version() -> String {
    "v{version}".into()
}

/// A Go module of ours, written on the spot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assembly {
    /// Required modules, `path@version`.
    #[serde(default)]
    pub requires: Vec<String>,
    /// A module whose directory replaces are to be taken from the proxy instead.
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

/// Where the directory replaces of a module are published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Staging {
    /// The module whose `go.mod` lists them.
    pub module: String,
    /// The version they are all published under.
    pub version: String,
}

/// Files out of Debian packages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DebianPackage {
    /// The package that carries the version.
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
    /// Linked with everything it needs, so that an image holds it and nothing else.
    #[serde(default)]
    pub standalone: bool,
}

/// Something the host must have.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostTool {
    /// The Debian package that brings it.
    pub package: String,
    /// A command that proves it.
    pub command: Option<String>,
    /// A file that proves it.
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
        Self::parse(include_str!("../versions.toml")).expect("a unit test parses the built-in table")
    }

    fn parse(text: &str) -> Result<Self> {
        let table: Table = toml::from_str(text).context("versions.toml")?;
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

    /// The programs that a person asks for: `promtool` or `promtool@3.13.2`.
    pub fn select_programs(&self, asked: &[String]) -> Result<Vec<Program>> {
        let programs = self.programs();
        let mut chosen = Vec::new();
        for word in asked {
            let before = chosen.len();
            chosen.extend(programs.iter().filter(|one| one.name == *word || one.id() == *word).cloned());
            if chosen.len() == before {
                let known: Vec<String> = programs.iter().map(Program::id).collect();
                bail!("no program `{word}`; there are: {}", known.join(", "));
            }
        }
        Ok(chosen)
    }

    /// One program at one version. A version that is not in the table takes the recipe of those that are.
    pub fn program(&self, name: &str, version: &str) -> Result<Program> {
        let rows = || self.table.program.iter().filter(|row| row.name == name);
        let listed = rows().find(|row| row.versions.iter().any(|listed| listed == version));
        let Some(row) = listed.or_else(|| rows().next()) else {
            let known: BTreeSet<&str> = self.table.program.iter().map(|row| row.name.as_str()).collect();
            bail!("no program `{name}`; there are: {}", known.into_iter().collect::<Vec<_>>().join(", "));
        };
        Ok(Program { name: name.into(), version: version.into(), recipe: fill_in(&row.recipe, version)? })
    }

    /// The version of a program that is listed first: the one to use unless somebody says otherwise.
    pub fn default_version(&self, name: &str) -> Result<&str> {
        let row = self
            .table
            .program
            .iter()
            .find(|row| row.name == name)
            .with_context(|| format!("no program `{name}`"))?;
        row.versions.first().map(String::as_str).with_context(|| format!("program `{name}` has no version"))
    }

    /// Every image, in the order of the table, those of groups included.
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

    /// The images that a person asks for: `all`, a group, `prometheus`, `prometheus:3.13.1` or a full name.
    pub fn select_images(&self, asked: &[String]) -> Result<Vec<Image>> {
        let images = self.images();
        let mut chosen = Vec::new();
        for word in asked {
            let before = chosen.len();
            chosen.extend(images.iter().filter(|image| image.answers_to(word)).cloned());
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

    /// Differs whenever what is built would differ.
    pub fn key(&self) -> String {
        short_hash(&serde_json::to_vec(self).expect("a recipe is plain data"))
    }

    /// Whether its binaries need Debian's C library beside them.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_image_has_a_program_and_names_of_its_own() {
        let versions = Versions::parse(include_str!("../versions.toml")).unwrap();
        let images = versions.images();
        for content in &versions.table.image {
            assert!(
                images.iter().any(|image| image.program.name == content.program),
                "no program {}",
                content.program
            );
        }
        assert!(
            versions.table.alias.iter().all(|alias| alias.image(&images).is_some()),
            "an alias of nothing"
        );
        for (what, mut found) in [
            ("name", images.iter().flat_map(|image| image.content.names.clone()).collect::<Vec<String>>()),
            ("id", images.iter().map(Image::id).collect()),
        ] {
            let all = found.len();
            found.sort();
            found.dedup();
            assert_eq!(found.len(), all, "a {what} is given twice");
        }
    }

    #[test]
    fn placeholders_are_filled_in() {
        let Recipe::Go(go) = Versions::built_in().program("prometheus", "3.13.2").unwrap().recipe else {
            panic!("a Go module")
        };
        assert_eq!(go.modules[0].version, "v0.313.2");
        assert_eq!(go.variables[0], "github.com/prometheus/common/version.Version=3.13.2");
    }

    #[test]
    fn a_version_outside_the_table_takes_the_recipe_of_its_program() {
        let Recipe::Assembly(assembly) = Versions::built_in().program("kubernetes", "1.35.2").unwrap().recipe
        else {
            panic!("an assembly")
        };
        assert_eq!(assembly.requires, ["k8s.io/kubernetes@v1.35.2"]);
        assert_eq!(assembly.staging.unwrap().version, "v0.35.2");
    }

    #[test]
    fn an_unknown_image_is_answered_with_the_known_ones() {
        let error = Versions::built_in().select_images(&["promtheus".into()]).unwrap_err().to_string();
        assert!(
            error.starts_with("no image `promtheus`; there are: all, pause:1, coredns:1.15.0"),
            "{error}"
        );
    }

    #[test]
    fn a_program_can_be_asked_for_by_name_or_version() {
        let versions = Versions::built_in();
        let ids = |words: &[&str]| -> Vec<String> {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            versions.select_programs(&words).unwrap().iter().map(Program::id).collect()
        };
        assert_eq!(ids(&["promtool"]), ["promtool@3.13.1", "promtool@3.13.2", "promtool@2.42.0"]);
        assert_eq!(ids(&["promtool@2.42.0", "pause"]), ["promtool@2.42.0", "pause@1"]);
        let error = versions.select_programs(&["promtol".into()]).unwrap_err().to_string();
        assert!(error.starts_with("no program `promtol`; there are: kubernetes@1.36.4, "), "{error}");
    }

    #[test]
    fn an_image_can_be_asked_for_by_program_version_or_full_name() {
        let versions = Versions::built_in();
        let ids = |word: &str| -> Vec<String> {
            versions.select_images(&[word.into()]).unwrap().iter().map(Image::id).collect()
        };
        assert_eq!(ids("alertmanager"), ["alertmanager:0.33.1", "alertmanager:0.25.0"]);
        assert_eq!(ids("prometheus:2.42.0"), ["prometheus:2.42.0"]);
        assert_eq!(ids("quay.io/coreos/etcd:v3.5.35"), ["etcd:3.5.35"]);
    }

    #[test]
    fn an_image_of_a_group_must_be_asked_for() {
        let versions = Versions::built_in();
        let ids = |word: &str| -> Vec<String> {
            versions.select_images(&[word.into()]).unwrap().iter().map(Image::id).collect()
        };
        assert_eq!(ids("mainstay"), ["mainstay:0.1.0"]);
        assert_eq!(
            ids("peer-names"),
            [
                "mainstay-as-admission-webhook:0.1.0",
                "mainstay-reloader-as-prometheus-config-reloader:0.1.0",
                "mainstay-for-peer-names:0.1.0",
            ]
        );
        assert_eq!(ids("admission-webhook:0.93.1"), ["admission-webhook:0.93.1"]);
        assert_eq!(ids("quay.io/thanos/thanos:v0.41.0"), ["thanos-for-peer-e2e:0.42.2"]);
        let all = ids("all");
        assert!(ids("peer-e2e").iter().all(|id| !all.contains(id)));
    }

    #[test]
    fn an_alias_holds_the_same_under_other_names() {
        let versions = Versions::built_in();
        let find = |word: &str| versions.select_images(&[word.into()]).unwrap().remove(0);
        let (alias, original) = (find("quay.io/prometheus/prometheus:v3.12.0"), find("prometheus:3.13.1"));
        assert_eq!(alias.program, original.program);
        let ImageContent { name, group, names, .. } = alias.content.clone();
        assert_eq!(alias.content, ImageContent { name, group, names, ..original.content });
    }
}
