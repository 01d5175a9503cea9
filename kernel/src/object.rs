//! Objects as the stores keep them: metadata that every stage needs, and the rest as the bytes that the server sent. A store
//! of ten thousand objects is mostly these bytes; they are decoded when they are needed.

use std::borrow::Cow;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube::api::{ApiResource, DynamicObject, TypeMeta};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::declare::Kind;

/// Namespace and name. Objects without a namespace have an empty one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// Namespace; empty if there is none.
    pub namespace: Arc<str>,
    /// Name.
    pub name: Arc<str>,
}

impl Key {
    /// This name in this namespace.
    pub fn new(namespace: &str, name: &str) -> Self {
        Self { namespace: namespace.into(), name: name.into() }
    }

    /// The key of an object.
    pub fn of(metadata: &ObjectMeta) -> Self {
        Self::new(
            metadata.namespace.as_deref().unwrap_or_default(),
            metadata.name.as_deref().unwrap_or_default(),
        )
    }
}

/// Why a text is not a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write it as NAMESPACE/NAME")]
pub struct KeyError;

impl std::str::FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        match text.split_once('/') {
            Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() && !name.contains('/') => {
                Ok(Self::new(namespace, name))
            }
            _ => Err(KeyError),
        }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.namespace.is_empty() {
            write!(f, "{}", self.name)
        } else {
            write!(f, "{}/{}", self.namespace, self.name)
        }
    }
}

/// An object and its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Its name.
    pub key: Key,
    /// The unique id: it distinguishes the object from earlier ones with its name.
    pub uid: Box<str>,
    /// The resource version: it grows with every change.
    pub version: u64,
}

impl Identity {
    /// The identity of an object.
    pub fn of(metadata: &ObjectMeta) -> Self {
        let version = metadata.resource_version.as_deref().and_then(|version| version.parse().ok());
        Self {
            key: Key::of(metadata),
            uid: metadata.uid.as_deref().unwrap_or_default().into(),
            version: version.unwrap_or(0),
        }
    }
}

/// An object that a store can hold.
pub trait Stored {
    /// The object and its version.
    fn identity(&self) -> &Identity;

    /// The unique id of its controller, if it has one: stores find objects by it.
    fn owner(&self) -> Option<&str> {
        None
    }
}

/// The field of a status with a hash of the spec that it describes, for resources without a meaningful generation.
pub const OBSERVED_SPEC: &str = "observedSpecHash";

/// The controller of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Owner {
    /// The API group of its kind; empty for the core.
    pub group: Box<str>,
    /// Its kind.
    pub kind: Box<str>,
    /// Its name.
    pub name: Box<str>,
    /// Its unique id.
    pub uid: Box<str>,
}

impl Owner {
    /// Whether it is of this kind, in any version.
    pub fn is_a(&self, kind: Kind) -> bool {
        *self.group == *kind.group && *self.kind == *kind.kind
    }

    fn of(reference: &OwnerReference) -> Self {
        // Without a slash there is only a version: the core group.
        let group = reference.api_version.split_once('/').map_or("", |(group, _)| group);
        Self {
            group: group.into(),
            kind: reference.kind.as_str().into(),
            name: reference.name.as_str().into(),
            uid: reference.uid.as_str().into(),
        }
    }
}

/// An object of any kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    identity: Identity,
    /// Boxed, because most objects have none.
    owner: Option<Box<Owner>>,
    labels: Box<[(Box<str>, Box<str>)]>,
    generation: i64,
    deleting: bool,
    content: Content,
}

/// The content of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    /// As text, which takes little memory.
    Text(Box<[u8]>),
    /// As a tree, for the few that are read soon.
    Tree(Value),
}

/// An object that exists and cannot be decoded as its kind.
#[derive(Debug, thiserror::Error)]
#[error("{key} cannot be decoded")]
pub struct Unreadable {
    /// Its name.
    pub key: Key,
    /// The cause.
    pub source: serde_json::Error,
}

impl Stored for Object {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn owner(&self) -> Option<&str> {
        self.owner.as_ref().map(|owner| &*owner.uid)
    }
}

