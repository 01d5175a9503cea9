//! The webhooks of monitoring, as a real API server calls the stand-alone program: under the peer's paths with the peer's
//! words, and ours for monitors.

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
use mainstay::webhook::Webhook;
use operator_monitoring::flags::webhook::Flags;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::monitoring::{control_plane, resource};

/// An API server, and the webhook beside it.
struct Stage {
    _plane: ControlPlane,
    client: Client,
    directory: TempDir,
    address: String,
    authority: String,
    stop: CancellationToken,
    tasks: JoinSet<Result<()>>,
}

/// Writes a new certificate, as a Secret that was renewed would. Gives who signed it.
fn write_certificate(directory: &Path) -> Result<String> {
    let bundle = Bundle::make(clock::timestamp(), &Wanted::names(["127.0.0.1"]))?;
    std::fs::write(directory.join("tls.crt"), &bundle.serving.certificate)?;
    std::fs::write(directory.join("tls.key"), bundle.serving.key.reveal())?;
    Ok(BASE64_STANDARD.encode(bundle.trusted()))
}

impl Stage {
    async fn set() -> Result<Self> {
        let (plane, client) = control_plane().await?;
        let directory = tempfile::tempdir()?;
        let authority = write_certificate(directory.path())?;
        let mut flags = Flags::default();
        flags.web.listen_address = "127.0.0.1:0".into();
        flags.web.certificate = Some(directory.path().join("tls.crt"));
        flags.web.key = Some(directory.path().join("tls.key"));
        flags.web.reload_interval = Duration::from_secs(1);
        let webhook = Webhook::open(&flags).await?;
        let address = format!("https://{}", webhook.address()?);
        let (stop, mut tasks) = (CancellationToken::new(), JoinSet::new());
        tasks.spawn(webhook.serve(stop.clone()));
        Ok(Self { _plane: plane, client, directory, address, authority, stop, tasks })
    }

    /// What the API server needs to know to call a path.
    fn call(&self, path: &str) -> Value {
        json!({"url": format!("{}{path}", self.address), "caBundle": self.authority})
    }

