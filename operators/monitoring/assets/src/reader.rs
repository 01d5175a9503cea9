//! Reading, and what was read.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use api_monitoring::reference::SecretOrConfigMap;
use k8s_openapi::api::core::v1::{ConfigMapKeySelector, SecretKeySelector};

use crate::Objects;

/// Kinds of object that hold data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A Secret.
    Secret,
    /// A ConfigMap.
    ConfigMap,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Secret => "secret",
            Self::ConfigMap => "configmap",
        })
    }
}

/// An object that was read, or that somebody wanted to read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reference {
    /// Its kind.
    pub source: Source,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl Reference {
    /// A Secret.
    pub fn secret(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self { source: Source::Secret, namespace: namespace.into(), name: name.into() }
    }
}

/// Why something could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// There is no such object.
    #[error("unable to get {source_kind} {name:?}: {source_kind}s {name:?} not found")]
    Object {
        /// Its kind.
        source_kind: Source,
        /// Its name.
        name: String,
    },
    /// The object may not be read.
    #[error(
        "unable to get {source_kind} {name:?}: the operator may not read it; grant get on {source_kind}s in its namespace"
    )]
    Forbidden {
        /// Its kind.
        source_kind: Source,
        /// Its name.
        name: String,
    },
    /// The object has no such key.
    #[error("key {key:?} in {source_kind} {name:?} not found")]
    Key {
        /// The kind of the object.
        source_kind: Source,
        /// Its name.
        name: String,
        /// The key.
        key: String,
    },
}

/// Reads objects of one namespace and remembers which.
#[derive(Debug)]
pub struct Reader<'o> {
    objects: &'o Objects,
    namespace: Cow<'o, str>,
    read: RefCell<BTreeSet<Reference>>,
}

impl<'o> Reader<'o> {
    /// Reads in a namespace.
    pub fn new(objects: &'o Objects, namespace: impl Into<Cow<'o, str>>) -> Self {
        Self { objects, namespace: namespace.into(), read: RefCell::default() }
    }

    /// The namespace.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// What was read so far, there or not.
    pub fn references(&self) -> BTreeSet<Reference> {
        self.read.borrow().clone()
    }

    /// The value of a key of a Secret.
    pub fn secret(&self, selector: &SecretKeySelector) -> Result<&'o [u8], Missing> {
        self.remember(Source::Secret, &selector.name);
        let secret = self
            .objects
            .secret(&self.namespace, &selector.name)
            .ok_or_else(|| self.lacks(Source::Secret, &selector.name))?;
        let data = secret.data.as_ref().and_then(|data| data.get(&selector.key));
        let text = || secret.string_data.as_ref().and_then(|data| data.get(&selector.key));
        data.map(|bytes| bytes.0.as_slice()).or_else(|| text().map(String::as_bytes)).ok_or_else(|| {
            Missing::Key {
                source_kind: Source::Secret,
                name: selector.name.clone(),
                key: selector.key.clone(),
            }
        })
    }

    /// The value of a key of a ConfigMap.
    pub fn config_map(&self, selector: &ConfigMapKeySelector) -> Result<&'o str, Missing> {
        self.remember(Source::ConfigMap, &selector.name);
        let map = self
            .objects
            .config_map(&self.namespace, &selector.name)
            .ok_or_else(|| self.lacks(Source::ConfigMap, &selector.name))?;
        map.data.as_ref().and_then(|data| data.get(&selector.key)).map(String::as_str).ok_or_else(|| {
            Missing::Key {
                source_kind: Source::ConfigMap,
                name: selector.name.clone(),
                key: selector.key.clone(),
            }
        })
    }

    /// The value that a selector points to; nothing, if it points nowhere.
    pub fn either(&self, selector: &SecretOrConfigMap) -> Result<Option<&'o [u8]>, Missing> {
        match (&selector.secret, &selector.config_map) {
            (Some(secret), _) => self.secret(secret).map(Some),
            (None, Some(map)) => self.config_map(map).map(|text| Some(text.as_bytes())),
            (None, None) => Ok(None),
        }
    }

    /// Why an object was not found.
    fn lacks(&self, source: Source, name: &str) -> Missing {
        let (source_kind, reference) = (source, self.reference(source, name));
        let name = name.to_owned();
        if self.objects.is_forbidden(&reference) {
            Missing::Forbidden { source_kind, name }
        } else {
            Missing::Object { source_kind, name }
        }
    }

    fn reference(&self, source: Source, name: &str) -> Reference {
        Reference { source, namespace: self.namespace.clone().into_owned(), name: name.to_owned() }
    }

    fn remember(&self, source: Source, name: &str) {
        self.read.borrow_mut().insert(self.reference(source, name));
    }
}
