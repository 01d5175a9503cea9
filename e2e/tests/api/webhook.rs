//! The kernel's webhooks as a real API server calls them: refusals in our words, before and after a rotation, and two
//! versions of one kind.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use e2e::wait::{self, holds};
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kernel::clock;
use kernel::web::{self, Protection, Server};
use kernel::webhook::{
    CertificateStore, Failure, Limits, Notice, Presented, Question, Rotation, Routes, Target, Verdict, Wanted,
};
use kube::api::{ApiResource, DeleteParams, DynamicObject, PostParams};
use kube::core::conversion::{ConversionRequest, ConversionResponse, ConversionReview};
use kube::core::{GroupVersionKind, Status};
use kube::{Api, Client};
use lab::ControlPlane;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// An API server and a webhook of ours beside it.
struct Stage {
    _plane: ControlPlane,
    client: Client,
    address: String,
    presented: Presented,
    _server: JoinSet<()>,
}

impl Stage {
    async fn set(routes: Routes) -> Result<Self> {
        let plane = ControlPlane::start().await?;
        let client = plane.client().await?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("https://{}", listener.local_addr()?);
        let presented = Presented::default();
        let protection = Protection::Presented(presented.clone());
        let server = Server { listener, protection, limits: web::Limits::default() };
        let router = routes.router(&Limits::default());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            server.serve(router, CancellationToken::new()).await.expect("the server's rules are sound");
        });
        Ok(Self { _plane: plane, client, address, presented, _server: tasks })
    }

    /// A replica that keeps the certificates.
    fn replica(&self, targets: Vec<Target>) -> Rotation {
        let store = CertificateStore {
            api: Api::<Secret>::default_namespaced(self.client.clone()),
            name: "webhook-certificates".into(),
            wanted: Wanted {
                // So that one moment makes both the authority and what it signed old.
                authority: Duration::from_hours(24 * 100),
                ..Wanted::names(["127.0.0.1"])
            },
        };
        Rotation::new(self.client.clone(), store, targets, self.presented.clone())
    }

    /// Creates an object from its manifest.
    async fn install<K>(&self, manifest: Value) -> Result<()>
    where
        K: kube::Resource<DynamicType = (), Scope = k8s_openapi::ClusterResourceScope>
            + Clone
            + std::fmt::Debug
            + serde::Serialize
            + serde::de::DeserializeOwned,
    {
        let object: K = serde_json::from_value(manifest)?;
        Api::<K>::all(self.client.clone()).create(&PostParams::default(), &object).await?;
        Ok(())
    }

    /// A manifest of a webhook for `ConfigMap`s that ask for it.
    fn webhook(&self, kind: &str, name: &str, path: &str) -> Value {
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": kind,
            "metadata": {"name": name},
            "webhooks": [{
                "name": format!("{name}.mainstay.dev"),
                "clientConfig": {"url": format!("{}{path}", self.address)},
                "objectSelector": {"matchLabels": {"checked": "yes"}},
                "rules": [{
                    "apiGroups": [""],
                    "apiVersions": ["v1"],
                    "resources": ["configmaps"],
                    "operations": ["CREATE", "UPDATE"],
                }],
                "admissionReviewVersions": ["v1"],
                "sideEffects": "None",
                "failurePolicy": "Fail",
            }],
        })
    }

    /// Tries to create a `ConfigMap`. Gives the object, or the words of the refusal.
    async fn say(&self, word: &str) -> Result<std::result::Result<ConfigMap, String>> {
        let api: Api<ConfigMap> = Api::default_namespaced(self.client.clone());
        let object = serde_json::from_value(json!({
            "metadata": {"name": "said", "labels": {"checked": "yes"}},
            "data": {"word": word},
        }))?;
        match api.create(&PostParams::default(), &object).await {
            Ok(made) => {
                api.delete("said", &DeleteParams::default()).await?;
                Ok(Ok(made))
            }
            Err(kube::Error::Api(status)) => Ok(Err(status.message.clone())),
            Err(error) => Err(error.into()),
        }
    }
}

const REFUSAL: &str =
    "admission webhook \"words.mainstay.dev\" denied the request: `bad` is no good word: take another";

