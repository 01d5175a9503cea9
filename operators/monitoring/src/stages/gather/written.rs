//! What was written last for a workload, by this process or by another one. Of Secrets and ConfigMaps only the metadata is
//! watched, so they are read.

use std::collections::BTreeMap;
use std::io::{self, BufReader};

use formats::gzip;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::jiff::Timestamp;
use kernel::flow::PassError;
use kernel::object::{Kept as _, Key};
use kernel::stores::Stores;
use kube::Api;
use monitoring_rules::pack::Files;

use super::{Inputs, rule_maps};
use crate::kind::Workload;
use crate::kinds;
use crate::loaded::verdicts::ANNOTATION;
use crate::memory::{Memory, Record};
use crate::plan::gaps;
use crate::stages::WorkloadOperator;
use crate::workload::tls_assets;

impl<W: Workload> WorkloadOperator<W> {
    /// Reads what stays, or may have to stay, of what was written.
    pub(super) async fn read_written(
        &self,
        inputs: &mut Inputs,
        stores: &Stores,
        memory: &mut Memory,
    ) -> Result<(), PassError> {
        let key = inputs.key.clone();
        inputs.standing.rules = self.packing(&key, stores, memory).await?;
        self.recall(&key, memory).await?;
        if inputs.needs_last
            && let Some((text, files)) = self.last(&key, stores).await?
        {
            inputs.standing.configuration = Some(text);
            inputs.standing.tls_files = files;
        }
        Ok(())
    }

    /// Which rule file is in which ConfigMap.
    async fn packing(
        &self,
        key: &Key,
        stores: &Stores,
        memory: &mut Memory,
    ) -> Result<Vec<Files>, PassError> {
        let Some(rules) = W::NAMING.rules else { return Ok(Vec::new()) };
        let workload = rules(&key.name);
        let mut known = BTreeMap::new();
        for outline in rule_maps::outlines(&workload, key, stores, &self.client).await? {
            let name = outline.key().name.to_string();
            let version = outline.identity().version.to_string();
            let remembered = memory.rules.remove(&name).filter(|(at, _)| *at == version);
            let files = if let Some((_, files)) = remembered {
                files
            } else {
                let map = self.config_map(&key.namespace, &name).await?.unwrap_or_default();
                memory.rules_written = memory.rules_written.max(last_write(&map.metadata));
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
        memory.rules = known;
        Ok(workload.standing(&maps))
    }

    /// What another process knew of what the operand refuses.
    async fn recall(&self, key: &Key, memory: &mut Memory) -> Result<(), PassError> {
        if memory.record != Record::Unread {
            return Ok(());
        }
        let secret = self.secret(&key.namespace, &W::NAMING.configuration(&key.name)).await?;
        let annotations = secret.and_then(|secret| secret.metadata.annotations);
        let recorded = annotations.and_then(|mut annotations| annotations.remove(ANNOTATION));
        memory.doubt.recall(recorded.as_deref().unwrap_or_default());
        memory.record = Record::of(recorded.is_some());
        Ok(())
    }

    /// What may have to stay of the configuration that was written last, with its certificates; nothing, if there is none
    /// that can be used.
    async fn last(
        &self,
        key: &Key,
        stores: &Stores,
    ) -> Result<Option<(String, BTreeMap<String, Vec<u8>>)>, PassError> {
        let (name, file) = (W::NAMING.configuration(&key.name), W::NAMING.configuration_key);
        let Some(secret) = self.secret(&key.namespace, &name).await? else { return Ok(None) };
        let bytes = secret.data.unwrap_or_default().remove(file).unwrap_or_default().0;
        let text = match worth_keeping(&bytes) {
            Ok(text) => text,
            Err(error) => {
                tracing::warn!(%key, secret = name, "what was written last cannot be used: {error}");
                return Ok(None);
            }
        };
        let mut files = BTreeMap::new();
        let prefix = W::NAMING.of(&key.name);
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
    pub(super) async fn last_written(&self, key: &Key) -> Result<Option<Timestamp>, PassError> {
        let secret = self.secret(&key.namespace, &W::NAMING.configuration(&key.name)).await?;
        Ok(secret.and_then(|secret| last_write(&secret.metadata)))
    }

    async fn config_map(&self, namespace: &str, name: &str) -> Result<Option<ConfigMap>, PassError> {
        let api: Api<ConfigMap> = Api::namespaced(self.client.clone(), namespace);
        let found = api.get_opt(name).await;
        found.map_err(|error| {
            PassError::outside(format!("ConfigMap {namespace}/{name} cannot be read"), error)
        })
    }

    async fn secret(&self, namespace: &str, name: &str) -> Result<Option<Secret>, PassError> {
        let api: Api<Secret> = Api::namespaced(self.client.clone(), namespace);
        let found = api.get_opt(name).await;
        found.map_err(|error| PassError::outside(format!("Secret {namespace}/{name} cannot be read"), error))
    }
}

/// When an object was last written.
fn last_write(metadata: &ObjectMeta) -> Option<Timestamp> {
    metadata.managed_fields.iter().flatten().filter_map(|entry| entry.time.as_ref()).map(|time| time.0).max()
}

/// What of a file may have to stay, compressed or not.
fn worth_keeping(bytes: &[u8]) -> io::Result<String> {
    if gzip::is_compressed(bytes) {
        gaps::worth_keeping(BufReader::new(gzip::unpacked(bytes)))
    } else {
        gaps::worth_keeping(bytes)
    }
}
