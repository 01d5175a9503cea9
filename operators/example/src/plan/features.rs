//! The features, as a file that instances read again when it changes.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::jiff::Timestamp;

use super::metadata;
use crate::gather::Inputs;
use crate::names;
use crate::validate::Valid;

/// The file.
pub(super) const FILE: &str = "features.json";

pub(super) fn build(valid: &Valid, inputs: &Inputs, now: Timestamp) -> ConfigMap {
    let text = serde_json::to_string(&valid.features).unwrap_or_default();
    let mut metadata = metadata(valid, inputs.names.features.clone());
    if let Some(live) = &inputs.features {
        let same = live.data.as_ref().and_then(|data| data.get(FILE)) == Some(&text);
        let before =
            live.metadata.annotations.as_ref().and_then(|annotations| annotations.get(names::CHANGED));
        // In seconds, like the creation timestamps of pods.
        let changed = if same {
            before.cloned()
        } else {
            Timestamp::from_second(now.as_second()).ok().map(|now| now.to_string())
        };
        metadata.annotations = changed.map(|changed| BTreeMap::from([(names::CHANGED.into(), changed)]));
    }
    ConfigMap { metadata, data: Some(BTreeMap::from([(FILE.into(), text)])), ..ConfigMap::default() }
}
