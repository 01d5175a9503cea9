//! The webhooks as users register them: the generated manifests on a real API server, and the certificates of the operator.
//! There is no Service for the process here, so the manifests get its address instead. All else is as it is delivered.

use std::path::PathBuf;

use anyhow::{Context, Result};
use e2e::wait::{self, Look};
use k8s_openapi::api::core::v1::{Namespace, Secret};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kernel::metrics::Catalogue;
use kernel::object::Key;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::{GroupVersionKind, Status};
use kube::{Api, Client, ResourceExt};
use lab::ControlPlane;
use mainstay::webhook_service::WebhookService;
use operator_monitoring::webhook::RuleSettings;
use operator_monitoring::webhook::metrics::WebhookMetrics;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::monitoring::{control_plane, resource};

/// The CRD with two versions.
const CONVERTED: &str = "alertmanagerconfigs.monitoring.coreos.com";

/// The Service, as in the arguments of our Deployment.
const SERVICE: &str = "mainstay-system/mainstay-webhook";

/// The field manager that the documentation uses for the other version.
const V1BETA1: &str = "mainstay-v1beta1";

/// `kubectl apply --server-side`.
fn apply() -> PatchParams {
    PatchParams::apply("kubectl")
}

/// An API server with our webhooks.
struct Fixture {
    _plane: ControlPlane,
    client: Client,
    address: String,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Fixture {
    async fn start() -> Result<Self> {
        let (plane, client) = control_plane().await?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("https://{}", listener.local_addr()?);
        let service: Key = SERVICE.parse()?;
        let home = json!({"metadata": {"name": &*service.namespace}});
        let namespaces: Api<Namespace> = Api::all(client.clone());
        namespaces.create(&PostParams::default(), &serde_json::from_value(home)?).await?;
        let (stop, tasks) = (CancellationToken::new(), JoinSet::new());
        let mut fixture = Self { _plane: plane, client, address, stop, tasks };
        fixture.apply("deploy/webhooks.yaml", &apply()).await?;
        fixture.apply("deploy/alertmanagerconfig-v1beta1.yaml", &PatchParams::apply(V1BETA1).force()).await?;

        let metrics = WebhookMetrics::register(&mut Catalogue::default());
        let routes = operator_monitoring::webhook::routes(RuleSettings::default(), &metrics);
        let names = vec!["127.0.0.1".to_owned()];
        let webhooks = WebhookService { listener, routes, service, names };
        fixture.tasks.spawn(webhooks.serve(fixture.client.clone(), fixture.stop.clone()));
        Ok(fixture)
    }

    /// Applies the objects of a file.
    async fn apply(&self, file: &str, parameters: &PatchParams) -> Result<()> {
        let text = std::fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(file))?;
        for mut object in serde_saphyr::from_multiple::<Value>(&text)? {
            let webhooks = object.get_mut("webhooks").and_then(Value::as_array_mut);
            webhooks.into_iter().flatten().for_each(|webhook| self.use_address(&mut webhook["clientConfig"]));
            if let Some(client) = object.pointer_mut("/spec/conversion/webhook/clientConfig") {
                self.use_address(client);
            }
            let object: DynamicObject = serde_json::from_value(object)?;
            let types = object.types.as_ref().context("the object has no kind")?;
            let resource = ApiResource::from_gvk(&GroupVersionKind::try_from(types)?);
            let api: Api<DynamicObject> = match object.namespace() {
                Some(namespace) => Api::namespaced_with(self.client.clone(), &namespace, &resource),
                None => Api::all_with(self.client.clone(), &resource),
            };
            let applied = api.patch(&object.name_any(), parameters, &Patch::Apply(&object)).await;
            applied.with_context(|| format!("{} of {file}", resource.kind))?;
        }
        Ok(())
    }

    fn use_address(&self, client: &mut Value) {
        let path = client["service"]["path"].as_str().unwrap_or_default();
        *client = json!({"url": format!("{}{path}", self.address)});
    }

    fn api(&self, resource: &ApiResource) -> Api<DynamicObject> {
        Api::default_namespaced_with(self.client.clone(), resource)
    }

    async fn create(
        &self,
        resource: &ApiResource,
        name: &str,
        spec: &Value,
    ) -> Result<std::result::Result<DynamicObject, Box<Status>>> {
        let object = json!({
            "apiVersion": resource.api_version, "kind": resource.kind, "metadata": {"name": name}, "spec": spec,
        });
        match self.api(resource).create(&PostParams::default(), &serde_json::from_value(object)?).await {
            Ok(created) => Ok(Ok(created)),
            Err(kube::Error::Api(status)) => Ok(Err(status)),
            Err(error) => Err(error.into()),
        }
    }

