//! Which fields of nodes are cached, and which changes cause a pass: a kubelet reports every few seconds, but its address
//! rarely changes.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, NodeAddress, NodeCondition, NodeStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kernel::object::{Identity, Stored};
use kernel::store::Change;
use kernel::watch::{Shared, Watch, WatchNotice, WatchSource};
use kube::api::DynamicObject;
use kube::runtime::watcher;
use kube::{Api, Client};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::NODE;

/// The cached fields of a node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KnownNode {
    identity: Identity,
    /// Its name, unique id, addresses, and whether it is ready.
    pub(crate) node: Node,
}

impl Stored for KnownNode {
    fn identity(&self) -> &Identity {
        &self.identity
    }
}

/// Watches the nodes with these labels and calls `due` when all are listed and after every relevant change, until `stop`.
pub(crate) async fn follow(
    client: Client,
    labels: &str,
    known: Shared<KnownNode>,
    due: impl Fn(),
    stop: CancellationToken,
) {
    let mut config = watcher::Config::default().streaming_lists();
    if !labels.is_empty() {
        config = config.labels(labels);
    }
    let api = Api::all_with(client, &NODE.resource());
    let watch = Watch { source: WatchSource::Whole(api), config, keep: Arc::new(keep), by_name: Vec::new() };
    let (store, mut logged) = (known.clone(), String::new());
    let notify = move |notice: WatchNotice<KnownNode>| match notice {
        WatchNotice::Changed(change) => {
            logged.clear();
            // Until all nodes are known, the list of addresses is incomplete.
            if store.read().is_complete() && matters(&change) {
                due();
            }
        }
        WatchNotice::Synced => due(),
        WatchNotice::Unreadable { key, error } => tracing::warn!("cannot read node {key}: {error}"),
        WatchNotice::Trouble(error) => {
            let error = error.to_string();
            if logged != error {
                tracing::warn!("cannot watch nodes, trying again: {error}");
                logged = error;
            }
        }
    };
    watch.follow(known, notify, stop).await;
}

/// Keeps the needed fields of a node.
fn keep(object: DynamicObject) -> Result<KnownNode, String> {
    let identity = Identity::of(&object.metadata);
    let mut data = object.data;
    let addresses: Option<Vec<NodeAddress>> = read(&mut data, "addresses")?;
    let mut conditions: Option<Vec<NodeCondition>> = read(&mut data, "conditions")?;
    if let Some(conditions) = &mut conditions {
        conditions.retain(|condition| condition.type_ == "Ready");
        for condition in conditions {
            let NodeCondition { type_, status, .. } = std::mem::take(condition);
            *condition = NodeCondition { type_, status, ..NodeCondition::default() };
        }
    }
    let metadata =
        ObjectMeta { name: object.metadata.name, uid: object.metadata.uid, ..ObjectMeta::default() };
    let status = NodeStatus { addresses, conditions, ..NodeStatus::default() };
    Ok(KnownNode { identity, node: Node { metadata, spec: None, status: Some(status) } })
}

fn read<T: DeserializeOwned>(data: &mut Value, field: &str) -> Result<Option<T>, String> {
    let value = data["status"][field].take();
    serde_json::from_value(value).map_err(|error| format!("status.{field}: {error}"))
}

/// Whether a cached field changed.
fn matters(change: &Change<KnownNode>) -> bool {
    let node = |side: &Option<Arc<KnownNode>>| side.as_ref().map(|known| known.node.clone());
    node(&change.before) != node(&change.after)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn known(version: &str, address: &str, heartbeat: &str) -> Arc<KnownNode> {
        let object = json!({
            "metadata": {"name": "a", "uid": "1", "resourceVersion": version, "labels": {"b": "c"}},
            "spec": {"podCIDR": "10.0.0.0/24"},
            "status": {
                "addresses": [{"type": "InternalIP", "address": address}],
                "conditions": [
                    {"type": "Ready", "status": "True", "lastHeartbeatTime": heartbeat},
                    {"type": "DiskPressure", "status": "False", "lastHeartbeatTime": heartbeat},
                ],
                "images": [{"names": ["big"]}],
            },
        });
        Arc::new(keep(serde_json::from_value(object).unwrap()).unwrap())
    }

    #[test]
    fn only_needed_fields_are_kept() {
        let node = json!({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": "a", "uid": "1"},
            "status": {
                "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
                "conditions": [{"type": "Ready", "status": "True"}],
            },
        });
        let kept = known("1", "10.0.0.1", "2026-01-01T00:00:00Z");
        assert_eq!(serde_json::to_value(&kept.node).unwrap(), node);
    }

    #[test]
    fn a_heartbeat_is_not_a_change_but_an_address_is() {
        let first = known("1", "10.0.0.1", "2026-01-01T00:00:00Z");
        let heartbeat = known("2", "10.0.0.1", "2026-01-01T00:00:10Z");
        let moved = known("3", "10.0.0.2", "2026-01-01T00:00:10Z");
        let change = |before: Option<&Arc<KnownNode>>, after: Option<&Arc<KnownNode>>| Change {
            before: before.cloned(),
            after: after.cloned(),
        };
        assert!(!matters(&change(Some(&first), Some(&heartbeat))));
        assert!(matters(&change(Some(&first), Some(&moved))));
        assert!(matters(&change(Some(&first), None)));
        assert!(matters(&change(None, Some(&first))));
    }

    #[test]
    fn a_node_without_a_status_is_kept_and_an_invalid_one_is_an_error() {
        let bare: DynamicObject = serde_json::from_value(json!({"metadata": {"name": "a"}})).unwrap();
        assert_eq!(keep(bare).unwrap().node.status, Some(NodeStatus::default()));
        let broken = json!({"metadata": {"name": "a"}, "status": {"addresses": 7}});
        let error = keep(serde_json::from_value(broken).unwrap()).unwrap_err();
        assert_eq!(error, "status.addresses: invalid type: integer `7`, expected a sequence");
    }
}
