//! The permissions of the Prometheus Operator are sufficient: everything is written, and features that need more are off.

use anyhow::Result;
use e2e::wait::{self, holds};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{Namespace, Secret, Service};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, RoleBinding};
use kernel::metrics::{Catalogue, Metrics};
use kube::api::{DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::client::Body;
use kube::{Api, Client};
use operator_monitoring::product::{Monitoring, OwnFlags};
use product::ProductInstance as _;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower::Layer;

use super::fixture::{Configured, Running, by_default, configuration, control_plane, create, idle, process};
use crate::record::Record;

/// The rules of the role of the Prometheus Operator.
fn rules() -> Value {
    let rule = |groups: &[&str], resources: &[&str], verbs: &[&str]| json!({"apiGroups": groups, "resources": resources, "verbs": verbs});
    json!([
        rule(
            &["monitoring.coreos.com"],
            &[
                "alertmanagers",
                "alertmanagers/finalizers",
                "alertmanagers/status",
                "alertmanagerconfigs",
                "prometheuses",
                "prometheuses/finalizers",
                "prometheuses/status",
                "prometheusagents",
                "prometheusagents/finalizers",
                "prometheusagents/status",
                "thanosrulers",
                "thanosrulers/finalizers",
                "thanosrulers/status",
                "scrapeconfigs",
                "scrapeconfigs/status",
                "servicemonitors",
                "servicemonitors/status",
                "podmonitors",
                "podmonitors/status",
                "probes",
                "probes/status",
                "prometheusrules",
                "prometheusrules/status",
            ],
            &["*"]
        ),
        rule(&["apps"], &["statefulsets"], &["*"]),
        rule(&[""], &["configmaps", "secrets"], &["*"]),
        rule(&[""], &["pods"], &["list", "delete"]),
        rule(&[""], &["services", "services/finalizers"], &["get", "create", "update", "delete"]),
        rule(&[""], &["nodes"], &["list", "watch"]),
        rule(&[""], &["namespaces"], &["get", "list", "watch"]),
        rule(&["events.k8s.io"], &["events"], &["patch", "create"]),
        rule(&["networking.k8s.io"], &["ingresses"], &["get", "list", "watch"]),
        rule(&["storage.k8s.io"], &["storageclasses"], &["get"]),
        rule(&[""], &["endpoints"], &["get", "create", "update", "delete"]),
    ])
}

async fn allow(client: &Client, user: &str) -> Result<()> {
    let role = json!({"metadata": {"name": user}, "rules": rules()});
    let roles: Api<ClusterRole> = Api::all(client.clone());
    roles.create(&PostParams::default(), &serde_json::from_value(role)?).await?;
    let binding = json!({
        "metadata": {"name": user},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": user},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
    });
    let bindings: Api<ClusterRoleBinding> = Api::all(client.clone());
    bindings.create(&PostParams::default(), &serde_json::from_value(binding)?).await?;
    Ok(())
}

#[tokio::test]
async fn the_permissions_of_the_prometheus_operator_are_sufficient() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    allow(&client, "peer").await?;
    let flags = ["-feature-gates=StatusForConfigurationResources=true,PrometheusAgentDaemonSet=true"];
    let running = Running::start_as(&client, "peer", &flags)?;
    create(&client, "Prometheus", "v1", "main", &json!({"serviceMonitorSelector": {}, "thanos": {}})).await?;
    create(&client, "PrometheusAgent", "v1alpha1", "edge", &json!({"podMonitorSelector": {}})).await?;
    create(&client, "Alertmanager", "v1", "main", &json!({"alertmanagerConfigSelector": {}})).await?;
    create(&client, "ThanosRuler", "v1", "main", &json!({"queryEndpoints": ["q"], "ruleSelector": {}}))
        .await?;
    create(&client, "AlertmanagerConfig", "v1alpha1", "c", &json!({"receivers": [{"name": "r"}]})).await?;
    let monitor = json!({"selector": {}, "endpoints": [{"port": "web"}]});
    create(&client, "ServiceMonitor", "v1", "one", &monitor).await?;
    let sets: Api<StatefulSet> = Api::default_namespaced(client.clone());
    for name in ["prometheus-main", "prom-agent-edge", "alertmanager-main", "thanos-ruler-main"] {
        wait::object(&sets, name, "to be created", |_| true).await?;
    }
    configuration(&client, "prometheus-main", |text| text.contains("default/one/0")).await?;
    idle(&running).await?;

    // A Service is read and not watched. Drift is corrected with the next change of its workload.
    let services: Api<Service> = Api::default_namespaced(client.clone());
    let service = services.get("prometheus-operated").await?;
    let ports = service.spec.and_then(|spec| spec.ports).unwrap_or_default();
    assert_eq!(ports.iter().map(|port| port.port).collect::<Vec<_>>(), [9090, 10901]);
    let workloads: Api<DynamicObject> =
        Api::default_namespaced_with(client.clone(), &super::fixture::resource("Prometheus", "v1"));
    let patch = json!({"spec": {"thanos": null}});
    workloads.patch("main", &PatchParams::default(), &Patch::Merge(&patch)).await?;
    wait::object(&services, "prometheus-operated", "to have one port", |service| {
        service.spec.as_ref().and_then(|spec| spec.ports.as_ref()).is_some_and(|ports| ports.len() == 1)
    })
    .await?;
    running.end().await;
    Ok(())
}

