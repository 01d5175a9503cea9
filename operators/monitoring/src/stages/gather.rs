//! Reads the inputs of a plan: first the stores, then the API server and the pods. The references of the workload and of all
//! resources that it selects are collected and then read in one round. What was written last is read after that, and its
//! content only if a reference of the workload is missing.
//!
//! | file | reads |
//! |---|---|
//! | [`contents`] | referenced Secrets and ConfigMaps |
//! | `pods` | pods, claims, StatefulSets and DaemonSets; the answers of pods |
//! | `written` | what was written last |
//! | `rule_maps` | the ConfigMaps with rules |
//! | [`outside`] | storage classes and Services that pods need and users provide |
//! | [`permissions`] | optional permissions of the operator |
//! | `unknown` | kinds that the selection needs and that cannot be listed |

pub(crate) mod contents;
pub(crate) mod outside;
pub(crate) mod permissions;
mod pods;
mod rule_maps;
mod unknown;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use api_monitoring::{PerKind, SelectableKind};
use k8s_openapi::jiff::Timestamp;
use kernel::clock;
use kernel::declare::Kind;
use kernel::flow::{Cluster, PassError};
use kernel::object::{Key, Object};
use kernel::stores::{All, Stores};
use kube::api::DynamicObject;
use kube::{Api, Client};
use monitoring_assets::{Named, Objects, Reference};
use monitoring_select::LabelsByNamespace;
use monitoring_select::selection::SelectionError;
use serde_json::Value;

use self::contents::{RETRY_FORBIDDEN, kind};
use super::WorkloadOperator;
use crate::kind::{Seen, Workload};
use crate::kinds;
use crate::memory::Memory;
use crate::plan::selection::{Selections, select};
use crate::plan::{LastWritten, Resources};
use crate::rejections::Response;
use crate::selectors::WorkloadSelectors;

/// The interval at which objects without a watch are read again.
const READ_AGAIN: Duration = Duration::from_mins(1);

/// The interval at which missing objects are read again.
const MISSING_AGAIN: Duration = Duration::from_secs(30);

/// The inputs of the plan of a workload.
#[derive(Default)]
pub struct Inputs {
    /// The workload.
    pub(crate) key: Key,
    /// Its spec, as the API server sent it.
    pub(crate) spec: Value,
    /// Why it is not reconciled, if it is not.
    pub(crate) idle: Option<Idle>,
    /// Its objects in the cluster.
    pub(crate) seen: Seen,
    /// What its pods need and is missing.
    pub(crate) missing: Option<String>,
    /// The errors of its selectors, by kind.
    pub(crate) unselectable: PerKind<Option<SelectionError>>,
    /// The AlertmanagerConfig that it names as its base.
    pub(crate) base: Option<Arc<Object>>,
    /// Whether that AlertmanagerConfig is read in each pass, because it is not watched.
    pub(crate) unwatched_base: bool,
    /// Its own references.
    pub(crate) own: BTreeSet<Reference>,
    /// The contents of its references and of those of the selected resources.
    pub(crate) objects: Arc<Objects>,
    /// What was written before.
    pub(crate) written: LastWritten,
    /// How the pods respond to the configuration.
    pub(crate) response: Option<Response>,
    /// Objects with an entry for it in their status that it does not select.
    pub(crate) unselected: Vec<(Kind, Arc<Object>)>,
    /// Whether volumes of storage classes can be expanded, as far as that is known.
    pub(crate) growing: BTreeMap<String, bool>,
    /// Whether the operator may patch pods; none, if it is not known.
    pub(crate) may_patch_pods: Option<bool>,
    /// When another process wrote the present content.
    pub(crate) last_written: Option<Timestamp>,
    /// When the next pass follows even if nothing changes.
    pub(crate) requeue_after: Option<Duration>,
}

/// How a workload references other objects, besides the fields of its spec.
struct References<'p> {
    selectors: &'p WorkloadSelectors,
    /// The AlertmanagerConfig that it names as its base.
    base: Option<&'p str>,
    /// A Secret that it references without a field that names it.
    own_secret: Option<String>,
}

/// Why a workload is not reconciled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Idle {
    /// It is being deleted.
    Deleted,
    /// The user paused it.
    Paused,
}

impl Inputs {
    /// Whether this is the key of the AlertmanagerConfig that the workload names as its base, and it is not watched.
    pub(super) fn is_unwatched_base(&self, key: &Key) -> bool {
        self.unwatched_base && self.base.as_ref().is_some_and(|base| base.key() == key)
    }