#[expect(clippy::panic, reason = "a handler with a defect is what one test is about")]
fn judge() -> Routes {
    Routes::default()
        .admission("/validate", |request| match request.object {
            Some(object) if object.data["data"]["word"] == "bad" => {
                Verdict::deny("`bad` is no good word: take another")
            }
            Some(object) if object.data["data"]["word"] == "panic" => panic!("a defect, on purpose"),
            _ => Verdict::allow(),
        })
        .admission("/mutate", |_| {
            let steps = json!([{"op": "add", "path": "/data/seen", "value": "yes"}]);
            Verdict { patch: serde_json::from_value(steps).unwrap_or_default(), ..Verdict::allow() }
        })
}

fn before(now: Timestamp, hours: i64) -> Timestamp {
    now - SignedDuration::from_hours(hours)
}

#[tokio::test]
async fn a_refusal_is_in_our_words_and_goes_on_after_a_rotation() -> Result<()> {
    let stage = Stage::set(judge()).await?;
    let validating = stage.webhook("ValidatingWebhookConfiguration", "words", "/validate");
    stage.install::<ValidatingWebhookConfiguration>(validating).await?;
    let mutating = stage.webhook("MutatingWebhookConfiguration", "marks", "/mutate");
    stage.install::<MutatingWebhookConfiguration>(mutating).await?;

    let targets = vec![Target::Validating("words".into()), Target::Mutating("marks".into())];
    let (mut one, mut other) = (stage.replica(targets.clone()), stage.replica(targets));
    let now = clock::timestamp();
    let mut told = Vec::new();
    // Made long ago; the other replica, at the same moment, agrees.
    one.refresh(before(now, 24 * 70), &mut |notice| told.push(notice)).await?;
    other.refresh(before(now, 24 * 70), &mut |_| {}).await?;
    assert!(
        matches!(told.as_slice(), [Notice::Injected(_), Notice::Injected(_), Notice::Presented]),
        "{told:?}"
    );
    wait::until("the API server to know the webhooks", async || {
        let said = stage.say("bad").await?;
        Ok(holds(said == Err(REFUSAL.into()), format!("{said:?}")))
    })
    .await?;
    let good = stage.say("good").await?;
    let data = good.ok().and_then(|made| made.data).context("a good word is accepted")?;
    assert_eq!(data.get("seen").map(String::as_str), Some("yes"), "and changed on its way");
    let broken = stage.say("panic").await?.err().context("a defect is no agreement")?;
    assert!(broken.contains("a bug of the operator"), "{broken}");

    // A new authority is made known first, and signs later; whenever it is asked, the webhook answers.
    let mut shown = Vec::new();
    for moment in [before(now, 2), now] {
        let mut told = Vec::new();
        one.refresh(moment, &mut |notice| told.push(format!("{notice:?}"))).await?;
        shown.push(told.contains(&"Presented".to_owned()));
        for _ in 0..20 {
            assert_eq!(stage.say("bad").await?, Err(REFUSAL.into()));
            assert!(stage.say("good").await?.is_ok());
        }
    }
    assert_eq!(shown, [false, true]);
    // The other replica takes what the first has written, and writes nothing.
    let mut told = Vec::new();
    other.refresh(now, &mut |notice| told.push(notice)).await?;
    assert!(matches!(told.as_slice(), [Notice::Presented]), "{told:?}");
    assert_eq!(stage.say("bad").await?, Err(REFUSAL.into()));
    Ok(())
}

const GROUP: &str = "toys.mainstay.dev";

/// In `v1` a toy counts its wheels, in `v2` its axles.
fn convert(desired: &str, mut toy: Value) -> std::result::Result<Value, String> {
    let spec = &toy["spec"];
    let converted = if desired.ends_with("/v2") {
        let wheels = spec["wheels"].as_i64().ok_or("spec.wheels is missing")?;
        if wheels % 2 != 0 {
            return Err(format!("{wheels} wheels are no axles: spec.wheels must be even"));
        }
        json!({"axles": wheels / 2})
    } else {
        json!({"wheels": spec["axles"].as_i64().ok_or("spec.axles is missing")? * 2})
    };
    toy["apiVersion"] = desired.into();
    toy["spec"] = converted;
    Ok(toy)
}

