//! The base of an Alertmanager, wherever AlertmanagerConfigs are watched.

use http::{Request, Response};
use kernel::stores::{Namespaces as Places, Scopes};
use kube::client::Body;
use serde_json::json;
use tower::BoxError;

use super::*;
use crate::OfAlertmanager;
use crate::kind::Workload;

/// A server that has one AlertmanagerConfig, `monitoring/global`.
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

async fn found(named: Option<&str>, looks_into: &str) -> Vec<String> {
    let scopes = Scopes {
        some: [(kinds::ALERTMANAGER_CONFIG, Places::Only(vec![looks_into.into()]))].into(),
        ..Places::AllBut(Vec::new()).into()
    };
    let stores = Stores::new(&[OfAlertmanager::DECLARATION], "test", &scopes);
    let around = with_base(
        resources::<OfAlertmanager>(&stores),
        named,
        &Key::new("monitoring", "w"),
        &stores,
        &client(),
    )
    .await
    .unwrap();
    around[SelectableKind::AlertmanagerConfig].iter().map(|one| one.key().to_string()).collect()
}

#[tokio::test]
async fn the_base_of_an_alertmanager_is_found_also_where_nobody_looks_for_others() {
    assert_eq!(found(Some("global"), "a").await, ["monitoring/global"]);
    let nothing = Vec::<String>::new();
    assert_eq!(found(Some("other"), "a").await, nothing);
    assert_eq!(found(None, "a").await, nothing);
    // The watch tells of it.
    assert_eq!(found(Some("global"), "monitoring").await, nothing);
}
