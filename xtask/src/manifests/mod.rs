//! The manifests that are applied to a cluster: CRDs, roles, and installations in one file each.

mod definitions;
mod deployment;
mod install;
mod role;
mod user_roles;
mod webhooks;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use mainstay::products;
use serde::Serialize;
use serde_json::{Value, json};

/// Directories that contain only these files.
pub(crate) const OWNED: [&str; 2] = ["deploy", "deploy/crds"];

/// The first line of every generated manifest.
const HEADING: &str = "# Written by `make gen`; do not edit.\n";

/// The namespace of the operators.
const NAMESPACE: &str = "mainstay-system";

/// The name of all their objects.
const NAME: &str = "mainstay";

/// The API version of roles.
const RBAC: &str = "rbac.authorization.k8s.io/v1";

/// Every manifest, from path to content.
pub(crate) fn files() -> Result<BTreeMap<PathBuf, String>> {
    let definitions = definitions::all()?;
    let mut files = BTreeMap::new();
    for definition in &definitions {
        files.insert(definition.path(), format!("{HEADING}{}", definition.text));
    }
    files.insert("deploy/install.yaml".into(), install::of(products::ALL, &definitions)?);
    let monitoring = [&operator_monitoring::PRODUCT];
    files.insert("deploy/monitoring.yaml".into(), install::of(&monitoring, &definitions)?);
    files.insert("deploy/monitoring-roles.yaml".into(), install::roles_of(&monitoring, &definitions)?);
    files.insert("deploy/webhooks.yaml".into(), webhooks::registration(products::ALL)?);
    files.extend(webhooks::conversions(products::ALL, &definitions)?);
    Ok(files)
}

/// Several objects as one file.
fn stream(parts: impl IntoIterator<Item = String>) -> String {
    let mut text = String::from(HEADING);
    for part in parts {
        text.push_str("---\n");
        text.push_str(&part);
    }
    text
}

fn yaml(object: &impl Serialize) -> Result<String> {
    Ok(serde_saphyr::to_string(object)?)
}

fn labels() -> Value {
    json!({"app.kubernetes.io/name": NAME})
}

/// The metadata of the objects in the namespace of the operators.
fn own() -> Value {
    json!({"name": NAME, "namespace": NAMESPACE, "labels": labels()})
}
