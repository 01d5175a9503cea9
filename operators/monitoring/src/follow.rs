//! What follows from a workload, with all that it points to. What was read and made in one pass is remembered for the next;
//! losing it costs time and nothing else.

mod written;

use std::collections::{BTreeMap, BTreeSet};

use crate::loaded::doubt::Doubt;
use crate::plan::{Child, Invalid, Planned, Remark, Standing, Surroundings};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::jiff::Timestamp;
use kernel::apply::Applied;
use kernel::declare::Kind;
use kernel::flow::PassError;
use kernel::object::{Kept as _, Key};
use kernel::stores::Stores;
use monitoring_assets::Reference;
use monitoring_rules::pack::Files;
use serde_json::Value;

use self::written::last_write;
use crate::bindings::Told;
use crate::controller::{Inputs, WorkloadOperator};
use crate::kind::Workload;
use crate::kinds;
use crate::load::{Content, Loading};
use crate::refused::{self, Accepted, Program};
use crate::rule_maps;
use crate::shared::{held, namespaces, resources, with_named};
use crate::vault::Vault;

/// So often a plan may ask for more. Each round shows one more thing that an object points to, and no object points to so
/// many.
const ROUNDS: usize = 1000;

/// Whether something is written beside the configuration about what the operand refuses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Record {
    /// Nobody has looked yet.
    #[default]
    Unread,
    /// Nothing is.
    Empty,
    /// Something is.
    Kept,
}

impl Record {
    fn of(is_kept: bool) -> Self {
        if is_kept { Self::Kept } else { Self::Empty }
    }
}

/// What is remembered of one workload.
#[derive(Debug, Default)]
pub(crate) struct Place<M> {
    pub(crate) memory: M,
    vault: Vault,
    wanted: BTreeSet<Reference>,
    /// The ConfigMaps with rules, at the versions at which they were read.
    rules: BTreeMap<String, (String, Files)>,
    /// What was told about what it selects.
    pub(crate) told: Told,
    /// What its pods run.
    pub(crate) loading: Loading,
    /// What its operand refuses.
    pub(crate) doubt: Doubt<Content>,
    /// What is written about that beside the configuration.
    pub(crate) record: Record,
    /// When rules were last written by somebody before us.
    pub(crate) rules_written: Option<Timestamp>,
    /// What was accepted last: whatever was not in it is suspected first.
    pub(crate) good: Option<Accepted>,
    /// What its pods were last planned to run.
    pub(crate) program: Option<Program>,
}

impl<M> Place<M> {
    /// Whether something that is pointed to may not be read.
    pub(crate) fn is_denied(&self) -> bool {
        self.vault.forbidden(self.wanted.iter()).is_some()
    }

    /// A monitor that points to what we may not read is left out; without what the workload itself points to, nothing good
    /// would be written.
    fn may_read(&self, planned: &Planned) -> Result<(), PassError> {
        let forbidden = self.vault.forbidden(planned.references.iter());
        let Some(Reference { source, namespace, name }) = forbidden else { return Ok(()) };
        let words = format!("{source} {namespace}/{name} may not be read: grant get on {source}s there");
        Err(PassError::Outside(words))
    }
}

impl<W: Workload> WorkloadOperator<W> {
    /// What follows from a workload. What it points to is asked for until nothing more is wanted.
    pub(crate) async fn follow(
        &self,
        resource: &W::Resource,
        key: &Key,
        stores: &Stores,
    ) -> Result<(Result<Planned, Invalid>, Vec<(Kind, Key)>), PassError> {
        let home = self.places.of(key);
        // Taken out, because nobody may hold a lock while he waits: a pass that is dropped loses what it remembered.
        let mut place = std::mem::take(&mut *held(&home));
        let followed = self.follow_in(&mut place, resource, key, stores).await;
        *held(&home) = place;
        followed
    }