/// Grants the same rules in some namespaces only.
async fn allow_in(client: &Client, user: &str, namespaces: &[&str]) -> Result<()> {
    let role = json!({"metadata": {"name": user}, "rules": rules()});
    let roles: Api<ClusterRole> = Api::all(client.clone());
    roles.create(&PostParams::default(), &serde_json::from_value(role)?).await?;
    for namespace in namespaces {
        let binding = json!({
            "metadata": {"name": user},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": user},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}],
        });
        let bindings: Api<RoleBinding> = Api::namespaced(client.clone(), namespace);
        bindings.create(&PostParams::default(), &serde_json::from_value(binding)?).await?;
    }
    Ok(())
}

#[tokio::test]
async fn labels_of_namespaces_are_matched_also_if_namespaces_cannot_be_watched() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    allow_in(&client, "local", &["default"]).await?;
    let running = Running::start_as(&client, "local", &["-namespaces=default"])?;
    let selector = json!({"matchLabels": {"monitored": "yes"}});
    let spec = json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": selector});
    create(&client, "Prometheus", "v1", "main", &spec).await?;
    let monitor = json!({"selector": {}, "endpoints": [{"port": "web"}]});
    create(&client, "ServiceMonitor", "v1", "one", &monitor).await?;
    let sets: Api<StatefulSet> = Api::default_namespaced(client.clone());
    wait::object(&sets, "prometheus-main", "to be created", |_| true).await?;
    configuration(&client, "prometheus-main", |text| !text.contains("default/one/0")).await?;

    let namespaces: Api<Namespace> = Api::all(client.clone());
    for (value, is_selected) in [(json!("yes"), true), (json!(null), false)] {
        let patch = json!({"metadata": {"labels": {"monitored": value}}});
        namespaces.patch("default", &PatchParams::default(), &Patch::Merge(&patch)).await?;
        let has = |text: &str| text.contains("default/one/0") == is_selected;
        configuration(&client, "prometheus-main", has).await?;
    }
    running.end().await;
    Ok(())
}

/// Waits until the status and message of the condition `Reconciled` meet a condition.
async fn reconciled(client: &Client, name: &str, wanted: impl Fn(&str, &str) -> bool) -> Result<()> {
    let api: Api<DynamicObject> =
        Api::default_namespaced_with(client.clone(), &super::fixture::resource("Prometheus", "v1"));
    wait::until("the condition Reconciled", async || {
        let workload = api.get(name).await?;
        let conditions = workload.data["status"]["conditions"].as_array().cloned().unwrap_or_default();
        let one = conditions.into_iter().find(|condition| condition["type"] == "Reconciled");
        let one = one.unwrap_or_default();
        let text = |field: &str| one[field].as_str().unwrap_or_default();
        Ok(holds(wanted(text("status"), text("message")), one.to_string()))
    })
    .await
}

