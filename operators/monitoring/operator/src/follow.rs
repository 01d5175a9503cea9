//! What follows from a workload, with all that it points to. What was read and made in one pass is remembered for the next;
//! losing it costs time and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::jiff::Timestamp;
use kernel::apply::Applied;
use kernel::declare::Kind;
use kernel::flow::Trouble;
use kernel::object::{Kept as _, Key};
use kernel::stores::Stores;
use kube::Api;
use monitoring_assets::Reference;
use monitoring_loaded::doubt::Doubt;
use monitoring_loaded::verdicts::ANNOTATION;
use monitoring_plan::{Child, Invalid, Planned, Remark, Standing, Surroundings};
use monitoring_rules::pack::Files;
use monitoring_workload::tls_assets;
use serde_json::Value;

use crate::bindings::Told;
use crate::controller::{Inputs, WorkloadOperator};
use crate::kinds;
use crate::load::{Content, Loading};
use crate::refused::{self, Accepted, Program};
use crate::rule_maps;
use crate::shared::{held, namespaces, resources, with_named};
use crate::vault::Vault;
use crate::workload::Workload;

/// How often a plan may ask for more before it must be content.
const ROUNDS: usize = 8;

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
}

impl<W: Workload> WorkloadOperator<W> {
    /// What follows from a workload. What it points to is asked for until nothing more is wanted.
    pub(crate) async fn follow(
        &self,
        resource: &W::Resource,
        key: &Key,
        stores: &Stores,
    ) -> Result<(Result<Planned, Invalid>, Vec<(Kind, Key)>), Trouble> {
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
    ) -> Result<(Result<Planned, Invalid>, Vec<(Kind, Key)>), Trouble> {
        let mut standing = Standing { rules: self.packing(key, stores, place).await?, ..Standing::default() };
        // What cannot be read, and is wanted still, comes up again below.
        let _ = place.vault.fetch(&place.wanted.clone(), stores, &self.shared.client).await;
        self.recall(place, key).await?;
        let named = (&*key.namespace, W::named(resource));
        let resources = with_named(resources(stores), named, stores, &self.shared.client).await?;
        let namespaces = namespaces(stores);
        let mut left_out = place.doubt.left_out();
        let mut outcome = None;
        let mut spared = Vec::new();
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
            let asks_for_more = place.vault.fetch(&place.wanted, stores, &self.shared.client).await?;
            // A monitor that points to what we may not read is left out; without what the workload itself points to,
            // nothing good would be written.
            if let Ok(planned) = &planned
                && let Some(Reference { source, namespace, name }) =
                    place.vault.forbidden(planned.references.iter())
            {
                let words =
                    format!("{source} {namespace}/{name} may not be read: grant get on {source}s there");
                return Err(Trouble::Outside(words));
            }
            let needs_last = planned.as_ref().is_ok_and(needs_last) && standing.configuration.is_none();
            outcome = Some(planned);
            if needs_last && let Some(last) = self.last(key, stores).await? {
                let name = W::configuration(&key.name).0;
                spared.push((kinds::SECRET, Key::new(&key.namespace, &name)));
                standing.configuration = Some(last.0);
                standing.tls_files = last.1;
                continue;
            }
            if asks_for_more {
                continue;
            }
            let Some(Ok(planned)) = outcome.as_ref().filter(|_| !place.doubt.is_idle()) else { break };
            // Now that everything is read it shows what of the refused, and who refused it, is another thing by now.
            let read = (&place.wanted, &place.vault.objects());
            let operand = refused::operand::<W>(resource, &key.name, planned, read);
            place.doubt.notice(operand, &refused::stamps(&W::judged(&place.memory)));
            let now = place.doubt.left_out();
            if now == left_out {
                break;
            }
            left_out = now;
        }
        place.vault.retain(&place.wanted);
        self.readers.update(key, place.wanted.clone());
        let outcome = outcome.ok_or_else(|| Trouble::Outside("nothing was planned".into()))?;
        Ok((outcome, spared))
    }

    /// Which rule file is in which ConfigMap.
    async fn packing(
        &self,
        key: &Key,
        stores: &Stores,
        place: &mut Place<W::Memory>,
    ) -> Result<Vec<Files>, Trouble> {
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

    /// What an earlier process knew of what the operand refuses. Of Secrets only an outline is watched, so it is read.
    async fn recall(&self, place: &mut Place<W::Memory>, key: &Key) -> Result<(), Trouble> {
        if place.record != Record::Unread {
            return Ok(());
        }
        let secret = self.secret(&key.namespace, &W::configuration(&key.name).0).await?;
        let annotations = secret.and_then(|secret| secret.metadata.annotations);
        let recorded = annotations.and_then(|mut annotations| annotations.remove(ANNOTATION));
        place.doubt.recall(recorded.as_deref().unwrap_or_default());
        place.record = Record::of(recorded.is_some());
        Ok(())
    }

    /// The configuration that was written last, with its certificates; nothing, if there is none.
    async fn last(
        &self,
        key: &Key,
        stores: &Stores,
    ) -> Result<Option<(String, BTreeMap<String, Vec<u8>>)>, Trouble> {
        let (name, file) = W::configuration(&key.name);
        let Some(secret) = self.secret(&key.namespace, &name).await? else { return Ok(None) };
        let bytes = secret.data.unwrap_or_default().remove(file).unwrap_or_default().0;
        let Some(text) = decoded(&bytes) else { return Ok(None) };
        let mut files = BTreeMap::new();
        let prefix = W::prefix(&key.name);
        for number in 0.. {
            let name = tls_assets::name(&prefix, number);
            // Not all Secrets may be looked at. Where one is not known to be there it is asked for, until there is none.
            let is_absent = stores.is_known(kinds::SECRET, &key.namespace)
                && stores.get(kinds::SECRET, &Key::new(&key.namespace, &name)).is_none();
            let secret = if is_absent { None } else { self.secret(&key.namespace, &name).await? };
            let Some(secret) = secret else { break };
            let data = secret.data.unwrap_or_default();
            files.extend(data.into_iter().map(|(name, bytes)| (name, bytes.0)));
        }
        Ok(Some((text, files)))
    }

    /// When the configuration was last written.
    pub(crate) async fn last_written(&self, key: &Key) -> Result<Option<Timestamp>, Trouble> {
        let secret = self.secret(&key.namespace, &W::configuration(&key.name).0).await?;
        Ok(secret.and_then(|secret| last_write(&secret.metadata)))
    }

    async fn config_map(&self, namespace: &str, name: &str) -> Result<Option<ConfigMap>, Trouble> {
        let api: Api<ConfigMap> = Api::namespaced(self.shared.client.clone(), namespace);
        let failed = |error: kube::Error| {
            Trouble::Outside(format!("ConfigMap {namespace}/{name} cannot be read: {error}"))
        };
        api.get_opt(name).await.map_err(failed)
    }

    async fn secret(&self, namespace: &str, name: &str) -> Result<Option<Secret>, Trouble> {
        let api: Api<Secret> = Api::namespaced(self.shared.client.clone(), namespace);
        let failed = |error: kube::Error| {
            Trouble::Outside(format!("Secret {namespace}/{name} cannot be read: {error}"))
        };
        api.get_opt(name).await.map_err(failed)
    }
}

/// Whether a plan would be another one if it knew what was written last.
fn needs_last(planned: &Planned) -> bool {
    let needs = |remark: &Remark| matches!(remark, Remark::Absent { .. } | Remark::Unmanaged);
    planned.remarks.iter().any(needs)
}

/// When an object was last written.
fn last_write(metadata: &ObjectMeta) -> Option<Timestamp> {
    metadata.managed_fields.iter().flatten().filter_map(|entry| entry.time.as_ref()).map(|time| time.0).max()
}

/// A text, compressed or not.
fn decoded(bytes: &[u8]) -> Option<String> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return String::from_utf8(bytes.to_vec()).ok();
    }
    let mut text = String::new();
    MultiGzDecoder::new(bytes).read_to_string(&mut text).ok().map(|_| text)
}