    pub(super) fn requeue_within(&mut self, after: Duration) {
        self.requeue_after = self.requeue_after.into_iter().chain([after]).min();
    }
}

impl<W: Workload> WorkloadOperator<W> {
    /// Reads the inputs.
    pub(super) async fn read(
        &self,
        resource: &W::Resource,
        cluster: Cluster<'_>,
        memory: &mut Memory,
        now: Timestamp,
    ) -> Result<Inputs, PassError> {
        let (metadata, stores, key) = (W::metadata(resource), cluster.stores, cluster.key);
        let mut inputs = Inputs { key: key.clone(), ..Inputs::default() };
        if metadata.deletion_timestamp.is_some() {
            let finalizers = metadata.finalizers.iter().flatten();
            let was_bound = finalizers.into_iter().any(|name| name == W::DECLARATION.finalizer);
            if self.settings.bindings || was_bound {
                inputs.unselected = mentioning(cluster);
            }
            return Ok(Inputs { idle: Some(Idle::Deleted), ..inputs });
        }
        let facts = W::facts(resource);
        inputs.seen = self.see(metadata.uid.as_deref().unwrap_or_default(), key, stores).await?;
        inputs.unwatched_base = is_unwatched(&key.namespace, facts.base, stores);
        let is_watched = stores.is_watched(kinds::POD, &key.namespace) && !inputs.unwatched_base;
        if !is_watched {
            inputs.requeue_within(READ_AGAIN);
        }
        if facts.paused {
            return Ok(Inputs { idle: Some(Idle::Paused), ..inputs });
        }
        let workload = stores.get(W::DECLARATION.primary, key);
        let value = workload.as_deref().map(Object::value).unwrap_or_default();
        let selectors = WorkloadSelectors::read(&value, W::SELECTABLE);
        unknown::check(&selectors, stores, clock::now().duration_since(self.started), memory)?;
        inputs.missing = memory.classes.missing(&facts.needs, key, stores, &self.client).await;
        if inputs.missing.is_some() {
            inputs.requeue_within(MISSING_AGAIN);
        }
        self.ask_pods(&facts, &mut inputs, memory, now).await?;
        inputs.spec = value["spec"].clone();
        let references =
            References { selectors: &selectors, base: facts.base, own_secret: W::own_secret(resource) };
        let lacks_some = self.read_contents(references, cluster, memory, &mut inputs).await?;
        let may_stay = lacks_some || (facts.selects_no_monitors && self.settings.unmanaged);
        self.read_written(&mut inputs, may_stay, stores, memory).await?;
        memory.classes.learn(&facts.needs, &inputs.seen.claims, &self.client).await;
        inputs.growing = memory.classes.growing();
        inputs.last_written = inputs.last_written.max(memory.rules_written);
        if self.settings.bindings {
            inputs.unselected = unselected::<W>(cluster, &memory.selections);
        }
        Ok(inputs)
    }

    /// Selects resources, and reads the references of the workload and of the selected resources. Returns whether some of
    /// the workload's own are missing.
    async fn read_contents(
        &self,
        references: References<'_>,
        cluster: Cluster<'_>,
        memory: &mut Memory,
        inputs: &mut Inputs,
    ) -> Result<bool, PassError> {
        let References { selectors, base: named_base, own_secret } = references;
        let (stores, key) = (cluster.stores, cluster.key);
        let resources = with_base(resources::<W>(stores), named_base, key, stores, &self.client).await?;
        inputs.base = base(&resources, named_base, key).cloned();
        let candidates = (&resources, &namespaces(stores));
        inputs.unselectable = select(&mut memory.selections, selectors, &key.namespace, candidates);
        let named = Named::in_fields(&inputs.spec, W::REFERENCE_FIELDS);
        inputs.own = named.of_namespace(&key.namespace);
        inputs.own.extend(own_secret.map(|name| Reference::secret(&*key.namespace, name)));
        let wanted = memory.selections.iter().flat_map(|(_, selection)| selection.iter());
        let wanted = wanted.flat_map(|selected| selected.references.iter()).chain(&inputs.own);
        let wanted: BTreeSet<Reference> = wanted.cloned().collect();
        // Before anything is read, so that a later change causes a pass.
        cluster.reads(&by_kind(&wanted));
        memory.contents.fetch(wanted, stores, &self.client).await?;
        if let Some(Reference { source, namespace, name }) = memory.contents.forbidden(&inputs.own) {
            return Err(PassError::Unusable(format!(
                "the operator cannot read {source} {namespace}/{name}: grant get on {source}s in that namespace"
            )));
        }
        if memory.contents.is_denied() {
            inputs.requeue_within(RETRY_FORBIDDEN);
        }
        inputs.objects = memory.contents.objects();
        Ok(named.lacks_some(&key.namespace, &inputs.objects))
    }
}

