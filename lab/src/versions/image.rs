//! The image rows of the table. Pure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Program;

/// One container image to make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Image {
    /// The program it carries.
    pub program: Program,
    /// What goes into it, with every placeholder filled in.
    pub content: ImageContent,
}

/// What an image holds and how it starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageContent {
    /// Its name in the lab, if it is not that of the program.
    #[serde(default)]
    pub name: Option<String>,
    /// Its group, if any. An image of a group is built only on request.
    #[serde(default)]
    pub group: Option<String>,
    /// The program, by name; the image is made for each of its versions.
    pub program: String,
    /// Its full names, with tags.
    pub names: Vec<String>,
    /// Whether busybox and its applets are in it.
    #[serde(default)]
    pub shell: bool,
    /// The program's files, and their paths in the image. A file that a version lacks is left out.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Symbolic links, from their path to their target.
    #[serde(default)]
    pub links: BTreeMap<String, String>,
    /// Directories that must exist.
    #[serde(default)]
    pub directories: Vec<Directory>,
    /// Declared volumes: containerd makes them writable under a read-only root.
    #[serde(default)]
    pub volumes: Vec<String>,
    /// Environment variables.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Entrypoint.
    #[serde(default)]
    pub entrypoint: Vec<String>,
    /// Command.
    #[serde(default)]
    pub command: Vec<String>,
    /// User, by name or number.
    #[serde(default)]
    pub user: Option<String>,
    /// Working directory.
    #[serde(default)]
    pub workdir: Option<String>,
}

/// A directory in an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Directory {
    /// Absolute path.
    pub path: String,
    /// Permission bits.
    pub mode: u32,
    /// User and group id.
    #[serde(default)]
    pub owner: u64,
}

/// A row of the table: an image under other names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Alias {
    /// The image, `name:version`.
    image: String,
    group: String,
    names: Vec<String>,
}

impl Alias {
    /// The image with the alias's names, if it is among these.
    pub(super) fn image(&self, images: &[Image]) -> Option<Image> {
        let Image { program, content } = images.iter().find(|image| image.id() == self.image)?.clone();
        let name = Some(format!("{}-for-{}", content.name.as_ref().unwrap_or(&content.program), self.group));
        let (group, names) = (Some(self.group.clone()), self.names.clone());
        Some(Image { program, content: ImageContent { name, group, names, ..content } })
    }
}

impl Image {
    /// Its name in the lab, without the version.
    fn name(&self) -> &str {
        self.content.name.as_ref().unwrap_or(&self.program.name)
    }

    /// `name:version`.
    pub fn id(&self) -> String {
        format!("{}:{}", self.name(), self.program.version)
    }

    /// Whether a word selects it. An image of a group is selected by its group and its own names, not by `all` or the
    /// name of its program.
    pub(super) fn is_selected_by(&self, word: &str) -> bool {
        let is_one_of = match &self.content.group {
            Some(group) => word == group,
            None => word == "all" || word == self.program.name,
        };
        is_one_of
            || word == self.name()
            || word == self.id()
            || self.content.names.iter().any(|name| name == word)
    }
}
