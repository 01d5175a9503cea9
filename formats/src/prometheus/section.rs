//! Sections of the file. Only here are fields left out because the version does not support them. They are reported
//! to the caller.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use super::since::{self, SectionKind};
use crate::version::Version;
use crate::yaml::{Map, Value};

/// Writes the file for one version.
#[derive(Debug)]
pub struct SectionWriter<'v> {
    version: &'v Version,
    checked: bool,
    left_out: RefCell<BTreeSet<UnsupportedField>>,
}

/// A field that is set, but not supported by the version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnsupportedField {
    /// The name of the field in the file.
    pub field: String,
    /// The versions that support it.
    pub versions: String,
}

impl fmt::Display for UnsupportedField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is left out: it needs Prometheus {}", self.field, self.versions)
    }
}

impl<'v> SectionWriter<'v> {
    /// Writes only fields that this version supports.
    pub fn new(version: &'v Version) -> Self {
        Self { version, checked: true, left_out: RefCell::default() }
    }

    /// Writes all fields, whether this version supports them or not.
    pub fn unchecked(version: &'v Version) -> Self {
        Self { checked: false, ..Self::new(version) }
    }

    /// The version.
    pub fn version(&self) -> &'v Version {
        self.version
    }

    /// Whether the version is at least this one.
    pub fn at_least(&self, major: u64, minor: u64) -> bool {
        !self.checked || *self.version >= Version::new(major, minor, 0)
    }

    /// Whether the version is at least the first release candidate of this one.
    pub fn at_least_candidate(&self, major: u64, minor: u64) -> bool {
        let named = &self.version.pre;
        let is_candidate = !named.is_empty() && named.as_str() >= "rc.0";
        let release = Version::new(self.version.major, self.version.minor, self.version.patch);
        self.at_least(major, minor) || (is_candidate && release == Version::new(major, minor, 0))
    }

    /// Starts a section.
    pub fn section(&self, kind: SectionKind) -> Section<'_, 'v> {
        Section { writer: self, kind, map: Map::new() }
    }

    /// Reports something that is not a field and was left out, such as a value in a list.
    pub fn leave_out(&self, field: impl Into<String>, versions: impl Into<String>) {
        let unsupported = UnsupportedField { field: field.into(), versions: versions.into() };
        self.left_out.borrow_mut().insert(unsupported);
    }

    /// The fields that were left out so far.
    pub fn left_out(&self) -> Vec<UnsupportedField> {
        self.left_out.borrow().iter().cloned().collect()
    }
}

/// A section of the file. Fields are written in the order in which they are added.
#[derive(Debug)]
pub struct Section<'w, 'v> {
    writer: &'w SectionWriter<'v>,
    kind: SectionKind,
    map: Map,
}

impl<'w, 'v> Section<'w, 'v> {
    /// Adds a field if the version supports it.
    pub fn put(&mut self, field: &'static str, value: impl Into<Value>) {
        let versions = || since::supporting_versions(self.kind, field, self.writer.version);
        match self.writer.checked.then(versions).flatten() {
            None => self.map.push(field, value),
            Some(versions) => self.writer.leave_out(format!("{}{field}", self.kind.prefix()), versions),
        }
    }

    /// Adds a field if it has a value and the version supports it.
    pub fn put_some(&mut self, field: &'static str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(field, value);
        }
    }

    /// The writer, for nested sections.
    pub fn writer(&self) -> &'w SectionWriter<'v> {
        self.writer
    }

    /// Whether there are no fields.
    pub fn is_empty(&self) -> bool {
        self.map.0.is_empty()
    }

    /// The fields.
    pub fn into_map(self) -> Map {
        self.map
    }
}

impl From<Section<'_, '_>> for Value {
    fn from(section: Section<'_, '_>) -> Self {
        Self::Map(section.map)
    }
}