#[tokio::test]
async fn a_permission_that_is_granted_late_removes_no_configuration() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let patch = json!({"metadata": {"labels": {"monitored": "yes"}}});
    namespaces.patch("default", &PatchParams::default(), &Patch::Merge(&patch)).await?;
    let selector = json!({"matchLabels": {"monitored": "yes"}});
    let spec = json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": selector});
    create(&client, "Prometheus", "v1", "main", &spec).await?;
    let monitor = json!({"selector": {}, "endpoints": [{"port": "web"}]});
    create(&client, "ServiceMonitor", "v1", "one", &monitor).await?;
    let running = Running::start(&client);
    let sets: Api<StatefulSet> = Api::default_namespaced(client.clone());
    wait::object(&sets, "prometheus-main", "to be created", |_| true).await?;
    configuration(&client, "prometheus-main", |text| text.contains("default/one/0")).await?;
    idle(&running).await?;
    running.end().await;
    let secrets: Api<Secret> = Api::default_namespaced(client.clone());
    let version =
        async || Ok::<_, kube::Error>(secrets.get("prometheus-main").await?.metadata.resource_version);
    let before = version().await?;

    allow(&client, "late").await?;
    let without: Vec<Value> = rules()
        .as_array()
        .into_iter()
        .flatten()
        .filter(|rule| rule["resources"] != json!(["namespaces"]))
        .cloned()
        .collect();
    let roles: Api<ClusterRole> = Api::all(client.clone());
    roles.patch("late", &PatchParams::default(), &Patch::Merge(json!({"rules": without}))).await?;
    let running = Running::start_as(&client, "late", &[])?;
    reconciled(&client, "main", |status, message| {
        status == "False" && message.contains("cannot list namespaces")
    })
    .await?;
    assert_eq!(version().await?, before);
    roles.patch("late", &PatchParams::default(), &Patch::Merge(json!({"rules": rules()}))).await?;
    reconciled(&client, "main", |status, _| status == "True").await?;
    assert_eq!(version().await?, before);
    running.end().await;
    Ok(())
}

#[tokio::test]
async fn the_base_configuration_of_an_alertmanager_is_read_from_its_namespace() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    let flags = ["-namespaces=elsewhere", "-alertmanager-instance-namespaces=default"];
    let running = Running::start_with(&client, &flags)?;
    let config = json!({"route": {"receiver": "somebody"}, "receivers": [{"name": "somebody"}]});
    create(&client, "AlertmanagerConfig", "v1alpha1", "global", &config).await?;
    let spec = json!({"alertmanagerConfiguration": {"name": "global"}});
    create(&client, "Alertmanager", "v1", "main", &spec).await?;
    let sets: Api<StatefulSet> = Api::default_namespaced(client.clone());
    wait::object(&sets, "alertmanager-main", "to be created", |_| true).await?;
    configuration(&client, "alertmanager-main-generated", |text| text.contains("default/global/somebody"))
        .await?;
    running.end().await;
    Ok(())
}

