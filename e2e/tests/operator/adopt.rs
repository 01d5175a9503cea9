//! The operator adopts an application that already runs: no instance restarts, and no data is lost. Disconnecting it is the
//! reverse.

use anyhow::Result;
use api_example::ExampleApp;
use e2e::lab::Lab;
use e2e::load::LoadGenerator;
use e2e::namespace::Namespace;
use e2e::operator::{self, ManagedApp, is};
use e2e::wait;
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::ResourceExt;
use kube::api::DeleteParams;
use serde_json::json;

/// Creates the application as a user might without an operator: other names, other labels, another port.
async fn create_without_operator(namespace: &Namespace) -> Result<()> {
    let login =
        json!({"metadata": {"name": "login"}, "stringData": {"username": "ann", "password": "secret"}});
    namespace.add::<Secret>(&serde_json::from_value(login)?).await?;
    for (name, headless) in [("app", false), ("app-names", true)] {
        let mut service = json!({"metadata": {"name": name}, "spec": {
            "selector": {"run": "app"}, "ports": [{"name": "web", "port": 8080}], "publishNotReadyAddresses": headless,
        }});
        if headless {
            service["spec"]["clusterIP"] = "None".into();
        }
        namespace.add::<Service>(&serde_json::from_value(service)?).await?;
    }
    let set = json!({"metadata": {"name": "app"}, "spec": {
        "replicas": 2, "serviceName": "app-names", "selector": {"matchLabels": {"run": "app"}},
        "volumeClaimTemplates": [{"metadata": {"name": "store"}, "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "64Mi"}}}}],
        "template": {"metadata": {"labels": {"run": "app"}}, "spec": {
            "securityContext": {"runAsNonRoot": true, "runAsUser": 1000, "fsGroup": 1000, "seccompProfile": {"type": "RuntimeDefault"}},
            "volumes": [{"name": "login", "secret": {"secretName": "login"}}],
            "containers": [{
                "name": "server", "image": "mainstay.dev/example-app:0.0.1",
                "args": ["serve", "--auth-directory=/login", "--data", "/store", "--leader-url=http://app-0.app-names:8080"],
                "readinessProbe": {"httpGet": {"path": "/readyz", "port": 8080}, "periodSeconds": 2},
                "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}},
                "volumeMounts": [{"name": "store", "mountPath": "/store"}, {"name": "login", "mountPath": "/login"}],
            }],
        }},
    }});
    namespace.add::<StatefulSet>(&serde_json::from_value(set)?).await?;
    let sets = namespace.api::<StatefulSet>();
    let ready = |set: &StatefulSet| set.status.as_ref().and_then(|status| status.ready_replicas) == Some(2);
    wait::object(&sets, "app", "to be ready", ready).await.map(drop)
}

#[tokio::test]
async fn a_running_application_is_adopted_without_a_restart_and_upgraded_later() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "adopt").await?;
    create_without_operator(&namespace).await?;
    let load = LoadGenerator::start(&operator::client(&namespace, "app", "login").await?);
    let spec = json!({"appVersion": "0.0.1", "replicas": 2, "storage": {"size": "64Mi"}});
    let app = ManagedApp::create(&namespace, "app", spec).await?;
    let before = app.identities().await?;
    let status = app.settled().await?;
    assert_eq!(status.auth_secret_name.as_deref(), Some("login"));
    assert_eq!(status.url, Some(format!("http://app.{}.svc:8080/", namespace.name())));
    assert_eq!(app.identities().await?, before, "no instance was restarted");

    app.change(json!({"appVersion": "0.0.2"})).await?;
    app.until("to be upgraded", |status| {
        is(status, "Upgraded", "True", "Succeeded") && status.current_version.as_deref() == Some("0.0.2")
    })
    .await?;
    app.settled().await?;
    println!("adopted and upgraded: {}", load.finish().await?.summary);
    Ok(())
}

/// The number of owners, and whether the object has our label.
fn marks(metadata: &ObjectMeta) -> (usize, bool) {
    let owners = metadata.owner_references.as_ref().map_or(0, Vec::len);
    let managed =
        metadata.labels.as_ref().is_some_and(|labels| labels.contains_key("app.kubernetes.io/managed-by"));
    (owners, managed)
}

#[tokio::test]
async fn a_disconnected_application_keeps_running_and_can_be_adopted_again() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "disconnect").await?;
    let spec = json!({"appVersion": "0.0.2", "replicas": 2, "deletion": {"policy": "Disconnect"}});
    let app = ManagedApp::create(&namespace, "app", spec.clone()).await?;
    app.settled().await?;
    let (before, load) = (app.identities().await?, LoadGenerator::start(&app.client().await?));

    let old = app.get().await?;
    app.api().delete("app", &DeleteParams::default()).await?;
    wait::gone::<ExampleApp>(&app.api(), &old).await?;
    let all = [
        namespace.api::<StatefulSet>().get("app").await?.metadata,
        namespace.api::<Service>().get("app").await?.metadata,
        namespace.api::<Service>().get("app-instances").await?.metadata,
        namespace.api::<Secret>().get("app-auth").await?.metadata,
        namespace.api::<ConfigMap>().get("app-features").await?.metadata,
        namespace.api::<PodDisruptionBudget>().get("app").await?.metadata,
    ];
    for metadata in &all {
        assert_eq!(marks(metadata), (0, false), "{:?}", metadata.name);
    }
    assert_eq!(app.identities().await?, before);

    let again = ManagedApp::create(&namespace, "app", spec).await?;
    again.settled().await?;
    assert_eq!(again.identities().await?, before, "adopted again without a restart");
    let set = namespace.api::<StatefulSet>().get("app").await?;
    assert_eq!(set.owner_references().len(), 1);
    println!("disconnected and adopted again: {}", load.finish().await?.summary);
    Ok(())
}
