//! Tests of the base of an Alertmanager, with any watched namespaces of AlertmanagerConfigs.

use http::{Request, Response};
use kernel::stores::{Namespaces as Watched, Scopes};
use kube::client::Body;
use serde_json::json;
use tower::BoxError;

use super::*;
use crate::OfAlertmanager;
use crate::kind::Workload;

/// An API server with one AlertmanagerConfig, `monitoring/global`.
fn client() -> Client {
    let service = tower::service_fn(|request: Request<Body>| {
        let path = "/apis/monitoring.coreos.com/v1alpha1/namespaces/monitoring/alertmanagerconfigs/global";
        let (code, body) = if request.uri().path() == path {
            (200, json!({"metadata": {"namespace": "monitoring", "name": "global", "resourceVersion": "1"}}))
        } else {
            (404, json!({"kind": "Status", "status": "Failure", "code": 404, "reason": "NotFound"}))
        };
        let answer = Response::builder().status(code).body(Body::from(body.to_string().into_bytes()));
        std::future::ready(answer.map_err(BoxError::from))
    });
    Client::new(service, "default")
}

async fn found(named: Option<&str>, watched: &str) -> Vec<String> {
    let scopes = Scopes {
        some: [(kinds::ALERTMANAGER_CONFIG, Watched::Only(vec![watched.into()]))].into(),
        ..Watched::AllBut(Vec::new()).into()
    };
    let stores = Stores::new(&[OfAlertmanager::DECLARATION], "test", &scopes);
    let resources = with_base(
        resources::<OfAlertmanager>(&stores),
        named,
        &Key::new("monitoring", "w"),
        &stores,
        &client(),
    )
    .await
    .unwrap();
    resources[SelectableKind::AlertmanagerConfig].iter().map(|one| one.key().to_string()).collect()
}

#[tokio::test]
async fn the_base_is_found_in_a_namespace_without_a_watch() {
    assert_eq!(found(Some("global"), "a").await, ["monitoring/global"]);
    let nothing = Vec::<String>::new();
    assert_eq!(found(Some("other"), "a").await, nothing);
    assert_eq!(found(None, "a").await, nothing);
    // The watch delivers it.
    assert_eq!(found(Some("global"), "monitoring").await, nothing);
}
