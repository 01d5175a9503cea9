//! The webhooks of monitoring in the stand-alone program, called by a real API server: with the paths and messages of the
//! Prometheus Operator, and our own for monitors.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use e2e::wait::{self, Look, holds};
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kernel::clock;
use kernel::webhook::{Bundle, Wanted};
use kube::api::{ApiResource, DeleteParams, DynamicObject, PostParams};
use kube::core::Status;
use kube::{Api, Client};
use lab::ControlPlane;
use mainstay::webhook::StandaloneWebhook;
use operator_monitoring::flags::webhook::WebhookFlags;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::monitoring::{control_plane, resource};

/// An API server and the webhook program.
struct Fixture {
    _plane: ControlPlane,
    client: Client,
    directory: TempDir,
    address: String,
    authority: String,
    stop: CancellationToken,
    tasks: JoinSet<Result<()>>,
}

/// Writes a new certificate, as a renewed Secret would. Returns the CA certificate.
fn write_certificate(directory: &Path) -> Result<String> {
    let bundle = Bundle::make(clock::timestamp(), &Wanted::names(["127.0.0.1"]))?;
    std::fs::write(directory.join("tls.crt"), &bundle.serving.certificate)?;
    std::fs::write(directory.join("tls.key"), bundle.serving.key.reveal())?;
    Ok(BASE64_STANDARD.encode(bundle.trusted()))
}

impl Fixture {
    async fn start() -> Result<Self> {
        let (plane, client) = control_plane().await?;
        let directory = tempfile::tempdir()?;
        let authority = write_certificate(directory.path())?;
        let mut flags = WebhookFlags::default();
        flags.web.listen_address = "127.0.0.1:0".into();
        flags.web.certificate = Some(directory.path().join("tls.crt"));
        flags.web.key = Some(directory.path().join("tls.key"));
        flags.web.reload_interval = Duration::from_secs(1);
        let webhook = StandaloneWebhook::open(&flags).await?;
        let address = format!("https://{}", webhook.address()?);
        let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
        tasks.spawn(webhook.serve(stop.clone()));
        Ok(Self { _plane: plane, client, directory, address, authority, stop, tasks })
    }

    /// The client configuration of the API server for a path.
    fn client_config(&self, path: &str) -> Value {
        json!({"url": format!("{}{path}", self.address), "caBundle": self.authority})
    }

    /// A webhook for one resource, as a user registers it.
    fn registration(&self, kind: &str, name: &str, path: &str, resource: &str) -> Value {
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": name},
            "webhooks": [{
                "name": format!("{name}.monitoring.coreos.com"),
                "clientConfig": self.client_config(path),
                "rules": [{
                    "apiGroups": ["monitoring.coreos.com"], "apiVersions": ["*"], "resources": [resource],
                    "operations": ["CREATE", "UPDATE"],
                }],
                "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Fail",
            }],
        })
    }

    async fn validating(&self, name: &str, path: &str, resource: &str) -> Result<()> {
        let object = self.registration("ValidatingWebhookConfiguration", name, path, resource);
        let api: Api<ValidatingWebhookConfiguration> = Api::all(self.client.clone());
        api.create(&PostParams::default(), &serde_json::from_value(object)?).await?;
        Ok(())
    }

    async fn mutating(&self, name: &str, path: &str, resource: &str) -> Result<()> {
        let object = self.registration("MutatingWebhookConfiguration", name, path, resource);
        let api: Api<MutatingWebhookConfiguration> = Api::all(self.client.clone());
        api.create(&PostParams::default(), &serde_json::from_value(object)?).await?;
        Ok(())
    }

    fn api(&self, resource: &ApiResource) -> Api<DynamicObject> {
        Api::default_namespaced_with(self.client.clone(), resource)
    }

    /// Creates an object. Returns the stored object, or the rejection.
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

    /// Waits until the API server calls a webhook that was just registered. Returns the rejection of the object.
    async fn rejection(&self, by: &str, resource: &ApiResource, spec: &Value) -> Result<Status> {
        let mut count = 0;
        let denial = format!("admission webhook \"{by}.monitoring.coreos.com\" denied the request: ");
        wait::until(&format!("a rejection by {by}"), async || {
            count += 1;
            Ok(match self.create(resource, &format!("bad-{by}-{count}"), spec).await? {
                Err(mut status) if status.message.starts_with(&denial) => {
                    status.message = status.message.split_off(denial.len());
                    Look::Found(*status)
                }
                other => Look::NotYet(format!("{other:?}")),
            })
        })
        .await
    }

    async fn end(mut self) -> Result<()> {
        self.stop.cancel();
        while let Some(ended) = self.tasks.join_next().await {
            ended??;
        }
        Ok(())
    }
}

fn causes(status: &Status) -> Vec<&str> {
    let causes = status.details.as_ref().map(|details| details.causes.as_slice()).unwrap_or_default();
    causes.iter().map(|cause| cause.message.as_str()).collect()
}

fn rules(expression: &str, label: &Value) -> Value {
    json!({"groups": [{"name": "g", "rules": [
        {"alert": "a", "expr": expression, "labels": {"level": label}},
    ]}]})
}

