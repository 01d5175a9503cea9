//! The webhooks of the kernel, called by a real API server: rejections with our messages, before and after a rotation of the
//! certificates, and two versions of one kind.

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
use kernel::web::{self, Protection, WebServer};
use kernel::webhook::{
    CertificateStore, InjectionTarget, Presented, Question, Rotation, RotationNotice, Routes, Verdict,
    Wanted, WebhookError, WebhookLimits,
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

/// An API server and a webhook.
struct Fixture {
    _plane: ControlPlane,
    client: Client,
    address: String,
    presented: Presented,
    _server: JoinSet<()>,
}

impl Fixture {
    async fn start(routes: Routes) -> Result<Self> {
        let plane = ControlPlane::start().await?;
        let client = plane.client().await?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = format!("https://{}", listener.local_addr()?);
        let presented = Presented::default();
        let protection = Protection::Presented(presented.clone());
        let server = WebServer { listener, protection, limits: web::ServerLimits::default() };
        let router = routes.router(&WebhookLimits::default());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            server
                .serve(router, CancellationToken::new())
                .await
                .expect("the configuration of the server is valid");
        });
        Ok(Self { _plane: plane, client, address, presented, _server: tasks })
    }

    /// A replica that rotates the certificates.
    fn replica(&self, targets: Vec<InjectionTarget>) -> Rotation {
        let store = CertificateStore {
            api: Api::<Secret>::default_namespaced(self.client.clone()),
            name: "webhook-certificates".into(),
            wanted: Wanted {
                // So that the CA and the serving certificate expire at the same time.
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

    /// A manifest of a webhook for `ConfigMap`s with a label.
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

    /// Creates a `ConfigMap` with a word, and deletes it. Returns the object, or the message of the rejection.
    async fn create(&self, word: &str) -> Result<std::result::Result<ConfigMap, String>> {
        let api: Api<ConfigMap> = Api::default_namespaced(self.client.clone());
        let object = serde_json::from_value(json!({
            "metadata": {"name": "one", "labels": {"checked": "yes"}},
            "data": {"word": word},
        }))?;
        match api.create(&PostParams::default(), &object).await {
            Ok(created) => {
                api.delete("one", &DeleteParams::default()).await?;
                Ok(Ok(created))
            }
            Err(kube::Error::Api(status)) => Ok(Err(status.message.clone())),
            Err(error) => Err(error.into()),
        }
    }
}

const REJECTION: &str =
    "admission webhook \"words.mainstay.dev\" denied the request: `bad` is not allowed: use another word";

#[expect(clippy::panic, reason = "one test is about a handler with a bug")]
fn routes() -> Routes {
    Routes::default()
        .admission("/validate", |request| match request.object {
            Some(object) if object.data["data"]["word"] == "bad" => {
                Verdict::deny("`bad` is not allowed: use another word")
            }
            Some(object) if object.data["data"]["word"] == "panic" => panic!("an intentional bug"),
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
async fn rejections_have_our_message_before_and_after_a_rotation() -> Result<()> {
    let fixture = Fixture::start(routes()).await?;
    let validating = fixture.webhook("ValidatingWebhookConfiguration", "words", "/validate");
    fixture.install::<ValidatingWebhookConfiguration>(validating).await?;
    let mutating = fixture.webhook("MutatingWebhookConfiguration", "marks", "/mutate");
    fixture.install::<MutatingWebhookConfiguration>(mutating).await?;

    let targets =
        vec![InjectionTarget::Validating("words".into()), InjectionTarget::Mutating("marks".into())];
    let (mut one, mut other) = (fixture.replica(targets.clone()), fixture.replica(targets));
    let now = clock::timestamp();
    let mut notices = Vec::new();
    // Certificates of long ago. The other replica, at the same time, uses the same ones.
    one.refresh(before(now, 24 * 70), &mut |notice| notices.push(notice)).await?;
    other.refresh(before(now, 24 * 70), &mut |_| {}).await?;
    assert!(
        matches!(
            notices.as_slice(),
            [RotationNotice::Injected(_), RotationNotice::Injected(_), RotationNotice::Presented]
        ),
        "{notices:?}"
    );
    wait::until("the API server to know the webhooks", async || {
        let result = fixture.create("bad").await?;
        Ok(holds(result == Err(REJECTION.into()), format!("{result:?}")))
    })
    .await?;
    let good = fixture.create("good").await?;
    let data = good.ok().and_then(|created| created.data).context("a good word was rejected")?;
    assert_eq!(data.get("seen").map(String::as_str), Some("yes"), "the object was mutated");
    let broken = fixture.create("panic").await?.err().context("accepted in spite of a bug")?;
    assert!(broken.contains("a bug in the operator"), "{broken}");

    // A new CA is distributed first, and signs later. The webhook responds at all times.
    let mut presented = Vec::new();
    for moment in [before(now, 2), now] {
        let mut notices = Vec::new();
        one.refresh(moment, &mut |notice| notices.push(format!("{notice:?}"))).await?;
        presented.push(notices.contains(&"Presented".to_owned()));
        for _ in 0..20 {
            assert_eq!(fixture.create("bad").await?, Err(REJECTION.into()));
            assert!(fixture.create("good").await?.is_ok());
        }
    }
    assert_eq!(presented, [false, true]);
    // The other replica uses the certificates that the first one has written, and writes nothing.
    let mut notices = Vec::new();
    other.refresh(now, &mut |notice| notices.push(notice)).await?;
    assert!(matches!(notices.as_slice(), [RotationNotice::Presented]), "{notices:?}");
    assert_eq!(fixture.create("bad").await?, Err(REJECTION.into()));
    Ok(())
}

const GROUP: &str = "toys.mainstay.dev";

/// Converts a toy: `v1` has the number of wheels, `v2` that of axles.
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

/// Responds to a conversion review. It fails if one object cannot be converted.
fn convert_all(question: Question<'_>) -> std::result::Result<Vec<u8>, WebhookError> {
    let review: ConversionReview = serde_json::from_slice(question.body).map_err(WebhookError::bad)?;
    let mut request = ConversionRequest::from_review(review).map_err(WebhookError::bad)?;
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
    serde_json::to_vec(&response.into_review()).map_err(WebhookError::defect)
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
    let fixture = Fixture::start(Routes::default().plain("/convert", convert_all)).await?;
    fixture.install::<CustomResourceDefinition>(definition(&fixture.address)).await?;
    let mut replica = fixture.replica(vec![InjectionTarget::Conversion(format!("toys.{GROUP}"))]);
    let mut notices = Vec::new();
    replica.refresh(clock::timestamp(), &mut |notice| notices.push(notice)).await?;
    assert!(
        matches!(notices.as_slice(), [RotationNotice::Injected(_), RotationNotice::Presented]),
        "{notices:?}"
    );

    let api = |version: &str| -> Api<DynamicObject> {
        let resource =
            ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(GROUP, version, "Toy"), "toys");
        Api::default_namespaced_with(fixture.client.clone(), &resource)
    };
    let toy = |name: &str, wheels: i64| -> Result<DynamicObject> {
        Ok(serde_json::from_value(json!({
            "apiVersion": format!("{GROUP}/v1"),
            "kind": "Toy",
            "metadata": {"name": name, "labels": {"colour": "red"}},
            "spec": {"wheels": wheels},
        }))?)
    };
    let created = wait::until("the API server to convert", async || {
        match api("v1").create(&PostParams::default(), &toy("car", 4)?).await {
            Ok(created) => Ok(wait::Look::Found(created)),
            Err(error) => Ok(wait::Look::NotYet(error.to_string())),
        }
    })
    .await?;
    assert_eq!(created.data["spec"], json!({"wheels": 4}));
    let stored = api("v2").get("car").await?;
    assert_eq!(stored.data["spec"], json!({"axles": 2}));
    assert_eq!(stored.metadata.uid, created.metadata.uid);
    assert_eq!(stored.metadata.labels, created.metadata.labels);
    let listed = api("v1").list(&kube::api::ListParams::default()).await?;
    assert_eq!(listed.items[0].data["spec"], json!({"wheels": 4}));

    match api("v1").create(&PostParams::default(), &toy("tricycle", 3)?).await {
        Err(kube::Error::Api(status)) => {
            let message = "Toy tricycle: 3 wheels are no axles: spec.wheels must be even";
            assert!(status.message.contains(message), "{}", status.message);
        }
        other => bail!("a toy with three wheels was not rejected: {other:?}"),
    }
    Ok(())
}
