//! The definitions of our resources, one file each.

mod alertmanager_config;
mod monitoring;
mod overlay;
mod structural;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::ResourceExt;

use crate::manifests::HEADING;

/// `kubectl apply` stores an object in an annotation of itself, which takes this much.
const LARGEST_DEFINITION: usize = 256 * 1024;

/// One file a definition: those that the operator serves.
pub(super) fn installed() -> Result<BTreeMap<PathBuf, String>> {
    mainstay::manifests::definitions().iter().map(file).collect()
}

/// The same for the definitions whose operator is not built yet; they are no part of an install.
pub(super) fn prepared() -> Result<BTreeMap<PathBuf, String>> {
    monitoring::definitions()?.iter().map(file).collect()
}

fn file(definition: &CustomResourceDefinition) -> Result<(PathBuf, String)> {
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
        let files = installed().unwrap();
        let text = &files[&PathBuf::from("deploy/crds/exampleapps.example-app.appdelivery.cncf.io.yaml")];
        let read: CustomResourceDefinition = serde_saphyr::from_str(text).unwrap();
        assert_eq!(read, ExampleApp::crd());
    }
}
