//! Feature flags: any names, each on or off, from one file of a mounted `ConfigMap`. The file is read again every
//! second; an invalid file changes nothing. Unknown names are listed and have no effect.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Why the features could not be read.
#[derive(Debug, thiserror::Error)]
pub enum FeaturesError {
    /// It could not be read.
    #[error("cannot read the features file {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It is not a JSON object of booleans.
    #[error("the features are not a JSON object of booleans")]
    Json(#[source] serde_json::Error),
    /// A line is not `name=true` or `name=false`.
    #[error("line {0} of the features is not `name=true` or `name=false`")]
    Line(usize),
}

/// The features, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Features(pub BTreeMap<String, bool>);

impl Features {
    /// Reads them from a file; there are none if the file does not exist.
    pub fn read(path: &Path) -> Result<Self, FeaturesError> {
        match fs::read_to_string(path) {
            Ok(text) => Self::parse(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(FeaturesError::Read { path: path.into(), source }),
        }
    }

    /// Reads a JSON object, or lines `name=true`; `#` starts a comment line.
    fn parse(text: &str) -> Result<Self, FeaturesError> {
        if text.trim_start().starts_with('{') {
            return serde_json::from_str(text).map(Self).map_err(FeaturesError::Json);
        }
        let mut features = BTreeMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, value) = line.split_once('=').ok_or(FeaturesError::Line(number))?;
            let value = value.trim().parse().map_err(|_| FeaturesError::Line(number))?;
            features.insert(name.trim().to_owned(), value);
        }
        Ok(Self(features))
    }

    fn is_on(&self, name: &str) -> bool {
        self.0.get(name).copied().unwrap_or_default()
    }

    /// `exampleFeature1`: responses have the header `x-example-feature-1: on`.
    pub fn adds_header(&self) -> bool {
        self.is_on("exampleFeature1")
    }

    /// `exampleFeature2`: values that are text are returned in upper case.
    pub fn upper_case(&self) -> bool {
        self.is_on("exampleFeature2")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_equivalent() {
        let json = Features::parse(r#" {"exampleFeature1": true, "other": false} "#).unwrap();
        let lines = Features::parse("# flags\nexampleFeature1=true\n\n other = false\n").unwrap();
        assert_eq!(json, lines);
        assert!(json.adds_header() && !json.upper_case());
        assert_eq!(Features::parse("").unwrap(), Features::default());
    }

    #[test]
    fn an_invalid_file_is_refused() {
        assert!(matches!(Features::parse("{\"a\": 1}"), Err(FeaturesError::Json(_))));
        assert!(matches!(Features::parse("a=true\nb"), Err(FeaturesError::Line(2))));
        assert!(matches!(Features::parse("a=yes"), Err(FeaturesError::Line(1))));
    }
}
