//! The metadata of the ConfigMaps with the rules of a workload. It is in the stores. If not all ConfigMaps are watched, those
//! with the label of the workload are listed, as the Prometheus Operator does it.

use std::sync::Arc;

use kernel::flow::PassError;
use kernel::object::{Key, Object};
use kernel::stores::Stores;
use kube::api::{DynamicObject, ListParams};
use kube::{Api, Client};
use monitoring_rules::config_map::RuleConfigMaps;
use serde_json::Value;

use crate::kinds;

/// Those that exist and are not being deleted.
pub(super) async fn outlines(
    workload: &RuleConfigMaps<'_>,
    key: &Key,
    stores: &Stores,
    client: &Client,
) -> Result<Vec<Arc<Object>>, PassError> {
    let mut found = if stores.is_known(kinds::CONFIG_MAP, &key.namespace) {
        stores.named(kinds::CONFIG_MAP, &key.namespace, workload.name(0).trim_end_matches('0'))
    } else {
        listed(workload, &key.namespace, stores, client).await?
    };
    found.retain(|map| workload.index(&map.key().name).is_some() && !map.is_deleting());
    Ok(found)
}

async fn listed(
    workload: &RuleConfigMaps<'_>,
    namespace: &str,
    stores: &Stores,
    client: &Client,
) -> Result<Vec<Arc<Object>>, PassError> {
    let api: Api<DynamicObject> =
        Api::namespaced_with(client.clone(), namespace, &kinds::CONFIG_MAP.resource());
    let (label, value) = workload.selector();
    let listed = api.list_metadata(&ListParams::default().labels(&format!("{label}={value}"))).await;
    let listed = listed.map_err(|error| {
        PassError::outside(format!("ConfigMaps with rules in {namespace} cannot be listed"), error)
    })?;
    let outline = |metadata| DynamicObject { types: None, metadata, data: Value::Null };
    let keep = |metadata| Arc::new(stores.keep(kinds::CONFIG_MAP, outline(metadata)));
    Ok(listed.items.into_iter().map(|one| keep(one.metadata)).collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::convert::Infallible;
    use std::sync::Mutex;

    use http::{Request, Response};
    use kernel::store::Event;
    use kernel::stores::{Namespaces, Scopes, WatchFilter};
    use kube::client::Body;
    use serde_json::json;

    use super::*;

    fn map(name: &str) -> Value {
        json!({"metadata": {"name": name, "namespace": "n", "uid": name, "resourceVersion": "5"}})
    }

    fn leaving(name: &str) -> Value {
        let mut map = map(name);
        map["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
        map
    }

    /// What is found if the stores hold these objects, and the requests to the API server.
    async fn found(filter: Option<WatchFilter>, held: &[Value]) -> (Vec<String>, Vec<String>) {
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let requests = Arc::clone(&asked);
        let server = tower::service_fn(move |request: Request<Body>| {
            requests.lock().unwrap().push(format!("{} {}", request.method(), request.uri()));
            let names = [map("prometheus-a-rulefiles-0"), leaving("prometheus-a-rulefiles-1"), map("other")];
            let list = json!({"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadataList",
            "metadata": {}, "items": names.map(|mut one| {
                one["apiVersion"] = "meta.k8s.io/v1".into();
                one["kind"] = "PartialObjectMetadata".into();
                one
            })});
            let answer = Response::new(Body::from(list.to_string().into_bytes()));
            async move { Ok::<_, Infallible>(answer) }
        });
        let filters: BTreeMap<_, _> = filter.into_iter().map(|filter| (kinds::CONFIG_MAP, filter)).collect();
        let scopes = Scopes { filters, ..Namespaces::AllBut(Vec::new()).into() };
        let stores = Stores::new(&[&crate::PROMETHEUS], "test", &scopes);
        let partition = stores.partition(kinds::CONFIG_MAP, "n").unwrap();
        partition.write().see(Event::Begin);
        for one in held {
            let one = serde_json::from_value(one.clone()).unwrap();
            partition.write().see(Event::Listed(stores.keep(kinds::CONFIG_MAP, one)));
        }
        partition.write().see(Event::Complete);
        let client = Client::new(server, "n");
        let found =
            outlines(&RuleConfigMaps::Prometheus("a"), &Key::new("n", "a"), &stores, &client).await.unwrap();
        let names = found.iter().map(|one| one.key().name.to_string()).collect();
        let asked = asked.lock().unwrap().clone();
        (names, asked)
    }

    #[tokio::test]
    async fn with_a_complete_watch_no_request_is_sent() {
        let held = [
            map("prometheus-a-rulefiles-2"),
            leaving("prometheus-a-rulefiles-3"),
            map("prometheus-a-rulefiles-x"),
            map("prometheus-b-rulefiles-0"),
        ];
        assert_eq!(found(None, &held).await, (vec!["prometheus-a-rulefiles-2".to_owned()], Vec::new()));
    }

    #[tokio::test]
    async fn with_a_filtered_watch_config_maps_are_listed_by_label() {
        let labels = Some("team=a".to_owned());
        let (names, asked) = found(Some(WatchFilter { labels, fields: None }), &[]).await;
        assert_eq!(names, ["prometheus-a-rulefiles-0"]);
        assert_eq!(asked, ["GET /api/v1/namespaces/n/configmaps?&labelSelector=prometheus-name%3Da"]);
    }
}
