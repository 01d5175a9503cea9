//! Webhooks are optional, so their registration is a separate file. Webhooks never block a user: the API server ignores
//! a webhook that does not respond in time, and the operators find invalid objects later too.
//!
//! The CRD that serves AlertmanagerConfig in both versions is another separate file: deleting the objects of that file
//! deletes all resources of the kind.

use std::path::PathBuf;

use anyhow::{Context, Result};
use k8s_openapi::api::admissionregistration::v1::{
    MutatingWebhookConfiguration, ValidatingWebhookConfiguration,
};
use k8s_openapi::api::core::v1::Service;
use mainstay::webhook_service::REGISTRATION;
use product::{Product, Registered, Webhooks};
use serde_json::{Value, from_value, json};

use super::definitions::Definition;
use super::{HEADING, NAMESPACE, labels, stream, yaml};

/// The Service of the webhooks.
pub(super) const SERVICE: &str = "mainstay-webhook";

/// The name of their port.
pub(super) const PORT: &str = "webhook";

/// The timeout of the API server. Checking rules takes milliseconds.
const SECONDS: i32 = 5;

/// The Service and the webhook configurations.
pub(super) fn registration(products: &[&Product]) -> Result<String> {
    let service: Service = from_value(json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {"name": SERVICE, "namespace": NAMESPACE, "labels": labels()},
        "spec": {"selector": labels(), "ports": [{"name": PORT, "port": 443, "targetPort": PORT}]},
    }))?;
    let of = |some: fn(&Webhooks) -> &'static [Registered]| -> Vec<Value> {
        let all = products.iter().filter_map(|product| product.webhooks);
        all.flat_map(|all| some(&all).iter().map(move |one| webhook(all.group, one))).collect()
    };
    let validating: ValidatingWebhookConfiguration =
        from_value(configuration("ValidatingWebhookConfiguration", &of(|all| all.validating)))?;
    let mutating: MutatingWebhookConfiguration =
        from_value(configuration("MutatingWebhookConfiguration", &of(|all| all.mutating)))?;
    Ok(stream([yaml(&service)?, yaml(&validating)?, yaml(&mutating)?]))
}

/// The CRDs with every version served and converted, by file name.
pub(super) fn conversions(
    products: &[&Product],
    definitions: &[Definition],
) -> Result<Vec<(PathBuf, String)>> {
    let webhooks = products.iter().filter_map(|product| product.webhooks);
    webhooks.flat_map(|webhooks| webhooks.converting).map(|one| conversion(one, definitions)).collect()
}

fn conversion((name, path): &(&str, &str), definitions: &[Definition]) -> Result<(PathBuf, String)> {
    let conversion = json!({"strategy": "Webhook", "webhook": {
        "conversionReviewVersions": ["v1"], "clientConfig": client(path),
    }});
    let definition = definitions.iter().find(|one| one.name() == *name).context("no such definition")?;
    let converted = definition.converted(from_value(conversion)?);
    let other =
        converted.spec.versions.iter().find(|version| !version.storage).context("only one version")?;
    let file = format!("deploy/{}-{}.yaml", converted.spec.names.kind.to_lowercase(), other.name);
    Ok((file.into(), format!("{HEADING}{}", yaml(&converted)?)))
}

fn configuration(kind: &str, webhooks: &[Value]) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind,
        "metadata": {"name": REGISTRATION, "labels": labels()}, "webhooks": webhooks,
    })
}

fn webhook(group: &str, Registered { path, resource, versions }: &Registered) -> Value {
    json!({
        "name": format!("{resource}.mainstay.dev"),
        "clientConfig": client(path),
        "rules": [{
            "apiGroups": [group], "apiVersions": versions, "resources": [resource], "scope": "Namespaced",
            "operations": ["CREATE", "UPDATE"],
        }],
        "admissionReviewVersions": ["v1"], "sideEffects": "None",
        "failurePolicy": "Ignore", "timeoutSeconds": SECONDS,
    })
}

/// Without the CA bundle, which the operators write.
fn client(path: &str) -> Value {
    json!({"service": {"namespace": NAMESPACE, "name": SERVICE, "path": path, "port": 443}})
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
    use mainstay::products;
    use operator_monitoring::webhook::registration::{GROUP, MUTATING, VALIDATING};

    use crate::manifests::definitions;

    use super::*;

    #[test]
    fn two_versions_are_served_only_with_conversion() {
        let all = definitions::all().unwrap();
        let served = |text: &str| {
            let definition: CustomResourceDefinition = serde_saphyr::from_str(text).unwrap();
            let served = definition.spec.versions.iter().filter(|one| one.served);
            (served.map(|one| one.name.clone()).collect::<Vec<_>>(), definition.spec.conversion)
        };
        let installed = all.iter().find(|one| one.plural() == "alertmanagerconfigs").unwrap();
        assert_eq!(served(&installed.text), (vec!["v1alpha1".to_owned()], None));
        let converted = conversions(products::ALL, &all).unwrap();
        let [(path, text)] = &converted[..] else { panic!("{converted:?}") };
        assert_eq!(path, Path::new("deploy/alertmanagerconfig-v1beta1.yaml"));
        let (versions, conversion) = served(text);
        assert_eq!(versions, ["v1alpha1", "v1beta1"]);
        assert_eq!(conversion.unwrap().strategy, "Webhook");
    }

    #[test]
    fn failures_are_ignored_and_every_resource_is_ours() {
        let text = registration(products::ALL).unwrap();
        let objects: Vec<Value> = serde_saphyr::from_multiple(&text).unwrap();
        let webhooks =
            || objects.iter().flat_map(|object| object["webhooks"].as_array().into_iter().flatten());
        assert_eq!(webhooks().count(), VALIDATING.len() + MUTATING.len());
        assert!(webhooks().all(|webhook| webhook["failurePolicy"] == "Ignore"));
        let definitions = definitions::all().unwrap();
        for Registered { resource, versions, .. } in VALIDATING.iter().chain(&MUTATING) {
            let found = definitions.iter().find(|one| one.group() == GROUP && one.plural() == *resource);
            assert_eq!(found.expect(resource).versions(), *versions, "{resource}");
        }
    }
}