#[tokio::test]
async fn permissions_for_one_kind_of_workload_are_sufficient_for_it() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    // Monitors, rules and namespaces in all namespaces, and no other workloads.
    let everywhere = ["scrapeconfigs", "servicemonitors", "podmonitors", "probes", "prometheusrules"];
    let role = json!({"metadata": {"name": "half"}, "rules": [
        {"apiGroups": ["monitoring.coreos.com"], "resources": everywhere, "verbs": ["*"]},
        {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get", "list", "watch"]},
    ]});
    let roles: Api<ClusterRole> = Api::all(client.clone());
    roles.create(&PostParams::default(), &serde_json::from_value(role)?).await?;
    let subject = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "half"});
    let binding = |role: &str| {
        json!({
            "metadata": {"name": role},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            "subjects": [subject],
        })
    };
    let bindings: Api<ClusterRoleBinding> = Api::all(client.clone());
    bindings.create(&PostParams::default(), &serde_json::from_value(binding("half"))?).await?;
    let mut local = rules();
    local[0]["resources"] = json!(["prometheuses", "prometheuses/finalizers", "prometheuses/status"]);
    let role = json!({"metadata": {"name": "local"}, "rules": local});
    roles.create(&PostParams::default(), &serde_json::from_value(role)?).await?;
    let local: Api<RoleBinding> = Api::default_namespaced(client.clone());
    local.create(&PostParams::default(), &serde_json::from_value(binding("local"))?).await?;

    let flags = ["-prometheus-instance-namespaces=default"];
    let (flags, _) = operator_monitoring::flags::OperatorFlags::default().take(&flags, &[])?;
    let as_user = Record::default().impersonate(client.clone(), "half")?;
    let workloads: Api<DynamicObject> =
        Api::default_namespaced_with(as_user.clone(), &super::fixture::resource("Prometheus", "v1"));
    // A role takes effect a moment after it was stored, and a process reviews its permissions only once a minute.
    wait::until("the permissions to take effect", async || {
        Ok(wait::Look::Found(workloads.list(&ListParams::default()).await?))
    })
    .await?;
    let mut monitoring = Monitoring::new(flags, OwnFlags::default());
    monitoring.prepare(&as_user).await;
    let scopes = monitoring.scopes(&kernel::stores::Namespaces::AllBut(Vec::new()));
    let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
    let (process, ended) = (process(as_user, Configured { monitoring, scopes }), stop.clone());
    tasks.spawn(async move { drop(process.run(ended).await) });
    create(&client, "Prometheus", "v1", "main", &json!({"serviceMonitorSelector": {}})).await?;
    let sets: Api<StatefulSet> = Api::default_namespaced(client.clone());
    wait::object(&sets, "prometheus-main", "to be created", |_| true).await?;
    stop.cancel();
    while tasks.join_next().await.is_some() {}
    Ok(())
}

/// The permissions that are reported as missing.
fn missing(catalogue: &Catalogue) -> Result<Vec<String>> {
    let page = catalogue.expose()?;
    let labels = page.lines().filter_map(|line| line.strip_prefix("mainstay_missing_permissions"));
    Ok(labels.map(ToOwned::to_owned).collect())
}

#[tokio::test]
async fn missing_permissions_are_reported_until_they_are_granted() -> Result<()> {
    let (_plane, client) = control_plane().await?;
    allow(&client, "peer").await?;
    let mut catalogue = Catalogue::default();
    let metrics = Metrics::register(&mut catalogue, "", "");
    let as_peer = Record::default().impersonate(client.clone(), "peer")?;
    let server = tower::service_fn(move |request: http::Request<Body>| {
        let client = as_peer.clone();
        async move { client.send(request).await }
    });
    let counted = Client::new(metrics.requests([]).layer(server), "default");
    let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
    let (process, ended) = (process(counted, by_default()), stop.clone());
    tasks.spawn(async move { drop(process.run(ended).await) });
    create(&client, "Prometheus", "v1", "main", &json!({})).await?;
    // Without pods the permission to patch them is not reviewed.
    let watch = |resource: &str| format!("{{resource=\"{resource}\",verb=\"watch\"}} 1.0");
    let mut expected: Vec<String> =
        ["daemonsets", "persistentvolumeclaims", "pods", "services"].map(watch).into();
    wait::until("the missing permissions", async || {
        let found = missing(&catalogue)?;
        Ok(holds(found == expected, found.join(", ")))
    })
    .await?;

    let mut rules = rules();
    let pods = json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["list", "watch"]});
    rules.as_array_mut().expect("rules are a list").push(pods);
    let roles: Api<ClusterRole> = Api::all(client.clone());
    let patch = Patch::Merge(json!({"rules": rules}));
    roles.patch("peer", &PatchParams::default(), &patch).await?;
    expected.retain(|permission| *permission != watch("pods"));
    wait::until("the permission to watch pods", async || {
        let found = missing(&catalogue)?;
        Ok(holds(found == expected, found.join(", ")))
    })
    .await?;
    stop.cancel();
    while tasks.join_next().await.is_some() {}
    Ok(())
}