#[tokio::test]
async fn a_rule_is_mutated_and_validated() -> Result<()> {
    let fixture = Fixture::start().await?;
    fixture
        .validating("prometheusrulevalidate", "/admission-prometheusrules/validate", "prometheusrules")
        .await?;
    let resource = resource("PrometheusRule", "v1");
    let rejected =
        fixture.rejection("prometheusrulevalidate", &resource, &rules("sum(", &json!("1"))).await?;
    let rejection = (rejected.message.as_str(), rejected.reason.as_str(), rejected.code);
    assert_eq!(rejection, ("Rules are not valid", "Invalid", 422));
    assert_eq!(
        causes(&rejected),
        [
            "5:11: group \"g\", rule 1, \"a\": could not parse expression: 1:5: parse error: unclosed left parenthesis"
        ]
    );

    fixture.mutating("prometheusrulemutate", "/admission-prometheusrules/mutate", "prometheusrules").await?;
    let mut count = 0;
    let created = wait::until("a rule to be mutated", async || {
        count += 1;
        Ok(
            match fixture
                .create(&resource, &format!("good-{count}"), &rules("vector(1)", &json!(1.5)))
                .await?
            {
                Ok(created) => Look::Found(created),
                // A number is rejected until the webhook converts it to a string.
                Err(status) => Look::NotYet(status.message),
            },
        )
    })
    .await?;
    assert_eq!(created.data["spec"]["groups"][0]["rules"][0]["labels"], json!({"level": "1.5"}));
    let annotations = created.metadata.annotations.context("the rule has no annotations")?;
    assert_eq!(annotations.get("prometheus-operator-validated").map(String::as_str), Some("true"));
    fixture.end().await
}

#[tokio::test]
async fn an_alertmanager_config_is_validated_and_served_in_two_versions() -> Result<()> {
    let fixture = Fixture::start().await?;
    let definitions: Api<CustomResourceDefinition> = Api::all(fixture.client.clone());
    let name = "alertmanagerconfigs.monitoring.coreos.com";
    let mut definition = definitions.get(name).await?;
    definition.spec.versions.iter_mut().for_each(|version| version.served = true);
    definition.spec.conversion = serde_json::from_value(json!({"strategy": "Webhook", "webhook": {
        "conversionReviewVersions": ["v1"], "clientConfig": fixture.client_config("/convert"),
    }}))?;
    definitions.replace(name, &PostParams::default(), &definition).await?;
    fixture
        .validating("alertmanagerconfigs", "/admission-alertmanagerconfigs/validate", "alertmanagerconfigs")
        .await?;
    let (new, old) = (resource("AlertmanagerConfig", "v1beta1"), resource("AlertmanagerConfig", "v1alpha1"));
    let bad = json!({"route": {"receiver": "none"}, "receivers": [{"name": "one"}]});
    let rejected = fixture.rejection("alertmanagerconfigs", &new, &bad).await?;
    assert_eq!(rejected.message, "AlertmanagerConfig is invalid");
    assert_eq!(causes(&rejected), ["receiver \"none\" not found"]);

    let spec = json!({
        "route": {"receiver": "one", "muteTimeIntervals": ["night"]}, "receivers": [{"name": "one"}],
        "timeIntervals": [{"name": "night", "timeIntervals": [{"times": [
            {"startTime": "00:00", "endTime": "06:00"},
        ]}]}],
    });
    let mut name = String::new();
    wait::until("the API server to use the conversion webhook", async || {
        name.push('a');
        // Until then it drops the fields of the other version.
        Ok(match fixture.create(&new, &name, &spec).await? {
            Ok(created) => holds(created.data["spec"] == spec, created.data.to_string()),
            Err(status) => Look::NotYet(status.message),
        })
    })
    .await?;
    let read = wait::until("the API server to convert back", async || {
        let read = fixture.api(&old).get(&name).await?;
        let converted = read.data["spec"].get("muteTimeIntervals").is_some();
        Ok(if converted { Look::Found(read) } else { Look::NotYet(read.data.to_string()) })
    })
    .await?;
    let mut expected = spec.clone();
    let intervals = expected.as_object_mut().and_then(|spec| spec.remove("timeIntervals"));
    expected["muteTimeIntervals"] = intervals.context("the spec has no intervals")?;
    assert_eq!(read.data["spec"], expected);
    assert_eq!(fixture.api(&new).get(&name).await?.data["spec"], spec);
    fixture.end().await
}

#[tokio::test]
async fn a_monitor_is_validated_and_a_renewed_certificate_is_used() -> Result<()> {
    let mut fixture = Fixture::start().await?;
    let (path, plural) = ("/admission-servicemonitors/validate", "servicemonitors");
    fixture.validating("first", path, plural).await?;
    let resource = resource("ServiceMonitor", "v1");
    let secret = json!({"name": "later", "key": "key"});
    let endpoint = |regex: &str| {
        json!({"selector": {}, "endpoints": [
            {"port": "web", "bearerTokenSecret": secret, "relabelings": [{"action": "drop", "regex": regex}]},
        ]})
    };
    let message = "spec.endpoints[0].relabelings[0]: invalid regex ( for relabel configuration: error parsing regexp: \
                 missing closing ): `^(?s:()$`. Use a regular expression in RE2 syntax";
    assert_eq!(fixture.rejection("first", &resource, &endpoint("(")).await?.message, message);
    if let Err(status) = fixture.create(&resource, "good", &endpoint("a")).await? {
        bail!("rejected although the Secret need not exist yet: {status:?}");
    }

    // A client that trusts only the new CA can connect as soon as the new certificate is loaded.
    fixture.authority = write_certificate(fixture.directory.path())?;
    let api: Api<ValidatingWebhookConfiguration> = Api::all(fixture.client.clone());
    api.delete("first", &DeleteParams::default()).await?;
    fixture.validating("second", path, plural).await?;
    assert_eq!(fixture.rejection("second", &resource, &endpoint("(")).await?.message, message);
    fixture.end().await
}
