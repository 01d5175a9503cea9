//! Reads keys of Secrets and ConfigMaps, and records which objects were read.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use api_monitoring::reference::SecretOrConfigMap;
use k8s_openapi::api::core::v1::SecretKeySelector;

use crate::Objects;

/// Kinds of object that hold data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// A Secret.
    Secret,
    /// A ConfigMap.
    ConfigMap,
}

impl fmt::Display for SourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Secret => "secret",
            Self::ConfigMap => "configmap",
        })
    }
}

/// A Secret or a ConfigMap that is referenced.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reference {
    /// Its kind.
    pub source: SourceKind,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl Reference {
    /// A Secret.
    pub fn secret(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self { source: SourceKind::Secret, namespace: namespace.into(), name: name.into() }
    }
}

/// A key that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The object.
    pub reference: Reference,
    /// Why.
    pub reason: MissingReason,
}

/// Why a key cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingReason {
    /// The object does not exist.
    NotFound,
    /// The operator has no permission to get the object.
    Forbidden,
    /// The object does not have this key.
    NoKey(String),
}

impl std::error::Error for Missing {}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Reference { source, name, .. } = &self.reference;
        match &self.reason {
            MissingReason::NotFound => {
                write!(f, "unable to get {source} {name:?}: {source}s {name:?} not found")
            }
            MissingReason::Forbidden => write!(
                f,
                "unable to get {source} {name:?}: the operator needs permission to get {source}s in its namespace"
            ),
            MissingReason::NoKey(key) => write!(f, "key {key:?} in {source} {name:?} not found"),
        }
    }
}

/// Reads objects of one namespace and records which.
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

    /// All objects that were read so far, whether they exist or not.
    pub fn references(&self) -> BTreeSet<Reference> {
        self.read.borrow().clone()
    }

    /// The value of a key of a Secret.
    pub fn secret(&self, selector: &SecretKeySelector) -> Result<&'o [u8], Missing> {
        self.read(SourceKind::Secret, &selector.name, &selector.key)
    }

    /// The value of the key of a Secret or a ConfigMap, if the selector names one.
    pub fn either(&self, selector: &SecretOrConfigMap) -> Result<Option<&'o [u8]>, Missing> {
        match (&selector.secret, &selector.config_map) {
            (Some(secret), _) => self.secret(secret).map(Some),
            (None, Some(map)) => self.read(SourceKind::ConfigMap, &map.name, &map.key).map(Some),
            (None, None) => Ok(None),
        }
    }

    fn read(&self, source: SourceKind, name: &str, key: &str) -> Result<&'o [u8], Missing> {
        let namespace = self.namespace.clone().into_owned();
        let reference = Reference { source, namespace, name: name.to_owned() };
        self.read.borrow_mut().insert(reference.clone());
        self.objects.value(&reference, key).map_err(|reason| Missing { reference, reason })
    }
}
