//! Webhooks as users register them: through their Service, with the certificates that the operators make. Only for the
//! namespace of this test, so that others may go on with what is bad.

use anyhow::{Context, Result};
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::operator;
use e2e::wait::Look;
use kube::api::{DynamicObject, PostParams};
use serde_json::{Value, json};

use crate::objects::{api, resource};

/// What users apply, with every webhook limited to one namespace.
fn limited(namespace: &Namespace) -> Result<String> {
    let text = std::fs::read_to_string(lab::paths::workspace().join("deploy/webhooks.yaml"))?;
    let mut objects = Vec::new();
    for mut object in serde_saphyr::from_multiple::<Value>(&text)? {
        let webhooks = object.get_mut("webhooks").and_then(Value::as_array_mut);
        for webhook in webhooks.into_iter().flatten() {
            let labels = json!({"kubernetes.io/metadata.name": namespace.name()});
            webhook["namespaceSelector"] = json!({ "matchLabels": labels });
        }
        objects.push(object);
    }
    Ok(json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string())
}

fn rule(name: &str, expression: &str, label: &Value) -> Result<DynamicObject> {
    let rules = json!([{"alert": "a", "expr": expression, "labels": {"level": label}}]);
    Ok(serde_json::from_value(json!({
        "apiVersion": resource("PrometheusRule").api_version, "kind": "PrometheusRule",
        "metadata": {"name": name}, "spec": {"groups": [{"name": "g", "rules": rules}]},
    }))?)
}

#[tokio::test]
async fn whoever_applies_something_bad_is_told_through_the_service() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "webhooks").await?;
    let rules = api(&namespace, "PrometheusRule");
    // It was there before: later it can still be labelled and deleted.
    rules.create(&PostParams::default(), &rule("before", "sum(", &json!("1"))?).await?;

    let directory = tempfile::tempdir()?;
    let manifest = directory.path().join("webhooks.json");
    std::fs::write(&manifest, limited(&namespace)?)?;
    let manifest = manifest.to_str().context("a readable path")?;
    lab.kubectl(&["apply", "--server-side", "--force-conflicts", "-f", manifest])?;
    let told = told(&namespace).await;
    lab.kubectl(&["delete", "--ignore-not-found", "-f", manifest])?;
    told
}

async fn told(namespace: &Namespace) -> Result<()> {
    let rules = api(namespace, "PrometheusRule");
    let rehearsed = PostParams { dry_run: true, ..PostParams::default() };
    // Until the API server knows whom to trust, it takes everything.
    let refusal = namespace
        .until("a bad rule to be refused", async || {
            Ok(match rules.create(&rehearsed, &rule("bad", "sum(", &json!("1"))?).await {
                Err(kube::Error::Api(status)) => Look::Found(status.message),
                other => Look::NotYet(format!("{other:?}")),
            })
        })
        .await?;
    let denial = "admission webhook \"prometheusrules.mainstay.dev\" denied the request: Rules are not valid";
    assert_eq!(refusal, denial);

    let made = namespace
        .until("a number in a label to be mended", async || {
            Ok(match rules.create(&rehearsed, &rule("good", "vector(1)", &json!(1.5))?).await {
                Ok(made) => Look::Found(made),
                Err(error) => Look::NotYet(error.to_string()),
            })
        })
        .await?;
    assert_eq!(made.data["spec"]["groups"][0]["rules"][0]["labels"], json!({"level": "1.5"}));

    namespace.lab().kubectl(&["-n", namespace.name(), "label", "prometheusrule", "before", "team=a"])?;
    namespace.lab().kubectl(&["-n", namespace.name(), "delete", "prometheusrule", "before"])?;
    Ok(())
}
