//! The definitions of our resources, one file each.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::ResourceExt;

use super::HEADING;

/// `kubectl apply` stores an object in an annotation of itself, which takes this much.
const LARGEST_DEFINITION: usize = 256 * 1024;

/// One file a definition.
pub(super) fn files() -> Result<BTreeMap<PathBuf, String>> {
    mainstay::manifests::definitions().iter().map(definition).collect()
}

fn definition(definition: &CustomResourceDefinition) -> Result<(PathBuf, String)> {
    let name = definition.name_any();
    let size = serde_json::to_vec(definition)?.len();
    anyhow::ensure!(size < LARGEST_DEFINITION, "{name} has {size} bytes and cannot be applied");
    let text = serde_saphyr::to_string(definition).with_context(|| format!("writing {name}"))?;
    let path = PathBuf::from(format!("deploy/crds/{name}.yaml"));
    Ok((path, format!("{HEADING}{text}")))
}

#[cfg(test)]
mod tests {
    use api_example::ExampleApp;
    use kube::CustomResourceExt;

    use super::*;

    #[test]
    fn a_definition_is_read_back_as_it_was_meant() {
        let files = files().unwrap();
        let text = &files[&PathBuf::from("deploy/crds/exampleapps.example-app.appdelivery.cncf.io.yaml")];
        let read: CustomResourceDefinition = serde_saphyr::from_str(text).unwrap();
        assert_eq!(read, ExampleApp::crd());
    }
}
