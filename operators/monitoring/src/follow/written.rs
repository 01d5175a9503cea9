//! What was written last for a workload, by us or by somebody before us. Of Secrets and ConfigMaps only an outline is
//! watched, so they are read.

use std::collections::BTreeMap;
use std::io::{self, BufReader};

use crate::loaded::verdicts::ANNOTATION;
use crate::plan::gaps;
use crate::workload::tls_assets;
use formats::gzip;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::jiff::Timestamp;
use kernel::flow::PassError;
use kernel::object::Key;
use kernel::stores::Stores;
use kube::Api;

use super::{Place, Record};
use crate::controller::WorkloadOperator;
use crate::kind::Workload;
use crate::kinds;

impl<W: Workload> WorkloadOperator<W> {
    /// What an earlier process knew of what the operand refuses.
    pub(super) async fn recall(&self, place: &mut Place<W::Memory>, key: &Key) -> Result<(), PassError> {
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

    /// What may have to stay of the configuration that was written last, with its certificates; nothing, if there is none
    /// that can be used.
    pub(super) async fn last(
        &self,
        key: &Key,
        stores: &Stores,
    ) -> Result<Option<(String, BTreeMap<String, Vec<u8>>)>, PassError> {
        let (name, file) = W::configuration(&key.name);
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
    pub(crate) async fn last_written(&self, key: &Key) -> Result<Option<Timestamp>, PassError> {
        let secret = self.secret(&key.namespace, &W::configuration(&key.name).0).await?;
        Ok(secret.and_then(|secret| last_write(&secret.metadata)))
    }

    pub(super) async fn config_map(
        &self,
        namespace: &str,
        name: &str,
    ) -> Result<Option<ConfigMap>, PassError> {
        let api: Api<ConfigMap> = Api::namespaced(self.shared.client.clone(), namespace);
        let failed = |error: kube::Error| {
            PassError::Outside(format!("ConfigMap {namespace}/{name} cannot be read: {error}"))
        };
        api.get_opt(name).await.map_err(failed)
    }

    async fn secret(&self, namespace: &str, name: &str) -> Result<Option<Secret>, PassError> {
        let api: Api<Secret> = Api::namespaced(self.shared.client.clone(), namespace);
        let failed = |error: kube::Error| {
            PassError::Outside(format!("Secret {namespace}/{name} cannot be read: {error}"))
        };
        api.get_opt(name).await.map_err(failed)
    }
}

/// When an object was last written.
pub(super) fn last_write(metadata: &ObjectMeta) -> Option<Timestamp> {
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
