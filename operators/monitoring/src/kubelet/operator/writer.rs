//! The requests. What differs is decided by `kernel::apply::decide`; nothing is written when nothing does, and every
//! write names the version or the unique id of what it changes.

use std::fmt::{self, Debug};

use k8s_openapi::NamespaceResourceScope;
use kernel::apply::{Action, Ownership as Who, Way, decide, desired};
use kernel::declare::Kind;
use kernel::object::{Object, Owner};
use kube::api::{DeleteParams, ListParams, PostParams, Preconditions};
use kube::{Api, Client, Resource, ResourceExt as _};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Our name among the owners of fields.
const MANAGER: &str = "mainstay";

/// Why something was not read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PassError {
    /// Another one leads.
    #[error("this process does not lead any more and writes nothing")]
    Fenced,
    /// It belongs to somebody else, or cannot be changed so.
    #[error("{0}")]
    Refused(String),
    /// What we want does not read as an object. It never happens.
    #[error("{what} cannot be written")]
    Unwritable { what: What, source: serde_json::Error },
    /// The server said no, or nothing.
    #[error("cannot {verb} {what}: {source}")]
    Server { verb: &'static str, what: What, source: Box<kube::Error> },
}

impl PassError {
    /// Whether we may not do it.
    pub(crate) fn is_forbidden(&self) -> bool {
        let Self::Server { source, .. } = self else { return false };
        matches!(&**source, kube::Error::Api(status) if status.code == 403)
    }
}

/// A kind and a name.
#[derive(Debug, Clone)]
pub(crate) struct What {
    kind: &'static str,
    name: String,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.name)
    }
}

/// What all kinds that are written here have in common.
pub(crate) trait Written:
    Resource<DynamicType = (), Scope = NamespaceResourceScope>
    + k8s_openapi::Resource<Scope = NamespaceResourceScope>
    + Clone
    + Debug
    + Serialize
    + DeserializeOwned
{
}

impl<K> Written for K where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
        + k8s_openapi::Resource<Scope = NamespaceResourceScope>
        + Clone
        + Debug
        + Serialize
        + DeserializeOwned
{
}

/// Reads and writes in one namespace.
pub(crate) struct Writer<F> {
    pub(crate) client: Client,
    pub(crate) namespace: String,
    pub(crate) may_write: F,
}

impl<F: Fn() -> bool> Writer<F> {
    /// The object of this name, if there is one.
    pub(crate) async fn get<K: Written>(&self, name: &str) -> Result<Option<K>, PassError> {
        self.api().get_opt(name).await.map_err(|error| self.failed::<K>("get", name, error))
    }

    /// Those with these labels that are not on their way out.
    pub(crate) async fn list<K: Written>(&self, labels: &str) -> Result<Vec<K>, PassError> {
        let listed = self.api::<K>().list(&ListParams::default().labels(labels)).await;
        let mut all = listed.map_err(|error| self.failed::<K>("list", "", error))?.items;
        all.retain(|object| object.meta().deletion_timestamp.is_none());
        Ok(all)
    }

    /// Makes or replaces an object if it is not as wanted. As it is now; nothing if it is on its way out, to come back
    /// another time.
    pub(crate) async fn put<K: Written>(
        &self,
        wanted: &K,
        live: Option<K>,
        owner: &Owner,
    ) -> Result<Option<K>, PassError> {
        let name = wanted.name_any();
        let known = match &live {
            Some(live) => Some(self.object(live)?),
            None => None,
        };
        let who = Who { manager: MANAGER, predecessors: &[], owner };
        match decide(&desired(wanted, Way::Replace), known.as_ref(), who) {
            Action::Nothing => Ok(live),
            Action::Wait => Ok(None),
            Action::Refuse(words) => Err(PassError::Refused(words)),
            Action::Create(object) => {
                let object = self.typed(&name, object)?;
                self.check_fence()?;
                let made = self.api().create(&written(), &object).await;
                let made = made.map_err(|error| self.failed::<K>("create", &name, error))?;
                tracing::info!("created {}", self.what::<K>(&name));
                Ok(Some(made))
            }
            Action::Apply { object, because, .. } | Action::Replace { object, because } => {
                let object = self.typed(&name, object)?;
                self.check_fence()?;
                let now = self.api().replace(&name, &written(), &object).await;
                let now = now.map_err(|error| self.failed::<K>("replace", &name, error))?;
                tracing::info!("replaced {} ({because})", self.what::<K>(&name));
                Ok(Some(now))
            }
            Action::Delete { .. } => {
                if let Some(live) = live {
                    self.delete(&live).await?;
                }
                Ok(None)
            }
        }
    }

    /// Deletes this object and no other of its name.
    pub(crate) async fn delete<K: Written>(&self, object: &K) -> Result<(), PassError> {
        let name = object.name_any();
        self.check_fence()?;
        let preconditions = Some(Preconditions { uid: object.uid(), resource_version: None });
        let params = DeleteParams { preconditions, ..DeleteParams::default() };
        match self.api::<K>().delete(&name, &params).await {
            Ok(_) => {
                tracing::info!("deleted {}", self.what::<K>(&name));
                Ok(())
            }
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            Err(error) => Err(self.failed::<K>("delete", &name, error)),
        }
    }

    fn check_fence(&self) -> Result<(), PassError> {
        if (self.may_write)() { Ok(()) } else { Err(PassError::Fenced) }
    }

    fn api<K: Written>(&self) -> Api<K> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    fn object<K: Written>(&self, object: &K) -> Result<Object, PassError> {
        let unwritable = |source| PassError::Unwritable { what: self.what::<K>(&object.name_any()), source };
        let value = serde_json::to_value(object).map_err(unwritable)?;
        let dynamic = serde_json::from_value(value).map_err(unwritable)?;
        Ok(Object::new(dynamic, &Kind::of::<K>().resource()))
    }

    fn typed<K: Written>(&self, name: &str, object: Value) -> Result<K, PassError> {
        serde_json::from_value(object)
            .map_err(|source| PassError::Unwritable { what: self.what::<K>(name), source })
    }

    fn what<K: Written>(&self, name: &str) -> What {
        What { kind: Kind::of::<K>().kind, name: format!("{}/{name}", self.namespace) }
    }

    fn failed<K: Written>(&self, verb: &'static str, name: &str, error: kube::Error) -> PassError {
        PassError::Server { verb, what: self.what::<K>(name), source: Box::new(error) }
    }
}

fn written() -> PostParams {
    PostParams { field_manager: Some(MANAGER.into()), ..PostParams::default() }
}
