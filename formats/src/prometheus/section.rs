//! A part of the file that is being written. What the version does not understand is left out, here and nowhere else, and
//! told to whoever asked for the file.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use super::since::{self, Place};
use crate::version::Version;
use crate::yaml::{Map, Value};

/// Writes for one version.
#[derive(Debug)]
pub struct Writer<'v> {
    version: &'v Version,
    checked: bool,
    left_out: RefCell<BTreeSet<LeftOut>>,
}

/// A field that was asked for and that the version does not have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// The field, as the file names it.
    pub field: String,
    /// Which versions have it.
    pub versions: String,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is left out: it needs Prometheus {}", self.field, self.versions)
    }
}

impl<'v> Writer<'v> {
    /// Writes for this version.
    pub fn new(version: &'v Version) -> Self {
        Self { version, checked: true, left_out: RefCell::default() }
    }

    /// Writes for this version what it is told to, whether the version has it or not.
    pub fn unchecked(version: &'v Version) -> Self {
        Self { checked: false, ..Self::new(version) }
    }

    /// The version.
    pub fn version(&self) -> &'v Version {
        self.version
    }

    /// Whether the version is that one or a later one.
    pub fn at_least(&self, major: u64, minor: u64) -> bool {
        !self.checked || *self.version >= Version::new(major, minor, 0)
    }

    /// Whether the version is that one, the first candidate for its release or a later one.
    pub fn at_least_candidate(&self, major: u64, minor: u64) -> bool {
        let named = &self.version.pre;
        let is_candidate = !named.is_empty() && named.as_str() >= "rc.0";
        let release = Version::new(self.version.major, self.version.minor, self.version.patch);
        self.at_least(major, minor) || (is_candidate && release == Version::new(major, minor, 0))
    }

    /// Begins a part of the file.
    pub fn section(&self, place: Place) -> Section<'_, 'v> {
        Section { writer: self, place, map: Map::new() }
    }

    /// Says that something was left out that is no field of its own, such as a value in a list.
    pub fn leave_out(&self, field: impl Into<String>, versions: impl Into<String>) {
        self.left_out.borrow_mut().insert(LeftOut { field: field.into(), versions: versions.into() });
    }

    /// What was left out so far.
    pub fn left_out(&self) -> Vec<LeftOut> {
        self.left_out.borrow().iter().cloned().collect()
    }
}

/// A part of the file: fields in the order in which they are written.
#[derive(Debug)]
pub struct Section<'w, 'v> {
    writer: &'w Writer<'v>,
    place: Place,
    map: Map,
}

impl<'w, 'v> Section<'w, 'v> {
    /// Adds a field, if the version has it.
    pub fn put(&mut self, field: &'static str, value: impl Into<Value>) {
        let refusal = || since::refusal(self.place, field, self.writer.version);
        match self.writer.checked.then(refusal).flatten() {
            None => self.map.push(field, value),
            Some(versions) => self.writer.leave_out(format!("{}{field}", self.place.prefix()), versions),
        }
    }

    /// Adds a field that has a value, if the version has it.
    pub fn put_some(&mut self, field: &'static str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(field, value);
        }
    }

    /// Whoever writes it, for parts within this part.
    pub fn writer(&self) -> &'w Writer<'v> {
        self.writer
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.map.0.is_empty()
    }

    /// What was added.
    pub fn into_map(self) -> Map {
        self.map
    }
}

impl From<Section<'_, '_>> for Value {
    fn from(section: Section<'_, '_>) -> Self {
        Self::Map(section.map)
    }
}