    /// A webhook for one resource, as a user registers it.
    fn registration(&self, kind: &str, name: &str, path: &str, resource: &str) -> Value {
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": name},
            "webhooks": [{
                "name": format!("{name}.monitoring.coreos.com"),
                "clientConfig": self.call(path),
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

    /// Tries to create an object. Gives what was made of it, or the refusal.
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
            Ok(made) => Ok(Ok(made)),
            Err(kube::Error::Api(status)) => Ok(Err(status)),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits until the API server calls a webhook that was just registered: the object is refused, and how.
    async fn refusal(&self, by: &str, resource: &ApiResource, spec: &Value) -> Result<Status> {
        let mut count = 0;
        let denial = format!("admission webhook \"{by}.monitoring.coreos.com\" denied the request: ");
        wait::until(&format!("a refusal by {by}"), async || {
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
async fn a_rule_is_mended_and_checked() -> Result<()> {
    let stage = Stage::set().await?;
    stage
        .validating("prometheusrulevalidate", "/admission-prometheusrules/validate", "prometheusrules")
        .await?;
    let resource = resource("PrometheusRule", "v1");
    let refused = stage.refusal("prometheusrulevalidate", &resource, &rules("sum(", &json!("1"))).await?;
    let said = (refused.message.as_str(), refused.reason.as_str(), refused.code);
    assert_eq!(said, ("Rules are not valid", "Invalid", 422));
    assert_eq!(
        causes(&refused),
        [
            "5:11: group \"g\", rule 1, \"a\": could not parse expression: 1:5: parse error: unclosed left parenthesis"
        ]
    );

    stage.mutating("prometheusrulemutate", "/admission-prometheusrules/mutate", "prometheusrules").await?;
    let mut count = 0;
    let made = wait::until("a rule to be mended", async || {
        count += 1;
        Ok(
            match stage.create(&resource, &format!("good-{count}"), &rules("vector(1)", &json!(1.5))).await? {
                Ok(made) => Look::Found(made),
                // Not a text: only what mends it makes it acceptable.
                Err(status) => Look::NotYet(status.message),
            },
        )
    })
    .await?;
    assert_eq!(made.data["spec"]["groups"][0]["rules"][0]["labels"], json!({"level": "1.5"}));
    let annotations = made.metadata.annotations.context("the rule has no annotations")?;
    assert_eq!(annotations.get("prometheus-operator-validated").map(String::as_str), Some("true"));
    stage.end().await
}

#[tokio::test]
async fn an_alertmanager_config_is_checked_and_served_in_two_versions() -> Result<()> {
    let stage = Stage::set().await?;
    let definitions: Api<CustomResourceDefinition> = Api::all(stage.client.clone());
    let name = "alertmanagerconfigs.monitoring.coreos.com";
    let mut definition = definitions.get(name).await?;
    definition.spec.versions.iter_mut().for_each(|version| version.served = true);
    definition.spec.conversion = serde_json::from_value(json!({"strategy": "Webhook", "webhook": {
        "conversionReviewVersions": ["v1"], "clientConfig": stage.call("/convert"),
    }}))?;
    definitions.replace(name, &PostParams::default(), &definition).await?;
    stage
        .validating("alertmanagerconfigs", "/admission-alertmanagerconfigs/validate", "alertmanagerconfigs")
        .await?;
    let (new, old) = (resource("AlertmanagerConfig", "v1beta1"), resource("AlertmanagerConfig", "v1alpha1"));
    let bad = json!({"route": {"receiver": "none"}, "receivers": [{"name": "one"}]});
    let refused = stage.refusal("alertmanagerconfigs", &new, &bad).await?;
    assert_eq!(refused.message, "AlertmanagerConfig is invalid");
    assert_eq!(causes(&refused), ["receiver \"none\" not found"]);

    let spec = json!({
        "route": {"receiver": "one", "muteTimeIntervals": ["night"]}, "receivers": [{"name": "one"}],
        "timeIntervals": [{"name": "night", "timeIntervals": [{"times": [
            {"startTime": "00:00", "endTime": "06:00"},
        ]}]}],
    });
    let mut name = String::new();
    wait::until("the API server to know who converts", async || {
        name.push('a');
        // Until then it drops what only one version has.
        Ok(match stage.create(&new, &name, &spec).await? {
            Ok(made) => holds(made.data["spec"] == spec, made.data.to_string()),
            Err(status) => Look::NotYet(status.message),
        })
    })
    .await?;
    let read = wait::until("the API server to convert back", async || {
        let read = stage.api(&old).get(&name).await?;
        let converted = read.data["spec"].get("muteTimeIntervals").is_some();
        Ok(if converted { Look::Found(read) } else { Look::NotYet(read.data.to_string()) })
    })
    .await?;
    let mut expected = spec.clone();
    let intervals = expected.as_object_mut().and_then(|spec| spec.remove("timeIntervals"));
    expected["muteTimeIntervals"] = intervals.context("the intervals are there")?;
    assert_eq!(read.data["spec"], expected);
    assert_eq!(stage.api(&new).get(&name).await?.data["spec"], spec);
    stage.end().await
}

#[tokio::test]
async fn a_monitor_is_checked_and_a_renewed_certificate_is_shown() -> Result<()> {
    let mut stage = Stage::set().await?;
    let (path, plural) = ("/admission-servicemonitors/validate", "servicemonitors");
    stage.validating("first", path, plural).await?;
    let resource = resource("ServiceMonitor", "v1");
    let secret = json!({"name": "later", "key": "key"});
    let endpoint = |regex: &str| {
        json!({"selector": {}, "endpoints": [
            {"port": "web", "bearerTokenSecret": secret, "relabelings": [{"action": "drop", "regex": regex}]},
        ]})
    };
    let words = "spec.endpoints[0].relabelings[0]: invalid regex ( for relabel configuration: error parsing regexp: \
                 missing closing ): `^(?s:()$`. Use a regular expression in RE2 syntax";
    assert_eq!(stage.refusal("first", &resource, &endpoint("(")).await?.message, words);
    if let Err(status) = stage.create(&resource, "good", &endpoint("a")).await? {
        bail!("a Secret that is not there yet is no reason: {status:?}");
    }

    // A client that trusts only the new authority can connect as soon as the new certificate was loaded.
    stage.authority = write_certificate(stage.directory.path())?;
    let api: Api<ValidatingWebhookConfiguration> = Api::all(stage.client.clone());
    api.delete("first", &DeleteParams::default()).await?;
    stage.validating("second", path, plural).await?;
    assert_eq!(stage.refusal("second", &resource, &endpoint("(")).await?.message, words);
    stage.end().await
}