/// References by the kind of their objects, for the index of the kernel.
fn by_kind(references: &BTreeSet<Reference>) -> BTreeMap<Kind, BTreeSet<Key>> {
    let mut by_kind: BTreeMap<Kind, BTreeSet<Key>> = BTreeMap::new();
    for Reference { source, namespace, name } in references {
        by_kind.entry(kind(*source)).or_default().insert(Key::new(namespace, name));
    }
    by_kind
}

/// The objects whose status names a workload.
pub(super) fn mentioning(cluster: Cluster<'_>) -> Vec<(Kind, Arc<Object>)> {
    let of_kind = |(kind, keys): (Kind, BTreeSet<Key>)| {
        let objects = keys.into_iter().filter_map(move |key| Some((kind, cluster.stores.get(kind, &key)?)));
        objects.collect::<Vec<_>>()
    };
    cluster.mentioning().into_iter().flat_map(of_kind).collect()
}

/// The objects whose status names a workload that does not select them.
fn unselected<W: Workload>(cluster: Cluster<'_>, selections: &Selections) -> Vec<(Kind, Arc<Object>)> {
    let mut unselected = Vec::new();
    for selectable in W::SELECTABLE {
        let kind = kinds::selectable(*selectable);
        let keys = cluster.mentioning_of(kind, |keys| selections[*selectable].missing(keys));
        unselected.extend(keys.iter().filter_map(|key| Some((kind, cluster.stores.get(kind, key)?))));
    }
    unselected
}

/// Everything that workloads of a kind can select.
fn resources<W: Workload>(stores: &Stores) -> Resources {
    PerKind::new(|kind| {
        let is_selectable = W::SELECTABLE.contains(&kind);
        if is_selectable { stores.all(kinds::selectable(kind)) } else { All::default() }
    })
}

/// Whether a workload names an AlertmanagerConfig that is not watched: then it is read in each pass.
fn is_unwatched(namespace: &str, base: Option<&str>, stores: &Stores) -> bool {
    base.is_some() && stores.partition(kinds::ALERTMANAGER_CONFIG, namespace).is_none()
}

/// The same with the AlertmanagerConfig in its namespace that a workload names, wherever others are watched.
async fn with_base(
    mut resources: Resources,
    base: Option<&str>,
    Key { namespace, .. }: &Key,
    stores: &Stores,
    client: &Client,
) -> Result<Resources, PassError> {
    let Some(name) = base.filter(|_| is_unwatched(namespace, base, stores)) else { return Ok(resources) };
    let kind = kinds::ALERTMANAGER_CONFIG;
    let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), namespace, &kind.resource());
    let found = api.get_opt(name).await.map_err(|error| {
        PassError::outside(format!("AlertmanagerConfig {namespace}/{name} cannot be read"), error)
    })?;
    if let Some(found) = found {
        resources[SelectableKind::AlertmanagerConfig].put(Arc::new(stores.keep(kind, found)));
    }
    Ok(resources)
}

/// The AlertmanagerConfig in its namespace that a workload names as its base.
pub(crate) fn base<'r>(
    resources: &'r Resources,
    name: Option<&str>,
    workload: &Key,
) -> Option<&'r Arc<Object>> {
    let is_base = |object: &&Arc<Object>| {
        Some(&*object.key().name) == name && object.key().namespace == workload.namespace
    };
    resources[SelectableKind::AlertmanagerConfig].iter().find(is_base)
}

/// The labels of all namespaces.
fn namespaces(stores: &Stores) -> LabelsByNamespace {
    let all = stores.all(kinds::NAMESPACE);
    let pair = |(name, value): &(Box<str>, Box<str>)| (name.to_string(), value.to_string());
    let labels = |namespace: &Object| namespace.labels().iter().map(pair).collect();
    all.iter().map(|namespace| (namespace.key().name.to_string(), labels(namespace))).collect()
}

#[cfg(test)]
mod tests;
