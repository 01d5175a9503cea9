//! Webhooks as users register them: through their Service, with the certificates of the operator. Only for the namespace of
//! this test, so that other tests can create invalid objects.

use anyhow::{Context, Result};
use e2e::lab::Lab;
use e2e::namespace::Namespace;
use e2e::operator;
use e2e::wait::Look;
use kube::api::{DynamicObject, PostParams};
use serde_json::{Value, json};

use crate::objects::{api, resource};

/// The manifest that users apply, with every webhook limited to one namespace.
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
async fn an_invalid_object_is_rejected_through_the_service() -> Result<()> {
    let lab = Lab::connect().await?;
    operator::install(&lab).await?;
    let namespace = Namespace::create(&lab, "webhooks").await?;
    let rules = api(&namespace, "PrometheusRule");
    // It exists before the webhooks. Later it can still be labelled and deleted.
    rules.create(&PostParams::default(), &rule("before", "sum(", &json!("1"))?).await?;

    let directory = tempfile::tempdir()?;
    let manifest = directory.path().join("webhooks.json");
    std::fs::write(&manifest, limited(&namespace)?)?;
    let manifest = manifest.to_str().context("the path is not UTF-8")?;
    lab.kubectl(&["apply", "--server-side", "--force-conflicts", "-f", manifest])?;
    let checked = check(&namespace).await;
    lab.kubectl(&["delete", "--ignore-not-found", "-f", manifest])?;
    checked
}

async fn check(namespace: &Namespace) -> Result<()> {
    let rules = api(namespace, "PrometheusRule");
    let dry_run = PostParams { dry_run: true, ..PostParams::default() };
    // Until the API server has the CA certificate, it accepts everything.
    let rejection = namespace
        .until("an invalid rule to be rejected", async || {
            Ok(match rules.create(&dry_run, &rule("bad", "sum(", &json!("1"))?).await {
                Err(kube::Error::Api(status)) => Look::Found(status.message),
                other => Look::NotYet(format!("{other:?}")),
            })
        })
        .await?;
    let denial = "admission webhook \"prometheusrules.mainstay.dev\" denied the request: Rules are not valid";
    assert_eq!(rejection, denial);

    let created = namespace
        .until("a number in a label to be converted to a string", async || {
            Ok(match rules.create(&dry_run, &rule("good", "vector(1)", &json!(1.5))?).await {
                Ok(created) => Look::Found(created),
                Err(error) => Look::NotYet(error.to_string()),
            })
        })
        .await?;
    assert_eq!(created.data["spec"]["groups"][0]["rules"][0]["labels"], json!({"level": "1.5"}));

    namespace.lab().kubectl(&["-n", namespace.name(), "label", "prometheusrule", "before", "team=a"])?;
    namespace.lab().kubectl(&["-n", namespace.name(), "delete", "prometheusrule", "before"])?;
    Ok(())
}