    async fn follow_in(
        &self,
        place: &mut Place<W::Memory>,
        resource: &W::Resource,
        key: &Key,
        stores: &Stores,
    ) -> Result<(Result<Planned, Invalid>, Vec<(Kind, Key)>), PassError> {
        let mut standing = Standing { rules: self.packing(key, stores, place).await?, ..Standing::default() };
        place.vault.begin();
        // What cannot be read, and is wanted still, comes up again below.
        let _ = place.vault.fetch(&place.wanted.clone(), stores, &self.shared.client).await;
        self.recall(place, key).await?;
        let named = (&*key.namespace, W::named(resource));
        let resources = with_named(resources(stores), named, stores, &self.shared.client).await?;
        let namespaces = namespaces(stores);
        let mut left_out = place.doubt.left_out();
        let mut indexed = place.wanted.clone();
        let mut spared = Vec::new();
        // Another round follows if something new was read, once for what was written last, and if something else is left out.
        for _ in 0..ROUNDS {
            let objects = place.vault.objects();
            let settings = &self.shared.settings;
            let around = Surroundings {
                operator: &settings.operator,
                offers: settings.offers,
                unmanaged: settings.unmanaged,
                daemon_sets: settings.daemon_sets,
                namespaces: &namespaces,
                objects: &objects,
                resources: &resources,
                left_out: &refused::left_out(&left_out),
            };
            let planned = W::plan(resource, &around, &standing, &mut place.memory);
            place.wanted = W::references(&place.memory);
            place.wanted.extend(match &planned {
                Ok(planned) => planned.references.clone(),
                // Who gave up did so at the first thing that was missing, and may not have said what.
                Err(invalid) => invalid.references.iter().cloned().chain(objects.asked()).collect(),
            });
            if !indexed.is_superset(&place.wanted) {
                // Before it is read: a change that comes after that must find its reader.
                indexed.extend(place.wanted.iter().cloned());
                self.readers.update(key, indexed.clone());
            }
            let asks_for_more = place.vault.fetch(&place.wanted, stores, &self.shared.client).await?;
            if let Ok(planned) = &planned {
                place.may_read(planned)?;
            }
            if asks_for_more {
                continue;
            }
            let needs_last = planned.as_ref().is_ok_and(needs_last) && standing.configuration.is_none();
            if needs_last && let Some(last) = self.last(key, stores).await? {
                let name = W::configuration(&key.name).0;
                spared.push((kinds::SECRET, Key::new(&key.namespace, &name)));
                standing.configuration = Some(last.0);
                standing.tls_files = last.1;
                continue;
            }
            if let Some(planned) = planned.as_ref().ok().filter(|_| !place.doubt.is_idle()) {
                // Now that everything is read it shows what of the refused, and who refused it, is another thing by now.
                let read = (&place.wanted, &place.vault.objects());
                let operand = refused::operand::<W>(resource, &key.name, planned, read);
                place.doubt.notice(operand, &refused::stamps(&W::judged(&place.memory)));
                let now = place.doubt.left_out();
                if now != left_out {
                    left_out = now;
                    continue;
                }
            }
            place.vault.retain(&place.wanted);
            self.readers.update(key, place.wanted.clone());
            return Ok((planned, spared));
        }
        Err(PassError::Outside(format!(
            "{} {key} points to what cannot be read to its end: it changes all the time, or one object names more than \
             {ROUNDS} others",
            W::DECLARATION.primary.kind
        )))
    }

    /// Which rule file is in which ConfigMap.
    async fn packing(
        &self,
        key: &Key,
        stores: &Stores,
        place: &mut Place<W::Memory>,
    ) -> Result<Vec<Files>, PassError> {
        let Some(workload) = W::rules(&key.name) else { return Ok(Vec::new()) };
        let mut known = BTreeMap::new();
        for outline in rule_maps::outlines(&workload, key, stores, &self.shared.client).await? {
            let name = outline.key().name.to_string();
            let version = outline.identity().version.to_string();
            let remembered = place.rules.remove(&name).filter(|(at, _)| *at == version);
            let files = if let Some((_, files)) = remembered {
                files
            } else {
                let map = self.config_map(&key.namespace, &name).await?.unwrap_or_default();
                place.rules_written = place.rules_written.max(last_write(&map.metadata));
                map.data.unwrap_or_default()
            };
            known.insert(name, (version, files));
        }
        let map = |(name, (_, files)): (&String, &(String, Files))| {
            let mut map = ConfigMap { data: Some(files.clone()), ..ConfigMap::default() };
            map.metadata.name = Some(name.clone());
            map
        };
        let maps: Vec<ConfigMap> = known.iter().map(map).collect();
        place.rules = known;
        Ok(workload.standing(&maps))
    }

    /// What is in the ConfigMaps that were just written: nobody needs to read them.
    pub(crate) fn remember(&self, key: &Key, inputs: &Inputs, applied: &Applied) {
        let Some(Ok(planned)) = &inputs.planned else { return };
        let home = self.places.of(key);
        let mut place = held(&home);
        for child in &planned.children {
            let Child::ConfigMap(map) = child else { continue };
            let name = map.metadata.name.as_deref().unwrap_or_default();
            if let Some(now) = applied.objects.get(&(kinds::CONFIG_MAP, Key::new(&key.namespace, name))) {
                let files = map.data.clone().unwrap_or_default();
                place.rules.insert(name.to_owned(), (now.identity().version.to_string(), files));
            }
        }
        let secret = Key::new(&key.namespace, &W::configuration(&key.name).0);
        if applied.objects.contains_key(&(kinds::SECRET, secret)) {
            place.record = Record::of(inputs.refused.as_ref().is_some_and(Value::is_string));
        }
    }
}

/// Whether a plan would be another one if it knew what was written last.
fn needs_last(planned: &Planned) -> bool {
    let needs = |remark: &Remark| matches!(remark, Remark::Absent { .. } | Remark::Unmanaged);
    planned.remarks.iter().any(needs)
}

#[cfg(test)]
mod tests;
