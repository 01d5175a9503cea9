//! What is applied to a cluster, as files: so far the definitions of our resources.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use api_example::ExampleApp;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{CustomResourceExt, ResourceExt};

/// Where the definitions lie.
pub(crate) const DEFINITIONS: &str = "deploy/crds";

/// `kubectl apply` stores an object in an annotation of itself, which takes this much.
const LARGEST_DEFINITION: usize = 256 * 1024;

/// One file a definition.
pub(crate) fn definitions() -> Result<BTreeMap<PathBuf, String>> {
    [ExampleApp::crd()].iter().map(definition).collect()
}

fn definition(definition: &CustomResourceDefinition) -> Result<(PathBuf, String)> {
    let name = definition.name_any();
    let size = serde_json::to_vec(definition)?.len();
    anyhow::ensure!(size < LARGEST_DEFINITION, "{name} has {size} bytes and cannot be applied");
    let text = serde_saphyr::to_string(definition).with_context(|| format!("writing {name}"))?;
    let path = PathBuf::from(DEFINITIONS).join(format!("{name}.yaml"));
    Ok((path, format!("# Written by `make gen`; do not edit.\n{text}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_read_back_as_it_was_meant() {
        let files = definitions().unwrap();
        let text = &files[&PathBuf::from("deploy/crds/exampleapps.example-app.appdelivery.cncf.io.yaml")];
        let read: CustomResourceDefinition = serde_saphyr::from_str(text).unwrap();
        assert_eq!(read, ExampleApp::crd());
    }
}
