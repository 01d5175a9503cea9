//! The volumes of a Thanos Ruler.

use k8s_openapi::api::core::v1::{KeyToPath, SecretKeySelector, SecretVolumeSource, Volume};

use super::{CERTIFICATES, CONFIG, DATA, RULES, WEB_CONFIG};
use crate::thanos_ruler::Instance;
use crate::workload::pod::PodError;
use crate::workload::statefulset::PodInputs;
use crate::workload::volume::{self, Volumes};

/// Adds a key of a Secret as a file; the path of the file.
pub(super) fn put_key(volumes: &mut Volumes, name: &str, selector: &SecretKeySelector) -> String {
    let directory = format!("{CONFIG}/{name}");
    let item = KeyToPath { key: selector.key.clone(), path: selector.key.clone(), mode: None };
    let source = SecretVolumeSource {
        secret_name: Some(selector.name.clone()),
        items: Some(vec![item]),
        ..SecretVolumeSource::default()
    };
    volumes.of_pod.push(Volume { name: name.into(), secret: Some(source), ..Volume::default() });
    volumes.mounts.push(volume::read_only(name, &directory));
    if selector.key.is_empty() { directory } else { format!("{directory}/{}", selector.key) }
}

/// Adds the volumes that no flag refers to, in the order of the Prometheus Operator.
pub(super) fn put_rest(
    volumes: &mut Volumes,
    instance: &Instance<'_>,
    inputs: PodInputs<'_>,
) -> Result<(), PodError> {
    let rules = inputs.rule_config_maps;
    volumes.of_pod.push(volume::secrets("tls-assets", inputs.tls_secrets));
    volumes.mounts.push(volume::read_only("tls-assets", CERTIFICATES));
    volumes.watch_rules(RULES, rules);
    if !rules.is_empty() && instance.takes_web_config() {
        volumes.put_web_config(instance, WEB_CONFIG, true)?;
    }
    volumes.mounts.push(instance.data_mount(DATA, None));
    volumes.put_rules(RULES, rules);
    volumes.mounts.extend(instance.workload.volume_mounts.iter().cloned());
    Ok(())
}
