//! The definitions of all resources.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;

/// Every definition, by name.
pub fn definitions() -> Vec<CustomResourceDefinition> {
    vec![api_example::ExampleApp::crd()]
}

/// All of them as one YAML stream.
pub fn definitions_as_yaml() -> anyhow::Result<String> {
    let mut stream = String::new();
    for definition in definitions() {
        stream.push_str("---\n");
        stream.push_str(&serde_saphyr::to_string(&definition)?);
    }
    for (_, definition) in crate::definitions::MONITORING {
        stream.push_str("---\n");
        stream.push_str(definition);
    }
    Ok(stream)
}
