//! Objects as the kernel keeps them: what every stage needs at hand, and the rest as the bytes the server sent.
//! A store of ten thousand of them is mostly those bytes; who needs more reads them when it needs it.

use std::borrow::Cow;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube::api::{ApiResource, DynamicObject, TypeMeta};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::declare::Kind;

/// Namespace and name. Objects without a namespace have an empty one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// Namespace, or nothing.
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

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.namespace.is_empty() {
            write!(f, "{}", self.name)
        } else {
            write!(f, "{}/{}", self.namespace, self.name)
        }
    }
}

/// Which object, and which state of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Its name.
    pub key: Key,
    /// What tells it from others that had its name before.
    pub uid: Box<str>,
    /// Grows with every change.
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

/// What a store can hold.
pub trait Kept {
    /// Which object, in which state.
    fn identity(&self) -> &Identity;

    /// The unique id of the object that controls it, if one does: stores find objects by it.
    fn owner(&self) -> Option<&str> {
        None
    }
}

/// Who controls an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The API group of its kind; empty for the core.
    pub group: Box<str>,
    /// Its kind.
    pub kind: Box<str>,
    /// Its name, in the same namespace, or in none.
    pub name: Box<str>,
    /// Its unique id.
    pub uid: Box<str>,
}

impl Owner {
    /// Whether it is of this kind, in whatever version.
    pub fn is_a(&self, kind: Kind) -> bool {
        *self.group == *kind.group && *self.kind == *kind.kind
    }

    fn of(reference: &OwnerReference) -> Self {
        // Without a slash there is only a version: that is the core.
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
    /// Most objects have none.
    owner: Option<Box<Owner>>,
    labels: Box<[(Box<str>, Box<str>)]>,
    generation: i64,
    deleting: bool,
    content: Content,
}

/// All of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    /// As text, which is small.
    Text(Box<[u8]>),
    /// As a tree, which is at hand: few are kept so.
    Tree(Value),
}

/// An object that is there and does not read as its kind should.
#[derive(Debug, thiserror::Error)]
#[error("{key} cannot be read")]
pub struct Unreadable {
    /// Which one.
    pub key: Key,
    /// Why not.
    pub source: serde_json::Error,
}

impl Kept for Object {
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

    /// The same, for one that is large and looked at soon: it is not written and read again.
    pub fn at_hand(object: DynamicObject, resource: &ApiResource) -> Self {
        Self::with(object, resource, |object| {
            let DynamicObject { types, metadata, data } = object;
            let mut fields = if let Value::Object(fields) = data { fields } else { serde_json::Map::new() };
            if let Some(TypeMeta { api_version, kind }) = types {
                fields.insert("apiVersion".into(), api_version.into());
                fields.insert("kind".into(), kind.into());
            }
            fields.insert("metadata".into(), serde_json::to_value(metadata).unwrap_or_default());
            Content::Tree(Value::Object(fields))
        })
    }

    fn with(
        mut object: DynamicObject,
        resource: &ApiResource,
        content: impl FnOnce(DynamicObject) -> Content,
    ) -> Self {
        // Items of lists come without.
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

    /// Who controls it.
    pub fn controller(&self) -> Option<&Owner> {
        self.owner.as_deref()
    }

    /// Its labels, in the order of their names. There are many objects and few labels each: a map would be mostly air.
    pub fn labels(&self) -> &[(Box<str>, Box<str>)] {
        &self.labels
    }

    /// The value of a label.
    pub fn label(&self, name: &str) -> Option<&str> {
        let at = self.labels.binary_search_by(|(other, _)| (**other).cmp(name)).ok()?;
        Some(&self.labels[at].1)
    }

    /// How often its spec was changed; zero, if nobody counts.
    pub fn generation(&self) -> i64 {
        self.generation
    }

    /// Its unique id.
    pub fn uid(&self) -> &str {
        &self.identity.uid
    }

    /// Whether it is on its way out.
    pub fn is_deleting(&self) -> bool {
        self.deleting
    }

    /// Reads it as a type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Unreadable> {
        let read = match &self.content {
            Content::Text(text) => serde_json::from_slice(text),
            // Nobody does, and code that reads every type from trees too would be megabytes.
            Content::Tree(value) => serde_json::to_vec(value).and_then(|text| serde_json::from_slice(&text)),
        };
        read.map_err(|source| Unreadable { key: self.key().clone(), source })
    }

    /// Reads it as it is. What came from the server is always JSON.
    pub fn value(&self) -> Cow<'_, Value> {
        match &self.content {
            Content::Text(text) => Cow::Owned(serde_json::from_slice(text).unwrap_or_default()),
            Content::Tree(value) => Cow::Borrowed(value),
        }
    }
}