    /// The rejection of an object. Until the API server has the CA certificate, it accepts everything.
    async fn rejection(&self, resource: &ApiResource, spec: &Value) -> Result<Status> {
        let mut count = 0;
        let denial = format!("admission webhook \"{}.mainstay.dev\" denied the request: ", resource.plural);
        wait::until(&format!("a rejection of {}", resource.plural), async || {
            count += 1;
            Ok(match self.create(resource, &format!("bad-{count}"), spec).await? {
                Err(mut status) if status.message.starts_with(&denial) => {
                    status.message = status.message.split_off(denial.len());
                    Look::Found(*status)
                }
                other => Look::NotYet(format!("{other:?}")),
            })
        })
        .await
    }

    async fn end(mut self) {
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
    }
}

fn rules(expression: &str, label: &Value) -> Value {
    json!({"groups": [{"name": "g", "rules": [
        {"alert": "a", "expr": expression, "labels": {"level": label}},
    ]}]})
}

fn monitor(regex: &str) -> Value {
    let relabelings = json!([{"action": "drop", "regex": regex}]);
    json!({"selector": {}, "endpoints": [{"port": "web", "relabelings": relabelings}]})
}

#[tokio::test]
async fn invalid_objects_are_rejected_with_a_message_and_valid_ones_are_mutated() -> Result<()> {
    let fixture = Fixture::start().await?;
    let rule = resource("PrometheusRule", "v1");
    let rejected = fixture.rejection(&rule, &rules("sum(", &json!("1"))).await?;
    let causes = rejected.details.map(|details| details.causes).unwrap_or_default();
    let causes: Vec<&str> = causes.iter().map(|cause| cause.message.as_str()).collect();
    assert_eq!(rejected.message, "Rules are not valid");
    assert_eq!(
        causes,
        [
            "5:11: group \"g\", rule 1, \"a\": could not parse expression: 1:5: parse error: unclosed left parenthesis"
        ]
    );
    let created = wait::until("a number to be converted to a string", async || {
        Ok(match fixture.create(&rule, "good", &rules("vector(1)", &json!(1.5))).await? {
            Ok(created) => Look::Found(created),
            // A number is rejected until the webhook converts it to a string.
            Err(status) => Look::NotYet(status.message),
        })
    })
    .await?;
    assert_eq!(created.data["spec"]["groups"][0]["rules"][0]["labels"], json!({"level": "1.5"}));

    let rejected = fixture.rejection(&resource("ServiceMonitor", "v1"), &monitor("(")).await?;
    assert_eq!(
        rejected.message,
        "spec.endpoints[0].relabelings[0]: invalid regex ( for relabel configuration: error parsing regexp: \
         missing closing ): `^(?s:()$`. Use a regular expression in RE2 syntax"
    );
    let service: Key = SERVICE.parse()?;
    let secrets: Api<Secret> = Api::namespaced(fixture.client.clone(), &service.namespace);
    assert_eq!(secrets.get(&service.name).await?.type_.as_deref(), Some("kubernetes.io/tls"));
    fixture.end().await;
    Ok(())
}

#[tokio::test]
async fn an_alertmanager_config_has_two_versions_until_the_crd_is_reverted() -> Result<()> {
    let fixture = Fixture::start().await?;
    let (new, old) = (resource("AlertmanagerConfig", "v1beta1"), resource("AlertmanagerConfig", "v1alpha1"));
    let intervals = json!([{"name": "night", "timeIntervals": [{"times": [
        {"startTime": "00:00", "endTime": "06:00"},
    ]}]}]);
    let common = json!({
        "route": {"receiver": "one", "muteTimeIntervals": ["night"]}, "receivers": [{"name": "one"}],
    });
    let (mut written, mut stored) = (common.clone(), common);
    written["timeIntervals"] = intervals.clone();
    stored["muteTimeIntervals"] = intervals;
    wait::until("the API server to convert", async || {
        Ok(match fixture.create(&new, "both", &written).await? {
            Ok(created) => Look::Found(created),
            Err(status) => Look::NotYet(status.message),
        })
    })
    .await?;
    assert_eq!(fixture.api(&new).get("both").await?.data["spec"], written);
    assert_eq!(fixture.api(&old).get("both").await?.data["spec"], stored);

    let file = format!("deploy/crds/{CONVERTED}.yaml");
    let conflict =
        fixture.apply(&file, &apply()).await.err().context("it was reverted without a conflict")?;
    let conflict = format!("{conflict:#}");
    assert!(conflict.contains(&format!("conflict with \"{V1BETA1}\"")), "{conflict}");
    fixture.apply(&file, &apply().force()).await?;
    let definitions: Api<CustomResourceDefinition> = Api::all(fixture.client.clone());
    let versions = definitions.get(CONVERTED).await?.spec.versions;
    let served: Vec<&str> = versions.iter().filter(|one| one.served).map(|one| one.name.as_str()).collect();
    assert_eq!(served, ["v1alpha1"]);
    assert_eq!(fixture.api(&old).get("both").await?.data["spec"], stored, "no field is lost");
    fixture.end().await;
    Ok(())
}
