//! What is to be written for a workload, and what is to be told about it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::workload::metadata::Owner;
use crate::workload::operator::OperatorConfig;
use crate::workload::tls_assets;
use monitoring_scrape::document::Document;
use monitoring_select::workload::Section;

use crate::plan::child::Child;

/// What follows from a workload.
#[derive(Debug, Clone, Default)]
pub struct Planned {
    /// Objects, in the order in which they are written: what pods mount comes before them.
    pub children: Vec<Child>,
    /// The configuration; nothing, if it is left to the user.
    pub configuration: Option<Configuration>,
    /// What users should know.
    pub remarks: Vec<Remark>,
}

impl Planned {
    /// Adds the Secrets with certificates and keys that pods mount; their names.
    pub(crate) fn put_tls_assets(
        &mut self,
        owner: Owner<'_>,
        operator: &OperatorConfig,
        prefix: &str,
        files: BTreeMap<String, Vec<u8>>,
    ) -> Vec<String> {
        let assets = tls_assets::build(owner, operator, prefix, files);
        let names = (0..assets.len()).map(|number| tls_assets::name(prefix, number)).collect();
        self.children.extend(assets.into_iter().map(Child::Secret));
        names
    }
}

/// A configuration in pieces, one after the other: who wants the whole of it pays for that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration(pub Vec<Arc<str>>);

impl Configuration {
    /// How many bytes it has.
    pub fn size(&self) -> u64 {
        self.0.iter().map(|piece| piece.len() as u64).sum()
    }

    /// The whole text.
    pub fn text(&self) -> String {
        self.0.iter().map(|piece| &**piece).collect()
    }
}

impl From<String> for Configuration {
    fn from(text: String) -> Self {
        Self(vec![text.into()])
    }
}

impl From<Document> for Configuration {
    fn from(document: Document) -> Self {
        Self(document.pieces.into_iter().map(|piece| piece.text).collect())
    }
}

/// Something that users should know about a workload that can be carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// It selects nothing.
    NothingSelected,
    /// Its configuration is left to the user.
    Unmanaged,
    /// It asks for something that its version does not have.
    LeftOut(String),
    /// A StatefulSet has a name with which Kubernetes makes no pods.
    LongName {
        /// The name.
        name: String,
        /// How long it may be.
        longest: usize,
    },
    /// A section stays as it was written last, because something is not there.
    Kept {
        /// The section.
        section: Section,
        /// What is not there.
        because: String,
    },
    /// A section is left out, because something is not there and nothing was written before.
    Absent {
        /// The section.
        section: Section,
        /// What is not there.
        because: String,
    },
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingSelected => f.write_str("it selects nothing"),
            Self::Unmanaged => f.write_str("it has no selectors, so its configuration is left to the user"),
            Self::LeftOut(what) => f.write_str(what),
            Self::LongName { name, longest } => write!(
                f,
                "StatefulSet {name} has a name of {} characters, and Kubernetes makes no pods if there are more than \
                 {longest}: give the resource a shorter name",
                name.len()
            ),
            Self::Kept { section, because } => {
                write!(f, "{} stays as it was written last: {because}", section.field())
            }
            Self::Absent { section, because } => write!(f, "{} is left out: {because}", section.field()),
        }
    }
}

/// Why nothing can be written for a workload, whatever it selects. What was written before stays.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Invalid {
    /// In words.
    pub message: String,
}

impl Invalid {
    /// In words.
    pub(crate) fn new(error: &impl fmt::Display) -> Self {
        Self { message: error.to_string() }
    }
}