/// Answers a conversion review. One object that cannot be converted fails all.
fn convert_all(question: Question<'_>) -> std::result::Result<Vec<u8>, Failure> {
    let review: ConversionReview = serde_json::from_slice(question.body).map_err(Failure::bad)?;
    let mut request = ConversionRequest::from_review(review).map_err(Failure::bad)?;
    let (desired, objects) = (request.desired_api_version.clone(), std::mem::take(&mut request.objects));
    let converted: std::result::Result<Vec<Value>, String> = objects
        .into_iter()
        .map(|toy| {
            let name = toy["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            convert(&desired, toy).map_err(|problem| format!("Toy {name}: {problem}"))
        })
        .collect();
    let response = ConversionResponse::for_request(request);
    let response = match converted {
        Ok(objects) => response.success(objects),
        Err(problem) => response.failure(Status::failure(&problem, "ConversionFailed")),
    };
    serde_json::to_vec(&response.into_review()).map_err(Failure::defect)
}

fn definition(address: &str) -> Value {
    let version = |name: &str, storage: bool| {
        json!({
            "name": name,
            "served": true,
            "storage": storage,
            "schema": {"openAPIV3Schema": {
                "type": "object",
                "properties": {"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }},
        })
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("toys.{GROUP}")},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": "toys", "singular": "toy", "kind": "Toy", "listKind": "ToyList"},
            "versions": [version("v1", false), version("v2", true)],
            "conversion": {"strategy": "Webhook", "webhook": {
                "conversionReviewVersions": ["v1"],
                "clientConfig": {"url": format!("{address}/convert")},
            }},
        },
    })
}

#[tokio::test]
async fn a_conversion_serves_two_versions() -> Result<()> {
    let stage = Stage::set(Routes::default().plain("/convert", convert_all)).await?;
    stage.install::<CustomResourceDefinition>(definition(&stage.address)).await?;
    let mut replica = stage.replica(vec![Target::Conversion(format!("toys.{GROUP}"))]);
    let mut told = Vec::new();
    replica.refresh(clock::timestamp(), &mut |notice| told.push(notice)).await?;
    assert!(matches!(told.as_slice(), [Notice::Injected(_), Notice::Presented]), "{told:?}");

    let api = |version: &str| -> Api<DynamicObject> {
        let resource =
            ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(GROUP, version, "Toy"), "toys");
        Api::default_namespaced_with(stage.client.clone(), &resource)
    };
    let toy = |name: &str, wheels: i64| -> Result<DynamicObject> {
        Ok(serde_json::from_value(json!({
            "apiVersion": format!("{GROUP}/v1"),
            "kind": "Toy",
            "metadata": {"name": name, "labels": {"colour": "red"}},
            "spec": {"wheels": wheels},
        }))?)
    };
    let made = wait::until("the API server to convert", async || {
        match api("v1").create(&PostParams::default(), &toy("car", 4)?).await {
            Ok(made) => Ok(wait::Look::Found(made)),
            Err(error) => Ok(wait::Look::NotYet(error.to_string())),
        }
    })
    .await?;
    assert_eq!(made.data["spec"], json!({"wheels": 4}));
    let stored = api("v2").get("car").await?;
    assert_eq!(stored.data["spec"], json!({"axles": 2}));
    assert_eq!(stored.metadata.uid, made.metadata.uid);
    assert_eq!(stored.metadata.labels, made.metadata.labels);
    let listed = api("v1").list(&kube::api::ListParams::default()).await?;
    assert_eq!(listed.items[0].data["spec"], json!({"wheels": 4}));

    match api("v1").create(&PostParams::default(), &toy("tricycle", 3)?).await {
        Err(kube::Error::Api(status)) => {
            let words = "Toy tricycle: 3 wheels are no axles: spec.wheels must be even";
            assert!(status.message.contains(words), "{}", status.message);
        }
        other => bail!("an odd toy was not refused: {other:?}"),
    }
    Ok(())
}