impl Object {
    /// From what the server sent.
    pub fn new(object: DynamicObject, resource: &ApiResource) -> Self {
        let text = |object: &DynamicObject| serde_json::to_vec(object).unwrap_or_default();
        Self::with(object, resource, |object| Content::Text(text(&object).into()))
    }

    /// The same, for an object that is large and read soon: it is not encoded and decoded.
    pub fn decoded(object: DynamicObject, resource: &ApiResource) -> Self {
        let tree = |object: &DynamicObject| serde_json::to_value(object).unwrap_or_default();
        Self::with(object, resource, |object| Content::Tree(tree(&object)))
    }

    fn with(
        mut object: DynamicObject,
        resource: &ApiResource,
        content: impl FnOnce(DynamicObject) -> Content,
    ) -> Self {
        // Items of lists have no type.
        object.types.get_or_insert_with(|| TypeMeta {
            api_version: resource.api_version.clone(),
            kind: resource.kind.clone(),
        });
        let owner =
            object.metadata.owner_references.iter().flatten().find(|owner| owner.controller == Some(true));
        let owner = owner.map(|owner| Box::new(Owner::of(owner)));
        let pair = |(name, value): (&String, &String)| (name.as_str().into(), value.as_str().into());
        Self {
            identity: Identity::of(&object.metadata),
            owner,
            labels: object.metadata.labels.iter().flatten().map(pair).collect(),
            generation: object.metadata.generation.unwrap_or_default(),
            deleting: object.metadata.deletion_timestamp.is_some(),
            content: content(object),
        }
    }

    /// Its name.
    pub fn key(&self) -> &Key {
        &self.identity.key
    }

    /// Its controller.
    pub fn controller(&self) -> Option<&Owner> {
        self.owner.as_deref()
    }

    /// Its labels, in the order of their names. A slice takes less memory than a map, and there are many objects.
    pub fn labels(&self) -> &[(Box<str>, Box<str>)] {
        &self.labels
    }

    /// The value of a label.
    pub fn label(&self, name: &str) -> Option<&str> {
        let at = self.labels.binary_search_by(|(other, _)| (**other).cmp(name)).ok()?;
        Some(&self.labels[at].1)
    }

    /// Its generation; zero if it has none.
    pub fn generation(&self) -> i64 {
        self.generation
    }

    /// A hash of its spec: it distinguishes specs if status writes change the generation too.
    pub fn spec_hash(&self) -> String {
        let hash = Sha256::digest(self.value()["spec"].to_string());
        format!("{:016x}", hash.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Whether its status describes its present spec.
    pub fn is_observed(&self) -> bool {
        let status = &self.value()["status"];
        match status[OBSERVED_SPEC].as_str() {
            Some(hash) => hash == self.spec_hash(),
            None => status["observedGeneration"] == self.generation,
        }
    }

    /// Its unique id.
    pub fn uid(&self) -> &str {
        &self.identity.uid
    }

    /// Whether it is being deleted.
    pub fn is_deleting(&self) -> bool {
        self.deleting
    }

    /// Decodes it as a type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Unreadable> {
        let read = match &self.content {
            Content::Text(text) => serde_json::from_slice(text),
            // This is rare, and decoding every type from trees too would cost megabytes of code.
            Content::Tree(value) => serde_json::to_vec(value).and_then(|text| serde_json::from_slice(&text)),
        };
        read.map_err(|source| Unreadable { key: self.key().clone(), source })
    }

    /// Its JSON. What came from the server is always valid.
    pub fn value(&self) -> Cow<'_, Value> {
        match &self.content {
            Content::Text(text) => Cow::Owned(serde_json::from_slice(text).unwrap_or_default()),
            Content::Tree(value) => Cow::Borrowed(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_written_with_its_namespace() {
        assert_eq!("home/hooks".parse(), Ok(Key::new("home", "hooks")));
        for text in ["", "hooks", "/hooks", "home/", "a/b/c"] {
            assert_eq!(text.parse::<Key>(), Err(KeyError), "{text}");
        }
    }
}
