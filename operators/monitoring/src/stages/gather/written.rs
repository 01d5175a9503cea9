//! What was written last for a workload, by this process or by another one. Only the metadata of Secrets and ConfigMaps is
//! watched, so their content is read here.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::BufReader;

use formats::gzip;
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::jiff::Timestamp;
use kernel::flow::PassError;
use kernel::object::{Key, Stored as _};
use kernel::stores::Stores;
use kube::{Api, Resource};
use monitoring_rules::pack::Files;
use serde::de::DeserializeOwned;

use super::{Inputs, rule_maps};
use crate::kind::Workload;
use crate::kinds;
use crate::memory::Memory;
use crate::plan::gaps;
use crate::rejections::record::ANNOTATION;
use crate::stages::WorkloadOperator;
use crate::workload::tls_assets;

impl<W: Workload> WorkloadOperator<W> {
    /// Reads what was written. The content of the configuration is read only if parts of it may be kept (`may_stay`).
    pub(super) async fn read_written(
        &self,
        inputs: &mut Inputs,
        may_stay: bool,
        stores: &Stores,
        memory: &mut Memory,
    ) -> Result<(), PassError> {
        let key = &inputs.key;
        inputs.written.rules = self.rule_files(key, stores, memory).await?;
        if memory.is_recorded.is_some() && !may_stay {
            return Ok(());
        }
        let secret = self.configuration(key).await?;
        if memory.is_recorded.is_none() {
            let annotations = secret.as_ref().and_then(|secret| secret.metadata.annotations.as_ref());
            let recorded = annotations.and_then(|annotations| annotations.get(ANNOTATION));
            memory.rejections.restore(recorded.map(String::as_str).unwrap_or_default());
            memory.is_recorded = Some(recorded.is_some());
        }
        inputs.written.secret_exists = may_stay && secret.is_some();
        if may_stay && let Some(text) = secret.and_then(|secret| parts_to_keep::<W>(secret, key)) {
            inputs.written.configuration = Some(text);
            inputs.written.tls_files = self.tls_files(key, stores).await?;
        }
        Ok(())
    }

    /// Which rule file is in which ConfigMap.
    async fn rule_files(
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
                let map: ConfigMap = self.get(&key.namespace, &name).await?.unwrap_or_default();
                memory.rules_written = memory.rules_written.max(last_write(&map.metadata));
                map.data.unwrap_or_default()
            };
            known.insert(name, (version, files));
        }
        memory.rules = known;
        Ok(workload.packing(memory.rules.iter().map(|(name, (_, files))| (name.as_str(), files))))
    }

    /// The certificates and keys that were written last.
    async fn tls_files(&self, key: &Key, stores: &Stores) -> Result<BTreeMap<String, Vec<u8>>, PassError> {
        let mut files = BTreeMap::new();
        let prefix = W::NAMING.of(&key.name);
        for number in 0.. {
            let name = tls_assets::name(&prefix, number);
            // Not all Secrets may be watched. Others are read, until one does not exist.
            let is_absent = stores.is_known(kinds::SECRET, &key.namespace)
                && stores.get(kinds::SECRET, &Key::new(&key.namespace, &name)).is_none();
            let secret = if is_absent { None } else { self.get(&key.namespace, &name).await? };
            let Some(Secret { data, .. }) = secret else { break };
            files.extend(data.unwrap_or_default().into_iter().map(|(name, bytes)| (name, bytes.0)));
        }
        Ok(files)
    }

    /// When the configuration was last written.
    pub(super) async fn last_written(&self, key: &Key) -> Result<Option<Timestamp>, PassError> {
        Ok(self.configuration(key).await?.and_then(|secret| last_write(&secret.metadata)))
    }

    /// The Secret with the configuration of a workload.
    async fn configuration(&self, key: &Key) -> Result<Option<Secret>, PassError> {
        self.get(&key.namespace, &W::NAMING.configuration(&key.name)).await
    }

    /// An object of a namespace; none, if it does not exist.
    async fn get<K>(&self, namespace: &str, name: &str) -> Result<Option<K>, PassError>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + Debug + DeserializeOwned,
    {
        let found = Api::namespaced(self.client.clone(), namespace).get_opt(name).await;
        found.map_err(|error| {
            PassError::outside(format!("{} {namespace}/{name} cannot be read", K::kind(&())), error)
        })
    }
}

/// When an object was last written.
fn last_write(metadata: &ObjectMeta) -> Option<Timestamp> {
    metadata.managed_fields.iter().flatten().filter_map(|entry| entry.time.as_ref()).map(|time| time.0).max()
}

/// The parts of the last configuration, compressed or not, that may have to be kept; none, if it cannot be used.
fn parts_to_keep<W: Workload>(secret: Secret, key: &Key) -> Option<String> {
    let bytes = secret.data.unwrap_or_default().remove(W::NAMING.configuration_key).unwrap_or_default().0;
    let text = if gzip::is_compressed(&bytes) {
        gaps::parts_to_keep(BufReader::new(gzip::unpacked(&bytes)))
    } else {
        gaps::parts_to_keep(&*bytes)
    };
    text.map_err(
        |error| tracing::warn!(%key, "the configuration that was written last cannot be used: {error}"),
    )
    .ok()
}
